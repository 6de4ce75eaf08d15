"""The graphs of a PostgreSQL store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from goalmem.store.graphs import Chunk, GraphCounts, ImportState, Node, Spelling
from goalmem.store.postgres import graphs_import as importing
from goalmem.store.postgres import graphs_read as reading
from goalmem.store.postgres.reads import Space
from goalmem.store.postgres.schema import Connection

__all__ = ["PostgresGraphs"]

_PAGE = 100_000
"""Triples or nodes read at a time while streaming."""

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, space: str, work: Callable[[Connection, Space], T], /) -> T: ...


class PostgresGraphs:
    """A `GraphStore` in the tables of a PostgreSQL store."""

    def __init__(self, look: _Run, change: _Run) -> None:
        """`look` runs a query on one state of a space, `change` work in one durable transaction on it."""
        self._look = look
        self._change = change

    def counts(self, space: str) -> GraphCounts:
        """See `GraphStore.counts`."""
        return self._look(space, reading.counts)

    def version(self, space: str) -> int:
        """See `GraphStore.version`."""
        return self._look(space, reading.version)

    def relations(self, space: str) -> list[str]:
        """See `GraphStore.relations`."""
        return self._look(space, reading.relations)

    def node(self, space: str, identifier: str) -> int | None:
        """See `GraphStore.node`."""
        return self._look(space, lambda c, s: reading.node(c, s, identifier))

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, Node]:
        """See `GraphStore.nodes`."""
        return self._look(space, lambda c, s: reading.nodes(c, s, numbers))

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """See `GraphStore.names`."""
        return self._look(space, lambda c, s: reading.names(c, s, numbers))

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """See `GraphStore.keyed`."""
        return self._look(space, lambda c, s: reading.keyed(c, s, keys, limit))

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `GraphStore.words`."""
        return self._look(space, lambda c, s: reading.words(c, s, start, backwards, limit))

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """See `GraphStore.hops`."""
        return self._look(space, lambda c, s: reading.hops(c, s, numbers, inverse))

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `GraphStore.edges`."""
        return self._look(space, lambda c, s: reading.edges(c, s, numbers, relation, inverse, limit))

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """See `GraphStore.degrees`."""
        return self._look(space, lambda c, s: reading.degrees(c, s, numbers, most))

    def pages(self, space: str) -> Iterator[NDArray[np.int64]]:
        """See `GraphStore.pages`. What is merged meanwhile may be among them."""
        after = (-1, -1, -1)
        while len(page := self._look(space, partial(reading.triple_page, after=after, limit=_PAGE))):
            yield page
            subject, relation, object_ = page[-1].tolist()
            after = (subject, relation, object_)

    def numbered(self, space: str) -> Iterator[list[tuple[int, Node]]]:
        """See `GraphStore.numbered`. What is staged meanwhile may be among them."""
        after = -1
        while page := self._look(space, partial(reading.node_page, after=after, limit=_PAGE)):
            yield page
            after = page[-1][0]

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """See `GraphStore.import_state`."""
        return self._look(space, lambda c, s: importing.state(c, s, "digest", digest))

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """See `GraphStore.begin`."""
        return self._change(space, lambda c, s: importing.begin(c, s, digest, source, total))

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """See `GraphStore.stage`."""
        return self._change(space, lambda c, s: importing.stage(c, s, number, chunk, spell))

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """See `GraphStore.merge`."""
        places = self._look(space, lambda c, s: importing.steps(c, s, number))
        count = places[-1][1].stop
        for table, range_ in places:
            parts = self._look(space, partial(importing.staged, number=number, table=table))
            for place, rows in zip(range_, parts, strict=False):  # none are left when another process is done
                merge = partial(importing.step, number=number, at=place, table=table, rows=rows)
                yield self._change(space, merge), count
        yield self._change(space, lambda c, s: importing.finish(c, s, number)), count

    def drop(self, space: str) -> int:
        """See `GraphStore.drop`."""
        return self._change(space, importing.drop)
