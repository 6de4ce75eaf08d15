"""Fuse signals into one score: a weighted sum over all turns, then of further signals over the best of them.

Every summand is kept, so that a hit can show the contribution of each signal.

A signal of the second stage is a function from `Candidates` to scores of shape (candidates,), or to None if it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.retrieve.query import SearchQuery
from goalmem.retrieve.signals import SIGNALS, exact, lexical_scores, spread
from goalmem.retrieve.temporal import order_scores

SAMPLE = 16
"""One row in so many is sampled to estimate the score of the best rows, which saves a full sort of a million."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedScores:
    """Candidates, best first, with their scores and signals."""

    rows: Rows
    """Shape (candidates,)."""
    scores: Floats
    """Shape (candidates,)."""
    signals: dict[str, Floats]
    """Signal -> its score of each candidate, before its weight, shape (candidates,)."""


def fuse(
    query: SearchQuery, allowed: NDArray[np.bool_] | None, k: int, *, without: Collection[str] = ()
) -> FusedScores:
    """Rank the rows of a space, at least `k` if there are so many.

    Rows that are not `allowed` are left out, but still give context. `without` names signals to switch off.
    """
    weights, settings = query.settings.weights, query.settings
    said = _of_all(query, without)
    total = np.zeros(query.view.size, dtype=np.float32)
    for name, scores in said.items():
        total += np.float32(weights[name]) * scores
    if allowed is not None:
        total[~allowed] = -np.inf
    if query.view.vectors.estimated:
        _measure(query, _best(total, max(k, settings.measured)), said, total)
    rows = _best(total, max(k, settings.candidates))
    signals = {name: scores[rows] for name, scores in said.items()}
    scores = total[rows]
    _, members = np.unique(query.view.sessions[rows], return_inverse=True)
    dense = signals.get("dense", np.zeros(len(rows), dtype=np.float32))
    candidates = Candidates(query, rows, scores, members, dense)
    for name, signal in CANDIDATE_SIGNALS.items():
        if name not in without and weights[name] and (found := signal(candidates)) is not None:
            signals[name] = found
            scores = scores + np.float32(weights[name]) * found
    if "session" not in without and weights.session:
        signals["session"] = session_means(members, scores, settings.session_turns)
        scores = scores + np.float32(weights.session) * signals["session"]
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    for name, correct in CORRECTIONS.items():
        if name not in without and (name != "preservation" or "dense" in signals):
            order, scores = correct(candidates, order, scores)
    return FusedScores(rows[order], scores, {name: values[order] for name, values in signals.items()})


def _of_all(query: SearchQuery, without: Collection[str]) -> dict[str, Floats]:
    """The scores of each signal for every row, without signals that do not apply."""
    weights = query.settings.weights
    said: dict[str, Floats] = {}
    for name, signal in SIGNALS.items():
        if name not in without and weights[name] and (scores := signal(query)) is not None:
            said[name] = scores
    if "lexical" in said and "context" not in without and weights.context:
        said["context"] = spread(query, said["lexical"])
    return said


def _measure(query: SearchQuery, rows: Rows, said: dict[str, Floats], total: Floats) -> None:
    """Replace the estimated scores of some rows by exact ones, in signals and sums; exclude all other rows."""
    weights = query.settings.weights
    sums = total[rows]
    for name, scores in exact(query, rows).items():
        if name in said:
            sums += np.float32(weights[name]) * (scores - said[name][rows])
            said[name][rows] = scores
    total.fill(-np.inf)
    total[rows] = sums


def _best(scores: Floats, count: int) -> Rows:
    """Rows of the `count` highest finite scores, best first; among equals the earlier row."""
    sample = scores[::SAMPLE]
    # The count-th best of a sample is no better than that of all rows.
    floor = np.partition(sample, len(sample) - count)[len(sample) - count] if len(sample) > count else -np.inf
    rows = np.flatnonzero((scores >= floor) & np.isfinite(scores))
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count)[:count]]
        rows.sort()
    return rows[np.argsort(-scores[rows], kind="stable")]


# -- corrections of a ranking that no sum can express ----------------------------------------------------------------
# Each moves a candidate up and gives it the score of its new place, so that scores still fall.

Places = NDArray[np.intp]

PROTECTED = 5
"""Protected places in the ranking by vector, and the places of the final ranking that they are entitled to (Retaining v2, rank
preservation)."""
DISPLACED_TO = 12
"""A protected turn that fell further stays there: that is more than noise (the paper's ranks 6 to 12)."""
INTRUDER_FROM = 8
"""Place by vector from which a turn among the first is an intruder (the paper's "vec >= 8")."""
SPARE_SESSIONS = 2
"""Sessions among the first that need not belong to a part, so that results for the whole question keep their lead."""


def preserve(candidates: Candidates, order: Places, scores: Floats) -> tuple[Places, Floats]:
    """Restore the best turn that is among the first by vector and was displaced by one from far down the vector's list.

    `order` are candidates, best first, `scores` theirs; returns both corrected.
    """
    by_vector = np.empty(len(order), dtype=np.intp)
    by_vector[np.argsort(-candidates.dense, kind="stable")] = np.arange(len(order))
    vector_places = by_vector[order] + 1
    if not (vector_places[:PROTECTED] >= INTRUDER_FROM).any():
        return order, scores
    displaced = np.flatnonzero(vector_places[PROTECTED:DISPLACED_TO] <= PROTECTED)
    if not len(displaced):
        return order, scores
    return _raised(order, scores, PROTECTED + displaced[:1], PROTECTED - 1)


def cover(candidates: Candidates, order: Places, scores: Floats) -> tuple[Places, Floats]:
    """Move the best session of each part of the question among the first ones.

    Missing sessions share the last places of the lead with those of other parts, so that none displaces another.
    """
    best = {int(candidates.members[place]): place for place in reversed(_best_of_parts(candidates))}
    sessions = candidates.members[order]
    _, firsts = np.unique(sessions, return_index=True)
    firsts.sort()
    room = len(candidates.query.parts) + SPARE_SESSIONS
    if not best or len(firsts) <= room:
        return order, scores
    for shared in range(room + 1):
        lead = sessions[firsts[: room - shared]]
        left = [place for session, place in best.items() if session not in lead]
        if len(left) <= shared:
            break
    return _raised(order, scores, np.flatnonzero(np.isin(order, left)), int(firsts[room - shared]))


def _best_of_parts(candidates: Candidates) -> list[int]:
    """The best candidate for each part."""
    query = candidates.query
    if not query.parts or not len(candidates.rows):
        return []
    numbers, starts = query.view.passages_of(candidates.rows)
    closeness = query.view.vectors.dots_of(numbers, np.array([part.vector for part in query.parts]))
    found = []
    for part, own in zip(query.parts, closeness.T, strict=True):
        scores = np.maximum.reduceat(own, starts)
        words = lexical_scores(query, part.terms)
        found.append(int(np.argmax(scores if words is None else scores + words[candidates.rows])))
    return found


def _raised(order: Places, scores: Floats, origins: Places, target: int) -> tuple[Places, Floats]:
    """Move the candidates at `origins`, at or below `target`, up to it."""
    rest = np.setdiff1d(np.arange(len(order)), origins)
    arranged = np.r_[rest[:target], origins, rest[target:]]
    taken = np.full(len(origins), scores[target])
    return order[arranged], np.r_[scores[rest[:target]], taken, scores[rest[target:]]]


CORRECTIONS = {"preservation": preserve, "coverage": cover}


Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Turns selected by the first stage, best first."""

    query: SearchQuery
    rows: Rows
    """Shape (candidates,)."""
    scores: Floats
    """Of the first stage."""
    members: NDArray[np.intp]
    """The session of each candidate, numbered from 0 among the candidates' sessions."""
    dense: Floats
    """Cosine of the query and each candidate; zeros if that signal is off."""

    @property
    def sessions(self) -> int:
        """The number of the candidates' sessions."""
        return int(self.members.max()) + 1 if len(self.members) else 0


CandidateSignal = Callable[[Candidates], Floats | None]


def theme(candidates: Candidates) -> Floats:
    """Cosine of the query and the nearest passage of the whole session."""
    best = np.full(candidates.sessions, -1, dtype=np.float32)
    np.maximum.at(best, candidates.members, candidates.dense)
    themes: Floats = np.maximum(best, 0)[candidates.members]
    return themes


def session_words(candidates: Candidates) -> Floats | None:
    """BM25 with sessions as documents, over what people said in them; an assistant's long texts match anything."""
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
    """Cosine of a noun phrase of the query and the nearest passage, by which a category finds its instances.

    Based on Retaining v2's noun-phrase bridge, where each noun phrase of memory has a vector; here its passage has one.
    """
    phrases = candidates.query.noun_phrases
    if not len(phrases):
        return None
    view = candidates.query.view
    numbers, starts = view.passages_of(candidates.rows)
    closeness = view.vectors.dots_of(numbers, phrases).max(axis=1)
    return np.maximum(np.maximum.reduceat(closeness, starts), 0).astype(np.float32)


def order(candidates: Candidates) -> Floats | None:
    """Rank by time among the turns on the topic, if the question asks for the first or last."""
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
    """For every candidate, the mean of its session's best `turns` scores; missing ones count as 0."""
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


SIGNAL_NAMES = frozenset({*SIGNALS, "context", *CANDIDATE_SIGNALS, "session", *CORRECTIONS})
"""All signals that can be switched off."""
