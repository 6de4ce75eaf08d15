"""The server's own database beside the store: keys, idempotency responses, and jobs. One SQLite file.

It is in the folder `<store>.serve` together with uploaded files, or in `serve_data`. Several processes may use it at
once; each sees the commits of the others at its next call.
"""

from __future__ import annotations

import secrets
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from goalmem.errors import InputError, NewerStoreError, ReadOnlyStoreError, StoreBusyError, StoreFullError
from goalmem.store import file_repair
from goalmem.store.database_file import connected, use_log
from goalmem.store.location import LEDGER, folder_beside
from goalmem.store.transactions import write_transaction

UPLOADS = "uploads"
SCHEMA = 1
SCRUB = "scrub"
"""A setting: something was removed, and is to be overwritten."""
BUSY_SECONDS = 10.0

_TABLES = (
    """CREATE TABLE IF NOT EXISTS key (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        digest BLOB NOT NULL,
        scope TEXT NOT NULL,
        spaces TEXT NOT NULL,
        created REAL NOT NULL,
        expires REAL,
        revoked REAL,
        rate REAL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS acknowledged (
        caller TEXT NOT NULL,
        space TEXT NOT NULL,
        key TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        owner TEXT NOT NULL,
        began REAL NOT NULL,
        status INTEGER,
        body BLOB,
        PRIMARY KEY (caller, space, key)
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS acknowledged_began ON acknowledged (began)",
    """CREATE TABLE IF NOT EXISTS job (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        caller TEXT NOT NULL,
        space TEXT NOT NULL,
        options TEXT NOT NULL,
        state TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        total INTEGER,
        done INTEGER NOT NULL DEFAULT 0,
        new INTEGER NOT NULL DEFAULT 0,
        problem TEXT NOT NULL DEFAULT '',
        remedy TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL,
        changed REAL NOT NULL
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS job_space ON job (space, seq)",
    "CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
)


class Ledger:
    """The file, for any number of threads. Who reads does not wait for who writes, and so for no disk."""

    def __init__(self, folder: Path, temporary: tempfile.TemporaryDirectory[str] | None = None) -> None:
        """Open the ledger in a folder, making both where they are missing. Raises StoreErrors that say why it cannot."""
        self.uploads = folder / UPLOADS
        self._temporary = temporary
        self._reading, self._writing = threading.Lock(), threading.RLock()
        self._scrub_due, self._log_due = False, True
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.uploads.mkdir(exist_ok=True, mode=0o700)
            file = (folder / LEDGER).absolute()
            file.touch(mode=0o600)
            self._connection, self._reader = (connected(file.as_uri(), BUSY_SECONDS) for _ in range(2))
            self._prepare(file)
            self.scrub()
        except (OSError, sqlite3.OperationalError) as error:
            raise ReadOnlyStoreError(
                f"The server's own data cannot be stored in {folder}: {error}.",
                "Make the folder writable, or name another with GOALMEM_SERVE_DATA.",
            ) from error
        self.secret = self._secret()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._reading:
            return self._reader.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, on the disk when it ends; what it removed is overwritten then, at once in a small file.

        Raises StoreFullError when there is no room, StoreBusyError.
        """
        with self._writing:
            try:
                with write_transaction(self._connection):
                    yield self._connection
                if self._log_due or self._scrub_due:
                    self.scrub(large=False)
            except sqlite3.OperationalError as error:
                if "full" in str(error):
                    raise StoreFullError("The disk is full.", "Free some space and try again.") from error
                if "locked" in str(error):
                    raise StoreBusyError("Another process holds the server's records.", "Try again.") from error
                raise

    def remove(self, connection: sqlite3.Connection, chosen: str, *values: object) -> None:
        """Delete rows, given as `TABLE WHERE CONDITION`, in a transaction, and note in it that they are to be overwritten."""
        if connection.execute(f"DELETE FROM {chosen}", values).rowcount:
            connection.execute("INSERT OR REPLACE INTO setting VALUES (?, x'')", (SCRUB,))
            self._scrub_due = True

    def scrub(self, *, large: bool = True) -> None:
        """Overwrite what was removed (in a large file only if asked for), and empty the log, unless another process reads it now:
        then the next call does.
        """
        with self._writing, self._reading, suppress(sqlite3.OperationalError):
            if self._scrub_due and (large or file_repair.is_small(self._connection)):
                self._connection.execute("VACUUM")
                self._connection.execute("DELETE FROM setting WHERE name = ?", (SCRUB,))
                self._scrub_due, self._log_due = False, True
            self._log_due = self._log_due and not file_repair.truncate_log(self._connection)

    def close(self) -> None:
        """Release the file."""
        self.scrub()
        with self._writing, self._reading:
            self._connection.close()
            self._reader.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _prepare(self, file: Path) -> None:
        use_log(self._connection, BUSY_SECONDS)
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA:
            raise NewerStoreError(f"{file} was written by a newer goalmem.", "Upgrade goalmem.")
        if found < SCHEMA:
            with self.writing() as connection:
                for statement in _TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {SCHEMA}")
        self._scrub_due = bool(self._connection.execute("SELECT 1 FROM setting WHERE name = ?", (SCRUB,)).fetchone())

    def _secret(self) -> bytes:
        """The secret that signs cursors; survives restarts."""
        with self.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO setting VALUES ('secret', ?)", (secrets.token_bytes(32),))
        return bytes(self.rows("SELECT value FROM setting WHERE name = 'secret'")[0][0])


def folder_of(store: str, data: str) -> Path | None:
    """Folder of the ledger of a store; None for a store in memory, whose ledger is in memory."""
    folder = folder_beside(store, data)
    if folder is None and "://" in store and not store.startswith("sqlite:"):
        raise InputError(
            "The server's own data has no folder: the store is on another server.",
            "Name a folder with GOALMEM_SERVE_DATA.",
        )
    return folder


def open_ledger(store: str, data: str) -> Ledger:
    """The ledger of a store."""
    folder = folder_of(store, data)
    if folder is not None:
        return Ledger(folder)
    temporary = tempfile.TemporaryDirectory(prefix="goalmem-serve-")
    return Ledger(Path(temporary.name), temporary)
