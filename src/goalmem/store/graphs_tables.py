"""The graphs of a store, in its tables."""

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

__all__ = ["TableGraphs"]

_PAGE = 100_000
"""Triples or nodes read at a time while streaming."""

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, space: str, work: Callable[[Tables], T], /) -> T: ...


class TableGraphs:
    """A `GraphStore` in the tables of a store."""

    def __init__(self, read: _Run, write: _Run, merge: _Run) -> None:
        """`read` runs a query on one state of a space; the others do work in one durable transaction, `merge` much of it."""
        self._read = read
        self._write = write
        self._merge = merge

    def counts(self, space: str) -> GraphCounts:
        """See `GraphStore.counts`."""
        return self._read(space, reading.counts)

    def version(self, space: str) -> int:
        """See `GraphStore.version`."""
        return self._read(space, reading.version)

    def relations(self, space: str) -> list[str]:
        """See `GraphStore.relations`."""
        return self._read(space, reading.relations)

    def node(self, space: str, identifier: str) -> int | None:
        """See `GraphStore.node`."""
        return self._read(space, lambda tables: reading.node(tables, identifier))

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, Node]:
        """See `GraphStore.nodes`."""
        return self._read(space, lambda tables: reading.nodes(tables, numbers))

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """See `GraphStore.names`."""
        return self._read(space, lambda tables: reading.names(tables, numbers))

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """See `GraphStore.keyed`."""
        return self._read(space, lambda tables: reading.keyed(tables, keys, limit))

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `GraphStore.words`."""
        return self._read(space, lambda tables: reading.words(tables, start, backwards, limit))

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """See `GraphStore.hops`."""
        return self._read(space, lambda tables: reading.hops(tables, numbers, inverse))

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `GraphStore.edges`."""
        return self._read(space, lambda tables: reading.edges(tables, numbers, relation, inverse, limit))

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """See `GraphStore.degrees`."""
        return self._read(space, lambda tables: reading.degrees(tables, numbers, most))

    def pages(self, space: str) -> Iterator[NDArray[np.int64]]:
        """See `GraphStore.pages`. What is merged meanwhile may be among them."""
        after = (-1, -1, -1)
        while len(page := self._read(space, partial(reading.triple_page, after=after, limit=_PAGE))):
            yield page
            subject, relation, object_ = page[-1].tolist()
            after = (subject, relation, object_)

    def numbered(self, space: str) -> Iterator[list[tuple[int, Node]]]:
        """See `GraphStore.numbered`. What is staged meanwhile may be among them."""
        after = -1
        while page := self._read(space, partial(reading.node_page, after=after, limit=_PAGE)):
            yield page
            after = page[-1][0]

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """See `GraphStore.import_state`."""
        return self._read(space, lambda tables: importing.state(tables, digest))

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """See `GraphStore.begin`."""
        return self._write(space, lambda tables: importing.begin(tables, digest, source, total))

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """See `GraphStore.stage`."""
        return self._merge(space, lambda tables: importing.stage(tables, number, chunk, spell))

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """See `GraphStore.merge`."""
        places = self._read(space, lambda tables: importing.steps(tables, number))
        count = places[-1][1].stop
        for table, range_ in places:
            parts = self._read(space, partial(importing.staged, number=number, table=table))
            for place, rows in zip(range_, parts, strict=False):  # none are left when another process is done
                merge = partial(importing.step, number=number, at=place, table=table, rows=rows)
                yield self._merge(space, merge), count
        yield self._write(space, lambda tables: importing.finish(tables, number)), count

    def drop(self, space: str) -> int:
        """See `GraphStore.drop`."""
        return self._write(space, importing.drop)
