"""The logic signal: the structure of a question matched against what language analysis found in each turn.

After Retaining v2's logic knowledge base, "inverted-index fact matching with weighted scoring": who does what to whom in the
question is looked up as terms (`enrich`) in postings made of the turns' features. A rarer match means more (idf), a whole
trigram more than a pair of it. When many turns share the highest score, the match is generic and the whole is dampened.

Scores have shape (rows,), float32, in [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goalmem.language.terms import hash_term
from goalmem.language.words.verbs import DISLIKING_INDEXED, LIKING_INDEXED
from goalmem.questions.anatomy import ADDRESSEE, ASKER, Anatomy, Triple
from goalmem.retrieve.enrich import (
    REMINISCENCE,
    entity_term,
    key_of,
    noun_terms,
    predicate_terms,
    preference_terms,
    triple_terms,
)
from goalmem.retrieve.lexical import Postings

__all__ = [
    "LogicSettings",
    "logic_scores",
    "preference_scores",
    "reminiscence_scores",
    "structure_terms",
]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LogicSettings:
    """Weights of the matches by kind, and when a match is too common to mean much."""

    trigram: float = 1.0
    pair: float = 0.6
    entity: float = 0.5
    predicate: float = 0.3
    noun: float = 0.3
    concentration: float = 0.3
    """Share of the candidates at the highest score above which the whole is dampened (Retaining v2)."""
    few: int = 3
    """So many turns at the highest score are never too many: they may all be answers."""
    tolerance: float = 1e-3
    """Scores this near to the highest share it."""
    most_terms: int = 64
    """Terms of a question that are looked up; of more the weightiest kinds come first."""
    who: Mapping[str, str] = field(default_factory=lambda: {ASKER: "user", ADDRESSEE: "assistant"})
    """Whom a memory means by I and you: the names of the roles, where nobody has a name."""


def logic_scores(anatomy: Anatomy, postings: Postings, size: int, settings: LogicSettings | None = None) -> Floats:
    """How much of the question's structure each of `size` turns holds, as a share of all that could be, dampened when common.

    `postings` are of the turns' features. A turn that denies what is asked is as much about it, and more when the question
    denies it too.
    """
    settings = settings or LogicSettings()
    scores = np.zeros(size, dtype=np.float32)
    most = 0.0
    weighted = sorted(structure_terms(anatomy, settings).items(), key=lambda item: -item[1])
    for term, weight in weighted[: settings.most_terms]:
        found = postings.find(hash_term(term))
        worth = weight * _idf(sum(len(rows) for rows, _ in found), size)
        most += worth
        for rows, _ in found:
            np.add.at(scores, rows, np.float32(worth))
    if most > 0:
        scores /= np.float32(most)
    return dampened(scores, settings)


def preference_scores(anatomy: Anatomy, postings: Postings, size: int) -> Floats:
    """1 for the turns that tell what is liked or disliked of a thing for which the question wants a recommendation."""
    scores = np.zeros(size, dtype=np.float32)
    if anatomy.asks_recommendation:
        phrases = anatomy.noun_phrases
        terms = [
            t
            for p in phrases
            for positive in (True, False)
            for t in preference_terms(p.text, p.head, positive=positive)
        ]
        for rows in _rows(postings, terms):
            scores[rows] = 1.0
    return scores


def reminiscence_scores(anatomy: Anatomy, postings: Postings, size: int) -> Floats:
    """1 for the turns that turn to the past, when the question does."""
    scores = np.zeros(size, dtype=np.float32)
    if anatomy.reminiscence:
        for rows in _rows(postings, [REMINISCENCE]):
            scores[rows] = 1.0
    return scores


def dampened(scores: Floats, settings: LogicSettings) -> Floats:
    """Scale all scores down by as much as the share of the candidates at the highest score exceeds the bound."""
    candidates = int(np.count_nonzero(scores))
    if not candidates:
        return scores
    at_top = int(np.count_nonzero(scores >= scores.max() - settings.tolerance))
    share = at_top / candidates
    if at_top <= settings.few or share <= settings.concentration:
        return scores
    return scores * np.float32(settings.concentration / share)


def structure_terms(anatomy: Anatomy, settings: LogicSettings) -> dict[str, float]:
    """Terms of the question's structure with the weight of their kind."""
    weights: dict[str, float] = {}
    for name in anatomy.names:
        _raise(weights, entity_term(name), settings.entity)
    for phrase in anatomy.noun_phrases:
        _raise(weights, noun_terms(phrase.text, phrase.head), settings.noun)
    for predicate in anatomy.predicates:
        _raise(weights, predicate_terms(predicate.lemma, negated=predicate.negated), settings.predicate)
    for triple in anatomy.triples:
        for term in _of_triple(triple, settings):
            open_places = term.removeprefix("t:").split("|").count("")
            _raise(weights, [term], settings.pair if open_places else settings.trigram)
        _raise(weights, _of_liking(triple), settings.pair)
    return weights


def _of_triple(triple: Triple, settings: LogicSettings) -> list[str]:
    subject, object_ = (settings.who.get(name, name) for name in (triple.subject, triple.object))
    return triple_terms(key_of(subject), key_of(triple.predicate), key_of(object_))


def _of_liking(triple: Triple) -> list[str]:
    verb = triple.predicate.partition(" ")[0]
    if verb not in LIKING_INDEXED | DISLIKING_INDEXED or not triple.object:
        return []
    return preference_terms(triple.object, triple.object, positive=(verb in LIKING_INDEXED) != triple.negated)


def _raise(weights: dict[str, float], terms: Iterable[str], weight: float) -> None:
    for term in terms:
        weights[term] = max(weights.get(term, 0.0), weight)


def _rows(postings: Postings, terms: Iterable[str]) -> Iterator[NDArray[np.int32]]:
    for term in dict.fromkeys(terms):
        yield from (rows for rows, _ in postings.find(hash_term(term)))


def _idf(found: int, size: int) -> float:
    """As in BM25 (`lexical`)."""
    return float(np.log1p((size - found + 0.5) / (found + 0.5)))
