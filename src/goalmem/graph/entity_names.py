"""What things are called, read from their identifiers, and how names are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import unquote

from goalmem.graph.protocol import NodeKind

__all__ = [
    "LONGEST_NAME",
    "called",
    "folded",
    "implied_kind",
    "literal_text",
    "name_key",
    "readable",
    "word_key",
    "words_of",
]

LONGEST_NAME = 32
"""Words of a name that is found by each of them; a longer text is found whole alone."""
_WORD = re.compile(r"\w+")
_APOSTROPHES = re.compile("(?<=\\w)['\u2019\u02bc](?=\\w)")
"""Within a word: O'Hara, l'heure. They join, so that `ohara` is the same name."""
_MACHINE = re.compile(r"[mg]\.[0-9a-z_]+")
"""Freebase's machine identifiers (Bollacker et al. 2008)."""
_IRI = re.compile(r"[a-z][a-z0-9+.-]*://\S*?([^/#\s]+)/?", re.IGNORECASE)
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?', re.DOTALL)
"""As in N-Triples, section 2.4."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CONTROLS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def folded(name: str) -> str:
    """A name without the differences of case, width and spacing: two that are folded alike are the same name."""
    if name.isascii():
        return " ".join(name.lower().split())
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name without case, accents and punctuation; ("amelie", "2001") of "Amélie (2001)"."""
    plain = folded(name)
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    if "'" in plain or not plain.isascii():
        plain = _APOSTROPHES.sub("", plain)
    return tuple(_WORD.findall(plain))


def name_key(words: tuple[str, ...] | str) -> int:
    """A signed 64-bit key of a whole name, by its words; by its folded form where it has none ("!!!")."""
    return _key(words if isinstance(words, str) else " ".join(words), b"name")


@lru_cache(maxsize=1 << 16)
def word_key(word: str) -> int:
    """A signed 64-bit key of a word that stands in a name."""
    return _key(word, b"word")


def _key(text: str, person: bytes) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, person=person).digest()
    return int.from_bytes(digest, "little", signed=True)


def implied_kind(identifier: str) -> NodeKind:
    """What an identifier alone says: blank nodes and Freebase's `m.…` and `g.…` are mediators unless they have a name."""
    if identifier.startswith("_:"):
        return "mediator"
    iri = _IRI.fullmatch(identifier) if "://" in identifier else None
    return "mediator" if _MACHINE.fullmatch(iri[1] if iri else identifier) else "entity"


def readable(identifier: str) -> str | None:
    """The name that an identifier holds: a literal's text, an IRI's last part, else itself; None for a mediator's."""
    if identifier.startswith('"') and (text := literal_text(identifier)) is not None:
        return text
    if implied_kind(identifier) == "mediator":
        return None
    iri = _IRI.fullmatch(identifier) if "://" in identifier else None
    return unquote(iri[1]).replace("_", " ").strip() or None if iri else identifier


def called(identifier: str, kind: NodeKind) -> str:
    """What a node without a label is called."""
    if kind == "literal" or (kind == "entity" and "://" in identifier):
        return readable(identifier) or identifier
    return identifier


def literal_text(identifier: str) -> str | None:
    """The text of a literal written as in N-Triples; None for anything else."""
    found = _LITERAL.fullmatch(identifier)
    return _ESCAPE.sub(_unescaped, found[1]) if found else None


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _CONTROLS.get(match[3], match[3])
