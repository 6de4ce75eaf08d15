"""Amounts of a part of what is asked for: of one of two things, or of one event of several.

`How much did I spend on the car wash and the parking ticket?` is not answered by what the car wash cost, and `How many days did I spend on
camping trips?` not by the length of one trip.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lemminflect import getLemma

from goalmem.language.lexicon import coarse_type, is_known
from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.sources.numbers import MEASURING, OF_NUMBER

ASKS_OF_PAST = re.compile(r"\b(?:did|have|has|had|was|were)\b", re.IGNORECASE)
AND = re.compile(r",? and (?:(?:the|an?|my|our|his|her|their|in|on|at|to|from|for) )*", re.IGNORECASE)
WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
UNITS = any_of(frozenset("seconds minutes hours days nights weeks weekends months years times".split()))
CACHED = 256
SUMS = frozenset({"amount", "duration"})
"""Types of what is summed over several events."""


def is_of_part(question: str, type_: str, passage: str, sentence: str) -> bool:
    """True if a passage speaks of a part only of that whose amount is asked for; `sentence` is the one with the amount."""
    if type_ not in MEASURING and not type_.startswith(OF_NUMBER):
        return False
    told = set(terms_of(passage))
    if any(not told.intersection(terms_of(word)) for pair in _joined(question) for word in pair):
        return True
    said = set(map(str.casefold, WORDS.findall(sentence)))
    return type_ in SUMS and any(one in said and many not in said for one, many in _several(question))


@lru_cache(CACHED)
def _joined(question: str) -> Sequence[tuple[str, str]]:
    """The nouns of two things that a question names together; people may be named again by `we`."""
    pairs = []
    for found in AND.finditer(question):
        before = WORDS.findall(question[: found.start()])
        behind = []
        for word in WORDS.findall(question[found.end() :]):
            if not terms_of(word):
                break
            behind.append(word)
        if before and behind and all(map(_is_thing, (before[-1], behind[-1]))):
            pairs.append((before[-1], behind[-1]))
    return tuple(dict.fromkeys(pairs))


@lru_cache(CACHED)
def _several(question: str) -> Sequence[tuple[str, str]]:
    """The nouns in the plural behind the verb of a question about the past, each with its singular before it."""
    pairs = []
    verb = ASKS_OF_PAST.search(question)
    for word in map(str.casefold, WORDS.findall(question[verb.end() :]) if verb is not None else ()):
        one = getLemma(word, "NOUN")[0] if word.endswith("s") else word
        if one != word and is_known(one) and UNITS.fullmatch(word) is None:
            pairs.append((one, word))
    return tuple(pairs)


def _is_thing(word: str) -> bool:
    low = word.casefold()
    return word == low and bool(terms_of(word)) and coarse_type(getLemma(low, "NOUN")[0]) != "person"
