"""The signals that score every turn of a space, from the query alone.

A signal is a function from a `SearchQuery` to scores of shape (rows,), between 0 and about 1, or to None if it does not apply. Signals that
only rank candidates, and the sum, are in `fusion`.

Based on Retaining v2's logic knowledge base, "inverted-index fact matching with weighted scoring": the subjects, predicates and objects of
the question are looked up as terms (`enrich`) in postings of the turns' features. A rarer match counts more (idf), a whole trigram more
than a pair. If many turns share the highest score, the match is generic, and all scores are damped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goalmem.language.terms import hash_term
from goalmem.language.words.pronouns import FIRST_PERSON, SECOND_PERSON
from goalmem.language.words.verbs import DISLIKING_INDEXED, LIKING_INDEXED
from goalmem.questions.anatomy import ADDRESSEE, ASKER, ClauseTriple, QuestionAnatomy
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
from goalmem.retrieve.query import SearchQuery, in_person
from goalmem.retrieve.temporal import nearness
from goalmem.retrieve.vectors import best_of_each

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LogicSettings:
    """Weights of the matches by kind, and bounds for generic matches."""

    trigram: float = 1.0
    pair: float = 0.6
    entity: float = 0.5
    predicate: float = 0.3
    noun: float = 0.3
    concentration: float = 0.3
    """Share of the candidates at the highest score above which all scores are damped (Retaining v2)."""
    few: int = 3
    """Up to this many turns at the highest score are no generic match: they may all be answers."""
    tolerance: float = 1e-3
    """Tolerance for being at the highest score."""
    most_terms: int = 64
    """Terms of a question that are looked up; of more, those of the kinds with the highest weights."""
    who: Mapping[str, str] = field(default_factory=lambda: {ASKER: "user", ADDRESSEE: "assistant"})
    """The names of `I` and `you` in memory: the roles, if nobody has a name."""


def logic_scores(
    anatomy: QuestionAnatomy, postings: Postings, size: int, settings: LogicSettings | None = None
) -> Floats:
    """The share of the question's structure in each of `size` turns, damped if it is generic.

    `postings` are of the turns' features. A turn that denies what is asked matches as well, and better if the question denies it, too.
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
    return damped_scores(scores, settings)


def preference_scores(anatomy: QuestionAnatomy, postings: Postings, size: int) -> Floats:
    """1 for turns with a preference about the thing for which the question wants a recommendation."""
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


def reminiscence_scores(anatomy: QuestionAnatomy, postings: Postings, size: int) -> Floats:
    """1 for turns that recall the past, if the question does."""
    scores = np.zeros(size, dtype=np.float32)
    if anatomy.reminiscence:
        for rows in _rows(postings, [REMINISCENCE]):
            scores[rows] = 1.0
    return scores


def damped_scores(scores: Floats, settings: LogicSettings) -> Floats:
    """Scale all scores down in proportion to how far the share of candidates at the highest score exceeds the bound."""
    candidates = int(np.count_nonzero(scores))
    if not candidates:
        return scores
    at_top = int(np.count_nonzero(scores >= scores.max() - settings.tolerance))
    share = at_top / candidates
    if at_top <= settings.few or share <= settings.concentration:
        return scores
    return scores * np.float32(settings.concentration / share)


def structure_terms(anatomy: QuestionAnatomy, settings: LogicSettings) -> dict[str, float]:
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


def _of_triple(triple: ClauseTriple, settings: LogicSettings) -> list[str]:
    subject, object_ = (settings.who.get(name, name) for name in (triple.subject, triple.object))
    return triple_terms(key_of(subject), key_of(triple.predicate), key_of(object_))


def _of_liking(triple: ClauseTriple) -> list[str]:
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


Signal = Callable[[SearchQuery], Floats | None]

_QUOTED = re.compile(r"[\"“”]([^\"“”]{3,200})[\"“”]|(?<!\w)[‘']([^‘’']{3,200})[’'](?!\w)")


def dense(query: SearchQuery) -> Floats:
    """Cosine of the query's and the turn's vectors."""
    return best_of_each(query.closeness, query.view.passages)


def exact(query: SearchQuery, rows: NDArray[np.intp]) -> dict[str, Floats]:
    """Exact `dense` and `personal` scores of some rows, shape (rows,) each, where `closeness` is an estimate."""
    numbers, starts = query.view.passages_of(rows)
    closeness = query.view.vectors.dots_of(numbers, query.vector[None, :])[:, 0]
    own = np.where(query.view.personal[numbers], closeness, np.float32(0))
    return {
        "dense": np.maximum.reduceat(closeness, starts),
        "personal": np.maximum(np.maximum.reduceat(own, starts), 0),
    }


def personal(query: SearchQuery) -> Floats | None:
    """The same over passages in a person's first person; 0 for turns without one."""
    own = query.view.personal
    if not own.any():
        return None
    return np.maximum(best_of_each(np.where(own, query.closeness, np.float32(0)), query.view.passages), 0)


def lexical(query: SearchQuery) -> Floats | None:
    """BM25 as a share of the highest possible score of the query, so that it is comparable between spaces."""
    return lexical_scores(query, query.terms)


def lexical_scores(query: SearchQuery, terms: tuple[int, ...]) -> Floats | None:
    """The lexical signal of some terms."""
    settings = query.settings
    scores, most = query.view.postings.bm25(
        terms, query.view.lengths, k1=settings.k1, b=settings.b, most_terms=settings.most_terms
    )
    if most <= 0:
        return None
    scores /= np.float32(most)
    return scores


def logic(query: SearchQuery) -> Floats | None:
    """The structure of the query found in the facts of the turn (Retaining v2, logic queries with dampening)."""
    view = query.view
    settings = LogicSettings(who={ASKER: query.asker or "user", ADDRESSEE: "assistant"})
    return logic_scores(query.anatomy, view.features, view.size, settings) if view.features.segments else None


def preference(query: SearchQuery) -> Floats | None:
    """1 for turns with a preference about the thing for which the query wants a recommendation."""
    view = query.view
    return preference_scores(query.anatomy, view.features, view.size) if query.anatomy.asks_recommendation else None


def reminiscence(query: SearchQuery) -> Floats | None:
    """1 for turns that recall the past for its own sake, if the query does."""
    view = query.view
    return reminiscence_scores(query.anatomy, view.features, view.size) if query.anatomy.reminiscence else None


def speaker(query: SearchQuery) -> Floats | None:
    """1 for turns of a speaker named in the query."""
    if not query.speakers:
        return None
    named = np.zeros(len(query.view.speaker_names.names), dtype=np.float32)
    named[list(query.speakers)] = 1.0
    scores: Floats = named[query.view.speakers]
    return scores


def person(query: SearchQuery) -> Floats | None:
    """1 for turns of the person that "I" or "you" in the query refers to: the asker, or else the unnamed user or assistant.

    A request for a recommendation is about the user; a question about an earlier recommendation is about the assistant. "I" and "you"
    together select neither. If the asker is unknown, no named speaker is selected.
    """
    role = _addressed(query)
    if role is None:
        return None
    view = query.view
    if role == "user" and query.asker not in ("", role):
        return np.isin(view.speakers, view.speaker_names.known([query.asker])).astype(np.float32)
    unnamed = np.isin(view.speakers, view.speaker_names.known([role]))
    return (unnamed & np.isin(view.roles, view.role_names.known([role]))).astype(np.float32)


def _addressed(query: SearchQuery) -> str | None:
    if query.anatomy.about_assistant:
        return "assistant"
    if query.anatomy.asks_recommendation:
        return "user"
    first, second = in_person(query.text, FIRST_PERSON), in_person(query.text, SECOND_PERSON)
    if first == second:
        return None
    return "user" if first else "assistant"


def time(query: SearchQuery) -> Floats | None:
    """Nearness of turns to a time in the query; it counts more if few turns are near (`temporal`)."""
    if not query.times.windows:
        return None
    settings = query.settings
    return nearness(query.times, query.view.at, days_after=settings.days_after, days_before=settings.days_before)


def phrase(query: SearchQuery) -> Floats | None:
    """1 for turns with a phrase that the query quotes."""
    if not query.phrase_rows:
        return None
    scores = np.zeros(query.view.size, dtype=np.float32)
    scores[list(query.phrase_rows)] = 1.0
    return scores


SIGNALS: Mapping[str, Signal] = {
    "dense": dense,
    "personal": personal,
    "lexical": lexical,
    "logic": logic,
    "preference": preference,
    "reminiscence": reminiscence,
    "speaker": speaker,
    "person": person,
    "time": time,
    "phrase": phrase,
}


def spread(query: SearchQuery, own: Floats) -> Floats:
    """Context from the neighbours of each turn, shape (rows,): more for short turns, and from short turns.

    A short turn depends on what it answers, unless it has hardly any content ("Wow!"); a long text matches by chance, and is not answered
    word for word.
    """
    settings, view = query.settings, query.view
    leaning = np.float32(settings.context_length) / (np.float32(settings.context_length) + view.lengths)
    substance = view.lengths / (view.lengths + np.float32(settings.context_substance))
    # -1 for no previous turn selects the spare element at the end.
    previous = view.previous.astype(np.intp)
    around = np.zeros_like(own)
    lent = np.append(own * leaning, np.float32(0))
    moved = lent[:-1].copy()
    for weight in settings.before:
        earlier = lent[previous]
        around += np.float32(weight) * earlier
        lent[:-1] = earlier
    for weight in settings.after:
        taken = np.zeros(len(own) + 1, dtype=np.float32)
        taken[previous] = moved
        moved = taken[:-1]
        around += np.float32(weight) * moved
    around *= leaning
    around *= substance
    return around


def quoted_phrases(text: str) -> list[str]:
    """The texts in quotation marks."""
    return [double or single for double, single in _QUOTED.findall(text)]
