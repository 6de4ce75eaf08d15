"""Back up a PostgreSQL store to a file that is itself a store, and make one of such a file.

A backup reads one snapshot of all spaces and is compared with it row by row. An interrupted command resumes with the
rows that are still valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from platform import node
from typing import TypeVar

from psycopg import sql

from goalmem.errors import (
    ConflictError,
    CorruptStoreError,
    NewerStoreError,
    NotAStoreError,
    OtherModelError,
    ReadOnlyStoreError,
    StoreBusyError,
)
from goalmem.store.failures import failures_of
from goalmem.store.file_copy import OnProgress, connect, discard, flush, left_beside
from goalmem.store.postgres import schema_swap
from goalmem.store.postgres.binary import VectorForm
from goalmem.store.postgres.connections import Exclusive
from goalmem.store.postgres.integrity import problems
from goalmem.store.postgres.location import PostgresLocation, locate_postgres
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.schema_swap import SchemaState
from goalmem.store.postgres.store import PostgresStore
from goalmem.store.postgres.tables import POSTGRES, PostgresTables, in_space
from goalmem.store.postgres.text import restored
from goalmem.store.sqlite import SqliteStore
from goalmem.store.table_store import TableStore
from goalmem.store.transfer import MoveReport, StoreCopy
from goalmem.store.transfer_places import FileEnding, PostgresEnding

_STAGING = "_restoring"
"""Name prefix of the staging schema of a restore."""
_NOT_OURS = (OtherModelError, NewerStoreError, NotAStoreError, CorruptStoreError)
"""Errors that opening raises if the file belongs to another backup, which cannot be resumed."""


@contextmanager
def copied_to_file(place: str, part: Path, on_progress: OnProgress | None, busy_timeout: float) -> Iterator[Path]:
    """The file `part`, made to hold one state of the store at `place`; while it is used no other process makes the same.

    Raises:
        NotFoundError: there is no store at `place`.
        StoreBusyError: another process makes the same file.
        CorruptStoreError: the store is damaged, or what was read back is not what was written.
        StoreError: a place cannot be read or written.
    """
    location = locate_postgres(place)
    model, dimension = PostgresEnding(location).model()
    with _alone(
        location, f"backup {node()} {part}", f"Another process is backing {location.name} up to the same file."
    ):
        store = PostgresStore(place, model=model, dimension=dimension, busy_timeout=busy_timeout, read_only=True)
        with closing(store), snapshot_of(store) as snapshot:
            _require_sound(snapshot, location.name)
            with closing(_begun(part, model, dimension, busy_timeout)) as copy:
                StoreCopy(snapshot, copy, on_progress).whole()
        with failures_of(str(part)), closing(connect(part, "mode=rw", busy_timeout)) as single:
            # A single file: a backup without its log would not be one.
            single.execute("PRAGMA journal_mode = DELETE")
        flush(part)
        yield part


def _require_sound(snapshot: Snapshot, name: str) -> None:
    for space in snapshot.spaces():
        if found := snapshot.read(space, problems):
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise CorruptStoreError(
                f"The store {name} is damaged: {found[0]}{more}; no backup was made.",
                "`goalmem check` says what is wrong with it.",
            )


def _begun(part: Path, model: str, dimension: int, busy_timeout: float) -> SqliteStore:
    """The file that an earlier try began, or a new one."""
    try:
        return SqliteStore(part, model=model, dimension=dimension, busy_timeout=busy_timeout)
    except _NOT_OURS:
        discard([part, *left_beside(part)])
        return SqliteStore(part, model=model, dimension=dimension, busy_timeout=busy_timeout)


def require_room(place: str, backup: Path, *, force: bool) -> SchemaState:
    """Check that a store may be created at `place` from the file `backup`; returns its state.

    Raises:
        ConflictError: a store is there, and `force` was not given, or it keeps vectors of another model.
        StoreError: the database cannot be reached, or another program's tables are there.
    """
    location = locate_postgres(place)
    standing = schema_swap.schema_state(location)
    if standing.spaces and not force:
        raise ConflictError(
            f"There is a store at {location.name} already, of {standing.spaces} spaces; nothing was restored.",
            "Restore to another schema (?goalmem_schema=NAME) or database, or pass --force.",
        )
    if standing.spaces and standing.model != FileEnding(backup).model():
        # Processes that have it open would search vectors of one model with those of another.
        raise ConflictError(
            f"The store {location.name} keeps vectors of another embedding model than the backup; nothing was restored.",
            "Restore to another schema (?goalmem_schema=NAME) or database.",
        )
    return standing


def restored_from_file(
    part: Path, place: str, standing: SchemaState, *, force: bool, on_progress: OnProgress | None, busy_timeout: float
) -> tuple[str, int, MoveReport]:
    """Restore the file `part` to `place` in one step; returns the name, the bytes and the contents.

    Raises:
        ConflictError: somebody wrote to `place` meanwhile, and `force` was not given.
        StoreBusyError: another process restores to the same place.
        StoreError: a place cannot be read or written.
    """
    location = locate_postgres(place)
    partitions = location.partitions if standing.partitions is None else standing.partitions
    staging = replace(location, schema=location.schema + _STAGING, partitions=partitions)
    model, dimension = FileEnding(part).model()
    with _alone(location, "restore", f"Another process is restoring to {location.name}."):
        schema_swap.drop_other(staging, model, dimension)
        with (
            closing(SqliteStore(part, model=model, dimension=dimension, busy_timeout=busy_timeout)) as backup,
            closing(
                PostgresStore(
                    staging.in_schema(staging.schema), model=model, dimension=dimension, busy_timeout=busy_timeout
                )
            ) as store,
        ):
            moved = StoreCopy(backup, store, on_progress).whole()
            size = store.read("", PostgresTables.database_bytes)
        schema_swap.analyze(staging)
        schema_swap.take_place(location, staging.schema, over=force)
    return location.name, size, moved


@contextmanager
def _alone(location: PostgresLocation, what: str, otherwise: str) -> Iterator[None]:
    with Exclusive(location, what) as alone:
        if not alone.held:
            raise StoreBusyError(otherwise, "Wait until it has finished, then repeat the command.")
        yield


# -- one state of all spaces, read while others write ----------------------------------------------------------------

T = TypeVar("T")


class Snapshot(TableStore):
    """A snapshot of a store: all reads in one transaction. For one thread.

    The server keeps rows that were deleted since for as long as the transaction lasts.
    """

    dialect = POSTGRES

    def __init__(self, connection: Connection, form: VectorForm) -> None:
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
    """A snapshot of the store as it is now."""
    with store.holding() as connection:
        yield Snapshot(connection, store.form)
