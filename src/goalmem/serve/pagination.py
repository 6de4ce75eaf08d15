"""Lists in pages: a cursor says what was the last item, so that what is added meanwhile moves nothing.

A cursor is opaque and signed: it continues the list that it was given for, of the space that it was given for, and no other.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, TypeVar

from fastapi import Query

from goalmem.errors import InputError

__all__ = ["Cursor", "Cursors", "Limit", "Page", "after_key"]

T = TypeVar("T")
Position = list[Any]

MOST = 1000
"""Items of one page."""
SIGNATURE = 12
"""Bytes of the signature: a cursor opens nothing that its holder could not list anyway."""

Limit = Annotated[int, Query(ge=1, le=MOST, description="Items of a page.")]
Cursor = Annotated[
    str | None, Query(max_length=4096, description="`next` of the page before; default: the first page.")
]


@dataclass(frozen=True, slots=True)
class Page:
    """Some items of a list."""

    items: Sequence[Any]
    last: Position | None
    """Position of the last item; None where the list ends."""


class Cursors:
    """Makes cursors of positions, and positions of cursors."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def write(self, listed: Sequence[str], position: Position | None) -> str | None:
        """The cursor behind a position of the list that these words name; None for no position."""
        if position is None:
            return None
        said = json.dumps(position, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._signature(listed, said) + said).decode().rstrip("=")

    def read(self, listed: Sequence[str], cursor: str | None) -> Position | None:
        """The position of a cursor. Raises InputError for one of another list, or of no list."""
        if cursor is None:
            return None
        try:
            whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise self._refusal() from None
        signature, said = whole[:SIGNATURE], whole[SIGNATURE:]
        if not hmac.compare_digest(signature, self._signature(listed, said)):
            raise self._refusal()
        position: Position = json.loads(said)
        return position

    def _signature(self, listed: Sequence[str], said: bytes) -> bytes:
        message = json.dumps(list(listed)).encode() + b"\0" + said
        return hmac.new(self._secret, message, hashlib.sha256).digest()[:SIGNATURE]

    @staticmethod
    def _refusal() -> InputError:
        return InputError("The cursor is not one of this list.", "Pass `next` of a page unchanged, or leave it out.")


def after_key(rows: Iterable[T], key: Callable[[T], Position], after: Position | None, limit: int) -> Page:
    """The next rows of a list that is sorted by `key`."""
    behind = (row for row in rows if after is None or key(row) > after)
    found = list(islice(behind, limit + 1))
    page = found[:limit]
    return Page(page, key(page[-1]) if len(found) > limit else None)
