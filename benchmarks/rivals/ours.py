"""goalmem itself: as shipped through its public names, and where only what is found counts as its own evals do it."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from typing import Any

from benchmarks.rivals.protocol import Message, Place, Rival, Session

from goalmem import Memory
from goalmem.records import Hit
from goalmem_lab.evals.corpus import Corpora, Corpus
from goalmem_lab.evals.encoded import SPACE, Told
from goalmem_lab.evals.longmemeval import rank_sessions

PACKAGES = ("goalmem",)
HOW = (
    "Memory.add a session, Memory.search; sessions through rank_sessions, from 200 turns. Its adding also reads facts for "
    "`ask`, which no other row does. What is found is measured over encodings kept from run to run, as `goalmem eval` does."
)
DEPTH = 200
"""Turns searched for, as `goalmem eval longmemeval` does."""


class Shipped:
    """A memory in one file."""

    def __init__(self, place: Place) -> None:
        self._memory = Memory(place.folder / "memory.goalmem", embedder=place.embedder)

    def add(self, session: Session) -> None:
        """One call a session."""
        if rows := [_row(message) for message in session.messages]:
            self._memory.add(rows, session=session.name, at=session.at)

    def finish(self) -> None:
        """Every call was durable when it returned."""

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By `rank_sessions`; the question is asked as of its time."""
        return _sessions(self._memory.search(query, k=DEPTH, at=at), k)

    def turns(self, query: str, k: int) -> list[str]:
        """As `search` ranks them."""
        return [hit.turn.external_id for hit in self._memory.search(query, k=k)]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


class Encoded:
    """The same turns, vectors, terms and features in a store that is filled from what was encoded before."""

    def __init__(self, place: Place) -> None:
        self._opened = ExitStack()
        self._corpora = self._opened.enter_context(Corpora(place.embedder))
        self._linked = place.unit == "turn"
        self._told: list[Told] = []
        self._corpus: Corpus | None = None

    def add(self, session: Session) -> None:
        """Keep it for `finish`."""
        self._told.append(Told(session.name, session.at, [_row(message) for message in session.messages]))

    def finish(self) -> None:
        """Encode what is new, fill the store."""
        self._corpus = self._opened.enter_context(self._corpora.filled(self._told, linked=self._linked))

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By `rank_sessions`; the question is asked as of its time."""
        return _sessions(self._found(query, DEPTH, at), k)

    def turns(self, query: str, k: int) -> list[str]:
        """As a searcher ranks them."""
        return [hit.turn.external_id for hit in self._found(query, k, None)]

    def _found(self, query: str, k: int, at: datetime | None) -> list[Hit]:
        assert self._corpus is not None
        return self._corpus.searcher().search(query, space=SPACE, k=k, at=at)

    def close(self) -> None:
        """Release the store and the cache."""
        self._opened.close()


def _row(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.text,
        "id": message.id,
        **({"name": message.speaker} if message.speaker else {}),
        **({"caption": message.caption} if message.caption else {}),
    }


def _sessions(hits: list[Hit], k: int) -> list[str]:
    return [found.session for found in rank_sessions(hits, k)]


def open_store(place: Place) -> Rival:
    """Open or create the memory."""
    return Shipped(place) if place.as_shipped else Encoded(place)
