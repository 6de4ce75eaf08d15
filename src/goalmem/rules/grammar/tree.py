"""The syntax tree of a sentence in rule English, before references are resolved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias


class ReferenceKind(StrEnum):
    """Kinds of reference of a noun phrase."""

    CONSTANT = "constant"
    """To one thing: `Bob`, `the bald eagle`, `pizza`."""
    PRONOUN = "pronoun"
    REFLEXIVE = "reflexive"
    SOMEONE = "someone"
    """To someone or something unnamed."""
    A = "a"
    """To some instance of a noun: `a bird`."""
    EVERY = "every"
    """Universal, restricted by a noun if `text` is not empty: `everyone`, `all birds`."""
    ANY = "any"
    """As `EVERY`, but to some instance within a condition: `anyone`, `any bird`, `birds`, `big people`."""
    NONE = "none"
    OWNED = "owned"
    """By `of`: `its mayor`, `Bob's mother`."""
    GAP = "gap"
    """The gap of a relative clause or a question, and the subject of a verb phrase before it is known."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase."""

    kind: ReferenceKind
    text: str = ""
    """A constant or pronoun as printed, or a noun in the singular; empty for a noun without content (`people`)."""
    type: str = ""
    """`person` or `thing` where that is known."""
    plural: bool = False
    adjectives: tuple[str, ...] = ()
    how: str = "and"
    """How the adjectives are coordinated."""
    of: Noun | None = None
    where: Formula | None = None
    """A relative clause about `GAP`."""


GAP = Noun(ReferenceKind.GAP)


@dataclass(frozen=True, slots=True)
class PhraseGroup:
    """Noun phrases joined by `and` or `or`."""

    items: tuple[Noun, ...]
    how: str


Term: TypeAlias = Noun | PhraseGroup


@dataclass(frozen=True, slots=True)
class StatementTree:
    """One statement: its words in the third person singular with `_` for each term, and the terms."""

    words: tuple[str, ...]
    terms: tuple[Term, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class All:
    """Statements that hold together."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Statements of which at least one holds."""

    items: tuple[Formula, ...]


Formula: TypeAlias = StatementTree | All | Any


def joined(items: list[Formula], how: str) -> Formula:
    """Join formulas to one."""
    if len(items) == 1:
        return items[0]
    return Any(tuple(items)) if how == "or" else All(tuple(items))


def filled(formula: Formula, subject: Term) -> Formula:
    """The formula with `subject` for its gaps; a group of subjects makes one formula of each."""
    if isinstance(subject, PhraseGroup):
        return joined([filled(formula, item) for item in subject.items], subject.how)
    if isinstance(formula, StatementTree):
        return replace(formula, terms=tuple(subject if t == GAP else t for t in formula.terms))
    return type(formula)(tuple(filled(item, subject) for item in formula.items))
