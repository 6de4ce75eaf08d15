"""Known words that a misspelt one may have been meant for."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Vocabulary", "one_edit_apart", "respelt"]

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
