"""The embedded store: one SQLite file, or memory.

Durability: write-ahead log with `synchronous=FULL`, so a turn is on the disk when `add` returns.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy
from datetime import datetime
from typing import Any, TypeVar

from goalmem.errors import CorruptStoreError, NotAStoreError, StoreError
from goalmem.store import failures, integrity, secure_delete, writes
from goalmem.store.contents import Kept, kept_turns
from goalmem.store.database_file import open_database, require_same_file
from goalmem.store.failures import failures_of, reembedded
from goalmem.store.file_repair import FileRepairs
from goalmem.store.integrity import Finding, Remedy
from goalmem.store.location import Place, locate
from goalmem.store.protocol import Batch
from goalmem.store.repair import Repairs
from goalmem.store.table_store import Store
from goalmem.store.tables_sqlite import SQLITE, SqliteTables, space_named
from goalmem.store.transactions import snapshot, write_transaction

__all__ = ["SqliteStore"]

_CACHE = 256 * 2**10
"""KiB of pages kept in memory while much is written."""

T = TypeVar("T")


class SqliteStore(Store):
    """A `Store` in one SQLite file. Safe for many threads and processes, and across a fork."""

    dialect = SQLITE

    def __init__(
        self, place: Place, *, model: str, dimension: int, busy_timeout: float = 30.0, read_only: bool = False
    ) -> None:
        """Open the store at `place`, creating it with its parent folders when there is none.

        Args:
            place: a path, `sqlite:///path`, or `:memory:`.
            model: name of the embedding model; a store keeps to the one it was created with.
            dimension: length of its vectors.
            busy_timeout: seconds to wait while another process writes.
            read_only: never write, as when the file or its folder cannot be written.

        Raises:
            StoreError: one of its subclasses says what stands in the way.
        """
        location = locate(place)
        self._name = location.name
        self._model = model
        self._dimension = dimension
        with failures_of(self._name):
            self._database = open_database(location, model, dimension, busy_timeout, read_only)
        self._pool = self._database.pool
        self._one_writer = threading.Lock()

    @property
    def read_only(self) -> bool:
        """True when the store can only be read."""
        return self._database.read_only

    def add(self, batch: Batch) -> list[str]:
        """See `Store.add`. A session keeps the time it was first given."""
        writes.check_batch(batch, self._dimension)
        return self.write_vectors(batch.space, lambda tables: writes.insert(tables, batch))

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self._connection() as connection:
            return sorted(name for (name,) in connection.execute("SELECT name FROM space"))

    def check(self) -> list[str]:
        """See `Store.check`."""
        return [finding.text for finding in self.examine()]

    def examine(self) -> list[Finding]:
        """What is not as it should be, each with what mends it. See `Store.check`."""
        try:
            with self._connection() as connection:
                return integrity.examine(connection, read_only=self.read_only)
        except (CorruptStoreError, NotAStoreError) as error:
            return [Finding(error.problem, Remedy.FILE)]

    def kept_pages(self, size: int) -> Iterator[list[Kept]]:
        """See `TableStore.kept_pages`. A text that is no UTF-8 is read with marks in its place."""

        def page(tables: SqliteTables) -> list[Kept]:
            with integrity.lenient(tables.connection):
                return kept_turns(tables, after, size)

        for space in self.spaces():
            after = 0
            while found := self.read_vectors(space, page):
                yield found
                after = found[-1].seq

    def repairs(self) -> Repairs:
        """What lets the store be repaired (`goalmem.maintenance.check`)."""
        return FileRepairs(self, self.mending)

    @contextmanager
    def looking(self) -> Iterator[sqlite3.Connection]:
        """A connection on one state of the store, to read rows as they lie (`store.contents`)."""
        with self._connection() as connection, snapshot(connection):
            self._require_model(connection)
            yield connection

    @contextmanager
    def mending(self) -> Iterator[sqlite3.Connection]:
        """A connection inside a write transaction, to build anew what is derived (`store.file_repair`)."""
        with self._writing() as connection:
            self._require_model(connection)
            yield connection

    def bound_to(self, model: str, dimension: int) -> SqliteStore:
        """The same store, for vectors of another model: those that it keeps since `store.reembedding`.

        What was opened before goes on to refuse them. Closing either closes both.
        """
        bound = copy(self)
        bound._model, bound._dimension = model, dimension
        return bound

    def meta(self) -> dict[str, Any]:
        """See `Store.meta`. Keys: schema, model, dimension, created, program, sqlite."""
        with self._connection() as connection:
            kept = dict(connection.execute("SELECT key, value FROM meta").fetchall())
            schema = connection.execute("PRAGMA user_version").fetchone()[0]
        return {
            "schema": schema,
            "model": kept["model"],
            "dimension": int(kept["dimension"]),
            "created": datetime.fromisoformat(kept["created"]),
            "program": kept["program"],
            "sqlite": sqlite3.sqlite_version,
        }

    def close(self) -> None:
        """See `Store.close`. May be called twice."""
        try:
            # Closing never fails: what cannot be written anew now keeps its mark for the next time.
            with suppress(StoreError):
                self._scrub_if_due()
        finally:
            self._pool.close()

    def _require_model(self, connection: sqlite3.Connection) -> None:
        """Refuse vectors of any other model than the one that the store was opened with."""
        kept = connection.execute("SELECT value FROM meta WHERE key IN ('dimension', 'model') ORDER BY key").fetchall()
        if kept != [(str(self._dimension),), (self._model,)]:
            raise reembedded(self._name, self._model, kept[-1][0] if kept else "")

    def scrub(self) -> None:
        """Write the file anew where something was removed from it and is due to be overwritten; best effort."""
        self._scrub_if_due()

    def _scrub_if_due(self) -> None:
        if self._database.file is None or self.read_only:
            return
        with self._connection() as connection, self._one_writer:
            if secure_delete.is_due(connection):
                self._scrub(connection, now=True)

    def _scrub_now_if_small(self) -> None:
        with self._write() as connection:
            self._scrub(connection, now=secure_delete.is_small(connection))

    def _scrub(self, connection: sqlite3.Connection, *, now: bool) -> None:
        """Best effort: what is forgotten is gone already, and the mark stays until a scrub succeeds."""
        if self._database.file is None:
            return
        with suppress(StoreError), failures_of(self._name):
            secure_delete.scrub(connection) if now else secure_delete.truncate_log(connection)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with failures_of(self._name), self._pool.lend() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """A connection for a write transaction; threads queue here rather than poll SQLite's lock."""
        if self.read_only:
            raise failures.read_only(self._name, "it was opened for reading only")
        # The connection comes first: a fork waits for it to come back, and so never finds the lock held.
        with self._connection() as connection, self._one_writer:
            require_same_file(self._database)
            yield connection

    def read(self, space: str, query: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.read`."""
        with self._connection() as connection, snapshot(connection):
            return query(space_named(connection, space))

    def read_vectors(self, space: str, query: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.read_vectors`."""
        with self.looking() as connection:
            return query(space_named(connection, space))

    def write(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write`. What is removed is overwritten at once in a small file, in a large one when it is closed."""
        return self._done(space, work, self._writing())

    def write_vectors(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write_vectors`."""
        return self._done(space, work, self.mending())

    def write_much(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write_much`."""
        return self._done(space, work, self._writing(roomy=True))

    @contextmanager
    def _writing(self, *, roomy: bool = False) -> Iterator[sqlite3.Connection]:
        with self._write() as connection, _roomy(connection) if roomy else nullcontext(), write_transaction(connection):
            yield connection

    def _done(
        self, space: str, work: Callable[[SqliteTables], T], writing: AbstractContextManager[sqlite3.Connection]
    ) -> T:
        with writing as connection:
            tables = space_named(connection, space)
            done = work(tables)
        if tables.removed:
            self._scrub_now_if_small()
        return done


@contextmanager
def _roomy(connection: sqlite3.Connection) -> Iterator[None]:
    """A larger cache for a while."""
    kept = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {kept}")
