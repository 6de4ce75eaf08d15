"""What a turn says of itself as a memory of mem0's: its id, its scope and its metadata, in the message's own id.

The text of a memory is a turn; all else stands in the turn's `external_id`, as JSON behind a mark. So one transaction
stores both, `forget` removes both, and export, backup and a move to another store carry both. What happened to a memory
later are turns of a second space, its log: for each change the words before it (`Change`), and of each deletion that
there was one (`End`), without any words.
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
"""Fields that stand beside a memory's text; all others are its metadata."""
CORE = frozenset({"id", "data", "hash", "created_at", "updated_at", "text_lemmatized", *PROMOTED})
"""Fields that are no metadata (the same as mem0's)."""


@dataclass(frozen=True, slots=True)
class Version:
    """A memory as it was added, or as its words were changed."""

    memory: str
    event: str
    """Id of the event of the history that made this version."""
    number: int
    """Of several versions of a memory the highest holds; the others are about to be forgotten."""
    payload: dict[str, Any] = field(default_factory=dict)
    """All fields but the text: scope, role, times, metadata."""
    follows: str = ""
    """Digest of the message before it in the call that brought it; empty for the first."""


@dataclass(frozen=True, slots=True)
class Change:
    """An update; the turn that carries it has the words before it."""

    memory: str
    event: str
    previous: str
    """The event that made what was changed."""
    worded: bool
    """Whether the words changed: then the new ones are a version of their own, and until it is stored nothing changed."""
    payload: dict[str, Any] = field(default_factory=dict)
    """The fields after it."""


@dataclass(frozen=True, slots=True)
class End:
    """That a memory was deleted, with the events before that, as `history` tells them without words."""

    memory: str
    event: str
    updated_at: str
    payload: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ends:
    """The memories that were deleted together."""

    ends: list[End]


Row: TypeAlias = Version | Change | Ends
VERSION, CHANGE, ENDS = "version", "change", "ends"
NAMES = {Version: VERSION, Change: CHANGE, Ends: ENDS}


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as it is now."""

    id: str
    turn: str
    space: str
    session: str
    order: int
    """Grows with every turn of the space."""
    version: Version
    event: str
    """The event that made it what it is: of its version, or of a change of its metadata since."""
    payload: dict[str, Any]
    digest: str

    def fields(self, text: str | None = None) -> dict[str, Any]:
        """What filters are asked of."""
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
        return Ends([End(**one) for one in told["ends"]])
    kinds = {"memory": str, "event": str, "payload": dict, "number": int, "worded": bool}
    if any(not isinstance(told[field], kind) for field, kind in kinds.items() if field in told):
        return None
    return Version(**told) if name == VERSION else Change(**told) if name == CHANGE else None


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
    """mem0's hash of a text: MD5, which tells texts apart and protects nothing."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def item(record: Record, text: str) -> dict[str, Any]:
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
