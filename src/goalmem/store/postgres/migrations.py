"""Migrate a database to the newest schema, safely if several processes open it at the same moment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
from psycopg import errors as pg
from psycopg import sql

from goalmem.errors import (
    NotAStoreError,
    ReadOnlyStoreError,
    StoreError,
)
from goalmem.store.codec import number_of
from goalmem.store.database_file import birth
from goalmem.store.failures import other_model
from goalmem.store.migrations import missing_of
from goalmem.store.postgres.failures import failures_of
from goalmem.store.postgres.location import PostgresLocation
from goalmem.store.postgres.schema import MIGRATIONS, Connection, Layout, Migration, first_value

ROLE = "goalmem_space"
"""The role for all work if the connecting role could bypass row-level security: it owns and bypasses nothing."""
_FIRST_TABLES = (
    "CREATE TABLE migration (name text PRIMARY KEY, at text NOT NULL)",
    "CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class OpenSchema:
    """A schema that is ready, and how each transaction in it begins."""

    preamble: str
    """Statements that a transaction begins with: where the tables are, who works on them."""
    halfvec: int
    """Number of the type `halfvec` in this database."""
    read_only: bool


def open_schema(
    location: PostgresLocation,
    model: str,
    dimension: int,
    *,
    read_only: bool,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> OpenSchema:
    """Create the store's tables if there are none, apply every missing migration, and check the model.

    Raises:
        NewerStoreError: the store holds a migration unknown here.
        NotAStoreError: the schema belongs to another program.
        OtherModelError: it keeps vectors of another model.
        ReadOnlyStoreError: it would have to be written and cannot be.
    """
    with psycopg.connect(location.conninfo, autocommit=True) as connection:
        require_database(connection, location.name)
        read_only = read_only or _cannot_write(connection)
        if _missing(connection, location, migrations):
            if read_only:
                raise ReadOnlyStoreError(
                    f"The store {location.name} is not there yet or of an older goalmem, and is opened for reading only.",
                    "Open it once where it can be written.",
                )
            _migrate(connection, location, model, dimension, migrations)
        require_pgvector(connection, location.name)
        _require_model(connection, location, model, dimension)
        return OpenSchema(_preamble(connection, location), _halfvec_type(connection, location), read_only)


def kept_model(location: PostgresLocation) -> tuple[str, int] | None:
    """Name and dimension of the model of a store's vectors; None if there is no store."""
    with failures_of(location.name), psycopg.connect(location.conninfo, autocommit=True) as connection:
        if not is_ours(connection, location):
            return None
        kept = meta_of(connection, location)
    return kept["model"], int(kept["dimension"])


@contextmanager
def changing(location: PostgresLocation) -> Iterator[Connection]:
    """A transaction of the owner of the tables, to change them: holds the schema lock and searches the schema."""
    with psycopg.connect(location.conninfo, autocommit=True) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(location),))
        _look_in(connection, location, extension_schema(connection))
        yield connection
        if bypasses(connection):
            _let_role_work(connection, location)


def lock_of(location: PostgresLocation) -> int:
    """Number of the advisory lock for changes of the tables of a store."""
    return number_of(f"goalmem {location.schema}")


def _cannot_write(connection: Connection) -> bool:
    query = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"
    return bool(first_value(connection, query))


def _missing(connection: Connection, location: PostgresLocation, migrations: Sequence[Migration]) -> list[Migration]:
    if first_value(connection, "SELECT to_regclass(%s)", f"{location.schema}.migration") is None:
        return list(migrations)
    query = sql.SQL("SELECT name FROM {}.migration").format(sql.Identifier(location.schema))
    applied = {str(name) for (name,) in connection.execute(query)}
    return missing_of(migrations, applied, location.name)


def _migrate(
    connection: Connection, location: PostgresLocation, model: str, dimension: int, migrations: Sequence[Migration]
) -> None:
    with connection.transaction():
        # Concurrent openers wait here and then find nothing missing.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(location),))
        if not (missing := _missing(connection, location, migrations)):
            return
        layout = _created(connection, location, model, dimension)
        for migration in missing:
            migration(connection, layout)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            connection.execute("INSERT INTO migration VALUES (%s, %s)", (migration.__name__, now))
        if bypasses(connection):
            _let_role_work(connection, location)


def _created(connection: Connection, location: PostgresLocation, model: str, dimension: int) -> Layout:
    """The layout of the store. Creates its first tables if there are none; the search path is set afterwards."""
    schema = sql.Identifier(location.schema)
    if tables_in(connection, location) == 0:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        _look_in(connection, location, _extension(connection, location))
        for statement in _FIRST_TABLES:
            connection.execute(statement)
        made = {**birth(model, dimension), "partitions": str(location.partitions)}
        for row in made.items():
            connection.execute("INSERT INTO meta VALUES (%s, %s)", row)
    elif not is_ours(connection, location):
        raise of_another_program(location)
    else:
        _look_in(connection, location, _extension(connection, location))
    kept = meta_of(connection, location)
    return Layout(int(kept["partitions"]), int(kept["dimension"]))


def of_another_program(location: PostgresLocation) -> NotAStoreError:
    """The error for a schema that holds no store, and is not empty."""
    return NotAStoreError(
        f"The schema {location.schema!r} in {location.name} is not a goalmem store: another program's tables are there.",
        "Nothing was changed; choose another database, or another schema with ?goalmem_schema=NAME.",
    )


def tables_in(connection: Connection, location: PostgresLocation) -> int:
    """Number of tables in the schema, whoever owns them."""
    query = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p', 'v')"
    return int(first_value(connection, query, location.schema))


def is_ours(connection: Connection, location: PostgresLocation) -> bool:
    """True if the schema holds a store."""
    query = "SELECT to_regclass(%s) IS NOT NULL AND to_regclass(%s) IS NOT NULL"
    return bool(first_value(connection, query, f"{location.schema}.migration", f"{location.schema}.meta"))


def _extension(connection: Connection, location: PostgresLocation) -> str:
    """The schema that pgvector is in, which is installed where it is not."""
    install_pgvector(connection, location.name)
    return extension_schema(connection)


def extension_schema(connection: Connection) -> str:
    """The schema that pgvector is in."""
    query = (
        "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'"
    )
    return str(first_value(connection, query) or "public")


def _look_in(connection: Connection, location: PostgresLocation, extension: str) -> None:
    path = sql.SQL("SET LOCAL search_path = {}, {}")
    connection.execute(path.format(sql.Identifier(location.schema), sql.Identifier(extension)))


def bypasses(connection: Connection) -> bool:
    """True where row-level security does not bind who connects."""
    return bool(first_value(connection, "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"))


def _let_role_work(connection: Connection, location: PostgresLocation) -> None:
    """Create the role that is subject to row-level security, and grant it access to the tables."""
    role, schema = sql.Identifier(ROLE), sql.Identifier(location.schema)
    if not first_value(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", ROLE):
        try:
            with connection.transaction():
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(role))
        except (pg.DuplicateObject, pg.UniqueViolation):  # made for another database of the server at this moment
            pass
    for grant in (
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
        "REVOKE INSERT, UPDATE, DELETE ON {schema}.meta, {schema}.migration FROM {role}",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
    ):
        connection.execute(sql.SQL(grant).format(schema=schema, role=role))


def _preamble(connection: Connection, location: PostgresLocation) -> str:
    path = sql.SQL("SET LOCAL search_path = {}, {}").format(
        sql.Identifier(location.schema), sql.Identifier(extension_schema(connection))
    )
    role = sql.SQL("SET LOCAL ROLE {}; ").format(sql.Identifier(ROLE)) if bypasses(connection) else sql.SQL("")
    return sql.Composed([role, path]).as_string(connection)


def _halfvec_type(connection: Connection, location: PostgresLocation) -> int:
    oid = first_value(connection, "SELECT oid FROM pg_type WHERE typname = 'halfvec'")
    if oid is None:
        raise StoreError(f"The database of {location.name} lacks pgvector's halfvec.", "Install pgvector 0.8 or newer.")
    return int(oid)


def meta_of(connection: Connection, location: PostgresLocation) -> Mapping[str, str]:
    """The metadata of the store."""
    query = sql.SQL("SELECT key, value FROM {}.meta").format(sql.Identifier(location.schema))
    return {str(key): str(value) for key, value in connection.execute(query)}


def _require_model(connection: Connection, location: PostgresLocation, model: str, dimension: int) -> None:
    kept = meta_of(connection, location)
    if (kept.get("model"), kept.get("dimension")) != (model, str(dimension)):
        raise other_model(location.name, (kept.get("model", ""), kept.get("dimension", "")), (model, dimension))


OLDEST_SERVER = 14
"""The oldest that its makers still supported when this was written (postgresql.org/support/versioning)."""
OLDEST_PGVECTOR = (0, 8)
"""Iterative scans came with 0.8 (github.com/pgvector/pgvector, CHANGELOG); halfvec with 0.7."""
ENCODING = "UTF8"


def require_database(connection: Connection, name: str) -> None:
    """Refuse a server that is too old, and a database that does not hold every character. Raises StoreError."""
    version = connection.info.server_version // 10_000
    if version < OLDEST_SERVER:
        raise StoreError(
            f"The server of the store {name} is PostgreSQL {version}, older than {OLDEST_SERVER}.",
            f"Upgrade it, or choose a server with PostgreSQL {OLDEST_SERVER} or newer.",
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != ENCODING:
        raise StoreError(
            f"The database of {name} is encoded in {encoding}, which does not hold every text.",
            "Make one that does: createdb --encoding=UTF8 --template=template0 NAME.",
        )


def pgvector(connection: Connection) -> str | None:
    """The version of pgvector in the database; None where it is not installed."""
    version: str | None = first_value(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    return version


def is_too_old(version: str) -> bool:
    """True if this version of pgvector lacks a required feature."""
    return tuple(map(int, re.findall(r"[0-9]+", version)[:2])) < OLDEST_PGVECTOR


def require_pgvector(connection: Connection, name: str) -> None:
    """Refuse a database whose pgvector is missing or too old. Raises StoreError."""
    version = pgvector(connection)
    if version is None:
        raise StoreError(
            f"The database of {name} lacks pgvector.",
            "Let its administrator run CREATE EXTENSION vector.",
        )
    if is_too_old(version):
        raise StoreError(
            f"The database of {name} has pgvector {version}, older than 0.8.",
            "Install pgvector 0.8 or newer on the server, and let its administrator run ALTER EXTENSION vector UPDATE.",
        )


def install_pgvector(connection: Connection, name: str) -> None:
    """Install pgvector in the database where it is not. Raises StoreError."""
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (pg.UniqueViolation, pg.DuplicateObject):
        pass  # installed at this moment for a store in another schema
    except (pg.FeatureNotSupported, pg.UndefinedFile, pg.InsufficientPrivilege) as error:
        raise StoreError(
            f"The database of {name} lacks pgvector ({' '.join(str(error).split())}).",
            "Install pgvector 0.8 or newer on the server, and let its administrator run CREATE EXTENSION vector.",
        ) from error
    require_pgvector(connection, name)
