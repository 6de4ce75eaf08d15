"""Gradable adjectives and adverbs with their antonyms, and the verbs of amounts that `more` and `less` compare."""

from __future__ import annotations

_PAIRS = (
    "tall short",
    "long short",
    "big small",
    "large small",
    "high low",
    "wide narrow",
    "broad narrow",
    "thick thin",
    "deep shallow",
    "heavy light",
    "fast slow",
    "quick slow",
    "early late",
    "cheap expensive",
    "cheap dear",
    "cheap pricey",
    "hot cold",
    "warm cool",
    "warm cold",
    "near far",
    "close far",
    "strong weak",
    "hard soft",
    "easy hard",
    "easy difficult",
    "loud quiet",
    "noisy quiet",
    "rich poor",
    "good bad",
    "well badly",
    "clean dirty",
    "bright dark",
    "safe dangerous",
    "full empty",
    "more less",
    "often rarely",
)
"""Direct antonyms in WordNet 3.0 that are ends of one scale (Cruse 1986, Lexical Semantics, section 9.2): of two things compared on it
one has more of the first and the other of the second.
"""
_OF_BEINGS, _OF_THINGS = ("old young",), ("old new",)
_SIDES = (
    *("top bottom", "upper lower", "left right", "front back", "front rear", "upstairs downstairs", "inner outer"),
    *("inside outside", "indoor outdoor", "north south", "east west", "northern southern", "eastern western"),
    *("first last", "elder younger", "eldest youngest", "maternal paternal", "incoming outgoing", "winter summer"),
)


def _both_ways(*pairs: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one, other in (pair.split() for pair in pairs):
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


ANTONYMS = _both_ways(*_PAIRS, *_OF_THINGS)
"""Word -> its antonyms."""
ANTONYMS_OF_BEINGS = _both_ways(*_PAIRS, *_OF_BEINGS)
"""The same of people and animals, who are young and not new."""
SIDES = _both_ways(*_SIDES)
"""The same of sides and halves: what stands on one does not stand on the other."""
AMOUNTING = frozenset(
    "cost weigh earn make pay spend save owe measure charge last drink eat work sleep read travel win lose".split()
)
"""Verbs with `more` or `less` as their amount (54 measure; 13.5.1 get, of money; the commonest of what people do much or little)."""
