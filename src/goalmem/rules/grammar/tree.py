"""What a sentence of rule English is parsed into, before it is known what its words refer to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """How a noun phrase refers."""

    CONSTANT = "constant"
    """To one thing: `Bob`, `the bald eagle`, `pizza`."""
    PRONOUN = "pronoun"
    REFLEXIVE = "reflexive"
    SOMEONE = "someone"
    """To someone or something unnamed."""
    A = "a"
    """To some instance of a noun: `a bird`."""
    EVERY = "every"
    """To whatever there is, of a noun where `text` has one: `everyone`, `all birds`."""
    ANY = "any"
    """As `EVERY`, but to some instance within a condition: `anyone`, `any bird`, `birds`, `big people`."""
    NONE = "none"
    OWNED = "owned"
    """By `of`: `its mayor`, `Bob's mother`."""
    GAP = "gap"
    """What a relative clause or a question leaves open, and the subject of a verb phrase before it is known."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase."""

    kind: Kind
    text: str = ""
    """A constant or pronoun as printed, or a noun in the singular; empty where the noun says nothing (`people`)."""
    type: str = ""
    """`person` or `thing` where that is known."""
    plural: bool = False
    adjectives: tuple[str, ...] = ()
    how: str = "and"
    """What joins the adjectives."""
    of: Noun | None = None
    where: Formula | None = None
    """A relative clause about `GAP`."""


GAP = Noun(Kind.GAP)


@dataclass(frozen=True, slots=True)
class Group:
    """Noun phrases joined by `and` or `or`."""

    items: tuple[Noun, ...]
    how: str


Term: TypeAlias = Noun | Group


@dataclass(frozen=True, slots=True)
class State:
    """One statement: its words with `_` for each of its terms, in the third person singular, and the terms."""

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


Formula: TypeAlias = State | All | Any


def joined(items: list[Formula], how: str) -> Formula:
    """One formula of several."""
    if len(items) == 1:
        return items[0]
    return Any(tuple(items)) if how == "or" else All(tuple(items))


def filled(formula: Formula, subject: Term) -> Formula:
    """The formula with `subject` for its gaps; a group of subjects makes one formula of each."""
    if isinstance(subject, Group):
        return joined([filled(formula, item) for item in subject.items], subject.how)
    if isinstance(formula, State):
        return replace(formula, terms=tuple(subject if t == GAP else t for t in formula.terms))
    return type(formula)(tuple(filled(item, subject) for item in formula.items))
