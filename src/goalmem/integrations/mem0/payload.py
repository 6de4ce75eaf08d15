"""The fields of a memory besides its text, from the arguments of `add` and `update`."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from goalmem.errors import InputError
from goalmem.integrations.mem0.scope import ENTITIES, MemoryScope
from goalmem.io.chat_messages import parse_when
from goalmem.store.metadata import UNSTORABLE

if TYPE_CHECKING:
    from goalmem.integrations.mem0.catalogue import NewMemory


log = logging.getLogger(__name__)

IDENTITY = frozenset({*ENTITIES, "actor_id"})
"""Owner and speaker fields, which metadata cannot set."""
OURS = frozenset({"data", "hash", "text_lemmatized"})
"""Fields that mem0 overwrites in metadata."""
DEFAULT_THRESHOLD = 0.1
"""mem0's own."""


def fields_of(metadata: object, scope: MemoryScope, at: datetime | None, now: str) -> dict[str, Any]:
    """The fields of a new memory: metadata, scope and times. `created_at` in metadata is when it was made, as for mem0.

    Raises InputError for metadata that is no dict of names.
    """
    free = _free(metadata, {})
    created = at.isoformat() if at is not None else free.get("created_at", now)
    created = created.isoformat() if isinstance(created, date) else created
    if not isinstance(created, str):
        raise InputError(f"metadata['created_at'] is {created!r}.", "Use ISO 8601 text.")
    return {**free, **scope.ids, "created_at": created, "updated_at": created}


def updated(before: Mapping[str, Any], metadata: object, changed: Mapping[str, Any], now: str) -> dict[str, Any]:
    """The fields of a memory after an update."""
    given = {} if metadata is None else _free(metadata, before)
    created = {"created_at": before["created_at"]} if "created_at" in before else {}
    return {**before, **given, **changed, **created, "updated_at": now}


def _free(metadata: object, before: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without reserved fields."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InputError(f"The metadata is a {type(metadata).__name__}.", "Pass a dict.")
    if strange := [name for name in metadata if not isinstance(name, str)]:
        raise InputError(f"The metadata has the key {strange[0]!r}.", "Use strings as keys.")
    for name in IDENTITY & metadata.keys():
        if metadata[name] != before.get(name):
            log.warning("Left out metadata[%r]: whose a memory is cannot be told by metadata.", name)
    return {name: value for name, value in metadata.items() if name not in IDENTITY | OURS}


def expiry_of(value: object) -> str | None:
    """The day after which a memory is hidden, as YYYY-MM-DD. Raises InputError."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat() if isinstance(value, str) else _no_date(value)
    except ValueError:
        return _no_date(value)


def _no_date(value: object) -> str:
    raise InputError(f"expiration_date is {value!r}.", "expiration_date must be a valid date in YYYY-MM-DD format.")


def moment_of(created: object) -> datetime | None:
    """When a memory says that it was made; None where that cannot be read."""
    try:
        return parse_when(created, "The memory")
    except InputError:
        return None


def added(fresh: NewMemory, *, infer: bool) -> dict[str, Any]:
    """A new memory as `add` returns it."""
    told: dict[str, Any] = {"id": fresh.id, "memory": fresh.said.text, "event": "ADD"}
    return told if infer else {**told, "actor_id": fresh.said.actor, "role": fresh.said.role}


def checked_id(memory_id: object) -> str:
    """Validate the id of a memory. Raises InputError."""
    if isinstance(memory_id, UUID):
        return str(memory_id)
    if not isinstance(memory_id, str):
        raise InputError(
            f"A memory id is a string, not {type(memory_id).__name__}.", "Take ids from add(), search() or get_all()."
        )
    return memory_id


def checked_text(text: object) -> str | None:
    """Validate the new text of a memory; None if it is not given. Raises InputError."""
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"The new text is {text!r}.", "Pass some text.")
    return UNSTORABLE.sub("\ufffd", text)


def checked_count(top_k: object) -> int:
    """Validate the number of results. Raises InputError."""
    if not isinstance(top_k, int) or isinstance(top_k, bool):
        raise InputError(f"top_k is {top_k!r}.", "top_k must be a valid integer.")
    if top_k < 0:
        raise InputError(f"Invalid top_k: {top_k}.", "Must be a non-negative integer.")
    return top_k


def checked_threshold(threshold: object) -> float:
    """The least score wanted. Raises InputError."""
    if threshold is None:
        return DEFAULT_THRESHOLD
    if not isinstance(threshold, int | float) or math.isnan(threshold):
        raise InputError(f"threshold is {threshold!r}.", "threshold must be a valid number.")
    if not 0 <= threshold <= 1:
        raise InputError(f"Invalid threshold: {threshold}.", "Must be between 0 and 1 (inclusive).")
    return float(threshold)
