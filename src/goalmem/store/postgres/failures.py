"""Converts PostgreSQL errors to goalmem errors that name the problem, the store and the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from goalmem.errors import (
    CorruptStoreError,
    InputError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreFullError,
)
from goalmem.store.failures import DamagedRowError, unstorable_in

_AGAIN = (
    pg.SerializationFailure,
    pg.DeadlockDetected,
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.IdleInTransactionSessionTimeout,
    PoolTimeout,
)
_TOO_MANY = re.compile("too many clients|too many connections|remaining connection slots|no more connections allowed")
_REFUSALS = (
    (
        re.compile("password authentication failed|no password supplied|(Peer|Ident) authentication failed"),
        "Check the user and the password: in the URL, in PGPASSWORD, or in PGPASSFILE.",
    ),
    (re.compile('database ".*" does not exist'), "Create the database, or correct its name in the URL."),
    (re.compile('role ".*" does not exist'), "Create the role, or correct the user in the URL."),
    (
        re.compile("no pg_hba.conf entry"),
        "Let the server's administrator allow it in pg_hba.conf, or ask for TLS with ?sslmode=require.",
    ),
    (re.compile("failed to resolve host|could not translate host name"), "Check the host in the URL."),
    (re.compile("certificate|SSL|TLS"), "Check sslmode and sslrootcert in the URL."),
)
"""Messages of libpq and servers that refuse a connection without an error code, with the remedy."""
_INTEGRITY_CLASS, _DATA_CLASS = "23", "22"
"""Classes of SQLSTATE (postgresql.org/docs, appendix A)."""


def may_succeed_again(error: BaseException) -> bool:
    """True if the transaction may succeed when retried: after a conflict or a restart of the server."""
    if isinstance(error, _AGAIN):
        return True
    # Without a state it is libpq's own word: the connection was lost, or could not be made.
    return isinstance(error, psycopg.OperationalError) and error.sqlstate is None and not isinstance(error, PoolClosed)


@contextmanager
def failures_of(name: str) -> Iterator[None]:
    """Convert PostgreSQL errors of the store called `name` to `GoalmemError`."""
    try:
        with unstorable_in(name):
            yield
    except PoolClosed as error:
        raise StoreClosedError(f"The store {name} is closed.", "Open it again.") from error
    except psycopg.Error as error:
        raise _translated(error, name) from error
    except DamagedRowError as error:
        raise CorruptStoreError(
            f"The store {name} is damaged: {error}.", "Restore a backup of the database."
        ) from error


def _translated(error: psycopg.Error, name: str) -> Exception:
    said = " ".join(str(error).split())
    match error:
        case pg.DiskFull() | pg.OutOfMemory():
            return StoreFullError(
                f"The server of the store {name} is full ({said}); nothing of the call was stored.",
                "Free some space there, then repeat the call.",
            )
        case PoolTimeout():
            return StoreBusyError(
                f"All connections of this process to the store {name} were in use for longer than the busy timeout ({said}).",
                "Nothing was stored; ask less at once, or open the store with a larger busy_timeout.",
            )
        case pg.QueryCanceled() | pg.TransactionTimeout():
            return StoreBusyError(
                f"The server of the store {name} ended a statement that exceeded its time limit ({said}).",
                "Nothing was stored; repeat the call, or raise statement_timeout or transaction_timeout for this user"
                " (ALTER ROLE … SET).",
            )
        case pg.LockNotAvailable() | pg.SerializationFailure() | pg.DeadlockDetected():
            return StoreBusyError(
                f"The store {name} was held by others for longer than the busy timeout ({said}).",
                "Nothing was stored; repeat the call, or open the store with a larger busy_timeout.",
            )
        case pg.AdminShutdown() | pg.CrashShutdown() | pg.CannotConnectNow() | pg.IdleInTransactionSessionTimeout():
            return StoreError(
                f"The server of the store {name} ended the connection ({said}).",
                "Nothing of the call was stored; repeat it when the server runs again.",
            )
        case pg.ReadOnlySqlTransaction():
            return ReadOnlyStoreError(
                f"The store {name} cannot be written: {said}.", "Connect to the primary server, for writing."
            )
        case pg.InsufficientPrivilege():
            return ReadOnlyStoreError(
                f"The store {name} refused the request: {said}.", "Connect as the store's owner, or be granted it."
            )
        case pg.UndefinedTable() | pg.UndefinedColumn() | pg.DataCorrupted() | pg.IndexCorrupted():
            return CorruptStoreError(f"The store {name} is damaged: {said}.", "Restore a backup of the database.")
        case pg.ProgramLimitExceeded() | pg.StringDataRightTruncation():
            return InputError(f"A text for the store {name} is too large: {said}.", "Nothing was stored; split it.")
    state = error.sqlstate or ""
    if state.startswith((_INTEGRITY_CLASS, _DATA_CLASS)):
        return InputError(
            f"What was to be stored in {name} contradicts itself: {said}.",
            "Nothing was stored; give every turn and every fact an id of its own, and vectors of numbers.",
        )
    if not state:
        return _unreached(said, name)
    return StoreError(f"The store {name} failed: {said}.", "See the server's log.")


def _unreached(said: str, name: str) -> StoreError:
    """The error for a message of libpq without an error code."""
    if _TOO_MANY.search(said):
        return StoreBusyError(
            f"The server of the store {name} takes no more connections: {said}.",
            "Close some, raise its max_connections, or put a pooler such as PgBouncer in front of it.",
        )
    ours = "Check that the server runs, and the URL of the store."
    remedy = next((remedy for pattern, remedy in _REFUSALS if pattern.search(said)), ours)
    return StoreError(f"The store {name} cannot be reached: {said}.", remedy)
