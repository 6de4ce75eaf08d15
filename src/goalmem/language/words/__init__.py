"""Words of English that rooms read questions and statements by: each list once, with its source.

Closed classes follow Quirk, Greenbaum, Leech and Svartvik, A Comprehensive Grammar of the English Language (1985), cited as
CGEL with the section. What is said to be chosen was chosen by hand on chat messages. Lists that one reader alone reads, with
its syntax (the times of `times_words`, the complements of verbs, rule English), stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of the words, whole, in either case."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b", re.IGNORECASE)
