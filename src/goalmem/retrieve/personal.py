"""Where people speak of themselves: what a memory of people is mostly asked for.

"I adopted a dog" tells something to remember, "dogs need a walk" mostly not. Which passages of a turn are in the first person
is kept among the turn's features, one term for each such passage.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from goalmem.language.terms import hash_term
from goalmem.records import Turn
from goalmem.retrieve.passages import MOST_PASSAGES, passages

__all__ = ["NUMBERS", "personal_features", "personal_mask"]

_FIRST_PERSON = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|my|me|mine|we|we['’](?:re|ve|d|ll)|our|us)\b", re.IGNORECASE)
NUMBERS: NDArray[np.uint64] = np.array([hash_term(f"i:{n}") for n in range(MOST_PASSAGES + 1)], dtype=np.uint64)
"""The term that stands for each passage by its place in the turn."""


def personal_features(turn: Turn) -> bytes:
    """Terms of a person's passages in the first person, each a little-endian uint64; none for an assistant's turn."""
    if turn.role != "user":
        return b""
    places = [n for n, text in enumerate(passages(turn.content)) if _FIRST_PERSON.search(text)]
    return NUMBERS[[n for n in places if n < len(NUMBERS)]].astype("<u8").tobytes()


def personal_mask(
    features: NDArray[np.uint64], owners: NDArray[np.int64], starts: NDArray[np.int64], count: int
) -> NDArray[np.bool_]:
    """Which of `count` passages are in the first person.

    `features` are terms, `owners` the turn of each, `starts` where the passages of each turn begin.
    """
    mask = np.zeros(count, dtype=np.bool_)
    for place, number in enumerate(NUMBERS):
        found = starts[owners[features == number]] + place
        mask[found[found < count]] = True
    return mask
