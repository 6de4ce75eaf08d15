"""Authentication and authorisation: scopes and spaces of keys. Without keys, the owner of the machine may do
everything.

API keys are `gm_<id>_<secret>`. Of the secret only a hash is kept, and it is compared in constant time. It has 256 random bits, so
that one SHA-256 is enough: there is nothing to guess that a slow hash would protect.

How often a key may ask: a bucket of tokens for each, filled at a steady rate.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

from goalmem.errors import InputError, NotFoundError
from goalmem.io.chat_messages import check_name
from goalmem.serve.ledger import Ledger
from goalmem.serve.refusals import ForbiddenError, TooManyError, UnauthorizedError

EVERY_SPACE = "*"
"""Among the spaces of a key: it is for all."""
DEFAULT_SPACE = "default"


class Scope(IntEnum):
    """The scope of a key; a higher one includes the lower ones."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller."""

    id: str
    """Id of the key; empty if no keys are used."""
    scope: Scope
    spaces: tuple[str, ...]

    def require(self, scope: Scope) -> None:
        """Raises ForbiddenError unless the key is for this scope."""
        if self.scope < scope:
            name = scope.name.lower()
            raise ForbiddenError(
                f"The key is not for this: it needs the scope {name!r}.", "Use a key that has it (goalmem keys add)."
            )

    def require_all(self) -> None:
        """Raises ForbiddenError unless the key is for every space."""
        if not self.sees_all:
            raise ForbiddenError(
                "The key is not for this: it tells of every space.",
                "Use a key for all (goalmem keys add --all-spaces).",
            )

    @property
    def sees_all(self) -> bool:
        """True if the key is for every space."""
        return EVERY_SPACE in self.spaces

    def sees(self, space: str) -> bool:
        """True if the key is for a space."""
        return self.sees_all or space in self.spaces

    def space(self, named: str | None) -> str:
        """The space that a call is about: the one it names, else the key's only one, else `default`.

        Raises ForbiddenError for any that the key is not for, whether there is such a space or not.
        """
        single = self.spaces[0] if len(self.spaces) == 1 and not self.sees_all else DEFAULT_SPACE
        space = single if named is None else check_name(named, "The space")
        if not self.sees(space):
            raise ForbiddenError(
                f"The key is not for the space {space!r}.", "Name one that it is for (GET /v1/spaces lists them)."
            )
        return space


OWNER = Caller("", Scope.ADMIN, (EVERY_SPACE,))
"""The caller if no keys are used: anyone who can reach this machine's loopback."""


MOST = 10_000
"""Buckets kept; the least used go first, and were full again long since."""


@dataclass(slots=True)
class Bucket:
    """The remaining rate limit of a caller."""

    tokens: float
    at: float


class Buckets:
    """A bucket for each caller. For one event loop."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`rate`: sustained requests per second; `burst`: seconds' worth of requests that may arrive at once."""
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, caller: str, rate: float | None = None) -> None:
        """Take one token, of a bucket that fills at `rate` (None: the rate of all). Raises TooManyError."""
        filled = rate or self._rate
        most = max(1.0, filled * self._burst)
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or Bucket(most, now)
        bucket.tokens = min(most, bucket.tokens + (now - bucket.at) * filled)
        bucket.at = now
        self._buckets[caller] = bucket
        while len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            raise TooManyError(max(1, math.ceil((1 - bucket.tokens) / filled)))
        bucket.tokens -= 1


ID_BYTES = 6
SECRET_BYTES = 32
SHAPE = re.compile(r"gm_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
NOBODY = bytes(32)
"""Compared if the id is unknown, so that a refusal takes the same time."""
COLUMNS = "id, name, scope, spaces, created, expires, revoked, rate"


@dataclass(frozen=True, slots=True)
class ApiKey:
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
        """True if it opens anything now."""
        return self.revoked is None and (self.expires is None or self.expires > datetime.now(UTC))

    @property
    def caller(self) -> Caller:
        """The caller with this key."""
        return Caller(self.id, self.scope, self.spaces)


class KeyRing:
    """The keys of a server. Every look-up reads the file, so that a key revoked by another process stops working
    immediately.
    """

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
    ) -> tuple[ApiKey, str]:
        """Add a key and return it with its text, which is not stored. Raises InputError if it would grant nothing."""
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

    def list(self) -> list[ApiKey]:
        """Every key that was ever made, oldest first."""
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM key ORDER BY created, id")
        return [_key(row) for row in rows]

    def find(self, id_: str) -> ApiKey:
        """Find a key by id. Raises NotFoundError."""
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM key WHERE id = ?", (id_,))
        if not rows:
            raise NotFoundError(f"There is no key {id_!r}.", "See `goalmem keys list`.")
        return _key(rows[0])

    def revoke(self, id_: str) -> ApiKey:
        """Revoke a key permanently. Raises NotFoundError."""
        self.find(id_)
        with self._ledger.writing() as connection:
            connection.execute("UPDATE key SET revoked = ? WHERE id = ? AND revoked IS NULL", (time.time(), id_))
        return self.find(id_)

    def used(self) -> bool:
        """True if keys are required: from the first key on, even if all were revoked."""
        return bool(self._ledger.rows("SELECT 1 FROM key LIMIT 1"))

    def opened_by(self, text: str) -> ApiKey:
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


def _key(row: Sequence[Any]) -> ApiKey:
    id_, name, scope, spaces, created, *ends, rate = row
    expires, revoked = (None if seconds is None else datetime.fromtimestamp(seconds, UTC) for seconds in ends)
    made = datetime.fromtimestamp(created, UTC)
    return ApiKey(id_, name, Scope[scope], tuple(json.loads(spaces)), made, expires, revoked, rate)
