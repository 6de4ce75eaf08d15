"""N-Triples and Turtle, streamed through pyoxigraph (extra `rdf`).

Identifiers: an IRI as it is; a literal as N-Triples write it, with its language or datatype; a blank node under a name
that is its own in all files and the same each time the file is read. What names a thing becomes its label or alias.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from goalmem.errors import FormatError
from goalmem.graph.protocol import Entry, Kinded, Name, Triple

if TYPE_CHECKING:
    import pyoxigraph

__all__ = ["FREEBASE", "rdf"]

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
"""A label in another language counts where there is none in these."""


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
