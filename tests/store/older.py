"""Stores as earlier versions left them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from goalmem.store.migrations import create, migrate
from goalmem.store.schema import MIGRATIONS

from .samples import DIMENSION, MODEL


def store_after(path: Path, count: int) -> Path:
    """Make the file at `path` as the first `count` migrations left it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        create(
            connection,
            str(path),
            {"model": MODEL, "dimension": str(DIMENSION), "created": "2024-01-01T00:00:00+00:00", "program": "0"},
        )
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, str(path), MIGRATIONS[:count])
    return path


def schema_of(path: Path) -> list[str]:
    """Every statement that made the tables and indices of a file."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    return [" ".join(sql.split()) for (sql,) in rows if "phrase_" not in sql and "sqlite_sequence" not in sql]
