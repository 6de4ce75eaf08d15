"""What a server and a database must be for a store to be in it."""

from __future__ import annotations

import re
from typing import Any

from psycopg import errors as pg

from goalmem.errors import StoreError
from goalmem.store.postgres.schema import Connection

__all__ = ["install_pgvector", "is_too_old", "pgvector", "require_database", "require_pgvector"]

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
    row: Any = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return str(row[0]) if row else None


def is_too_old(version: str) -> bool:
    """Whether a version of pgvector lacks what is needed."""
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
