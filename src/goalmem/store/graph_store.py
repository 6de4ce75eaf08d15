"""What a store can do with imported graphs.

All methods are safe to call from several threads, and several processes may import at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from goalmem.store import graphs_import as importing
from goalmem.store import graphs_read as reading
from goalmem.store.graphs import Chunk, GraphCounts, ImportState, Node, Spelling
from goalmem.store.tables import Tables

__all__ = ["GraphStore"]

_PAGE = 100_000
"""Triples or nodes read at a time while streaming."""

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, space: str, work: Callable[[Tables], T], /) -> T: ...


class GraphStore:
    """Keeps the imported graph of each space, in the tables of a store."""

    def __init__(self, read: _Run, write: _Run, merge: _Run) -> None:
        """`read` runs a query on one state of a space; the others do work in one durable transaction, `merge` much of it."""
        self._read = read
        self._write = write
        self._merge = merge

    def counts(self, space: str) -> GraphCounts:
        """Counts; cheap (one indexed row)."""
        return self._read(space, reading.counts)

    def version(self, space: str) -> int:
        """Another number after each change of a space's graph; 0 where there is none. Cheap."""
        return self._read(space, reading.version)

    def relations(self, space: str) -> list[str]:
        """The name of every relation, by number."""
        return self._read(space, reading.relations)

    def node(self, space: str, identifier: str) -> int | None:
        """The number of the node with this identifier."""
        return self._read(space, lambda tables: reading.node(tables, identifier))

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, Node]:
        """The nodes with these numbers; those that are not there are left out."""
        return self._read(space, lambda tables: reading.nodes(tables, numbers))

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """Each node's names, in order of rank, then text; nodes without are left out."""
        return self._read(space, lambda tables: reading.names(tables, numbers))

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """Key -> the nodes that have it, in order, at most `limit` of each; keys of none are left out."""
        return self._read(space, lambda tables: reading.keyed(tables, keys, limit))

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """Words of names that begin with `start` or, backwards, end with it (given as it is read); at most `limit`."""
        return self._read(space, lambda tables: reading.words(tables, start, backwards, limit))

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """The relations that lead away from any of these nodes; does not read their tails one by one."""
        return self._read(space, lambda tables: reading.hops(tables, numbers, inverse))

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Heads and tails, ordered by head, then tail; `numbers` are distinct and ascending."""
        return self._read(space, lambda tables: reading.edges(tables, numbers, relation, inverse, limit))

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """Edges of each node in either direction, each way counted up to `most`."""
        return self._read(space, lambda tables: reading.degrees(tables, numbers, most))

    def pages(self, space: str) -> Iterator[NDArray[np.int64]]:
        """Every triple as numbers (subject, relation, object), ordered, in arrays of shape (n, 3). What is merged meanwhile may be among them."""
        after = (-1, -1, -1)
        while len(page := self._read(space, partial(reading.triple_page, after=after, limit=_PAGE))):
            yield page
            subject, relation, object_ = page[-1].tolist()
            after = (subject, relation, object_)

    def numbered(self, space: str) -> Iterator[list[tuple[int, Node]]]:
        """Every node, in order, page by page. What is staged meanwhile may be among them."""
        after = -1
        while page := self._read(space, partial(reading.node_page, after=after, limit=_PAGE)):
            yield page
            after = page[-1][0]

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """How far the import of the source with this digest is; None where it was never begun."""
        return self._read(space, lambda tables: importing.state(tables, digest))

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """Begin to import a source, or take it up where it stopped."""
        return self._write(space, lambda tables: importing.begin(tables, digest, source, total))

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """Store the next chunk in one durable transaction; one that was stored already is passed over.

        `spell` says what the identifiers of new nodes, and names, are found by.

        Raises:
            StoreError: one of its subclasses; nothing of the chunk was stored.
        """
        return self._merge(space, lambda tables: importing.stage(tables, number, chunk, spell))

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """Make what was staged part of the graph, step by step, each a durable transaction; with the number of steps."""
        places = self._read(space, lambda tables: importing.steps(tables, number))
        count = places[-1][1].stop
        for table, range_ in places:
            parts = self._read(space, partial(importing.staged, number=number, table=table))
            for place, rows in zip(range_, parts, strict=False):  # none are left when another process is done
                merge = partial(importing.step, number=number, at=place, table=table, rows=rows)
                yield self._merge(space, merge), count
        yield self._write(space, lambda tables: importing.finish(tables, number)), count

    def drop(self, space: str) -> int:
        """Remove the graph of a space with all imports, in one durable transaction; returns how many triples it had.

        Raises:
            StoreError: one of its subclasses; nothing was removed.
        """
        return self._write(space, importing.drop)
