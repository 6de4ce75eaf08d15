"""Where the grammar's reading of a sentence stands, and where the learned reader's is taken instead.

The grammar reads any sentence of the right build, and takes every phrase at its word: `rough around the edges` is no case of
`rough` to it. That is right for controlled English, and wrong for a text that calls the same property by many names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from goalmem.language import lexicon
from goalmem.rules.terms import SLOT, Clause, Literal, Reading

__all__ = ["IS", "constants", "controlled", "literals", "plain_word", "recurring", "stands"]

IS = f"{SLOT} is "
ENOUGH = 0.95
"""Share of its statements that are of a few words, or are made by several sentences, from which on a text is controlled
English."""
_FEW_WORDS = re.compile(rf"{SLOT} is (?:an? )?\w+|{SLOT} \w+ {SLOT}")
"""`_ is kind`, `_ is a cat`, `_ chases _`."""


def controlled(reading: Reading) -> bool:
    """True for a text that the grammar reads whole and whose sentences speak of the same things in the same words."""
    if reading.unread:
        return False
    again = recurring(reading.clauses)
    every = [literal for clause in reading.clauses for literal in literals((clause,))]
    simple = (bool(_FEW_WORDS.fullmatch(n.predicate)) or n.predicate in again for n in every)
    return sum(simple) >= ENOUGH * len(every)


def stands(clauses: Sequence[Clause], found: Collection[str], again: Collection[str]) -> bool:
    """Whether the grammar's clauses of a sentence hold all that the learned reader finds in it.

    `found`: the properties that it finds; `again`: predicates that other sentences have too.
    """
    plain = {plain_word(n) for n in literals(clauses)}
    return {*found} <= plain and all(plain_word(n) or n.predicate in again for n in literals(clauses))


def recurring(clauses: Sequence[Clause]) -> frozenset[str]:
    """Predicates that differently worded sentences share."""
    texts: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        for literal in literals((clause,)):
            texts[literal.predicate].add(_unnamed(clause))
    return frozenset(predicate for predicate, worded in texts.items() if len(worded) > 1)


def plain_word(literal: Literal) -> str:
    """The adjective of `_ is w`; empty where the statement is another."""
    word = literal.predicate.removeprefix(IS)
    return word if len(word) < len(literal.predicate) and word.isalpha() and lexicon.is_known(word, "a") else ""


def literals(clauses: Sequence[Clause]) -> Iterator[Literal]:
    """The statements that clauses are made of."""
    return (literal for clause in clauses for literal in (clause.head, *clause.body))


def constants(clauses: Sequence[Clause]) -> Iterator[str]:
    """Whom facts are about, by name or as `the cat`."""
    for clause in clauses:
        term = clause.head.terms[0]
        named = isinstance(term, str) and (term.startswith("the ") or all(w[0].isupper() for w in term.split()))
        if named and not clause.body:
            yield str(term)


def _unnamed(clause: Clause) -> str:
    text = clause.text
    for name in constants((clause,)):
        text = text.replace(name, SLOT)
    return text
