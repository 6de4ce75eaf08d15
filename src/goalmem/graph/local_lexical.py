"""What the words of a masked question say of hops, learned: n-grams crossed with hops, hashed into one table of weights.

A feature is an n-gram together with a context: the next hop alone, with its place in the walk, or with the hop before it;
stopping likewise, always with the hop before. The table has a fixed size whatever the graph (Weinberger et al. 2009, feature
hashing). Hashes depend on nothing but the names, so that a table means the same in every process.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import TOPIC
from goalmem.graph.protocol import Hop
from goalmem.language.terms import words_of

__all__ = ["BITS", "Buckets", "buckets", "contexts", "grams", "question_words"]

BITS = 21
"""The table has 2**21 places: some 300,000 features, as 5,000 questions over nine relations have, meet rarely in it."""
LONGEST = 3
"""Words of an n-gram."""
START, END = "^", "$"
MARK = "\x00topic\x00"
"""The topic among a question's words: no word of a text."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4)."""

Hashes = NDArray[np.uint64]
Buckets = NDArray[np.int64]


@lru_cache(4_096)
def question_words(masked: str) -> tuple[str, ...]:
    """The words of a masked question, folded; its topic is one of them, `MARK`."""
    found: list[str] = []
    for place, part in enumerate(masked.split(TOPIC)):
        found += [*([MARK] if place else []), *words_of(part)]
    return tuple(found)


@lru_cache(4_096)
def grams(masked: str) -> Hashes:
    """The distinct n-grams of a masked question, up to `LONGEST` words, as sorted hashes."""
    words = (START, *question_words(masked), END)
    found = {
        " ".join(words[at : at + size]) for size in range(1, LONGEST + 1) for at in range(len(words) - size + 1)
    } - {START, END}
    return np.array(sorted(_hash(f"gram {gram}") for gram in found), dtype=np.uint64)


def contexts(walked: Sequence[Hop], choices: Sequence[Hop | None]) -> Hashes:
    """The contexts of each choice after a walk, shape (len(choices), 3); None is to stop."""
    place, before = len(walked), str(walked[-1]) if walked else START
    return np.array([_contexts(place, before, "" if c is None else str(c)) for c in choices], dtype=np.uint64)


@lru_cache(65_536)
def _contexts(place: int, before: str, choice: str) -> tuple[int, int, int]:
    if not choice:
        names = (f"stop {place}", f"stop after {before}", f"stop after {before} {place}")
    else:
        names = (f"hop {choice}", f"hop {choice} at {place}", f"hop {choice} after {before}")
    first, second, third = (_hash(name) for name in names)
    return first, second, third


def buckets(found: Hashes, within: Hashes) -> Buckets:
    """The table's place of each feature, shape (choices, n-grams * contexts)."""
    crossed = (within[:, :, None] + found[None, None, :]) * _MIX
    return (crossed >> np.uint64(64 - BITS)).astype(np.int64).reshape(len(within), -1)


@lru_cache(262_144)
def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")
