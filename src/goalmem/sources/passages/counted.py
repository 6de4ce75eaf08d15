"""Whether a number in a turn counts the things that a question counts."""

from __future__ import annotations

import re

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.language.words.modifiers import OTHER
from goalmem.sources.numbers import number_in
from goalmem.sources.spans import sentence_around

WORD = re.compile(r"\w+|[.,;:!?]")
APART = any_of(OTHER)


def counts_these(noun: str, content: str, start: int, end: int) -> bool:
    """True if the sentence around a number names the things (`bird species`), none other of the kind, and the number counts nothing else.

    `start` and `end` are the offsets of the number in `content`.
    """
    first, last = sentence_around(content, start, end)
    named = frozenset(terms_of(noun))
    if not named <= {*terms_of(content[first:last])} or APART.search(content, first, last) is not None:
        return False
    words = [m.group() for m in WORD.finditer(content, start, last)]
    number = next((i for i, word in enumerate(words) if number_in(word) is not None), 0)
    behind = next((word for word in words[number + 1 :] if number_in(word) is None), "")
    if not named.isdisjoint(terms_of(behind)):
        return True
    return not any(coarse_type(one) for one in getLemma(behind, "NOUN") if behind.isalpha() and one != behind)
