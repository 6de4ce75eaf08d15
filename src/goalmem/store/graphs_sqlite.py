"""The graphs of the embedded store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from goalmem.store import graphs_import, graphs_read
from goalmem.store.graphs import Chunk, GraphCounts, ImportState, Node, Spelling
from goalmem.store.rule_rows import drop_if_empty
from goalmem.store.tables_sqlite import SqliteTables as Space
from goalmem.store.transactions import write_transaction
from goalmem.store.writes import space_id

__all__ = ["SqliteGraphs"]

_PAGE = 100_000
"""Triples or nodes read at a time while streaming."""
_CACHE = 256 * 2**10
"""KiB of pages kept in memory while a graph is merged."""

T = TypeVar("T")
Connect = Callable[[], AbstractContextManager[sqlite3.Connection]]


class _Read(Protocol):
    def __call__(self, space: str, query: Callable[[sqlite3.Connection, Space], T], nothing: T) -> T: ...


class SqliteGraphs:
    """A `GraphStore` in the tables of an SQLite store."""

    def __init__(self, read: _Read, connection: Connect, write: Connect) -> None:
        """`read` runs a query on one state of a space; the others lend connections, `write` to one thread at a time."""
        self._read = read
        self._connection = connection
        self._write = write

    def counts(self, space: str) -> GraphCounts:
        """See `GraphStore.counts`."""
        return self._read(space, lambda c, s: graphs_read.counts(c, s.id), GraphCounts())

    def version(self, space: str) -> int:
        """See `GraphStore.version`."""
        query = "SELECT g.version FROM graph AS g JOIN space AS s ON s.id = g.space WHERE s.name = ?"
        with self._connection() as connection:
            row = connection.execute(query, (space,)).fetchone()
        return int(row[0]) if row else 0

    def relations(self, space: str) -> list[str]:
        """See `GraphStore.relations`."""
        return self._read(space, lambda c, s: graphs_read.relations(c, s.id), [])

    def node(self, space: str, identifier: str) -> int | None:
        """See `GraphStore.node`."""
        nothing: int | None = None
        return self._read(space, lambda c, s: graphs_read.node(c, s.id, identifier), nothing)

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, Node]:
        """See `GraphStore.nodes`."""
        return self._read(space, lambda c, s: graphs_read.nodes(c, s.id, numbers), {})

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """See `GraphStore.names`."""
        return self._read(space, lambda c, s: graphs_read.names(c, s.id, numbers), {})

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """See `GraphStore.keyed`."""
        return self._read(space, lambda c, s: graphs_read.keyed(c, s.id, keys, limit), {})

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `GraphStore.words`."""
        return self._read(space, lambda c, s: graphs_read.words(c, s.id, start, backwards, limit), [])

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """See `GraphStore.hops`."""
        return self._read(space, lambda c, s: graphs_read.hops(c, s.id, numbers, inverse), set())

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `GraphStore.edges`."""
        nothing = np.empty(0, np.int64), np.empty(0, np.int64)
        return self._read(space, lambda c, s: graphs_read.edges(c, s.id, numbers, relation, inverse, limit), nothing)

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """See `GraphStore.degrees`."""
        return self._read(space, lambda c, s: graphs_read.degrees(c, s.id, numbers, most), [0] * len(numbers))

    def pages(self, space: str) -> Iterator[NDArray[np.int64]]:
        """See `GraphStore.pages`. What is merged meanwhile may be among them."""
        after = (-1, -1, -1)
        nothing = np.empty((0, 3), np.int64)
        while len(page := self._read(space, _triples_after(after), nothing)):
            yield page
            subject, relation, object_ = page[-1].tolist()
            after = (subject, relation, object_)

    def numbered(self, space: str) -> Iterator[list[tuple[int, Node]]]:
        """See `GraphStore.numbered`. What is staged meanwhile may be among them."""
        after = -1
        nothing: list[tuple[int, Node]] = []
        while page := self._read(space, _nodes_after(after), nothing):
            yield page
            after = page[-1][0]

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """See `GraphStore.import_state`."""
        nothing: ImportState | None = None
        return self._read(space, lambda c, s: graphs_import.state(c, s.id, digest), nothing)

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """See `GraphStore.begin`."""
        with self._write() as connection, write_transaction(connection):
            return graphs_import.begin(connection, space_id(connection, space), digest, source, total)

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """See `GraphStore.stage`."""
        with self._write() as connection, _roomy(connection), write_transaction(connection):
            return graphs_import.stage(connection, _number_of(connection, space), number, chunk, spell)

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """See `GraphStore.merge`."""
        with self._connection() as connection:
            places = graphs_import.steps(connection, number)
        count = places[-1][1].stop
        for table, range_ in places:
            with self._connection() as connection:
                parts = graphs_import.staged(connection, number, table)
            for place, rows in zip(range_, parts, strict=False):  # none are left when another process is done
                with self._write() as connection, _roomy(connection), write_transaction(connection):
                    in_space = _number_of(connection, space)
                    state = graphs_import.step(connection, in_space, number, place, table, rows)
                yield state, count
        with self._write() as connection, write_transaction(connection):
            state = graphs_import.finish(connection, _number_of(connection, space), number)
        yield state, count

    def drop(self, space: str) -> int:
        """See `GraphStore.drop`. The file is written anew when the store is closed (`scrubbing`)."""
        with self._write() as connection, write_transaction(connection):
            number = _number_of(connection, space)
            triples = graphs_import.drop_all(connection, number)
            if triples is not None:
                drop_if_empty(connection, number)
            return triples or 0


def _triples_after(
    after: tuple[int, int, int],
) -> Callable[[sqlite3.Connection, Space], NDArray[np.int64]]:
    return lambda connection, space: graphs_read.triple_page(connection, space.id, after, _PAGE)


def _nodes_after(after: int) -> Callable[[sqlite3.Connection, Space], list[tuple[int, Node]]]:
    return lambda connection, space: graphs_read.node_page(connection, space.id, after, _PAGE)


def _number_of(connection: sqlite3.Connection, space: str) -> int:
    """The number of a space; 0, which none has, when it is gone."""
    row = connection.execute("SELECT id FROM space WHERE name = ?", (space,)).fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _roomy(connection: sqlite3.Connection) -> Iterator[None]:
    """A larger cache for a while; and deleted blobs hold numbers alone, which need not be overwritten."""
    kept = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {kept}")
