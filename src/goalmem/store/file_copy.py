"""Copies of SQLite files: one state of a store, page by page, into a file that gets its name when it is whole.

Uses SQLite's online backup API (sqlite.org/backup.html). The source connection holds one read transaction, so that the
copy is a snapshot, while writers continue in the write-ahead log.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from goalmem.errors import ConflictError, CorruptStoreError, StoreBusyError, StoreError
from goalmem.store.failures import failures_of, read_only
from goalmem.store.integrity import file_problems
from goalmem.store.location import Location
from goalmem.store.migrations import require_known

OnProgress = Callable[[int, int], None]
"""Called after each portion with the pages copied so far and all pages."""

_PORTION = 1024
"""Pages copied in one step: 4 MB at SQLite's usual size of a page."""
_PAUSE = 0.02
"""Seconds between attempts while another process holds the target."""
_BESIDES = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps beside a database."""


def left_beside(path: Path) -> list[Path]:
    """Files that SQLite keeps beside an open or uncleanly closed database; a new database there would adopt them."""
    return [beside for suffix in _BESIDES if (beside := path.with_name(path.name + suffix)).exists()]


@contextmanager
def copy_of(
    source: Path, folder: Path, name: str, on_progress: OnProgress | None, busy_timeout: float
) -> Iterator[Path]:
    """Copy one state of a store to a new file of `folder`, which is deleted afterwards unless it was moved."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=folder, prefix=f".{name}.", suffix=".part")  # for its owner alone
        os.close(handle)
    except OSError as error:
        raise read_only(str(folder / name), error.strerror or str(error)) from error
    part = Path(made)
    try:
        with failures_of(str(source)), closing(_reader(source, busy_timeout)) as origin:
            require_known(origin, str(source))
            with closing(connect(part, "mode=rw", busy_timeout)) as copy:
                origin.execute("BEGIN")
                origin.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on, one state
                copy_pages(origin, copy, str(source), on_progress, busy_timeout)
                # A single file: a backup without its log would not be one.
                copy.execute("PRAGMA journal_mode = DELETE")
        flush(part)
        yield part
    finally:
        discard([part, *(part.with_name(part.name + suffix) for suffix in _BESIDES)])


def _reader(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """A read-only connection. A store in a read-only folder that no process writes is read without locks."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return connect(path, "mode=rw", busy_timeout)  # closed last, it tidies its log away
    connection = connect(path, "mode=ro", busy_timeout)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        return connect(path, "mode=ro&immutable=1", busy_timeout)
    return connection


def connect(path: Path, query: str, busy_timeout: float) -> sqlite3.Connection:
    """A connection to a file, opened as the query of its URI says (`mode=ro`, `mode=rw`)."""
    uri = Location(path).uri(query)
    return sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None)


def copy_pages(
    origin: sqlite3.Connection,
    copy: sqlite3.Connection,
    name: str,
    on_progress: OnProgress | None,
    busy_timeout: float,
) -> None:
    """Copy page by page; gives up after `busy_timeout` seconds in which another process held the target."""
    held_until = time.monotonic() + busy_timeout

    def told(status: int, remaining: int, total: int) -> None:
        nonlocal held_until
        if status & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            if time.monotonic() > held_until:
                raise StoreBusyError(
                    f"The store {name} was held by another process for longer than the busy timeout.",
                    "Nothing was changed; repeat the command, or set a larger GOALMEM_BUSY_TIMEOUT.",
                )
            return
        held_until = time.monotonic() + busy_timeout
        if on_progress is not None:
            on_progress(total - remaining, total)

    origin.backup(copy, pages=_PORTION, progress=told, sleep=_PAUSE)


def sound(path: Path, what: str, so: str) -> tuple[int, int, int]:
    """Bytes, spaces and turns of a copy. Raises CorruptStoreError when the copy is damaged."""
    try:
        with failures_of(str(path)), closing(connect(path, "mode=rw", 0.0)) as copy:
            found = file_problems(copy)
            if not found:
                spaces, turns = copy.execute(
                    "SELECT (SELECT count(*) FROM space), (SELECT count(*) FROM turn)"
                ).fetchone()
    except StoreError as error:
        found = [error.problem]
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise CorruptStoreError(
            f"{what} is damaged: {found[0]}{more}; {so}.",
            "`goalmem check` says what is wrong with it, and `goalmem check --repair` rebuilds what can be rebuilt.",
        )
    return path.stat().st_size, spaces, turns


def replace(part: Path, target: Path, *, force: bool) -> None:
    """Rename a finished file to its final name, atomically and durably."""
    try:
        if force:
            os.replace(part, target)
        else:
            _name(part, target)
        flush(target.parent)
    except FileExistsError as error:
        raise ConflictError(f"There is a file at {target} already.", "Choose another name, or pass --force.") from error
    except OSError as error:
        raise read_only(str(target), error.strerror or str(error)) from error


def _name(part: Path, target: Path) -> None:
    """Like a rename that never replaces: of two that give one name, one fails."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError(str(target)) from None
        os.replace(part, target)


def flush(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def discard(paths: list[Path]) -> None:
    """Delete those of these files that exist."""
    for path in paths:
        path.unlink(missing_ok=True)
