"""Token F1 as SQuAD's evaluation defines it (Rajpurkar et al., 2016, section 6.1)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)


def best_f1(answer: str, marked: Sequence[str]) -> float:
    """The highest F1 of `answer` against any of the marked ones, in [0, 1]; articles, case and punctuation do not count."""
    return max((_f1(_tokens(answer), _tokens(other)) for other in marked), default=0.0)


def _f1(answer: Sequence[str], marked: Sequence[str]) -> float:
    if not answer or not marked:
        return float(list(answer) == list(marked))
    shared = sum((Counter(answer) & Counter(marked)).values())
    return 2 * shared / (len(answer) + len(marked))


def _tokens(text: str) -> list[str]:
    return re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_PUNCTUATION)).split()
