"""The content of a sentence of rule English as clauses over statements with slots, and the sentence as evidence.

A predicate is a statement with one `_` for each of its terms (`_ is kind`, `_ chases _`), so that equal statements
have equal predicates whatever they were worded like, and every clause can be printed as an NL-Logic rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Atom, Evidence, Rule, Variable

SLOT = "_"
"""Stands for a term in a predicate."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A statement about terms, or its denial."""

    predicate: str
    """Present tense, third person singular, single spaces: `_ is kind`, `_ chases _`; negation is not part of it."""
    terms: tuple[str | Variable, ...]
    """Constants as they are printed (`Bob`, `the bald eagle`: without a capital article) and variables, in order."""
    negated: bool = False

    @property
    def ground(self) -> bool:
        """True when no term is a variable."""
        return not any(isinstance(t, Variable) for t in self.terms)

    @property
    def denied(self) -> Literal:
        """Its opposite."""
        return replace(self, negated=not self.negated)

    @property
    def atom(self) -> Atom:
        """The same in NL-Logic."""
        parts: list[str | Variable] = []
        pieces = self.predicate.split(SLOT)
        for n, piece in enumerate(pieces):
            for part in (piece, *self.terms[n : n + 1]) if n < len(pieces) - 1 else (piece,):
                if parts and isinstance(part, str) and isinstance(parts[-1], str):
                    parts[-1] += part
                elif part != "":
                    parts.append(part)
        return Atom(tuple(parts), self.negated)


@dataclass(frozen=True, slots=True)
class Clause:
    """`head if body and body …`: a fact where the body is empty. A sentence may state several."""

    head: Literal
    body: tuple[Literal, ...] = ()
    text: str = ""
    """The sentence that states it."""
    start: int = 0
    """Character offset of the sentence in the text."""
    end: int = 0
    score: float = field(default=1.0, compare=False)
    """Confidence of the reader in [0, 1]; below 1 only if a model read the sentence."""

    @property
    def rule(self) -> Rule:
        """The same in NL-Logic."""
        return Rule(self.head.atom, tuple(b.atom for b in self.body))

    @property
    def variables(self) -> Iterator[Variable]:
        """Its distinct variables in order of appearance, the head's first."""
        terms = (t for literal in (self.head, *self.body) for t in literal.terms)
        return iter(dict.fromkeys(t for t in terms if isinstance(t, Variable)))


@dataclass(frozen=True, slots=True)
class Unread:
    """A sentence that could not be read, and why."""

    text: str
    start: int
    end: int
    reason: str
    """Completes "cannot read this sentence, because …"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All sentences of a text: every one is either in `clauses` or in `unread`."""

    clauses: tuple[Clause, ...]
    unread: tuple[Unread, ...] = ()


class RuleReader(Protocol):
    """Reads rule English. Deterministic, and safe to use from several threads."""

    @property
    def name(self) -> str:
        """`grammar`, `learned` or `chat`."""
        ...

    def read(self, text: str) -> Reading:
        """The clauses of a text, sentence by sentence, in order. Does not raise for unreadable sentences."""
        ...

    def read_statement(self, text: str) -> Literal | None:
        """The statement or question `text` as a literal (`Bob is not green.`, `Is Bob green?`, `Who is kind?` with a
        variable); None if a theory cannot decide it.
        """
        ...


RULE = "rule-"
"""Prefix of the ids of sentences; ids of turns never have it."""
_DIGITS = 24


def sentence_of(clause: Clause) -> str:
    """The sentence that states a clause; of one that no text states, the clause in NL-Logic."""
    return clause.text or f"{format_rule(clause.rule)}."


def sentence_id(text: str) -> str:
    """The id of a sentence: the same words have the same id everywhere."""
    return f"{RULE}{_hash(text)[:_DIGITS]}"


def cited(text: str) -> Evidence:
    """A whole sentence as evidence, without a speaker and a time: a rule is in force as long as it is stated."""
    return Evidence(sentence_id(text), _hash(text), text, 0, len(text), "", "", "")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
