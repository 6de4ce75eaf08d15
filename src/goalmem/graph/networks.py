"""Graphs that a program holds already: of networkx, or as rows of subject, relation and object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from goalmem.errors import InputError
from goalmem.graph.entries import Entry, Name
from goalmem.graph.protocol import Triple

__all__ = ["entries_of_networkx", "triples_of_rows"]

_FIELDS = 3


def entries_of_networkx(
    graph: Any, *, relation: str = "relation", label: str = "label", unnamed: str | None = None
) -> Iterator[Entry]:
    """The edges of a networkx graph as triples, from its first node to its second, and the labels of its nodes.

    An edge's relation is its attribute of that name; else, in a multigraph, its key where that is text; else `unnamed`.
    Nodes are known by `str(node)`. `graph` is a `networkx.Graph` of any kind; the package is not needed here.

    Raises InputError for an edge without a relation.
    """
    edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else ((*e, None) for e in graph.edges(data=True))
    for edge in edges:
        head, tail, key, data = edge if graph.is_multigraph() else (edge[0], edge[1], None, edge[2])
        name = data.get(relation, key if isinstance(key, str) else unnamed)
        if name is None:
            raise InputError(
                f"The edge from {head!r} to {tail!r} has no attribute {relation!r}.",
                "Name the attribute that holds the relation, or pass `unnamed`.",
            )
        yield Triple(str(head), str(name), str(tail))
    for node, data in graph.nodes(data=True):
        if isinstance(text := data.get(label), str) and text.strip():
            yield Name(str(node), text)


def triples_of_rows(rows: Iterable[Any], name: str = "graph") -> Iterator[Triple]:
    """Triples of rows [subject, relation, object], as the subgraphs of RoG's questions have them.

    Raises InputError, naming the row, for one that is something else.
    """
    for number, row in enumerate(rows, 1):
        if (
            not isinstance(row, list | tuple)
            or len(row) != _FIELDS
            or not all(isinstance(f, str) and f.strip() for f in row)
        ):
            raise InputError(
                f"{name}, row {number}: {row!r} is no triple.", "Give subject, relation and object as text."
            )
        yield Triple(*(field.strip() for field in row))
