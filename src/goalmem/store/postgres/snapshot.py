"""One state of all spaces of a PostgreSQL store, read while others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from psycopg import sql

from goalmem.errors import ReadOnlyStoreError
from goalmem.records import StatedRule
from goalmem.store import rule_rows
from goalmem.store.postgres.binary import Form
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.store import PostgresStore
from goalmem.store.postgres.tables import PostgresTables, in_space
from goalmem.store.postgres.text import restored
from goalmem.store.stored_rows import StoredRows

__all__ = ["Snapshot", "snapshot_of"]

T = TypeVar("T")


class Snapshot:
    """What a transaction that was begun once sees of a store: an `Origin`. For one thread.

    The server keeps rows that were deleted since for as long as the transaction lasts.
    """

    def __init__(self, connection: Connection, form: Form) -> None:
        """`connection`: inside a transaction of isolation level REPEATABLE READ."""
        self.connection = connection
        self.form = form
        self.rows: StoredRows = StoredRows(self)

    def read(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """What `query` finds in the space."""
        found = in_space(self.connection, space, self.form)
        # Row-level security shows one space at a time, in a transaction of many as well.
        self.connection.execute(sql.SQL("SET LOCAL goalmem.space = {}").format(sql.Literal(str(found.id))))
        return query(found)

    def read_vectors(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """See `Reached.read_vectors`: the transaction began with the model that the store was opened with."""
        return self.read(space, query)

    def write(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """Raises ReadOnlyStoreError."""
        raise ReadOnlyStoreError(f"A state that was cannot be changed (the space {space!r}).", "Write to the store.")

    def write_vectors(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """Raises ReadOnlyStoreError."""
        return self.write(space, work)

    def spaces(self) -> list[str]:
        """See `Origin.spaces`."""
        self.connection.execute("SET LOCAL goalmem.listing = 'on'")
        found = sorted(str(name) for (name,) in map(restored, self.connection.execute("SELECT name FROM space")))
        self.connection.execute("SET LOCAL goalmem.listing = 'off'")
        return found

    def size(self, space: str) -> int:
        """See `Origin.size`."""
        rows = self.read(space, lambda tables: tables.rows("SELECT turns FROM space WHERE space = :space"))
        return int(rows[0][0]) if rows else 0

    def rules(self, space: str) -> list[StatedRule]:
        """See `Origin.rules`."""
        return self.read(space, rule_rows.stated)

    def state(self, space: str) -> tuple[object, ...]:
        """See `Origin.state`: always the same."""
        return ()


@contextmanager
def snapshot_of(store: PostgresStore) -> Iterator[Snapshot]:
    """The store as it is now."""
    with store.holding() as connection:
        yield Snapshot(connection, store.form)
