"""Clauses written out as short lines, so that a test can say what a sentence should be read as."""

from goalmem.logic.terms import Variable
from goalmem.rules.grammar.reader import GrammarReader

READER = GrammarReader()


def line(clause):
    """`x is kind <- x is big, not x is red`: variables by their names, without their types."""
    body = ", ".join(map(said, clause.body))
    return said(clause.head) + (f" <- {body}" if body else "")


def said(literal):
    terms = iter(t.name if isinstance(t, Variable) else t for t in literal.terms)
    words = "".join(next(terms) if c == "_" else c for c in literal.predicate)
    return f"not {words}" if literal.negated else words


def lines(text):
    """What a text is read as; every sentence of it must be read."""
    reading = READER.read(text)
    assert not reading.unread, reading.unread
    return [line(c) for c in reading.clauses]


def reason(sentence):
    """Why a sentence is not read."""
    reading = READER.read(sentence)
    assert not reading.clauses
    assert len(reading.unread) == 1
    return reading.unread[0].reason
