"""Idempotency keys: the response to a write is stored beside the store, so that a repeated request does nothing
again.

The same key with the same request gives the same answer, also after a restart; with another request it is refused.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
import time
from dataclasses import dataclass

from goalmem.serve.ledger import Ledger
from goalmem.serve.refusals import BadRequestError, IdempotencyError

KEPT = 24 * 3600.0
"""Seconds after which an answer is forgotten, and its key is a new one."""
SHAPE = re.compile(r"[\x21-\x7e]{1,255}")
NAMED = re.compile(rb'"(t[0-9a-f]{24}|rule-[0-9a-f]{24})"')
"""Ids of turns and rules in an answer."""
REMOVAL = "removal "
"""Begins the name of a setting that says from which space something is being removed."""


@dataclass(frozen=True, slots=True)
class IdempotentWrite:
    """Identity of an idempotent write: caller, space, key and content."""

    caller: str
    space: str
    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A stored response."""

    status: int
    body: bytes


class Acknowledgements:
    """Stored responses by idempotency key. Methods block on the disk: call them in a thread."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._owner = secrets.token_hex(8)
        self._here = _Here()

    def begin(self, once: IdempotentWrite) -> Acknowledged | None:
        """Return the stored response, or None: then perform the write, and call `finish` or `abandon`. Raises
        IdempotencyError.

        What a process that is gone had begun is done again: no write of ours is done twice by that.
        """
        where = (once.caller, once.space, once.key)
        with self._ledger.writing() as connection:
            row = connection.execute(
                "SELECT fingerprint, owner, status, body, began FROM acknowledged"
                " WHERE caller = ? AND space = ? AND key = ?",
                where,
            ).fetchone()
            if row is not None and row[4] > time.time() - KEPT:
                if row[0] != once.fingerprint:
                    raise _reused()
                if row[2] is not None:
                    return Acknowledged(row[2], bytes(row[3]))
                if row[1].startswith(self._owner):
                    raise _in_use()
            self._here.owner = self._owner + secrets.token_hex(8)
            connection.execute(
                "INSERT OR REPLACE INTO acknowledged (caller, space, key, fingerprint, owner, began)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*where, once.fingerprint, self._here.owner, time.time()),
            )
        return None

    def finish(self, once: IdempotentWrite, status: int, body: bytes) -> None:
        """Keep what was answered, unless something was removed from the space meanwhile: the answer may repeat it."""
        with self._ledger.writing() as connection:
            connection.execute(
                "UPDATE acknowledged SET status = ?, body = ?"
                " WHERE caller = ? AND space = ? AND key = ? AND owner = ? AND status IS NULL",
                (status, body, once.caller, once.space, once.key, self._here.owner),
            )

    def abandon(self, once: IdempotentWrite) -> None:
        """Nothing came of it: the key is free again."""
        with self._ledger.writing() as connection:
            connection.execute(
                "DELETE FROM acknowledged WHERE caller = ? AND space = ? AND key = ? AND owner = ? AND status IS NULL",
                (once.caller, once.space, once.key, self._here.owner),
            )

    def clean(self) -> None:
        """Remove answers that are kept no longer."""
        with self._ledger.writing() as connection:
            self._ledger.remove(connection, "acknowledged WHERE began < ?", time.time() - KEPT)
        self._ledger.scrub()

    def expect_removal(self, space: str) -> str:
        """Note, before something is removed from a space, that answers about it are to go; the name of the note."""
        name = f"{REMOVAL}{secrets.token_hex(8)} {space}"
        with self._ledger.writing() as connection:
            connection.execute("INSERT INTO setting VALUES (?, x'')", (name,))
        return name

    def end_removal(self, name: str, *, removed: bool = True) -> None:
        """Remove the answers about the space, and keep none that others are about to give: they may repeat what was removed."""
        space = name.removeprefix(REMOVAL).partition(" ")[2]
        with self._ledger.writing() as connection:
            self._ledger.remove(connection, "setting WHERE name = ?", name)
            if removed:
                self._ledger.remove(connection, "acknowledged WHERE space = ? AND status IS NOT NULL", space)
                mine = self._here.owner
                connection.execute("UPDATE acknowledged SET owner = '' WHERE space = ? AND owner <> ?", (space, mine))

    def spaces(self) -> list[str]:
        """Spaces about which answers are kept."""
        rows = self._ledger.rows("SELECT DISTINCT space FROM acknowledged WHERE status IS NOT NULL ORDER BY space")
        return [space for (space,) in rows]

    def named(self, space: str) -> set[str]:
        """Ids that the answers about a space name as being there."""
        rows = self._ledger.rows("SELECT body FROM acknowledged WHERE space = ? AND status IS NOT NULL", (space,))
        return {id_ for (body,) in rows for id_ in named(body)}

    def take_up(self) -> None:
        """Remove the answers about what a process removed that ended before it had removed them."""
        for (name,) in self._ledger.rows("SELECT name FROM setting WHERE name GLOB ?", (REMOVAL + "*",)):
            self.end_removal(name)


class _Here(threading.local):
    """Of the request that this thread serves."""

    owner = ""
    """Says in the ledger that it is being done here."""


def named(body: bytes) -> set[str]:
    """Ids of turns and rules that an answer names as being there."""
    return set() if body.startswith(b'{"removed":') else {id_.decode() for id_ in NAMED.findall(body)}


def check_key(key: str) -> str:
    """Raise BadRequestError for an invalid key."""
    if not SHAPE.fullmatch(key):
        raise BadRequestError(
            "The Idempotency-Key cannot be used.", "Send 1 to 255 visible ASCII characters, such as a UUID."
        )
    return key


def fingerprint(*parts: bytes) -> bytes:
    """Hash of a request: equal for equal requests."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.digest()


def _reused() -> IdempotencyError:
    return IdempotencyError(
        "The Idempotency-Key was used before, for another request.", "Use a new key for each request.", 422
    )


def _in_use() -> IdempotencyError:
    return IdempotencyError(
        "A request with this Idempotency-Key is being served.", "Wait for it, then send the same again.", 409, 1
    )
