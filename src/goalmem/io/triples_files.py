"""Files that hold a graph: which format they have, and their entries."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from goalmem.errors import FormatError
from goalmem.graph.protocol import Entry
from goalmem.io.triples import LONGEST_LINE, piped, tabbed
from goalmem.io.triples_rdf import rdf

__all__ = ["GraphFile", "GraphFormat", "graph_file"]


class GraphFormat(StrEnum):
    """How a file writes triples."""

    PIPES = "pipes"
    TSV = "tsv"
    NTRIPLES = "ntriples"
    TURTLE = "turtle"


_SUFFIXES = {
    ".nt": GraphFormat.NTRIPLES,
    ".ttl": GraphFormat.TURTLE,
    ".tsv": GraphFormat.TSV,
    ".psv": GraphFormat.PIPES,
}
_LOOKED_AT = 20
"""Lines by which columns are told apart."""
_MARKS = 2
"""Between three columns."""
_BLOCK = 1 << 20
_SCOPE = 10
"""Characters of a file's digest that tell its blank nodes from those of other files."""


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file of triples, to be read as often as wanted."""

    name: str
    path: Path
    format: GraphFormat
    digest: str
    """Of its bytes and its format."""

    def entries(self) -> Iterator[Entry]:
        """What it holds. Raises FormatError, naming the line, at the first that cannot be read."""
        try:
            with self.path.open("rb") as stream:
                if self.format is GraphFormat.PIPES:
                    yield from piped(stream, self.name)
                elif self.format is GraphFormat.TSV:
                    yield from tabbed(stream, self.name)
                else:
                    yield from rdf(stream, self.name, self.format.value, self.digest[:_SCOPE])
        except OSError as error:
            raise FormatError(f"{self.name} cannot be read: {error.strerror}.", "Check the path.") from error


def graph_file(path: str | Path, *, format: GraphFormat | None = None, name: str | None = None) -> GraphFile:
    """The graph in a file. Without a format, it is told by the file's name (.nt, .ttl, .tsv, .psv), else by its lines.

    Raises FormatError when the file cannot be read.
    """
    place = Path(path)
    shown = name or str(path)
    digest = blake2b(digest_size=16)
    try:
        with place.open("rb") as stream:
            chosen = format or _SUFFIXES.get(place.suffix.lower()) or _columns(list(_head(stream.read(_BLOCK))))
            stream.seek(0)
            while block := stream.read(_BLOCK):
                digest.update(block)
    except IsADirectoryError as error:
        raise FormatError(f"{shown} is a folder.", "Pass a file of triples.") from error
    except OSError as error:
        raise FormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from error
    digest.update(chosen.value.encode())
    return GraphFile(shown, place, chosen, digest.hexdigest())


def _head(block: bytes) -> Iterator[bytes]:
    lines = (line for line in block[:LONGEST_LINE].removeprefix(BOM_UTF8).split(b"\n") if line.strip())
    return islice(lines, _LOOKED_AT)


def _columns(lines: list[bytes]) -> GraphFormat:
    """Tabs where as many lines have two of them as have two pipes, RDF where most end as its statements do."""
    statements = sum(line.lstrip().startswith((b"<", b"_:")) and line.rstrip().endswith(b".") for line in lines)
    if lines and (
        2 * statements > len(lines) or lines[0].lstrip().lower().startswith((b"@prefix", b"@base", b"prefix "))
    ):
        return GraphFormat.NTRIPLES if 2 * statements > len(lines) else GraphFormat.TURTLE
    tabs = sum(line.count(b"\t") == _MARKS for line in lines)
    pipes = sum(line.count(b"|") == _MARKS for line in lines)
    return GraphFormat.TSV if tabs and tabs >= pipes else GraphFormat.PIPES
