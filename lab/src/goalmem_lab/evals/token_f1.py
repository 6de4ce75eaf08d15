"""Token F1 as LoCoMo defines it (Maharana et al. 2024, evaluation): articles and punctuation dropped, words stemmed."""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snowballstemmer import Stemmer


DROPPED = re.compile(r"\b(?:a|an|the|and)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)
MULTI_HOP, COMMONSENSE = 1, 3


@cache
def porter() -> Stemmer:
    """The original Porter stemmer, which LoCoMo uses."""
    import snowballstemmer

    return snowballstemmer.stemmer("porter")


@lru_cache(65_536)
def stem(word: str) -> str:
    """A word's stem."""
    return str(porter().stemWord(word))


def tokens(text: str) -> list[str]:
    """Lower case, without punctuation and dropped words, stemmed."""
    plain = text.replace(",", "").lower().translate(PUNCTUATION)
    return [stem(w) for w in DROPPED.sub(" ", plain).split()]


def token_f1(said: str, gold: str) -> float:
    """Harmonic mean of the precision and recall of tokens, with repetitions."""
    a, b = tokens(said), tokens(gold)
    shared = sum((Counter(a) & Counter(b)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(a), shared / len(b)
    return 2 * precision * recall / (precision + recall)


def contains(said: str, gold: str) -> bool:
    """Whether the words of the gold answer stand in what was said, in one run."""
    words, wanted = tokens(said), tokens(gold)
    return bool(wanted) and any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def f1_of_list(said: str, gold: str) -> float:
    """For each part of a comma-separated gold list, the best part of the answer; their mean."""
    parts, wanted = said.split(","), gold.split(",")
    return sum(max(token_f1(p, w) for p in parts) for w in wanted) / len(wanted)


def f1_of_answer(said: str, gold: str, category: int) -> float:
    """LoCoMo's score of one answer: lists for multi-hop questions, the part before a semicolon for commonsense."""
    if category == MULTI_HOP:
        return f1_of_list(said, gold)
    if category == COMMONSENSE:
        gold = gold.split(";")[0].strip()
    return token_f1(said, gold)
