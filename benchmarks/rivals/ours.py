"""goalmem itself, through its public names."""

from __future__ import annotations

from datetime import datetime

from benchmarks.rivals.protocol import Place, Session

from goalmem import Memory
from goalmem.evals.cache import NoAnalysis
from goalmem.retrieve.sessions import rank_sessions

__all__ = ["HOW", "PACKAGES", "open_store"]

PACKAGES = ("goalmem",)
HOW = (
    "Memory.add a session, Memory.search; sessions through rank_sessions, from 200 turns. Its adding also reads facts for "
    "`ask`, which no other row does."
)
DEPTH = 200
"""Turns searched for, as `goalmem eval longmemeval` does."""


class Goalmem:
    """A memory in one file."""

    def __init__(self, place: Place) -> None:
        # Search looks at no facts, so reading them changes nothing that is found.
        analyzer = None if place.as_shipped else NoAnalysis()
        self._memory = Memory(place.folder / "memory.goalmem", embedder=place.embedder, analyzer=analyzer)

    def add(self, session: Session) -> None:
        """One call a session."""
        rows = [
            {
                "role": message.role,
                "content": message.text,
                "id": message.id,
                **({"name": message.speaker} if message.speaker else {}),
                **({"caption": message.caption} if message.caption else {}),
            }
            for message in session.messages
        ]
        if rows:
            self._memory.add(rows, session=session.name, at=session.at)

    def finish(self) -> None:
        """Every call was durable when it returned."""

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By `rank_sessions`; the question's time anchors "last week"."""
        hits = self._memory.search(query, k=DEPTH, at=at)
        return [found.session for found in rank_sessions(hits, k)]

    def turns(self, query: str, k: int) -> list[str]:
        """As `search` ranks them."""
        return [hit.turn.external_id for hit in self._memory.search(query, k=k)]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


def open_store(place: Place) -> Goalmem:
    """Open or create the memory."""
    return Goalmem(place)
