"""The signals that rank candidates: what takes too long over a whole space, and what whole sessions tell.

A signal is a function from `Candidates` to scores of shape (candidates,), or None when it has nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.retrieve.query import Query
from goalmem.retrieve.temporal import order_scores

__all__ = ["CANDIDATE_SIGNALS", "CandidateSignal", "Candidates", "session_means"]

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Turns that the first stage let through, best first."""

    query: Query
    rows: Rows
    """Shape (candidates,)."""
    scores: Floats
    """Of the first stage."""
    members: NDArray[np.intp]
    """The session of each candidate as a number from 0, among those of the candidates."""
    dense: Floats
    """Cosine of the query and each candidate; zeros when that is switched off."""

    @property
    def sessions(self) -> int:
        """How many sessions the candidates are of."""
        return int(self.members.max()) + 1 if len(self.members) else 0


CandidateSignal = Callable[[Candidates], Floats | None]


def theme(candidates: Candidates) -> Floats:
    """Cosine of the query and the nearest passage of the whole session."""
    best = np.full(candidates.sessions, -1, dtype=np.float32)
    np.maximum.at(best, candidates.members, candidates.dense)
    themes: Floats = np.maximum(best, 0)[candidates.members]
    return themes


def session_words(candidates: Candidates) -> Floats | None:
    """BM25 with sessions as documents, over what people said in them; an assistant's essays match anything."""
    query = candidates.query
    view = query.view
    settings = query.settings
    lengths = view.session_lengths
    norm = settings.k1 * (1 - settings.b + settings.b * lengths / max(float(lengths.mean()), 1.0))
    scores, most = np.zeros(len(lengths)), 0.0
    for term in list(dict.fromkeys(query.terms))[: settings.most_terms]:
        frequency = np.zeros(len(lengths))
        for rows, counts in view.postings.find(term):
            said = np.flatnonzero(view.said_by_people[rows])
            frequency += np.bincount(view.sessions[rows[said]], weights=counts[said], minlength=len(lengths))
        sessions = np.flatnonzero(frequency)
        idf = float(np.log1p((len(lengths) - len(sessions) + 0.5) / (len(sessions) + 0.5)))
        scores[sessions] += idf * (settings.k1 + 1) * frequency[sessions] / (frequency[sessions] + norm[sessions])
        most += idf * (settings.k1 + 1)
    if most <= 0:
        return None
    shares: Floats = (scores[view.sessions[candidates.rows]] / most).astype(np.float32)
    return shares


def bridge(candidates: Candidates) -> Floats | None:
    """Cosine of a noun phrase of the query and the nearest passage: so a category finds its instance.

    After Retaining v2's noun-phrase bridge. There each noun phrase of memory has a vector; here the passage that holds it has.
    """
    phrases = candidates.query.noun_phrases
    if not len(phrases):
        return None
    view = candidates.query.view
    numbers, starts = view.passages_of(candidates.rows)
    closeness = view.vectors.dots_of(numbers, phrases).max(axis=1)
    return np.maximum(np.maximum.reduceat(closeness, starts), 0).astype(np.float32)


def order(candidates: Candidates) -> Floats | None:
    """First or last of what is on the topic, when that is asked for."""
    ordering = candidates.query.times.ordering
    if ordering is None or not len(candidates.rows):
        return None
    return order_scores(ordering, candidates.query.view.at[candidates.rows], candidates.scores)


CANDIDATE_SIGNALS: Mapping[str, CandidateSignal] = {
    "theme": theme,
    "session_words": session_words,
    "bridge": bridge,
    "order": order,
}


def session_means(sessions: NDArray[np.intp], scores: Floats, turns: int) -> Floats:
    """For every candidate the mean of its session's best `turns` scores; absent ones count as 0."""
    best_first = np.argsort(-scores, kind="stable")
    order = best_first[np.argsort(sessions[best_first], kind="stable")]
    grouped = sessions[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]]) if len(grouped) else np.empty(0, dtype=np.intp)
    place = np.arange(len(grouped)) - np.repeat(starts, np.diff(starts, append=len(grouped)))
    counted = order[place < turns]
    _, members = np.unique(sessions, return_inverse=True)
    sums = np.bincount(members[counted], weights=scores[counted], minlength=len(starts))
    means: Floats = (sums[members] / turns).astype(np.float32)
    return means
