"""The rows of one space in an SQLite file."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from goalmem.store.tables import Dialect, Rows

__all__ = ["SQLITE", "SqliteTables", "database_bytes", "space_named"]

_CHUNK = 500
"""Texts in one IN list: below the 999 variables that any build of SQLite allows."""
_LISTED = re.compile(r"IN :(\w+)")

SQLITE = Dialect(
    turns="turn AS t JOIN session AS s ON s.id = t.session",
    of_turn="JOIN turn AS t ON t.seq = {0}.turn",
    order="{0}.seq",
    same_fact="e.fact = f.seq",
    facts_of_entity="f.seq IN (SELECT fact FROM fact_entity WHERE space = :space AND entity = :entity)",
    signals="JOIN signal AS i ON i.turn = t.seq",
    signal="i.vector, i.terms, i.features",
    name_key="",
    unused="+",
)


@dataclass(slots=True)
class SqliteTables:
    """`Tables` of a space in SQLite."""

    connection: sqlite3.Connection
    name: str
    id: int
    """The number of the space; 0, which none has, where it is not there."""

    @property
    def dialect(self) -> Dialect:
        """See `Tables.dialect`."""
        return SQLITE

    def rows(self, statement: str, **values: Any) -> Rows:
        """See `Tables.rows`."""
        found: Rows = []
        for text, bound in _bound(statement, values):
            found += self.connection.execute(text, {"space": self.id} | bound).fetchall()
        return found

    def run(self, statement: str, **values: Any) -> int:
        """See `Tables.run`."""
        return sum(
            self.connection.execute(text, {"space": self.id} | bound).rowcount
            for text, bound in _bound(statement, values)
        )

    def session(self, name: str) -> int:
        """See `Tables.session`."""
        rows = self.rows("SELECT id FROM session WHERE space = :space AND name = :name", name=name)
        return int(rows[0][0]) if rows else 0

    def with_vectors(self, rows: Rows, place: int) -> Rows:
        """See `Tables.with_vectors`: the join found them."""
        return rows


def space_named(connection: sqlite3.Connection, name: str) -> SqliteTables:
    """The space of this name, whether it is there or not."""
    row = connection.execute("SELECT id FROM space WHERE name = ?", (name,)).fetchone()
    return SqliteTables(connection, name, row[0] if row else 0)


def _bound(statement: str, values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The statement with its lists bound: numbers as JSON, texts, which JSON cuts at a NUL, one by one and in parts."""
    texts = None
    for name in _lists(statement):
        if values[name] and isinstance(values[name][0], str):
            texts = name
        else:
            statement = statement.replace(f"IN :{name}", f"IN (SELECT value FROM json_each(:{name}))")
            values[name] = json.dumps(list(values[name]), separators=(",", ":"))
    if texts is None:
        yield statement, values
        return
    listed = values.pop(texts)
    for start in range(0, len(listed), _CHUNK):
        part = {f"{texts}_{n}": value for n, value in enumerate(listed[start : start + _CHUNK])}
        yield statement.replace(f"IN :{texts}", f"IN ({', '.join(f':{key}' for key in part)})"), values | part


@lru_cache(maxsize=512)
def _lists(statement: str) -> tuple[str, ...]:
    return tuple(_LISTED.findall(statement))


def database_bytes(connection: sqlite3.Connection) -> int:
    """Size of the database, without its log."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    size: int = connection.execute("PRAGMA page_size").fetchone()[0]
    return pages * size
