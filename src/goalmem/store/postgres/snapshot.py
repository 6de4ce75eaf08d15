"""One state of all spaces of a PostgreSQL store, read while others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from psycopg import sql

from goalmem.errors import ReadOnlyStoreError
from goalmem.records import StatedRule
from goalmem.store.postgres import rule_rows
from goalmem.store.postgres.reads import Space
from goalmem.store.postgres.rows import PostgresRows
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.store import PostgresStore
from goalmem.store.postgres.text import restored
from goalmem.store.postgres.writes import Form
from goalmem.store.rows import Rows

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
        self.rows: Rows = PostgresRows(self)

    def look(self, space: str, query: Callable[[Connection, Space], T]) -> T:
        """What `query` finds in the space."""
        found = Space.named(space)
        # Row-level security shows one space at a time, in a transaction of many as well.
        self.connection.execute(sql.SQL("SET LOCAL goalmem.space = {}").format(sql.Literal(str(found.id))))
        return query(self.connection, found)

    def look_at_vectors(self, space: str, query: Callable[[Connection, Space], T]) -> T:
        """See `Reached.look_at_vectors`: the transaction began with the model that the store was opened with."""
        return self.look(space, query)

    def change(self, space: str, work: Callable[[Connection, Space], T]) -> T:
        """Raises ReadOnlyStoreError."""
        raise ReadOnlyStoreError(f"A state that was cannot be changed (the space {space!r}).", "Write to the store.")

    def change_vectors(self, space: str, work: Callable[[Connection, Space], T]) -> T:
        """Raises ReadOnlyStoreError."""
        return self.change(space, work)

    def spaces(self) -> list[str]:
        """See `Origin.spaces`."""
        self.connection.execute("SET LOCAL goalmem.listing = 'on'")
        found = sorted(str(name) for (name,) in map(restored, self.connection.execute("SELECT name FROM space")))
        self.connection.execute("SET LOCAL goalmem.listing = 'off'")
        return found

    def size(self, space: str) -> int:
        """See `Origin.size`."""
        row: Any = self.look(
            space, lambda c, s: c.execute("SELECT turns FROM space WHERE space = %s", (s.id,)).fetchone()
        )
        return int(row[0]) if row else 0

    def rules(self, space: str) -> list[StatedRule]:
        """See `Origin.rules`."""
        return self.look(space, rule_rows.stated)

    def state(self, space: str) -> tuple[object, ...]:
        """See `Origin.state`: always the same."""
        return ()


@contextmanager
def snapshot_of(store: PostgresStore) -> Iterator[Snapshot]:
    """The store as it is now."""
    with store.holding() as connection:
        yield Snapshot(connection, store.form)
