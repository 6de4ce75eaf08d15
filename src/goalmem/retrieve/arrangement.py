"""Corrections of a ranking that no sum can express: what is displaced by noise comes back, and every part is covered.

Each moves a candidate up and gives it the score of the place that it takes, so that scores still fall.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goalmem.retrieve.candidates import Candidates
from goalmem.retrieve.signals import lexical_scores

__all__ = ["CORRECTIONS", "cover", "preserve"]

Floats = NDArray[np.float32]
Places = NDArray[np.intp]

PROTECTED = 5
"""Places by vector that are worth protecting, and places of the ranking that they are worth (Retaining v2, rank preservation)."""
DISPLACED_TO = 12
"""A protected turn that fell further is left there: more than noise spoke against it (the paper's ranks 6 to 12)."""
INTRUDER_FROM = 8
"""Place by vector from which a turn among the first is an intruder (the paper's "vec >= 8")."""
SPARE_SESSIONS = 2
"""Sessions among the first that need not be of a part: what the whole question finds keeps its lead."""


def preserve(candidates: Candidates, order: Places, scores: Floats) -> tuple[Places, Floats]:
    """Bring the best turn back that is among the first by vector and was displaced by one from deep in the vector's list.

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
    """See that each of the several things asked about has its best session among the first ones.

    The sessions that are missing share the last places of the lead with those that another part has there already, so that
    none drives out another.
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
    """The candidate that says most about each part."""
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
    """Move what stands at `origins`, at or below `target`, up to it."""
    rest = np.setdiff1d(np.arange(len(order)), origins)
    arranged = np.r_[rest[:target], origins, rest[target:]]
    taken = np.full(len(origins), scores[target])
    return order[arranged], np.r_[scores[rest[:target]], taken, scores[rest[target:]]]


CORRECTIONS = {"preservation": preserve, "coverage": cover}
