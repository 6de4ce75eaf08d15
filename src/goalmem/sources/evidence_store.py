"""What reasoning reads of a memory, whoever keeps it: a store with a searcher over it, or another system's passages; its turns as evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from goalmem.logic.terms import Evidence
from goalmem.records import Fact, Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.spans import one_line

BEFORE = 400
"""Characters of the turn before that are read, from its end: what is being answered stands there."""


class EvidenceStore(Protocol):
    """Turns of a space, and what was read out of them. `goalmem.store.Store` is one."""

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
        """Facts that satisfy every condition given, ordered by when they were said, then by their place.

        With `newest`, of the facts of an entity only so many: those said last; with a predicate those stored last.
        """
        ...

    def entities(self, space: str) -> dict[str, tuple[str, int]]:
        """Canonical entity name -> (type, number of mentions)."""
        ...

    def aliases(self, space: str) -> dict[str, str]:
        """Lower-case alias -> canonical entity name."""
        ...

    def version(self, space: str) -> tuple[int, int]:
        """Differs when the space holds other turns than before; (0, 0) for an unknown space."""
        ...

    def fate(self, space: str, turn: str) -> str:
        """What became of a turn that is not as it was, in words; nothing where that is not known."""
        ...


class TurnFinder(Protocol):
    """Finds turns of a space. `goalmem.retrieve.search.Searcher` is one."""

    def rank(
        self, query: str, *, space: str, k: int = 10, at: datetime | None = None, asker: str = ""
    ) -> Sequence[RankedTurn]:
        """The `k` turns that say most about the query, best first; none that was said after the day of `at`.

        `asker` is whom `I` means in the query; empty for the only person who speaks, where one does.
        """
        ...

    def speakers(self, space: str) -> tuple[str, ...]:
        """Who speaks in a space, roles of unnamed speakers left out."""
        ...

    def newest(self, space: str) -> str | None:
        """The id of the turn said last; None for an empty space."""
        ...

    def asker(self, space: str, name: str = "") -> str:
        """A person's name as the space spells it; without one that of the only person who speaks, empty for several."""
        ...


def said_by(said: datetime, asked: datetime) -> bool:
    """Whether something was said by the day of asking, where it was asked."""
    both = said.tzinfo is not None and asked.tzinfo is not None
    return (said.astimezone(asked.tzinfo) if both else said).date() <= asked.date()


def evidence_of(turn: Turn, start: int, end: int) -> Evidence:
    """A span of a turn, with the hash of the whole turn."""
    content = turn.content
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return Evidence(
        turn.id, digest, content[start:end], start, end, turn.speaker, turn.at.isoformat(), turn.session, turn.source
    )


def line_before(store: EvidenceStore, turn: Turn) -> str:
    """The end of the turn before it in its session, as a line `Speaker: text`; empty for the first."""
    if turn.position == 0:
        return ""
    before = store.session_turns(turn.space, turn.session, first=turn.position - 1, last=turn.position - 1)
    return "".join(f"{t.speaker}: {one_line(t.content)[-BEFORE:]}\n" for t in before)
