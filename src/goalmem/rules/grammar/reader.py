"""The grammar: an exact reader of controlled rule English.

What it reads it reads rightly; every other sentence comes back with the reason why it cannot be read. It is
deterministic and takes time linear in the text. The English that it reads is described in docs/rules.md.

It is a recursive descent by hand, and no grammar file for a parser generator: in English nearly every word may be a noun, a
verb or an adjective, so that a context-free grammar of it is ambiguous throughout. What decides is the form of the words, what
the text itself shows of them (`words.Evidence`) and a dictionary; and whatever stays open is to be refused, not parsed.
"""

from __future__ import annotations

from goalmem.cancellation import checkpoint
from goalmem.rules.grammar.implied import implied, two_names
from goalmem.rules.grammar.reference import Fold
from goalmem.rules.grammar.said import Said
from goalmem.rules.grammar.sentence import read_sentence
from goalmem.rules.grammar.text import Sentence, UnreadableError, sentences, words_of
from goalmem.rules.grammar.words import Evidence
from goalmem.rules.terms import Clause, Literal, Reading, Unread

__all__ = ["GrammarReader"]


class GrammarReader:
    """Reads controlled rule English without any model. Deterministic, and safe to use from several threads."""

    name = "grammar"

    def read(self, text: str) -> Reading:
        """The clauses of a text, sentence by sentence, in order, and behind them what they imply (`implied`).
        Never raises for what it cannot read.
        """
        evidence = Evidence(text)
        clauses: list[Clause] = []
        unread: list[Unread] = []
        folds: list[tuple[Fold, int]] = []
        for sentence in sentences(text):
            checkpoint()
            try:
                said = _said(sentence, evidence)
            except UnreadableError as error:
                unread.append(Unread(sentence.text, sentence.start, sentence.end, str(error)))
                continue
            for each in said:
                folds += [(fold, len(clauses)) for fold in each.folds]
                clauses.append(Clause(each.head, each.body, sentence.text, sentence.start, sentence.end))
        clear = _without_two_names(clauses, unread)
        if len(clear) < len(clauses):
            numbers = {id(c): n for n, c in enumerate(clear)}
            folds = [(f, numbers[id(clauses[n])]) for f, n in folds if id(clauses[n]) in numbers]
        return Reading((*clear, *implied(clear, folds)), tuple(sorted(unread, key=lambda u: u.start)))

    def read_statement(self, text: str) -> Literal | None:
        """The statement or question `text` as a literal, with a variable where it asks for something; None when it is
        none that a theory could decide.
        """
        from goalmem.rules.grammar.questions import read_question

        return read_question(text)


def _said(sentence: Sentence, evidence: Evidence) -> list[Said]:
    if sentence.text.endswith("?"):
        raise UnreadableError("it is a question")
    return read_sentence(words_of(sentence.text), evidence)


def _without_two_names(clauses: list[Clause], unread: list[Unread]) -> list[Clause]:
    """The clauses less those of sentences that call by another name what a fact names."""
    names = two_names(clauses)
    if not names:
        return clauses
    why: dict[int, Unread] = {}
    for clause in clauses:
        for literal in (clause.head, *clause.body):
            for term in literal.terms:
                if term in names:
                    reason = f"{str(term)!r} is {names[str(term)]}, as another sentence says: use that name"
                    why.setdefault(clause.start, Unread(clause.text, clause.start, clause.end, reason))
    unread += why.values()
    return [c for c in clauses if c.start not in why]
