"""The rows of imported graphs as they are kept, in either kind of store: which tables there are, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from goalmem.store.tables import Row, Table

__all__ = ["GRAPH_TABLES", "GraphTable", "Row", "pages_of"]

PAGE = 20_000
"""Rows read and written at a time."""


@dataclass(frozen=True, slots=True)
class GraphTable(Table):
    """A table of a graph: what is moved of it."""

    keys: int
    """How many of the columns, the first ones, tell a row apart and order it."""

    @property
    def order(self) -> str:
        """The columns that order the rows."""
        return ", ".join(self.columns[: self.keys])


GRAPH_TABLES = (
    GraphTable("graph_relation", ("relation", "name"), "bigint text", 1),
    GraphTable("graph_node", ("node", "key", "kind", "identifier"), "bigint bigint smallint text", 1),
    GraphTable("graph_label", ("node", "rank", "text"), "bigint bigint text", 3),
    GraphTable("graph_key", ("key", "node"), "bigint bigint", 2),
    GraphTable("graph_word", ("backwards", "word"), "integer text", 2),
    GraphTable("graph_edge", ("subject", "relation", "object"), "bigint bigint bigint", 3),
    GraphTable("graph_edge_back", ("object", "relation", "subject"), "bigint bigint bigint", 3),
    # An import that was not done is no part of this: what it staged is not in the graph, and it can be made again.
    GraphTable(
        "graph_import", ("digest", "source", "total", "chunks", "entries", "steps", "triples"),
        "text text bigint bigint bigint bigint bigint", 1,
    ),
)  # fmt: skip


def pages_of(read: Callable[[GraphTable, Row | None], list[Row]], table: GraphTable) -> Iterator[list[Row]]:
    """The rows of a table in order, page by page; `read` gives those that come after some keys."""
    after: Row | None = None
    while page := read(table, after):
        yield page
        after = page[-1][: table.keys]
