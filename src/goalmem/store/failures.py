"""Converts SQLite errors to goalmem errors that name the problem, the store and the remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from goalmem.errors import (
    CHECK_STORE,
    CorruptStoreError,
    InputError,
    NotAStoreError,
    OtherModelError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreFullError,
)

_PRIMARY_CODE = 0xFF
"""The low byte of an extended result code is the primary one (sqlite.org/rescode.html)."""

_WRITE_FAILURES = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)
"""I/O errors while growing or writing a file: how quotas and file size limits (EDQUOT, EFBIG) reach us."""

_SYNC_FAILURES = frozenset({sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC})
"""The commit may or may not be visible when the file is opened again."""

_DAMAGED_SCHEMA = ("no such table", "no such column", "malformed database schema", "vtable constructor failed")

_NO_TEXT = "Could not decode to UTF-8"
"""Start of the message of Python's sqlite3 module, without an error code, if a stored text is not valid UTF-8."""

P = ParamSpec("P")
T = TypeVar("T")


class DamagedRowError(Exception):
    """A row could not be decoded: it is not what was written."""


def decodes(decode: Callable[P, T]) -> Callable[P, T]:
    """Convert decoding errors to `DamagedRowError`: the store wrote valid rows, so the file was changed."""

    @wraps(decode)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return decode(*args, **kwargs)
        except (ValueError, TypeError, OverflowError) as error:
            raise DamagedRowError(f"a row cannot be read ({error})") from error

    return checked


def require_later(rows: Sequence[Sequence[Any]], after: Any) -> None:
    """Refuse rows that were read as those behind a place, and end before it: reading on from there would never end."""
    if rows and rows[-1][0] <= after:
        raise DamagedRowError("rows are not in their order")


@contextmanager
def failures_of(name: str) -> Iterator[None]:
    """Convert SQLite errors of the store called `name` to `GoalmemError`."""
    try:
        with unstorable_in(name):
            yield
    except sqlite3.Error as error:
        raise _translated(error, name) from error
    except (DamagedRowError, UnicodeDecodeError) as error:
        raise CorruptStoreError(f"The store {name} is damaged: {error}.", CHECK_STORE) from error
    except MemoryError as error:  # of a damaged index, SQLite may believe that an entry has gigabytes
        raise StoreError(
            f"Reading or writing the store {name} needed more memory than is available; nothing of the call was stored.",
            "Free memory and repeat the call; where it happens again, the file may be damaged: goalmem check.",
        ) from error


@contextmanager
def unstorable_in(name: str) -> Iterator[None]:
    """Convert errors for values that no database accepts to `InputError`; `name` is the store."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text for {name} holds a lone surrogate (at character {error.start}), which is no character.",
            "Nothing was stored; replace it, for example with text.encode('utf-8', 'replace').decode().",
        ) from error
    except OverflowError as error:
        raise InputError(
            f"A value for {name} is too large to store: {error}.", "Nothing was stored; pass a smaller value."
        ) from error


def read_only(name: str, why: str) -> ReadOnlyStoreError:
    """The error for a store that cannot be written."""
    return ReadOnlyStoreError(
        f"The store {name} cannot be written: {why}.",
        "Give the process write permission for the file and its folder, or use another place.",
    )


def not_a_store(name: str, why: str) -> NotAStoreError:
    """The error for a file that is something else."""
    return NotAStoreError(f"{name} is not a goalmem store: {why}.", "The file was left as it is; choose another path.")


def other_model(name: str, kept: tuple[str, str], wanted: tuple[str, int]) -> OtherModelError:
    """The error for a store that is opened with another model than its vectors are of."""
    return OtherModelError(
        f"The store {name} keeps vectors of {kept[0]!r} with {kept[1]} dimensions,"
        f" not of {wanted[0]!r} with {wanted[1]}.",
        "Open it with the model of its vectors, or re-embed it with the other: goalmem reindex.",
        kept[0],
    )


def reembedded(name: str, model: str, kept: str) -> OtherModelError:
    """The error for a store that was re-embedded with another model while it was open."""
    return OtherModelError(
        f"The vectors of the store {name} are of {kept!r} now; it was opened when they were of {model!r}.",
        "Nothing was stored or searched; open it again, with the model of its vectors.",
        kept,
    )


def _translated(error: sqlite3.Error, name: str) -> Exception:
    if str(error).startswith(_NO_TEXT):
        # Python's own words quote the text.
        return CorruptStoreError(f"The store {name} is damaged: a text is not valid UTF-8.", CHECK_STORE)
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return _without_code(error, name)
    if unwritten := _unwritten(code, error, name):
        return unwritten
    match code & _PRIMARY_CODE:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusyError(
                f"The store {name} was held by another process for longer than the busy timeout.",
                "Nothing was stored; repeat the call, or open the store with a larger busy_timeout.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(name, str(error))
        case sqlite3.SQLITE_NOTADB:
            return not_a_store(name, "it is no SQLite database")
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(error, name)
        case sqlite3.SQLITE_ERROR if str(error).startswith(_DAMAGED_SCHEMA):
            return _damaged(error, name)
        case sqlite3.SQLITE_ERROR if str(error).startswith("no such module"):
            return StoreError(
                f"The SQLite of this Python lacks a part: {error}.", "Use a Python whose SQLite has FTS5."
            )
        case sqlite3.SQLITE_TOOBIG:
            return InputError(
                f"A text for the store {name} is too large: {error}.", "Nothing was stored; split the message."
            )
        case sqlite3.SQLITE_CONSTRAINT:
            return InputError(
                f"What was to be stored in {name} contradicts itself: {error}.",
                "Nothing was stored; give every turn and every fact an id of its own.",
            )
    return StoreError(f"The store {name} failed: {error}.", "Check the disk and the permissions of the file.")


def _unwritten(code: int, error: sqlite3.Error, name: str) -> StoreError | None:
    """The error if the disk rejects a write; None for other codes."""
    if code in _WRITE_FAILURES or code == sqlite3.SQLITE_FULL:
        return StoreFullError(
            f"The disk or the quota under the store {name} is full ({error}); nothing of the call was stored.",
            "Free some space or raise the limit, then repeat the call.",
        )
    if code in _SYNC_FAILURES:
        return StoreError(
            f"The disk under the store {name} does not confirm what is written to it ({error});"
            " the call may be stored as a whole, or not at all.",
            "Check the disk, then repeat the call: nothing is stored twice.",
        )
    return None


def _damaged(error: Exception, name: str) -> CorruptStoreError:
    return CorruptStoreError(
        f"The store {name} is damaged: {error}.",
        "Keep a copy of the file; restore a backup, or save what is readable with `sqlite3 FILE .recover`.",
    )


def _without_code(error: sqlite3.Error, name: str) -> Exception:
    """Errors that Python's module raises itself carry no code of SQLite."""
    if "closed database" in str(error):
        return StoreClosedError(f"The store {name} is closed.", "Open it again.")
    if "too big" in str(error) or "too large" in str(error):
        return InputError(f"A text for the store {name} is too large: {error}.", "Nothing was stored; split it.")
    return StoreError(f"The store {name} failed: {error}.", "Report this with the steps that led to it.")
