"""The rows of imported graphs as they are kept, in either kind of store: which tables there are, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["GRAPH_TABLES", "GraphTable", "Row", "pages_of"]

Row = tuple[Any, ...]
PAGE = 20_000
"""Rows read and written at a time."""


@dataclass(frozen=True, slots=True)
class GraphTable:
    """A table of a graph: what is moved of it."""

    name: str
    columns: tuple[str, ...]
    keys: int
    """How many of the columns, the first ones, tell a row apart and order it."""
    types: str
    """PostgreSQL's types of the columns."""

    @property
    def listed(self) -> str:
        """The columns."""
        return ", ".join(self.columns)

    @property
    def order(self) -> str:
        """The columns that order the rows."""
        return ", ".join(self.columns[: self.keys])


GRAPH_TABLES = (
    GraphTable("graph_relation", ("relation", "name"), 1, "bigint text"),
    GraphTable("graph_node", ("node", "key", "kind", "identifier"), 1, "bigint bigint smallint text"),
    GraphTable("graph_label", ("node", "rank", "text"), 3, "bigint bigint text"),
    GraphTable("graph_key", ("key", "node"), 2, "bigint bigint"),
    GraphTable("graph_word", ("backwards", "word"), 2, "integer text"),
    GraphTable("graph_edge", ("subject", "relation", "object"), 3, "bigint bigint bigint"),
    GraphTable("graph_edge_back", ("object", "relation", "subject"), 3, "bigint bigint bigint"),
    # An import that was not done is no part of this: what it staged is not in the graph, and it can be made again.
    GraphTable(
        "graph_import", ("digest", "source", "total", "chunks", "entries", "steps", "triples"), 1,
        "text text bigint bigint bigint bigint bigint",
    ),
)  # fmt: skip


def pages_of(read: Callable[[GraphTable, Row | None], list[Row]], table: GraphTable) -> Iterator[list[Row]]:
    """The rows of a table in order, page by page; `read` gives those that come after some keys."""
    after: Row | None = None
    while page := read(table, after):
        yield page
        after = page[-1][: table.keys]
