"""API keys: `gm_<id>_<secret>`. Of the secret only a hash is kept, and it is compared in constant time.

The secret has 256 random bits, so that one SHA-256 is enough: there is nothing to guess that a slow hash would protect.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from goalmem.errors import InputError, NotFoundError
from goalmem.io.chat_messages import check_name
from goalmem.serve.auth import Caller, Scope
from goalmem.serve.ledger import Ledger
from goalmem.serve.refusals import UnauthorizedError

__all__ = ["Key", "Keys"]

ID_BYTES = 6
SECRET_BYTES = 32
SHAPE = re.compile(r"gm_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
NOBODY = bytes(32)
"""Compared with where there is no such id: what is refused costs the same."""
COLUMNS = "id, name, scope, spaces, created, expires, revoked, rate"


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    id: str
    name: str
    scope: Scope
    spaces: tuple[str, ...]
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    rate: float | None
    """Requests a second; None: as the settings say."""

    @property
    def valid(self) -> bool:
        """Whether it opens anything now."""
        return self.revoked is None and (self.expires is None or self.expires > datetime.now(UTC))

    @property
    def caller(self) -> Caller:
        """Who calls with it."""
        return Caller(self.id, self.scope, self.spaces)


class Keys:
    """The keys of a server. Every look-up reads the file: what another process revokes opens nothing from then on."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def add(
        self,
        name: str,
        scope: Scope,
        spaces: Iterable[str],
        *,
        expires: datetime | None = None,
        rate: float | None = None,
    ) -> tuple[Key, str]:
        """A new key, and its text, which is kept nowhere. Raises InputError where it would open nothing."""
        check_name(name, "The name of the key")
        held = tuple(dict.fromkeys(spaces))
        if not held:
            raise InputError("The key is for no space.", "Name one with --space, or give it all with --all-spaces.")
        for space in held:
            check_name(space, "The space")
        if expires is not None and expires <= datetime.now(UTC):
            raise InputError("The key would have expired already.", "Give a time that is to come.")
        id_, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
        digest = hashlib.sha256(secret.encode()).digest()
        until = expires.timestamp() if expires is not None else None
        with self._ledger.writing() as connection:
            connection.execute(
                "INSERT INTO key (id, name, digest, scope, spaces, created, expires, rate) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id_, name, digest, scope.name, json.dumps(held), time.time(), until, rate),
            )
        return self.find(id_), f"gm_{id_}_{secret}"

    def list(self) -> list[Key]:
        """Every key that was ever made, oldest first."""
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM key ORDER BY created, id")
        return [_key(row) for row in rows]

    def find(self, id_: str) -> Key:
        """One key. Raises NotFoundError."""
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM key WHERE id = ?", (id_,))
        if not rows:
            raise NotFoundError(f"There is no key {id_!r}.", "See `goalmem keys list`.")
        return _key(rows[0])

    def revoke(self, id_: str) -> Key:
        """End a key, at once and for good. Raises NotFoundError."""
        self.find(id_)
        with self._ledger.writing() as connection:
            connection.execute("UPDATE key SET revoked = ? WHERE id = ? AND revoked IS NULL", (time.time(), id_))
        return self.find(id_)

    def used(self) -> bool:
        """Whether keys are needed: from when the first was made, also when none is valid any more."""
        return bool(self._ledger.rows("SELECT 1 FROM key LIMIT 1"))

    def opened_by(self, text: str) -> Key:
        """The key that this text is. Raises UnauthorizedError, the same for every reason."""
        shape = SHAPE.fullmatch(text)
        id_, secret = (shape[1], shape[2]) if shape else ("", text)
        rows = self._ledger.rows(f"SELECT {COLUMNS}, digest FROM key WHERE id = ?", (id_,))
        digest = hashlib.sha256(secret.encode("utf-8", "replace")).digest()
        same = hmac.compare_digest(digest, bytes(rows[0][-1]) if rows else NOBODY)
        key = _key(rows[0][:-1]) if rows else None
        if not same or key is None or not key.valid:
            raise UnauthorizedError
        return key


def _key(row: Sequence[object]) -> Key:
    id_, name, scope, spaces, created, expires, revoked, rate = row
    return Key(
        str(id_),
        str(name),
        Scope[str(scope)],
        tuple(json.loads(str(spaces))),
        _moment(created) or datetime.now(UTC),
        _moment(expires),
        _moment(revoked),
        float(str(rate)) if rate is not None else None,
    )


def _moment(seconds: object) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(float(str(seconds)), UTC)
