"""Words of English that rooms read questions and statements by: each list once, with its source.

Closed classes follow Quirk, Greenbaum, Leech and Svartvik, A Comprehensive Grammar of the English Language (1985),
cited as CGEL with the section. Lists marked as chosen were selected by hand on chat messages. Lists for a single
component are defined there, next to its syntax (the times of `times_words`, the complements of verbs, rule English).
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def pairs(*texts: str) -> frozenset[frozenset[str]]:
    """Unordered pairs of words, from texts of two words each."""
    return frozenset(frozenset(text.split()) for text in texts)


def either_form(*forms: str) -> str:
    """A pattern for any of several expressions, the first that fits."""
    return f"(?:{'|'.join(forms)})"


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of the words, whole, in either case."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b", re.IGNORECASE)
