"""The operations of a memory, local or remote, that a LangGraph store needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goalmem.errors import NotFoundError
from goalmem.memory import Memory
from goalmem.records import Hit, Turn

if TYPE_CHECKING:
    from goalmem.client import Client


MOST_NAMES = 1_000
"""Maximum number of sessions in a filter, and of turns in a result, of a server."""


class ItemSessions:
    """Sessions whose last turn is the current item; earlier turns are replaced ones.

    A turn is put first, and what it replaces forgotten then. Whoever is killed in between leaves both, and the last one
    still counts; of several who write at once the one that the store took last wins.
    """

    def __init__(self, memory: Memory | Client) -> None:
        self._memory = memory

    def spaces(self) -> list[str]:
        """Every space that holds something."""
        return self._memory.spaces()

    def sessions(self, space: str) -> list[str]:
        """Every session of a space, the oldest first."""
        return [name for name, _, _ in self._memory.sessions(space=space)]

    def newest(self, space: str, session: str) -> Turn | None:
        """The last turn of a session."""
        turns = self._turns(space, session, first=-1)
        return turns[-1] if turns else None

    def every_newest(self, space: str) -> Iterator[Turn]:
        """The last turn of every session, those of the oldest session first."""
        if isinstance(self._memory, Memory):
            last = {turn.session: turn for turn in self._memory._parts.store.all_turns(space)}
            yield from (last[session] for session in self.sessions(space) if session in last)
        else:
            found = (self.newest(space, session) for session in self.sessions(space))
            yield from (turn for turn in found if turn is not None)

    def put(self, message: Mapping[str, Any], space: str, session: str, at: datetime) -> None:
        """Make a message the current item of a session, durably."""
        own = self._memory.add([message], space=space, session=session, at=at).turns[0]
        turns = self._turns(space, session)
        # Newer turns are left alone: they belong to another writer.
        place = next((turn.position for turn in turns if turn.id == own), 0)
        for turn in turns:
            if turn.position < place:
                self.forget_turn(space, turn.id)

    def forget(self, space: str, session: str) -> None:
        """Forget a session with everything derived from it. A missing session is ignored."""
        with suppress(NotFoundError):
            self._memory.forget(session=session, space=space)

    def forget_turn(self, space: str, turn: str) -> None:
        """Forget a turn that was replaced."""
        with suppress(NotFoundError):
            self._memory.forget(turn=turn, space=space)

    def search(
        self, query: str, space: str, k: int, roles: Sequence[str], sessions: Sequence[str] | None = None
    ) -> list[Hit]:
        """The turns that say most about a query, best first; `sessions` may be any number."""
        if sessions is None:
            most = k if isinstance(self._memory, Memory) else min(k, MOST_NAMES)
            return self._memory.search(query, space=space, k=most, roles=roles)
        hits: list[Hit] = []
        for start in range(0, len(sessions), MOST_NAMES):
            part = sessions[start : start + MOST_NAMES]
            hits += self._memory.search(query, space=space, k=min(k, MOST_NAMES), roles=roles, sessions=part)
        return sorted(hits, key=lambda hit: -hit.score)

    def _turns(self, space: str, session: str, *, first: int = 0) -> list[Turn]:
        if isinstance(self._memory, Memory):
            return self._memory._parts.store.session_turns(space, session, first=first)
        return self._memory.turns(session, space=space)
