"""Connections to a PostgreSQL store: lent from a pool, each transaction in one space, repeated when it may yet succeed."""

from __future__ import annotations

import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self, TypeVar
from uuid import UUID

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from goalmem.errors import ReadOnlyStoreError, StoreClosedError
from goalmem.store.codec import number_of
from goalmem.store.postgres.failures import failures_of, may_succeed_again
from goalmem.store.postgres.location import PostgresLocation
from goalmem.store.postgres.migrations import OpenSchema, changing
from goalmem.store.postgres.schema import Connection, first_value

MOST_CONNECTIONS = 16
"""Per store and process: six processes fit within the default of one hundred connections of a server."""
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds before a transaction is retried: exponential backoff up to the longest, with random jitter."""
LEAST_CONNECT = 2
"""Seconds; libpq waits no less for a connection."""
RECONNECT = 3.0
"""Seconds that the pool keeps trying to connect before it starts over. Without this, the pool doubles its pauses and
would notice a server that returns after minutes only minutes later.
"""
NO_SPACE = ""
_TIME_LIMITS = ("statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout")
"""Settings that end a transaction which lasts (postgresql.org/docs, 19.11.1); the last came with PostgreSQL 17."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Check:
    """A query that is sent together with BEGIN and evaluated before the transaction continues."""

    statements: str
    judge: Callable[[list[tuple[Any, ...]]], None]
    """Called with the rows of the last statement; raises if the transaction must not continue."""


class Connections:
    """Lends connections to threads; across a fork each process has its own."""

    def __init__(self, location: PostgresLocation, opened: OpenSchema, busy_timeout: float) -> None:
        """`busy_timeout`: seconds that a transaction may wait for others, and be tried again."""
        self.name = location.name
        self.schema = location.schema
        self.opened = opened
        self._location = location
        self._timeout = busy_timeout
        self._closed = False
        self._making = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None
        lock_timeout = max(1, int(busy_timeout * 1000))
        self._begin = (
            f"{{}}; {opened.preamble}; SET LOCAL lock_timeout = {lock_timeout}; SET LOCAL goalmem.space = '{{}}'"
        )
        _all.add(self)

    def read(self, space: UUID | None, work: Callable[[Connection], T], check: Check | None = None) -> T:
        """Run `work` in one snapshot of a space; None: of no space."""
        return self._run(self._opening("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", space), work, check)

    def listing(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one snapshot that shows the own row of every space; says so to the database."""

        def listed(connection: Connection) -> T:
            connection.execute("SET LOCAL goalmem.listing = 'on'")
            return work(connection)

        return self.read(None, listed)

    def write(self, space: UUID | None, work: Callable[[Connection], T], check: Check | None = None) -> T:
        """Do `work` in one durable transaction; `work` may be called more than once, each time on a new one.

        `work` that raises leaves nothing behind.
        """
        if self.opened.read_only:
            raise ReadOnlyStoreError(
                f"The store {self.name} cannot be written: it is opened for reading only.",
                "Open it without read_only, on the primary server.",
            )
        begin = self._opening("BEGIN ISOLATION LEVEL READ COMMITTED", space)
        return self._run(f"{begin}; SET LOCAL synchronous_commit = on", work, check)

    def ask(self, space: UUID, query: bytes, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of one query, in a single round trip; for few rows, as all comes as text."""

        def look(connection: Connection) -> list[tuple[Any, ...]]:
            bound = psycopg.ClientCursor(connection).mogrify(query, values)
            cursor = connection.execute(f"{self._opening('BEGIN READ ONLY', space)}; {bound}; COMMIT".encode())
            while cursor.description is None:
                cursor.nextset()
            return cursor.fetchall()

        return self._again(look)

    def glance(self, space: UUID, columns: str) -> tuple[int, ...] | None:
        """Some numeric columns of the row of a space, in a single round trip; None if the space does not exist."""
        rows = self.ask(space, f"SELECT {columns} FROM space WHERE space = %s".encode(), (space,))
        return tuple(map(int, rows[0])) if rows else None

    @contextmanager
    def owning(self) -> Iterator[Connection]:
        """A connection of its own outside any transaction, as the owner of the tables, to build indices on."""
        with failures_of(self.name), psycopg.connect(self._location.conninfo, autocommit=True) as connection:
            yield connection

    @contextmanager
    def altering(self) -> Iterator[Connection]:
        """A transaction of the owner of the tables, to change them: alone among those who do."""
        with failures_of(self.name), changing(self._location) as connection:
            yield connection

    @contextmanager
    def holding(self, check: Check | None = None) -> Iterator[Connection]:
        """A connection of its own in one transaction, which reads one state of all spaces for as long as it takes.

        Which space it reads is yet to be set.
        """
        with self.owning() as connection:
            _begun(connection, self._opening("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", None), check)
            _unlimited(connection)
            yield connection
            connection.execute("COMMIT")

    def close(self) -> None:
        """Release every connection. May be called twice."""
        with self._making:
            self._closed = True
            if self._pool is not None:
                self._pool.close()

    def after_fork(self) -> None:
        """In a child: leave the parent's connections alone, whose sockets both processes hold."""
        if self._pool is not None:
            _of_parents.append(self._pool)
        self._pool, self._making = None, threading.Lock()

    def _opening(self, begin: str, space: UUID | None) -> str:
        return self._begin.format(begin, space or NO_SPACE)

    def _run(self, begin: str, work: Callable[[Connection], T], check: Check | None) -> T:
        def attempt(connection: Connection) -> T:
            _begun(connection, begin, check)
            try:
                found = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if not (connection.closed or connection.broken):  # else it is lost
                    with suppress(psycopg.Error):
                        connection.execute("ROLLBACK")
                raise
            return found

        return self._again(attempt)

    def _again(self, attempt: Callable[[Connection], T]) -> T:
        """Attempt it until it succeeds, fails for good, or time is up."""
        deadline, pause = time.monotonic() + self._timeout, FIRST_PAUSE
        with failures_of(self.name):
            while True:
                pool = self._lending()
                try:
                    with pool.connection(timeout=min(RECONNECT, max(0.01, deadline - time.monotonic()))) as connection:
                        return attempt(connection)
                except psycopg.Error as error:
                    if self._closed or not may_succeed_again(error) or time.monotonic() + pause > deadline:
                        if isinstance(error, PoolTimeout):
                            self._require_server()
                        raise
                    if error.sqlstate is None:
                        pool.check()  # the others of before a restart are lost as well
                time.sleep(random.uniform(0, pause))  # noqa: S311  # not a secret: it keeps rivals apart
                pause = min(2 * pause, LONGEST_PAUSE)

    def _require_server(self) -> None:
        """Raise the reason if the server cannot be reached; return if the connections are only all in use."""
        psycopg.connect(self._location.conninfo, connect_timeout=LEAST_CONNECT).close()

    def _lending(self) -> ConnectionPool[Connection]:
        with self._making:
            if self._closed:
                raise StoreClosedError(f"The store {self.name} is closed.", "Open it again.")
            if self._pool is None:
                self._pool = ConnectionPool(
                    self._location.conninfo,
                    # Nothing is prepared: a statement with its values is planned for the one partition that it needs.
                    kwargs={"autocommit": True, "prepare_threshold": None},
                    min_size=0,
                    max_size=MOST_CONNECTIONS,
                    reconnect_timeout=RECONNECT,
                    open=True,
                    name=f"goalmem-{os.getpid()}",
                )
            return self._pool


class Exclusive:
    """A lock of the database, by name, for as long as the `with` block lasts and the connection holds.

    In a transaction of its own that reads nothing, so that it holds nothing back, and that a pooler may not divide.
    """

    def __init__(self, location: PostgresLocation, name: str) -> None:
        self._location = location
        self._number = number_of(f"goalmem {location.schema} {name}")
        self.held = False
        """True if the lock was free."""

    def __enter__(self) -> Self:
        with failures_of(self._location.name):
            self._connection = psycopg.connect(self._location.conninfo, autocommit=True)
            self._connection.execute("BEGIN")
            _unlimited(self._connection)
            self.held = bool(first_value(self._connection, "SELECT pg_try_advisory_xact_lock(%s)", self._number))
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._connection.close()


def _begun(connection: Connection, begin: str, check: Check | None) -> None:
    """Begin a transaction; if its check fails, none is begun."""
    if check is None:
        connection.execute(_raw(begin))
        return
    cursor = connection.execute(_raw(f"{begin}; {check.statements}"))
    while cursor.nextset():
        pass
    try:
        check.judge(cursor.fetchall())
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _unlimited(connection: Connection) -> None:
    """Let a transaction last as long as it takes, whatever is usual in the database."""
    connection.execute(
        "SELECT set_config(name, '0', true) FROM pg_settings WHERE name = ANY(%s)", (list(_TIME_LIMITS),)
    )


def _raw(statements: str) -> bytes:
    """Statements without parameters: built from constants and hexadecimal keys only."""
    return statements.encode()


_all: weakref.WeakSet[Connections] = weakref.WeakSet()
_of_parents: list[ConnectionPool[Connection]] = []
"""Pools inherited from a parent process: referenced so that the garbage collector never closes them."""


def _after_fork() -> None:
    for connections in list(_all):
        connections.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
