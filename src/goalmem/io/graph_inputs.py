"""What may be imported as a graph, made into sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

from goalmem.errors import InputError
from goalmem.graph.arrays import entries_of_networkx, triples_of_rows
from goalmem.graph.imports import GraphSource, source_of
from goalmem.graph.protocol import Entry, Kinded, Name, Triple
from goalmem.io.triples_files import GraphFormat, graph_file

__all__ = ["GraphFormatName", "source_for"]

GraphFormatName: TypeAlias = Literal["pipes", "tsv", "ntriples", "turtle"]
"""How a file writes triples."""


def source_for(graph: str | PathLike[str] | Iterable[Any], format: str | None = None, name: str = "") -> GraphSource:
    """A file by its path, a networkx graph, entries, or rows of subject, relation and object, as a source to import.

    Raises InputError, of a file FormatError, for what cannot be one.
    """
    if isinstance(graph, str | PathLike):
        known = [each.value for each in GraphFormat]
        if format is not None and format not in known:
            raise InputError(f"There is no graph format {format!r}.", f"Choose one of {', '.join(known)}.")
        return graph_file(fspath(graph), format=GraphFormat(format) if format is not None else None, name=name or None)
    if format is not None:
        raise InputError("A format is that of a file, and no file was named.", "Leave `format` out.")
    if hasattr(graph, "is_multigraph"):
        return source_of(entries_of_networkx(graph), name or "the networkx graph")
    try:
        rows = iter(graph)
    except TypeError:
        raise InputError(
            f"A {type(graph).__name__} is no graph.",
            "Pass a path, a networkx graph, or rows (subject, relation, object).",
        ) from None
    return source_of(_entries(rows, name or "the graph"), name or "the graph")


def _entries(rows: Iterator[Any], name: str) -> Iterator[Entry]:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Triple | Name | Kinded):
            yield row
        else:
            yield from triples_of_rows([row], f"{name}, row {number}")
