"""The keys of a server, as requests to it: made, listed and revoked by who has a key of the scope `admin`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Literal
from urllib.parse import quote

from goalmem.client.call import Call, got, posted
from goalmem.io.chat_messages import When
from goalmem.schema import rows

__all__ = ["Key", "NewKey", "add_key", "keys", "revoke_key"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    id: str
    name: str
    scope: Literal["read", "write", "admin"]
    spaces: list[str]
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    valid: bool


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its text, which the server tells once and keeps nowhere."""

    key: Key
    text: str


def keys() -> Call[list[Key]]:
    """Every key for spaces that one's own is for, the oldest first."""
    return got("/v1/keys", _keys, None)


def add_key(
    name: str,
    scope: Literal["read", "write", "admin"],
    *,
    spaces: Sequence[str] | None = None,
    expires: When | None = None,
) -> Call[NewKey]:
    """Make a key, by default for the spaces that one's own is for; from the first on every call needs one."""
    body = {"name": name, "scope": scope, "spaces": None if spaces is None else list(spaces), "expires": expires}
    return replace(posted("/v1/keys", body, partial(rows.record, NewKey), None), repeats=False)


def revoke_key(key_id: str) -> Call[Key]:
    """End a key, at once and for good. Raises NotFoundError where there is none."""
    path = f"/v1/keys/{quote(key_id, safe='', errors='replace')}"
    return Call(method="DELETE", path=path, read=partial(rows.record, Key))


def _keys(document: Mapping[str, Any], space: str) -> list[Key]:
    return [rows.record(Key, row, space) for row in document["items"]]
