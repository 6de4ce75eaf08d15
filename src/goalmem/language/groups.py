"""What is said of all or none of a group is said of the group: of `none of the shops were open`, that the shops were not open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, TurnReading
from goalmem.language.clauses import is_asked
from goalmem.language.phrases import part
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

NONE = frozenset({"none", "neither"})
WHOLE = frozenset({"all", "both"}) | NONE
"""Pronouns of quantity with `of` for every member of a group, or for none (Quirk et al. 1985, sections 6.48, 6.52)."""


def groups(reading: TurnReading) -> None:
    """Add the clauses about the groups of which all or none did something."""
    for clause in list(reading.clauses):
        if clause.head is not None and clause.modality is Modality.ASSERTED and not is_asked(clause.head):
            reading.clauses += _of_group(reading, clause)


def _of_group(reading: TurnReading, clause: Clause) -> Iterator[Clause]:
    for own in clause.parts:
        if own.role not in ("subject", "object") or own.token is None or own.token.lower_ not in WHOLE:
            continue
        group = _group(own.token)
        if group is None or (own.token.lower_ in NONE) == clause.polarity:
            continue
        parts = [part(reading, group, own.role) if p is own else p for p in clause.parts]
        yield replace(clause, head=None, parts=parts, start=min(own.start, clause.verb.idx), end=_end(clause))


def _group(token: Token) -> Token | None:
    """The members of `none of my friends`."""
    of = next((t for t in token.children if t.dep_ == "prep" and t.lower_ == "of"), None)
    return next((t for t in of.children if t.dep_ == "pobj"), None) if of is not None else None


def _end(clause: Clause) -> int:
    return max([clause.verb.idx + len(clause.verb), *(p.end for p in clause.parts)])
