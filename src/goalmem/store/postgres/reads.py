"""Reads: every query names its space and goes through an index.

The functions take a connection inside a transaction that has set the space, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from goalmem.store.postgres.binary import little_endian
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import key_of, restored, storable

__all__ = ["Query", "Space", "listed", "vectors_of"]

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Space:
    """A space: its name and its key in the tables."""

    name: str
    id: UUID

    @classmethod
    def named(cls, name: str) -> Space:
        """The space of this name, whether it is there or not."""
        return cls(name, key_of(name))


class Query:
    """A SELECT whose conditions are added one by one."""

    def __init__(self, select: str, table: str, space: Space, first: Sequence[Any] = ()) -> None:
        """`table`: by which name in `select` the rows are of the space; `first`: values of `select` itself."""
        self._sql = f"{select} WHERE {table}.space = %s"
        self._values: list[Any] = [*first, space.id]

    def where(self, condition: str, *values: object) -> None:
        """Add a condition, unless a value of it is None."""
        if None not in values:
            self._sql += f" AND {condition}"
            self._values += values

    def statement(self) -> tuple[str, list[Any]]:
        """The statement and its values."""
        return self._sql, self._values

    def rows(self, connection: Connection, tail: str = "", *values: object) -> Rows:
        """The rows found, their texts as they were given."""
        with connection.cursor(binary=True) as cursor:
            cursor.execute(f"{self._sql} {tail}".encode(), [*self._values, *values])
            return [restored(row) for row in cursor.fetchall()]


def listed(ids: Iterable[str] | None) -> list[str] | None:
    """Ids as they are stored, each once."""
    return None if ids is None else [storable(id_) for id_ in dict.fromkeys(ids)]


def vectors_of(connection: Connection, space: Space, dimension: int, first: int, last: int) -> dict[int, bytes]:
    """The vectors of the turns with numbers from `first` to `last`, as a store keeps them."""
    query = Query("SELECT p.seq, halfvec_send(p.vector) FROM passage AS p", "p", space)
    query.where("p.seq BETWEEN %s AND %s", first, last)
    return _by_turn(connection, query, dimension)


def _by_turn(connection: Connection, query: Query, dimension: int) -> dict[int, bytes]:
    rows = query.rows(connection, "ORDER BY p.seq, p.n")
    every, size = little_endian((sent for _, sent in rows), dimension), 2 * dimension
    found: dict[int, bytes] = {}
    start = 0
    for seq, own in groupby(rows, key=itemgetter(0)):
        end = start + size * sum(1 for _ in own)
        found[seq] = every[start:end]
        start = end
    return found
