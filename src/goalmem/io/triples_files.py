"""Graph files: detection of their format, and their entries.

Identifiers: an IRI as it is; a literal as N-Triples write it, with its language or datatype; a blank node under a name
that is its own in all files and the same each time the file is read. What names a thing becomes its label or alias.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NoReturn, TypeAlias

from goalmem.errors import FormatError, InputError, shown
from goalmem.graph.arrays import entries_of_networkx, triples_of_rows
from goalmem.graph.imports import GraphSource, source_of
from goalmem.graph.protocol import Entry, Kinded, Name, Triple
from goalmem.store.metadata import UNSTORABLE

if TYPE_CHECKING:
    import pyoxigraph


class GraphFormat(StrEnum):
    """Formats of triples."""

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
"""Number of lines examined to detect the separator."""
_MARKS = 2
"""Between three columns."""
_BLOCK = 1 << 20
_SCOPE = 10
"""Characters of a file's digest that scope its blank nodes."""


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file of triples, to be read as often as wanted."""

    name: str
    path: Path
    format: GraphFormat
    digest: str
    """Digest of its bytes and its format."""

    def entries(self) -> Iterator[Entry]:
        """The entries of the file. Raises FormatError with the line of the first invalid one."""
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
    """The graph in a file. Without a format, it is detected by the file's name (.nt, .ttl, .tsv, .psv) or its lines.

    Raises FormatError when the file cannot be read.
    """
    place = Path(path)
    label = name or str(path)
    if UNSTORABLE.search(str(path)):
        raise FormatError(f"{label!r} is no name of a file.", "Check the path.")
    digest = blake2b(digest_size=16)
    try:
        with place.open("rb") as stream:
            chosen = format or _SUFFIXES.get(place.suffix.lower()) or _columns(list(_head(stream.read(_BLOCK))))
            stream.seek(0)
            while block := stream.read(_BLOCK):
                digest.update(block)
    except IsADirectoryError as error:
        raise FormatError(f"{label} is a folder.", "Pass a file of triples.") from error
    except OSError as error:
        raise FormatError(f"{label} cannot be read: {error.strerror}.", "Check the path.") from error
    digest.update(chosen.value.encode())
    return GraphFile(label, place, chosen, digest.hexdigest())


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


# -- lines: `subject|relation|object`, or three columns apart by tabs ------------------------------------------------
# Fields are stripped of surrounding spaces; blank lines are passed over. Between pipes `\\|` is a pipe that belongs to a
# name, and `\\\\` is a backslash; any other backslash is literal. Between tabs nothing is escaped.

LONGEST_LINE = 1 << 20
"""Bytes of a line; a longer one is no triple, and might not fit in memory."""
_CHUNK = 1 << 20
_FIELDS = 3
_BACKSLASH, _PIPE = "\0b", "\0p"
"""Placeholders for escaped characters while a line is split; lines contain no NUL."""


def piped(stream: BinaryIO, name: str) -> Iterator[Triple]:
    """The triples of `s|r|o` lines. Raises FormatError with the line of the first invalid one."""
    return _triples(stream, name, "|", "Write subject|relation|object; write a pipe within a name as \\|.")


def tabbed(stream: BinaryIO, name: str) -> Iterator[Triple]:
    """The triples of a TSV file. Raises FormatError with the line of the first invalid one."""
    return _triples(stream, name, "\t", "Write subject, relation and object apart by tabs.")


def refuse(name: str, line: int, problem: str, remedy: str) -> NoReturn:
    """Raise the error for a line that cannot be read."""
    raise FormatError(f"{name}, line {line}: {problem}.", remedy)


def _triples(stream: BinaryIO, name: str, mark: str, remedy: str) -> Iterator[Triple]:
    number = 0
    for block in _blocks(stream, name):
        text = _text(block, name, number)
        escaped = mark == "|" and "\\" in text
        for line in text.split("\n"):
            number += 1
            fields = _unescaped(line) if escaped else line.split(mark)
            if len(fields) == _FIELDS:
                subject, relation, object_ = fields[0].strip(), fields[1].strip(), fields[2].strip()
                if subject and relation and object_:
                    yield Triple(subject, relation, object_)
                    continue
                problem = "a field is empty"
            else:
                problem = f"it has {len(fields)} field{'s' * (len(fields) != 1)}, not {_FIELDS}"
            if line.strip():
                refuse(name, number, problem, remedy)


def _unescaped(line: str) -> list[str]:
    fields = line.replace("\\\\", _BACKSLASH).replace("\\|", _PIPE).split("|")
    return [field.replace(_PIPE, "|").replace(_BACKSLASH, "\\") for field in fields]


def _text(block: bytes, name: str, before: int) -> str:
    """A block as text; `before` lines came before it."""
    if (place := block.find(b"\0")) >= 0:
        line = before + 1 + block.count(b"\n", 0, place)
        refuse(name, line, "it holds a NUL character", "No name has one: remove it, or save the file as UTF-8 text.")
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        line = before + 1 + block.count(b"\n", 0, error.start)
        refuse(name, line, f"byte 0x{block[error.start]:02X} is not valid UTF-8", "Save the file as UTF-8.")


def _blocks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Runs of whole lines, without the line break at the end of each run."""
    rest, number = stream.read(len(BOM_UTF8)).removeprefix(BOM_UTF8), 0
    while chunk := stream.read(_CHUNK):
        lines, found, after = chunk.rpartition(b"\n")
        if not found:
            rest += chunk
        else:
            block = rest + lines
            yield block
            number += block.count(b"\n") + 1
            rest = after
        if len(rest) > LONGEST_LINE:
            refuse(name, number + 1, f"it is longer than {LONGEST_LINE:,} bytes", "A triple a line is expected.")
    if rest:
        yield rest


FREEBASE = "http://rdf.freebase.com/ns/"
LABELS = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#prefLabel",
        "http://schema.org/name",
        "https://schema.org/name",
        "http://xmlns.com/foaf/0.1/name",
        f"{FREEBASE}type.object.name",
    }
)
ALIASES = frozenset(
    {
        "http://www.w3.org/2004/02/skos/core#altLabel",
        "http://www.w3.org/2004/02/skos/core#hiddenLabel",
        "http://schema.org/alternateName",
        "https://schema.org/alternateName",
        "http://xmlns.com/foaf/0.1/nick",
        f"{FREEBASE}common.topic.alias",
    }
)
"""Relations whose texts are names (RDF Schema 1.1, section 3.6; SKOS Reference, section 5; schema.org; FOAF)."""
LABEL_LANGUAGES = ("", "en")
"""Preferred languages of labels; others are used only without a label in these."""


def rdf(stream: BinaryIO, name: str, media: str, scope: str) -> Iterator[Entry]:
    """The entries of an RDF file; `media` is "ntriples" or "turtle", and `scope` goes into the names of blank nodes.

    Raises FormatError, naming the line, at the first statement that cannot be read.
    """
    try:
        import pyoxigraph
    except ImportError as error:
        raise FormatError(
            f"{name} is RDF, which needs a package that is not installed.", "Install it: pip install 'goalmem[rdf]'."
        ) from error
    formats = {"ntriples": pyoxigraph.RdfFormat.N_TRIPLES, "turtle": pyoxigraph.RdfFormat.TURTLE}
    if stream.read(len(BOM_UTF8)) != BOM_UTF8:
        stream.seek(0)
    statement = 0
    blanks: dict[str, str] = {}
    try:
        for quad in pyoxigraph.parse(stream, format=formats[media]):
            statement += 1
            yield from _entries(quad, blanks, scope)
    except _NulError as error:
        raise FormatError(f"{name}, statement {statement}: a NUL character in {error}.", "Remove it.") from None
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise FormatError(f"{name}{line}: {error.msg}.", f"Check that it is {media}; --format names another.") from None
    except OSError as error:
        raise FormatError(f"{name} cannot be read: {error}.", "Check the file.") from error


class _NulError(Exception):
    """A term holds a NUL, which no store keeps."""


def _entries(quad: pyoxigraph.Quad, blanks: dict[str, str], scope: str) -> Iterator[Entry]:
    from pyoxigraph import Literal, NamedNode

    subject, object_ = _identifier(quad.subject, blanks, scope), quad.object
    relation = quad.predicate.value
    if isinstance(object_, Literal):
        if relation in LABELS or relation in ALIASES:
            if object_.value.strip():
                language = (object_.language or "").partition("-")[0].lower()
                yield Name(subject, _sound(object_.value), relation in LABELS, language not in LABEL_LANGUAGES)
            return
        text = _sound(str(object_))
        yield Triple(subject, relation, text)
        yield Kinded(text, "literal")
    else:
        yield Triple(
            subject,
            relation,
            object_.value if isinstance(object_, NamedNode) else _identifier(object_, blanks, scope),
        )


def _identifier(term: object, blanks: dict[str, str], scope: str) -> str:
    from pyoxigraph import BlankNode, NamedNode

    if isinstance(term, NamedNode):
        return term.value
    if isinstance(term, BlankNode):
        return blanks.setdefault(term.value, f"_:{scope}.{len(blanks)}")
    raise SyntaxError(f"a statement about a statement, which is not read ({term})")


def _sound(text: str) -> str:
    if "\0" in text or "\\u0000" in text:
        raise _NulError(repr(text[:40]))
    return text


GraphFormatName: TypeAlias = Literal["pipes", "tsv", "ntriples", "turtle"]
"""Formats of triples."""


def source_for(graph: str | PathLike[str] | Iterable[Any], format: str | None = None, name: str = "") -> GraphSource:
    """A file by its path, a networkx graph, entries, or rows of subject, relation and object, as a source to import.

    Raises InputError, of a file FormatError, for what cannot be one.
    """
    if isinstance(graph, str | PathLike):
        known = [each.value for each in GraphFormat]
        if format is not None and format not in known:
            raise InputError(f"There is no graph format {shown(format)}.", f"Choose one of {', '.join(known)}.")
        return graph_file(fspath(graph), format=GraphFormat(format) if format is not None else None, name=name or None)
    if format is not None:
        raise InputError("A format is that of a file, and no file was named.", "Leave `format` out.")
    if hasattr(graph, "is_multigraph"):
        return source_of(entries_of_networkx(graph), name or "the networkx graph")
    try:
        rows = iter(graph)
    except TypeError:
        raise InputError(
            f"A {type(graph).__name__} is not a graph.",
            "Pass a path, a networkx graph, or rows (subject, relation, object).",
        ) from None
    return source_of(_entries_of_rows(rows, name or "the graph"), name or "the graph")


def _entries_of_rows(rows: Iterator[Any], name: str) -> Iterator[Entry]:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Triple | Name | Kinded):
            yield row
        else:
            yield from triples_of_rows([row], f"{name}, row {number}")
