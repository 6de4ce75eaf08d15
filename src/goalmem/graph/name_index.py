"""Names found by their words, misspelt ones too."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from goalmem.graph.entity_names import LONGEST_NAME, folded, words_of
from goalmem.graph.protocol import Nodes

__all__ = ["Vocabulary", "WordIndex", "Words", "one_edit_apart", "respelt"]


class Words(Protocol):
    """Nodes by the words of their names."""

    def spelled(self, names: Sequence[tuple[str, ...]]) -> list[Nodes]:
        """For each name, given as its words, the nodes that are called so."""
        ...

    def holding(self, words: Sequence[str], *, limit: int) -> list[Nodes]:
        """For each word the nodes whose names hold it, at most the first `limit`."""
        ...

    def words(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """Words of names that begin with `start`, or end with it."""
        ...


class WordIndex:
    """`Words` in memory. The names are read when they are first needed."""

    def __init__(self, names: Callable[[], Iterable[tuple[int, str]]]) -> None:
        """`names` gives pairs of a node and one of its names, nodes ascending; the same each time."""
        self._names = names

    def spelled(self, names: Sequence[tuple[str, ...]]) -> list[Nodes]:
        """See `Words.spelled`."""
        whole = self._read[0]
        return [np.array(whole.get(" ".join(words), ()), dtype=np.int64) for words in names]

    def holding(self, words: Sequence[str], *, limit: int) -> list[Nodes]:
        """See `Words.holding`."""
        by_word = self._read[1]
        return [np.array(by_word.get(word, ())[:limit], dtype=np.int64) for word in words]

    def words(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `Words.words`."""
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


class Vocabulary(Protocol):
    """Words by how they begin or end."""

    def __call__(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """At most so many words that begin with `start`, or end with it."""
        ...


def respelt(word: str, vocabulary: Vocabulary) -> list[str]:
    """Known words one edit away from this one (a letter more, less, other, or two swapped), in order; at most `MOST`.

    One edit leaves the first or the last half as it is, unless it swaps the letters where they meet (the pigeonhole
    filter: Navarro, A Guided Tour to Approximate String Matching, 2001, section 8), so both are looked up.
    """
    if len(word) < SHORTEST or not word.isalpha():
        return []
    half = len(word) // 2
    near = {
        known
        for start, backwards in ((word[:half], False), (word[half:], True))
        for known in vocabulary(start, backwards=backwards, limit=LOOKED_AT)
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
