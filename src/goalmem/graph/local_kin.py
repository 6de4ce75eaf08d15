"""How near two words are: the same word in another form, derived from one another, synonyms, or of alike vectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from goalmem.graph.protocol import Hop
from goalmem.graph.relation_meaning import hop_words
from goalmem.language.lexicon import base_form, coarse_type, related, synonyms, tagged_uses
from goalmem.language.terms import STOP_WORDS, terms_of

__all__ = ["LEAST", "content_words", "kinship", "relation_content", "relation_type"]

DERIVED = 0.9
"""`actor` to `act`."""
SYNONYM = 0.7
ALIKE = 0.7
"""What vectors alone can say at most."""
NO_COSINE = 0.5
"""MiniLM gives unrelated English words cosines up to about this."""
LEAST = 0.35
"""What is less near says nothing."""
PARTS = ("n", "v")
OFTEN = 0.25
"""Share of a word's commonest part of speech that another needs to count, by WordNet's tagged uses."""
BROAD = STOP_WORDS | frozenset("has is was get got made make give".split())
"""Words that say nothing of what a relation is about."""
AGENT = "by"
"""A relation in the passive with an agent leads to who did it."""


@lru_cache(65_536)
def _lemmas(word: str) -> frozenset[str]:
    from goalmem.language.inflection import getAllLemmas

    return frozenset({word, base_form(word), *(lemma for found in getAllLemmas(word).values() for lemma in found)})


def _nouns(word: str) -> tuple[str, ...]:
    """The nouns that a word is a form of: none of `founded`."""
    from goalmem.language.inflection import getAllLemmas

    return tuple(getAllLemmas(word).get("NOUN", ()))


@lru_cache(65_536)
def _stems(word: str) -> frozenset[str]:
    return frozenset(stem for lemma in _lemmas(word) for stem in terms_of(lemma)) or frozenset({word})


def _usual(lemma: str) -> list[str]:
    """The parts of speech that a word is often used as: `dish` is a noun, though one may dish something up."""
    uses = {part: tagged_uses(lemma, part) for part in PARTS}
    return [part for part in PARTS if uses[part] >= OFTEN * max(uses.values())]


@lru_cache(65_536)
def _kin(word: str) -> Mapping[str, float]:
    """Stems that stand near a word, and how near."""
    lemmas = sorted(_lemmas(word))
    found: dict[str, float] = {}
    for grade, words in (
        (SYNONYM, {s for lemma in lemmas for part in _usual(lemma) for s in synonyms(lemma, part)}),
        (DERIVED, {r for lemma in lemmas for part in PARTS for r in related(lemma, part)}),
    ):
        found |= {stem: grade for other in words if " " not in other for stem in terms_of(other)}
    return found | dict.fromkeys(_stems(word), 1.0)


@lru_cache(262_144)
def _by_words(a: str, b: str) -> float:
    forth, back = _kin(a), _kin(b)
    return max([forth.get(s, 0.0) for s in _stems(b)] + [back.get(s, 0.0) for s in _stems(a)])


def kinship(a: str, b: str, cosine: float) -> float:
    """How near two words are, in [0, 1]; `cosine` is that of their vectors. What is less than `LEAST` is 0."""
    by_vectors = ALIKE * (cosine - NO_COSINE) / (1 - NO_COSINE)
    near = max(_by_words(a, b), by_vectors)
    return near if near >= LEAST else 0.0


def content_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Those that say something; all of them where none does."""
    return tuple(word for word in words if word not in BROAD) or words


def relation_content(hop: Hop) -> tuple[str, ...]:
    """The words of a relation that say what it is about."""
    return content_words(hop_words(hop))


@lru_cache(65_536)
def relation_type(hop: Hop) -> str:
    """The coarse type of what a hop leads to, by the last noun of its name: `release_year` -> time; empty where unknown.

    Taken backwards, a relation's name says nothing of what it leads to.
    """
    words = hop_words(hop)
    if hop.inverse or not words:
        return ""
    if words[-1] == AGENT:
        return "person"
    nouns = [noun for word in reversed(content_words(words)) for noun in _nouns(word)]
    return next((found for noun in nouns if (found := coarse_type(noun))), "")
