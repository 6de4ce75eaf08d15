"""Replace a whole store: a store staged in its own schema gets the final name in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import errors as pg
from psycopg import sql

from goalmem.errors import ConflictError, StoreBusyError, StoreError
from goalmem.store.postgres.failures import failures_of
from goalmem.store.postgres.location import PostgresLocation
from goalmem.store.postgres.migrations import extension_schema, is_ours, lock_of, meta_of, of_another_program, tables_in
from goalmem.store.postgres.schema import TABLES, Connection, first_value

TRIES = 5
"""Attempts to swap: concurrent transactions may deadlock with it."""


@dataclass(frozen=True, slots=True)
class SchemaState:
    """State of the store at a location."""

    spaces: int = 0
    """0 if there is no store, or an empty one."""
    model: tuple[str, int] | None = None
    """Name and dimension of the embedding model; None if there is no store."""
    partitions: int | None = None
    """Partitions of each table; None if there is no store."""


def schema_state(location: PostgresLocation) -> SchemaState:
    """State of the location whose store is to be replaced.

    Raises:
        NotAStoreError: another program's tables are there.
        StoreError: the database cannot be reached, or the store there is not ours to replace.
    """
    with failures_of(location.name), psycopg.connect(location.conninfo, autocommit=True) as connection:
        if not is_ours(connection, location):
            if tables_in(connection, location):
                raise of_another_program(location)
            _require_ours(connection, location)
            return SchemaState()
        _require_ours(connection, location)
        kept = meta_of(connection, location)
        with connection.transaction():
            return SchemaState(
                _spaces(connection, location), (kept["model"], int(kept["dimension"])), int(kept["partitions"])
            )


def _has_spaces(connection: Connection, location: PostgresLocation) -> bool:
    return first_value(connection, "SELECT to_regclass(%s)", f"{location.schema}.space") is not None


def _spaces(connection: Connection, location: PostgresLocation) -> int:
    if not _has_spaces(connection, location):
        return 1  # a store that lacks this very table held something
    connection.execute("SET LOCAL goalmem.listing = 'on'")
    query = sql.SQL("SELECT count(*) FROM {}.space").format(sql.Identifier(location.schema))
    return int(first_value(connection, query))


def drop_other(location: PostgresLocation, model: str, dimension: int) -> None:
    """Drop the staging schema if it has another model or version."""
    with failures_of(location.name), psycopg.connect(location.conninfo, autocommit=True) as connection:
        if not is_ours(connection, location):
            return
        kept = meta_of(connection, location)
        if (kept.get("model"), kept.get("dimension")) != (model, str(dimension)):
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(location.schema)))


def analyze(location: PostgresLocation) -> None:
    """Analyze the tables: the server does not do this by itself for partitioned tables."""
    with failures_of(location.name), psycopg.connect(location.conninfo, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(location.schema, table)))


def take_place(location: PostgresLocation, schema: str, *, over: bool = False) -> None:
    """Replace this store by the one in `schema` of the same database, in one transaction.

    This one must be empty or not there; with `over` it may hold anything, and is gone then. Whoever has it open sees all of the
    old rows or all of the new.

    Raises:
        ConflictError: it holds something.
        StoreBusyError: somebody writes to it without end.
    """
    with failures_of(location.name), psycopg.connect(location.conninfo, autocommit=True) as connection:
        for left in reversed(range(TRIES)):
            try:
                with connection.transaction():
                    _replace(connection, location, schema, over)
            except pg.DeadlockDetected as error:
                if not left:
                    raise StoreBusyError(
                        f"The store {location.name} is being written to continuously.", "Stop what writes, then repeat."
                    ) from error
            else:
                return


def _replace(connection: Connection, location: PostgresLocation, schema: str, over: bool) -> None:
    names = {"ours": sql.Identifier(location.schema), "other": sql.Identifier(schema)}
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(location),))
    if is_ours(connection, location):
        if _has_spaces(connection, location):
            # Writers lock the row of a space first, so no write is in progress then.
            connection.execute(sql.SQL("LOCK TABLE {ours}.space IN ACCESS EXCLUSIVE MODE").format(**names))
        if not over and _spaces(connection, location):
            raise ConflictError(
                f"Somebody wrote to {location.name} meanwhile; nothing was put there.", "Name another place."
            )
    _drop(connection, location)
    connection.execute(sql.SQL("ALTER SCHEMA {other} RENAME TO {ours}").format(**names))


def _drop(connection: Connection, location: PostgresLocation) -> None:
    """Drop the schema with the store in it, or an empty one."""
    _require_ours(connection, location)
    connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(location.schema)))


def _require_ours(connection: Connection, location: PostgresLocation) -> None:
    """Refuse to drop a schema of another owner, or one that contains pgvector, which every store here uses."""
    row = connection.execute(
        "SELECT pg_get_userbyid(nspowner), pg_get_userbyid(nspowner) = current_user FROM pg_namespace WHERE nspname = %s",
        (location.schema,),
    ).fetchone()
    if row is None:
        return
    if extension_schema(connection) == location.schema:
        raise StoreError(
            f"pgvector is installed in the schema {location.schema!r} of {location.name}, so that cannot be replaced.",
            "Let the database's administrator run ALTER EXTENSION vector SET SCHEMA public, then repeat the command.",
        )
    if not row[1]:
        # A superuser could, and the tables would be the superuser's from then on.
        raise StoreError(
            f"The schema {location.schema!r} of {location.name} belongs to {row[0]}, who could not use another's.",
            f"Connect as {row[0]}.",
        )
