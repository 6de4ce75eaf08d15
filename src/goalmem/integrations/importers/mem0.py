"""mem0's memories: the result of `get_all`, the platform's export, or a plain list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.portions import moment, portions, said
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample, text_of
from goalmem.io.conversation import MESSAGES_AT_ONCE
from goalmem.io.dates import read_moment

LISTS = ("results", "memories", "data")
TEXTS = ("memory", "content", "data", "text")
OWNERS = ("user_id", "agent_id", "app_id")
TOLD_BY = ("id", "hash", *OWNERS, "run_id", "created_at", "metadata")
"""Fields that identify a memory."""
REMEDY = "Write what Memory.get_all returns as JSON"


class Mem0:
    """Reads JSON or JSON lines of memories. Each becomes a message of its user, on the day when mem0 made it.

    A run is a session; memories without one are in a session of their day.
    """

    name = "mem0"
    title = "mem0"

    def recognises(self, sample: Sample) -> bool:
        """It has memories, each with its text and when or whose it is."""
        return any(
            isinstance(v, Mapping) and isinstance(_row(v).get("memory"), str) and any(key in _row(v) for key in TOLD_BY)
            for v in sample.values
        ) or any(
            isinstance(v, Mapping) and text_of(v, *TEXTS) and "role" not in v and any(v.get(key) for key in OWNERS)
            for v in sample.values
        )

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Read memories in order; consecutive ones of a user and session are grouped."""
        for name in export.names:
            if not name.lower().endswith((".json", ".jsonl", ".ndjson")) and len(export.names) > 1:
                continue
            held: dict[tuple[str, str], list[tuple[Place, dict[str, Any]]]] = {}
            waiting = 0
            with export.open(name) as stream:
                for place, value in elements(stream, export.label(name), reading, LISTS):
                    found = _memory(place, value, reading)
                    if found is None:
                        continue
                    where, message = found
                    held.setdefault(where, []).append((place, message))
                    waiting += 1
                    if waiting >= MESSAGES_AT_ONCE:
                        yield from _sessions(held)
                        held, waiting = {}, 0
            yield from _sessions(held)


def _sessions(held: Mapping[tuple[str, str], list[tuple[Place, dict[str, Any]]]]) -> Iterator[Chat]:
    for (user, session), messages in held.items():
        at = min((m["at"] for _, m in messages if "at" in m), default=None)
        yield from portions(session, "", (m for _, m in messages), at, messages[0][0], user)


def _memory(place: Place, value: object, reading: Reading) -> tuple[tuple[str, str], dict[str, Any]] | None:
    """User, session and message of a memory."""
    row = _row(value) if isinstance(value, Mapping) else {}
    text = text_of(row, *TEXTS)
    if not text and any(key in row for key in TEXTS):
        reading.passed_over["empty"] += 1
        return None
    if not text:
        reading.reject(place, "this is no memory of mem0: it has no text under memory, content, data or text", REMEDY)
        return None
    about = row.get("metadata") if isinstance(row.get("metadata"), Mapping) else {}
    fields = {**(about or {}), **{k: v for k, v in row.items() if v not in (None, "")}}
    try:
        at = moment(fields.get("created_at"), reading.options)
        day = _day(fields.get("created_at"))
    except ValueError as error:
        reading.reject(place, str(error), "Write it like 2024-05-01T14:03:00Z")
        return None
    owner = text_of(fields, *OWNERS)
    session = text_of(fields, "run_id") or "/".join(filter(None, ("mem0", owner, day)))
    of_agent = not text_of(fields, "user_id") and text_of(fields, "agent_id")
    role = "assistant" if of_agent or fields.get("role") == "assistant" else "user"
    name = text_of(fields, "actor_id") or (reading.options.name if role == "user" else "") or owner
    return (owner, session), said(role, text, name=name, id=text_of(row, "id", "hash"), at=at)


def _day(created: object) -> str:
    """The day as the export writes it: it names the session, whatever the user's zone."""
    found = read_moment(created)
    return f"{found:%Y-%m-%d}" if found else ""


def _row(value: Mapping[str, Any]) -> dict[str, Any]:
    """A memory's fields, also of a row of its vector store, which has them in a payload."""
    payload = value.get("payload")
    if not isinstance(payload, Mapping):
        return dict(value)
    return {**payload, "memory": payload.get("data", payload.get("memory")), "id": value.get("id", payload.get("id"))}
