"""Open a database file as a store: create, migrate, or refuse it untouched."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from goalmem.errors import InputError, StoreClosedError, StoreError
from goalmem.store.failures import other_model
from goalmem.store.failures import read_only as read_only_error
from goalmem.store.location import Location, is_new, make_room
from goalmem.store.migrations import create, migrate, require_current

_OLDEST_SQLITE = (3, 37, 0)
"""STRICT tables came with 3.37 (sqlite.org/stricttables.html)."""
_RETRY = 0.02
"""Seconds between attempts to switch to the write-ahead log, since SQLite does not wait for that."""
_KEPT_LOG = 64 * 2**20
"""Bytes of the write-ahead log that are kept for reuse after a checkpoint."""


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """An open database and how it may be used."""

    location: Location
    pool: Pool
    read_only: bool
    file: tuple[int, int] | None
    """Device and inode of the file; None in memory."""


def open_database(location: Location, model: str, dimension: int, busy_timeout: float, read_only: bool) -> OpenDatabase:
    """Open the store at `location`, creating or migrating it where that is allowed.

    Raises:
        OtherModelError: it keeps vectors of another model.
        StoreError: it is no store, newer, damaged, or cannot be written.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {sqlite3.sqlite_version} is too old.", "Use a Python built with SQLite 3.37 or newer."
        )
    if not model or dimension < 1:
        raise InputError(f"No model is named {model!r} with {dimension} dimensions.", "Name the model of the vectors.")
    new = location.path is None or is_new(location.path)
    if location.path and not new and not (read_only or _writable(location.path)):
        read_only = True
    if new and read_only:
        raise read_only_error(location.name, "there is no store yet, and it is opened for reading only")
    if location.path and new:
        make_room(location.path)
    pool = (
        _open_to_read(location, busy_timeout) if read_only else _open_to_write(location, model, dimension, busy_timeout)
    )
    try:
        _require_model(pool, location.name, model, dimension)
    except BaseException:
        pool.close()
        raise
    return OpenDatabase(location, pool, read_only, _identity(location.path))


def require_same_file(opened: OpenDatabase) -> None:
    """Refuse to write to a file that was moved or deleted: the data would be lost.

    Raises:
        StoreError: another file or none lies at the path.
    """
    if opened.file != _identity(opened.location.path):
        raise StoreError(
            f"The store {opened.location.name} was moved, replaced or deleted while it was open.",
            "Nothing was stored; open it again.",
        )


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _identity(path: Path | None) -> tuple[int, int] | None:
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def connected(uri: str, busy_timeout: float) -> sqlite3.Connection:
    """A connection with secure deletion and full synchronisation; closed if configuring it fails."""
    connection = sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = EXTRA")  # FULL, without a log, if the disk does not support one
        connection.execute("PRAGMA fullfsync = ON")  # macOS: through the disk's own cache too
        connection.execute(f"PRAGMA journal_size_limit = {_KEPT_LOG}")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_to_write(location: Location, model: str, dimension: int, busy_timeout: float) -> Pool:
    uri = location.uri("mode=rw")
    pool = Pool(location.name, partial(connected, uri, busy_timeout), single=location.path is None)
    try:
        with pool.lend() as connection:
            create(connection, location.name, birth(model, dimension))
            use_log(connection, busy_timeout)
            migrate(connection, location.name)
    except BaseException:
        pool.close()
        raise
    return pool


def _open_to_read(location: Location, busy_timeout: float) -> Pool:
    """Open read-only. A store that no process can be writing is read without locks, which would need a writable
    folder.
    """
    try:
        return _readable(location, busy_timeout, "mode=ro")
    except sqlite3.OperationalError as error:
        if location.wal and location.wal.exists() and location.wal.stat().st_size:
            raise read_only_error(location.name, "what its last writer left in the log must be merged first") from error
        return _readable(location, busy_timeout, "mode=ro", "immutable=1")


def _readable(location: Location, busy_timeout: float, *query: str) -> Pool:
    pool = Pool(location.name, partial(connected, location.uri(*query), busy_timeout))
    try:
        with pool.lend() as connection:
            require_current(connection, location.name)
    except BaseException:
        pool.close()
        raise
    return pool


def use_log(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch the file to the write-ahead log for good, which needs a moment without other readers."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY)


def birth(model: str, dimension: int) -> Mapping[str, str]:
    """Metadata of a new store. Only the model changes later (`reembedding`)."""
    return {
        "model": model,
        "dimension": str(dimension),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": _program(),
    }


def described(kept: Mapping[str, str], schema: int, **server: str | None) -> dict[str, Any]:
    """Metadata of a store as `Store.meta` gives it; `schema`: the number of migrations; `server`: the database and its version."""
    return {
        "schema": schema,
        "model": kept["model"],
        "dimension": int(kept["dimension"]),
        "created": datetime.fromisoformat(kept["created"]),
        "program": kept["program"],
        **server,
    }


@cache
def _program() -> str:
    try:
        return version("goalmem")
    except PackageNotFoundError:
        return "unknown"


def _require_model(pool: Pool, name: str, model: str, dimension: int) -> None:
    with pool.lend() as connection:
        kept = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('model', 'dimension')").fetchall())
    if kept != {"model": model, "dimension": str(dimension)}:
        raise other_model(name, (kept.get("model", ""), kept.get("dimension", "")), (model, dimension))


# -- connections for many threads, given up before a fork so that parent and child never share one -------------------
# An SQLite connection must not cross a fork: file locks belong to a process, so a child would write to a file that
# the parent believes it can tidy up (sqlite.org/howtocorrupt.html, section 2.6).


class Pool:
    """Lends connections, each to one thread at a time; opens another when all are out."""

    def __init__(self, name: str, connect: Callable[[], sqlite3.Connection], *, single: bool = False) -> None:
        """`single` keeps exactly one connection for good, as a database in memory needs."""
        self._name = name
        self._connect = connect
        self._single = single
        self._idle: list[sqlite3.Connection] = [connect()]
        self._lent = 0
        self._line: deque[object] = deque()
        self._closed = False
        self._changed = threading.Condition(threading.RLock())
        with _forking:
            _pools.add(self)

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """A connection outside any transaction; whatever the borrower leaves open is rolled back."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close every connection once it comes back. May be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._lent == 0)
            self._close_idle()

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def before_fork(self) -> None:
        """Wait for borrowers, then keep the pool empty and locked until `after_fork`."""
        self._changed.acquire()
        self._changed.wait_for(lambda: self._lent == 0)
        if not self._single:
            self._close_idle()

    def after_fork(self) -> None:
        """Let borrowers in again, in the parent as in the child."""
        self._changed.release()

    def _take(self) -> sqlite3.Connection:
        with self._changed:
            if self._single:
                self._wait_in_line()
            if self._closed:
                raise StoreClosedError(f"The store {self._name} is closed.", "Open it again.")
            connection = self._idle.pop() if self._idle else self._connect()
            self._lent += 1
            return connection

    def _wait_in_line(self) -> None:
        ticket = object()
        self._line.append(ticket)
        try:
            self._changed.wait_for(lambda: self._closed or (self._lent == 0 and self._line[0] is ticket))
        finally:
            self._line.remove(ticket)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        sound = _rolled_back(connection) or self._single
        with self._changed:
            self._lent -= 1
            if sound:
                self._idle.append(connection)
            else:
                connection.close()
            self._changed.notify_all()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _rolled_back(connection: sqlite3.Connection) -> bool:
    try:
        connection.rollback()
    except (sqlite3.Error, MemoryError):
        return False
    return True


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_forking = threading.Lock()
"""Held during a fork: one fork at a time, and no new pool in between."""
_held: list[Pool] = []


def _before_fork() -> None:
    _forking.acquire()
    for pool in list(_pools):
        pool.before_fork()
        _held.append(pool)


def _after_fork() -> None:
    while _held:
        _held.pop().after_fork()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
