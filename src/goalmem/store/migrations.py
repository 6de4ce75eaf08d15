"""Migrate a store to the newest schema, safely if several processes open it at the same moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import TypeVar

from goalmem.errors import NewerStoreError, ReadOnlyStoreError
from goalmem.store.failures import not_a_store
from goalmem.store.location import APPLICATION_ID
from goalmem.store.schema import MIGRATIONS, Migration
from goalmem.store.transactions import write_transaction

MigrationT = TypeVar("MigrationT", bound=Callable[..., None])

_FIRST_TABLES = (
    "CREATE TABLE migration (name TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
)


def create(connection: sqlite3.Connection, name: str, meta: Mapping[str, str]) -> None:
    """Create the store's first tables when the database is empty; `meta` is recorded then and never changed.

    Raises:
        NotAStoreError: the database belongs to another program.
    """
    if not _is_ours(connection):
        with write_transaction(connection):
            _create(connection, name, meta)


def migrate(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply each migration that is missing: in a transaction of its own, or all in one if the store is new.

    Raises:
        NewerStoreError: the store holds a migration unknown here.
    """
    missing = _missing(connection, name, migrations)
    for together in [missing] if len(missing) == len(migrations) else [[migration] for migration in missing]:
        with write_transaction(connection):
            still = _missing(connection, name, migrations)
            for migration in together:
                if migration in still:
                    migration(connection)
                    _record(connection, migration)


def require_current(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a store that would have to be migrated and cannot be written."""
    if _missing(connection, name, MIGRATIONS):
        raise ReadOnlyStoreError(
            f"The store {name} was written by an older goalmem and cannot be brought up to date here.",
            "Open it once where it can be written.",
        )


def require_known(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a store written by a newer goalmem."""
    _missing(connection, name, MIGRATIONS)


def _is_ours(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def _create(connection: sqlite3.Connection, name: str, meta: Mapping[str, str]) -> None:
    if _is_ours(connection):  # another process came first
        return
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise not_a_store(name, "it is an SQLite database of another program")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _FIRST_TABLES:
        connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _missing(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration]) -> list[Migration]:
    applied = {str(row[0]) for row in connection.execute("SELECT name FROM migration")}
    return missing_of(migrations, applied, name)


def missing_of(migrations: Sequence[MigrationT], applied: Set[str], name: str) -> list[MigrationT]:
    """The migrations that were not applied yet. Raises NewerStoreError if one is unknown here."""
    if unknown := applied - {migration.__name__ for migration in migrations}:
        raise NewerStoreError(
            f"The store {name} was written by a newer goalmem (it holds {', '.join(sorted(unknown))}).",
            "Upgrade goalmem to open it.",
        )
    return [migration for migration in migrations if migration.__name__ not in applied]


def _record(connection: sqlite3.Connection, migration: Migration) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.__name__, now))
    applied = connection.execute("SELECT count(*) FROM migration").fetchone()[0]
    connection.execute(f"PRAGMA user_version = {applied}")
