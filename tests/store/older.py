"""Stores as earlier versions left them."""

from __future__ import annotations

import json
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


KINDS = json.loads((Path(__file__).parent / "rows_of_every_kind.json").read_text(encoding="utf-8"))
"""Table -> its columns and rows as the version with 13 migrations wrote them: two spaces with turns, and all that can be kept of
them. Never changed; columns that come later are those of what an older version stored.
"""
FORGOTTEN = "zqforgotten"
FIRST_RELEASED = 5
"""Migrations of the first version that stored anything."""


def filled_after(path: Path, count: int) -> Path:
    """As `store_after`, with rows in all the tables and columns that there were then, and a turn removed that is still to be overwritten."""
    store_after(path, count)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("BEGIN")
        connection.execute("DELETE FROM meta")
        connection.execute("DELETE FROM epoch")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        for table in sorted(tables & KINDS.keys()):
            _fill(connection, table)
        if "next_signal" not in tables:
            connection.execute("DELETE FROM meta WHERE key IN ('next_model', 'next_dimension')")
        connection.execute("INSERT INTO meta VALUES ('scrub', 'due')")
        connection.execute("INSERT INTO session VALUES (9, 1, ?, 0, 0)", (FORGOTTEN,))
        connection.execute("COMMIT")
        connection.execute("DELETE FROM session WHERE id = 9")
    return path


def _fill(connection: sqlite3.Connection, table: str) -> None:
    known = {"rowid"} | {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    kept = [place for place, name in enumerate(KINDS[table]["columns"]) if name in known]
    names = [KINDS[table]["columns"][place] for place in kept]
    if table == "sqlite_sequence":
        connection.execute("DELETE FROM sqlite_sequence")
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [
            [bytes.fromhex(row[place]["hex"]) if isinstance(row[place], dict) else row[place] for place in kept]
            for row in KINDS[table]["rows"]
        ],
    )


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a file but for when migrations were made."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'phrase' ORDER BY name"
        )
        return {
            name: connection.execute(f"SELECT {'name' if name == 'migration' else '*'} FROM {name}").fetchall()
            for (name,) in tables.fetchall()
        }


def schema_of(path: Path) -> list[str]:
    """Every statement that made the tables and indices of a file."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    return [" ".join(sql.split()) for (sql,) in rows if "phrase_" not in sql and "sqlite_sequence" not in sql]
