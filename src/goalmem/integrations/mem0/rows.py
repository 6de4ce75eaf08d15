"""Encoding of a memory in the id of its message: its mem0 id, scope and metadata.

The text of a memory is a turn; the rest is in the turn's `external_id`, as JSON after a marker. So one transaction
stores both, `forget` removes both, and export, backup and moves keep both. Later events are turns of a second space,
its log: for each change the previous text (`MemoryChange`), and for each deletion an entry without text (`Deletion`).
"""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

from goalmem.errors import InputError
from goalmem.integrations.mem0.scope import owner_of
from goalmem.records import Turn

MARK = "mem0 "
PROMOTED = ("user_id", "agent_id", "run_id", "actor_id", "role", "attributed_to", "expiration_date")
"""Fields beside a memory's text; all others are metadata."""
CORE = frozenset({"id", "data", "hash", "created_at", "updated_at", "text_lemmatized", *PROMOTED})
"""Fields that are no metadata (the same as mem0's)."""


@dataclass(frozen=True, slots=True)
class Version:
    """A memory as it was added, or as its words were changed."""

    memory: str
    event: str
    """Id of the event of the history that made this version."""
    number: int
    """Of several versions of a memory the highest is current; the others are about to be forgotten."""
    payload: dict[str, Any] = field(default_factory=dict)
    """All fields but the text: scope, role, times, metadata."""
    follows: str = ""
    """Digest of the message before it in the call that brought it; empty for the first."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """An update; the turn that carries it has the words before it."""

    memory: str
    event: str
    previous: str
    """The event before the change."""
    worded: bool
    """True if the text changed: the new text is a version of its own, and the change takes effect with it."""
    payload: dict[str, Any] = field(default_factory=dict)
    """The fields after it."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """The deletion of a memory, with its earlier events for `history`, without texts."""

    memory: str
    event: str
    updated_at: str
    payload: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Deletions:
    """The memories that were deleted together."""

    ends: list[Deletion]


Row: TypeAlias = Version | MemoryChange | Deletions
VERSION, CHANGE, ENDS = "version", "change", "ends"
NAMES = {Version: VERSION, MemoryChange: CHANGE, Deletions: ENDS}


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A current memory."""

    id: str
    turn: str
    space: str
    session: str
    order: int
    """Grows with every turn of the space."""
    version: Version
    event: str
    """The latest event of the memory: of its version, or of a later change of its metadata."""
    payload: dict[str, Any]
    digest: str

    def fields(self, text: str | None = None) -> dict[str, Any]:
        """The fields that filters apply to."""
        return {**self.payload, "id": self.id, "hash": self.digest, "data": text}


def encode(row: Row) -> str:
    """A row as the id of a message. Raises InputError for metadata that JSON cannot carry."""
    try:
        told = json.dumps(asdict(row), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The metadata cannot be kept: {error}.", "Use what JSON can carry.") from None
    return f"{MARK}{NAMES[type(row)]} {told}"


def decode(external_id: str) -> Row | None:
    """The row that the id of a message holds; None for any other id."""
    if not external_id.startswith(MARK):
        return None
    name, _, told = external_id.removeprefix(MARK).partition(" ")
    try:
        read = json.loads(told)
        return _read(name, read)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _read(name: str, told: dict[str, Any]) -> Row | None:
    if name == ENDS:
        return Deletions([Deletion(**one) for one in told["ends"]])
    kinds = {"memory": str, "event": str, "payload": dict, "number": int, "worded": bool}
    if any(not isinstance(told[field], kind) for field, kind in kinds.items() if field in told):
        return None
    return Version(**told) if name == VERSION else MemoryChange(**told) if name == CHANGE else None


def version_of(turn: Turn) -> Version:
    """A turn as a version of a memory; one that goalmem itself was given is a memory of whose space it is."""
    row = decode(turn.external_id)
    if isinstance(row, Version):
        return row
    at = turn.at.isoformat()
    payload = {**owner_of(turn.space), "role": turn.role, "created_at": at, "updated_at": at}
    if turn.speaker != turn.role:
        payload["actor_id"] = turn.speaker
    return Version(own_id(turn), turn.id, 0, payload)


def own_id(turn: Turn) -> str:
    """A turn's id as a memory: the one that it brought where that is a UUID, as of memories imported from mem0."""
    try:
        return str(UUID(turn.external_id))
    except ValueError:
        return turn.id


def digest(text: str) -> str:
    """mem0's hash of a text: MD5, for identification, not for security."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def item(record: MemoryRecord, text: str) -> dict[str, Any]:
    """A memory as mem0 returns it."""
    payload = record.payload
    metadata = {name: value for name, value in payload.items() if name not in CORE}
    return {
        "id": record.id,
        "memory": text,
        "hash": record.digest,
        "metadata": deepcopy(metadata) or None,
        "created_at": payload.get("created_at"),
        "updated_at": payload.get("updated_at"),
        **{name: payload[name] for name in PROMOTED if name in payload},
    }
