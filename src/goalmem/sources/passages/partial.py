"""Amounts of a part of what is asked for: of one of two things, or of one event of several.

`How much did I spend on the car wash and the parking ticket?` is not answered by what the car wash cost, `How many days did I spend on
camping trips?` not by the length of one trip, and `How many animals do I have?` not by `a dog and two cats`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lemminflect import getLemma

from goalmem.language.lexicon import coarse_type, is_a, is_known, is_mainly, synonyms
from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.records import ASKER, Fact
from goalmem.sources.kinds import ROLES
from goalmem.sources.numbers import MEASURING, OF_NUMBER
from goalmem.sources.passages.participants import FIRST
from goalmem.sources.shared_amounts import SUMS, is_share, words_asked

ASKS_OF_PAST = re.compile(r"\b(?:did|have|has|had|was|were)\b", re.IGNORECASE)
AND = re.compile(r",? and (?:(?:the|an?|my|our|his|her|their|in|on|at|to|from|for) )*", re.IGNORECASE)
WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
BEHIND_PAIR = any_of(frozenset("cost costs together altogether combined total".split()))
"""Words behind two nouns that belong to both."""
UNITS = any_of(frozenset("seconds minutes hours days nights weeks weekends months years times".split()))
CACHED = 256


def is_of_part(question: str, type_: str, passage: str, sentence: str) -> bool:
    """True if a passage speaks of a part only of that whose amount is asked for; `sentence` is the one with the amount."""
    if type_ not in MEASURING and not type_.startswith(OF_NUMBER):
        return False
    told = set(terms_of(passage))
    if any(not told.intersection(terms_of(word)) for pair in _joined(question) for word in pair):
        return True
    said = set(map(str.casefold, WORDS.findall(sentence)))
    if type_.startswith(OF_NUMBER):
        noun = type_.split()[-1]
        return len(_of_kind(frozenset(said), ROLES.get(noun, noun))) > 1
    return type_ in SUMS and any(one in said and many not in said for one, many in _several(question))


def is_told_of_more(question: str, type_: str, sentence: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if words in a turn are an amount that was told of what the question names and of something else together."""
    if type_ not in SUMS and not type_.startswith(OF_NUMBER):
        return False
    asked = words_asked(question) | ({ASKER} if FIRST.search(question) else frozenset())
    return any(
        is_share(type_, asked, sentence, fact, amount, facts)
        for fact in facts
        for amount in fact.args
        if amount.start < end and start < amount.end
    )


@lru_cache(CACHED)
def _of_kind(said: frozenset[str], noun: str) -> frozenset[str]:
    """The nouns among these words that name different sorts of what a noun names; none if the noun is one of them.

    `Three sons and a daughter` are sorts of children.
    """
    nouns = {lemma for word in said for lemma in getLemma(word, "NOUN") if is_known(lemma)}
    if noun in nouns or nouns & set(synonyms(noun, "n")):
        return frozenset()
    return frozenset(word for word in nouns if is_a(word, noun) and is_mainly(word, noun))


@lru_cache(CACHED)
def _joined(question: str) -> Sequence[tuple[str, str]]:
    """The nouns of two things that a question names together; people may be named again by `we`."""
    pairs = []
    for found in AND.finditer(question):
        before = WORDS.findall(question[: found.start()])
        behind = []
        for word in WORDS.findall(question[found.end() :]):
            if not terms_of(word) or BEHIND_PAIR.fullmatch(word):
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
