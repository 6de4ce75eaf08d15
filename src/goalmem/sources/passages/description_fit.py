"""If a passage speaks of what a question describes: `the person who sold me the ladder` is nobody who lent one."""

from __future__ import annotations

import re
from collections.abc import Callable

from goalmem.language.lexicon import same_verb, synonyms
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.modifiers import RANKS
from goalmem.language.words.verbs import LIGHT
from goalmem.records import ASKER

ALIKE = 0.5
"""Least cosine of two words that may mean the same here: `swallow` and `eat` have .51, `sell` and `lend` .47, `translate` and `write` .38."""
FITTING = 0.6
"""Least share of the description's words in the passage."""
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+")


def fits_description(question: str, kind: str, text: str, cosine: Callable[[str, str], float]) -> bool:
    """True if the text contains most words of a question for what is described, or words that mean the same. `kind` is the noun described."""
    asked = [w for w in words_of(question) if not set(terms_of(w)) & set(terms_of(f"{kind} {ASKER}"))]
    if not asked:
        return True
    said, stems = words_of(text), set(terms_of(text))
    found = sum(bool(set(terms_of(w)) & stems) or any(means_same(w, s, cosine) for s in said) for w in asked)
    return found >= FITTING * len(asked)


def words_of(text: str) -> list[str]:
    """The content words of a text in lower case, without light verbs."""
    words = dict.fromkeys(w.casefold() for w in WORD.findall(text))
    return [w for w in words if w not in STOP_WORDS | RANKS.keys() and not verb_bases(w) & LIGHT]


def only_repeats(value: str, kind: str) -> bool:
    """True if words name the kind of thing that is described, and no name: they say no more than the description."""
    return bool({*terms_of(value)} & {*terms_of(kind)}) and value == value.casefold()


def means_same(one: str, other: str, cosine: Callable[[str, str], float]) -> bool:
    """True if two words are synonyms or nearly so."""
    pairs = [(a, b) for a in verb_bases(one) or {one} for b in verb_bases(other) or {other}]
    return any(same_verb(a, b) or b in synonyms(a, "n") or cosine(a, b) >= ALIKE for a, b in pairs)
