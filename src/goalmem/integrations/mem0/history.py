"""What happened to a memory, as mem0's `history` tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from goalmem.integrations.mem0.rows import Change, Record

__all__ = ["events_of", "told"]


def events_of(record: Record, changes: Mapping[str, tuple[Change, str]], words: str | None) -> list[dict[str, Any]]:
    """The events that made a memory what it is, oldest first.

    `changes`: event -> what it changed, and the words before it. They are followed from the last one back, as each names
    the one before: a change that was begun and not made is on no such way. `words` are the memory's own, now.
    """
    return list(_back(record, dict(changes), words))[::-1]


def told(payload: dict[str, Any], memory_id: str, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events as mem0 returns them."""
    return [
        {
            "id": event["id"],
            "memory_id": memory_id,
            "old_memory": event.get("old_memory"),
            "new_memory": event.get("new_memory"),
            "event": event["event"],
            "created_at": payload.get("created_at"),
            "updated_at": event.get("updated_at"),
            "is_deleted": event.get("is_deleted", False),
            "actor_id": payload.get("actor_id"),
            "role": payload.get("role"),
        }
        for event in events
    ]


def _back(record: Record, changes: dict[str, tuple[Change, str]], words: str | None) -> Iterator[dict[str, Any]]:
    """The events of a memory, newest first."""
    event = record.event
    while event in changes:
        change, before = changes.pop(event)
        before_it = before if change.worded else words
        yield {
            "id": event,
            "old_memory": before_it,
            "new_memory": words,
            "event": "UPDATE",
            "updated_at": change.payload.get("updated_at"),
        }
        event, words = change.previous, before_it
    created = record.payload.get("created_at")
    yield {"id": event, "old_memory": None, "new_memory": words, "event": "ADD", "updated_at": created}
