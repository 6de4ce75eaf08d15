"""Names of entities, derived from identifiers, and their comparison."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Protocol
from urllib.parse import unquote

import numpy as np

from goalmem.graph.protocol import NodeKind, Nodes

LONGEST_NAME = 32
"""Words of a name that is found by each of them; a longer text is found whole alone."""
_WORD = re.compile(r"\w+")
_APOSTROPHES = re.compile("(?<=\\w)['\u2019\u02bc](?=\\w)")
"""Apostrophes within a word: O'Hara, l'heure. They are removed, so that `ohara` is the same name."""
_MACHINE = re.compile(r"[mg]\.[0-9a-z_]+")
"""Freebase's machine identifiers (Bollacker et al. 2008)."""
_IRI = re.compile(r"[a-z][a-z0-9+.-]*://(?:\S*[/#])?([^/#\s]+)/?", re.IGNORECASE)
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
    """A signed 64-bit key of a whole name, from its words, or from its folded form if it has none ("!!!")."""
    return _key(words if isinstance(words, str) else " ".join(words), b"name")


@lru_cache(maxsize=1 << 16)
def word_key(word: str) -> int:
    """A signed 64-bit key of a word in a name."""
    return _key(word, b"word")


def _key(text: str, person: bytes) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, person=person).digest()
    return int.from_bytes(digest, "little", signed=True)


def implied_kind(identifier: str) -> NodeKind:
    """The kind implied by an identifier: blank nodes and Freebase's `m.…` and `g.…` are mediators unless they have a
    name.
    """
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


def unlabelled_name(identifier: str, kind: NodeKind) -> str:
    """The display name of a node without a label."""
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


class NameWords(Protocol):
    """Nodes by the words of their names."""

    def spelled(self, names: Sequence[tuple[str, ...]]) -> list[Nodes]:
        """For each name, given as its words, the nodes that are called so."""

    def holding(self, words: Sequence[str], *, limit: int) -> list[Nodes]:
        """For each word the nodes whose names hold it, at most the first `limit`."""

    def words(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """At most so many words of names that begin with `start`, or end with it."""


class WordIndex:
    """`NameWords` in memory. The names are read when they are first needed."""

    def __init__(self, names: Callable[[], Iterable[tuple[int, str]]]) -> None:
        """`names` gives pairs of a node and one of its names, nodes ascending; the same each time."""
        self._names = names

    def spelled(self, names: Sequence[tuple[str, ...]]) -> list[Nodes]:
        """See `NameWords.spelled`."""
        whole = self._read[0]
        return [np.array(whole.get(" ".join(words), ()), dtype=np.int64) for words in names]

    def holding(self, words: Sequence[str], *, limit: int) -> list[Nodes]:
        """See `NameWords.holding`."""
        by_word = self._read[1]
        return [np.array(by_word.get(word, ())[:limit], dtype=np.int64) for word in words]

    def words(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `NameWords.words`."""
        if not backwards:
            return _beginning(self._vocabulary[0], start, limit)
        return [word[::-1] for word in _beginning(self._vocabulary[1], start[::-1], limit)]

    @cached_property
    def _read(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        whole: dict[str, list[int]] = {}
        by_word: dict[str, list[int]] = {}
        for node, name in self._names():
            words = words_of(name)
            _add(whole, " ".join(words) or folded(name), node)
            for word in words if len(words) <= LONGEST_NAME else ():
                _add(by_word, word, node)
        return whole, by_word

    @cached_property
    def _vocabulary(self) -> tuple[list[str], list[str]]:
        words = self._read[1]
        return sorted(words), sorted(word[::-1] for word in words)


def _add(index: dict[str, list[int]], key: str, node: int) -> None:
    nodes = index.setdefault(key, [])
    if node not in nodes[-1:]:
        nodes.append(node)


def _beginning(ordered: list[str], start: str, limit: int) -> list[str]:
    first = bisect_left(ordered, start)
    return [word for word in ordered[first : first + limit] if word.startswith(start)]


SHORTEST = 4
"""Letters of a word that is taken for misspelt; shorter ones are near too many others."""
LOOKED_AT = 2000
"""Words with the same half that are compared at most."""
MOST = 8


def respelt(word: str, index: NameWords) -> list[str]:
    """Words of names one edit away from this one (a letter more, less, other, or two swapped), in order; at most `MOST`.

    One edit leaves the first or the last half as it is, unless it swaps the letters where they meet (the pigeonhole
    filter: Navarro, A Guided Tour to Approximate String Matching, 2001, section 8), so both are looked up.
    """
    if len(word) < SHORTEST or not word.isalpha():
        return []
    half = len(word) // 2
    near = {
        known
        for start, backwards in ((word[:half], False), (word[half:], True))
        for known in index.words(start, backwards=backwards, limit=LOOKED_AT)
        if one_edit_apart(word, known)
    }
    return sorted(near)[:MOST]


def one_edit_apart(a: str, b: str) -> bool:
    """True when one letter inserted, deleted, replaced, or swapped with its neighbour makes one word the other."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) == len(b):
        swapped = a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
        return swapped or a[start + 1 :] == b[start + 1 :]
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return longer[start + 1 :] == shorter[start:]
