"""Protocols for what reasoning reads of a memory, whether a store with a searcher or another system's passages; and turns as evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from goalmem.logic.terms import Evidence
from goalmem.records import Fact, Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.spans import one_line

BEFORE = 400
"""Characters of the previous turn that are read, from its end, where the question usually is."""


class EvidenceStore(Protocol):
    """The turns of a space, and what was extracted from them. `goalmem.store.Store` is one."""

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """The turns with these ids; unknown ids are left out."""
        ...

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """A session's turns in order, positions `first` to `last`, both included; a negative `first` counts from the end."""
        ...

    def facts(
        self,
        space: str,
        *,
        ids: Iterable[str] | None = None,
        turns: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """Facts that satisfy all given conditions, ordered by time of saying, then by position.

        `newest` limits the facts: with an entity to those said last; with a predicate to those stored last.
        """
        ...

    def entities(self, space: str) -> dict[str, tuple[str, int]]:
        """Canonical entity name -> (type, number of mentions)."""
        ...

    def aliases(self, space: str) -> dict[str, str]:
        """Lower-case alias -> canonical entity name."""
        ...

    def version(self, space: str) -> tuple[int, int]:
        """Changes when turns are added or removed; (0, 0) for an unknown space."""
        ...

    def fate(self, space: str, turn: str) -> str:
        """What happened to a turn that is gone or changed, in words; empty if not known."""
        ...


@runtime_checkable
class SearchedStore(Protocol):
    """An `EvidenceStore` that holds only what searches found so far, so that what it holds depends on the order of the searches."""

    def found_for(self, query: str, k: int, slot: str = "") -> EvidenceStore:
        """What the question, a query for `k` turns, and the values that these tell of a slot (`Fact.slot`) find.

        It does not depend on what else was found by now, so that it is the same when a proof is checked.
        """
        ...


class TurnFinder(Protocol):
    """Finds turns of a space. `goalmem.retrieve.search.Searcher` is one."""

    def rank(
        self, query: str, *, space: str, k: int = 10, at: datetime | None = None, asker: str = ""
    ) -> Sequence[RankedTurn]:
        """The `k` best turns for the query, best first; none that was said after the day of `at`.

        `asker` is the person that `I` refers to in the query; empty for the only speaker, if there is one.
        """
        ...

    def speakers(self, space: str) -> tuple[str, ...]:
        """The speakers of a space, without the roles of unnamed speakers."""
        ...

    def newest(self, space: str) -> str | None:
        """The id of the turn said last; None for an empty space."""
        ...

    def asker(self, space: str, name: str = "") -> str:
        """A person's name in the spelling of the space; without `name`, that of the only speaker, empty for several."""
        ...


def said_by(said: datetime, asked: datetime) -> bool:
    """True if something was said by the day of the question, in the question's time zone."""
    both = said.tzinfo is not None and asked.tzinfo is not None
    return (said.astimezone(asked.tzinfo) if both else said).date() <= asked.date()


def evidence_of(turn: Turn, start: int, end: int) -> Evidence:
    """A span of a turn, with the hash of the whole turn."""
    content = turn.content
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    said = turn.at.isoformat()
    quote = content[start:end]
    return Evidence(turn.id, digest, quote, start, end, turn.speaker, said, turn.session, turn.source, turn.position)


def turns_before(store: EvidenceStore, turn: Turn) -> Sequence[Turn]:
    """The previous turn in the session; empty for the first, and if it was forgotten."""
    if turn.position == 0:
        return ()
    return store.session_turns(turn.space, turn.session, first=turn.position - 1, last=turn.position - 1)


def line_before(store: EvidenceStore, turn: Turn) -> str:
    """The end of the previous turn in the session, as a line `Speaker: text`; empty for the first."""
    return "".join(f"{t.speaker}: {one_line(t.content)[-BEFORE:]}\n" for t in turns_before(store, turn))
