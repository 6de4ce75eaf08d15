"""One state of all spaces of a PostgreSQL store, read while others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from psycopg import sql

from goalmem.errors import ReadOnlyStoreError
from goalmem.store.postgres.binary import Form
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.store import PostgresStore
from goalmem.store.postgres.tables import POSTGRES, PostgresTables, in_space
from goalmem.store.postgres.text import restored
from goalmem.store.table_store import TableStore

__all__ = ["Snapshot", "snapshot_of"]

T = TypeVar("T")


class Snapshot(TableStore):
    """What a transaction that was begun once sees of a store. For one thread.

    The server keeps rows that were deleted since for as long as the transaction lasts.
    """

    dialect = POSTGRES

    def __init__(self, connection: Connection, form: Form) -> None:
        """`connection`: inside a transaction of isolation level REPEATABLE READ."""
        self.connection = connection
        self.form = form

    def read(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.read`."""
        found = in_space(self.connection, space, self.form)
        # Row-level security shows one space at a time, in a transaction of many as well.
        self.connection.execute(sql.SQL("SET LOCAL goalmem.space = {}").format(sql.Literal(str(found.id))))
        return query(found)

    def read_vectors(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.read_vectors`: the transaction began with the model that the store was opened with."""
        return self.read(space, query)

    def write(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """Raises ReadOnlyStoreError."""
        raise ReadOnlyStoreError(f"A state that was cannot be changed (the space {space!r}).", "Write to the store.")

    def write_vectors(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """Raises ReadOnlyStoreError."""
        return self.write(space, work)

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        self.connection.execute("SET LOCAL goalmem.listing = 'on'")
        found = sorted(str(name) for (name,) in map(restored, self.connection.execute("SELECT name FROM space")))
        self.connection.execute("SET LOCAL goalmem.listing = 'off'")
        return found

    def close(self) -> None:
        """Nothing: the transaction ends with `snapshot_of`."""


@contextmanager
def snapshot_of(store: PostgresStore) -> Iterator[Snapshot]:
    """The store as it is now."""
    with store.holding() as connection:
        yield Snapshot(connection, store.form)
