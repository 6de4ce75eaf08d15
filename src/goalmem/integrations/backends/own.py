"""goalmem's own memory as a backend: of another process, another space, or to measure against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from goalmem.errors import NotFoundError
from goalmem.integrations.backends.passages import metadata_of
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.records import Hit, Turn

__all__ = ["MemoryBackend"]


class MemoryMethods(Protocol):
    """The part of `goalmem.Memory` that is used."""

    def search(self, query: str, *, space: str, k: int) -> list[Hit]:
        """The turns that say most about the query."""

    def turn(self, turn_id: str, *, space: str) -> Turn:
        """One turn. Raises NotFoundError."""

    def add(self, messages: Sequence[Mapping[str, Any]], *, space: str, session: str, at: datetime | None) -> object:
        """Remember messages."""


class MemoryBackend:
    """One space of a `goalmem.Memory`, used only through its search. Facts are read again from each turn."""

    def __init__(self, memory: MemoryMethods, *, space: str = "default") -> None:
        self._memory = memory
        self._space = space

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As goalmem ranks them."""
        return [passage_of_turn(hit.turn, hit.score) for hit in self._memory.search(query, space=self._space, k=k)]

    def get(self, id: str) -> Passage | None:
        """The turn of an id."""
        try:
            return passage_of_turn(self._memory.turn(id, space=self._space))
        except NotFoundError:
            return None

    def add(self, passages: Sequence[Passage]) -> None:
        """Add messages. They get ids of goalmem's."""
        for passage in passages:
            message = {"role": passage.role, "content": passage.text, "id": passage.id, "at": passage.at}
            named = {"name": passage.speaker} if passage.speaker != passage.role else {}
            self._memory.add([message | named], space=self._space, session=passage.session or "default", at=passage.at)


def passage_of_turn(turn: Turn, score: float = 0.0) -> Passage:
    """A turn as another system's passage."""
    return Passage(
        turn.content,
        turn.id,
        turn.speaker,
        turn.at,
        turn.session,
        turn.role,
        score,
        {TURN: turn.external_id or turn.id},
    )


def metadata_of_turn(turn: Turn) -> dict[str, str]:
    """Metadata of a turn for another system, with the time only if it is known."""
    found = metadata_of(passage_of_turn(turn))
    if not turn.dated:
        return {name: value for name, value in found.items() if name != "at"}
    return found | {"date": f"{turn.at:%Y-%m-%d}"}
