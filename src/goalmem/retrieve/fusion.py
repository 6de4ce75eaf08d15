"""One score from many: a weighted sum of signals over all turns, then of more signals over the best of them.

Every part of a sum is kept, so that a hit can say what it owes to which signal.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.retrieve.arrangement import CORRECTIONS
from goalmem.retrieve.candidates import CANDIDATE_SIGNALS, Candidates, session_means
from goalmem.retrieve.query import Query
from goalmem.retrieve.signals import SIGNALS, exact, spread

__all__ = ["SIGNAL_NAMES", "Fused", "fuse"]

SIGNAL_NAMES = frozenset({*SIGNALS, "context", *CANDIDATE_SIGNALS, "session", *CORRECTIONS})
"""Everything that can be switched off."""

SAMPLE = 16
"""One row in so many tells a score that the best rows reach: a full sort of a million is spared."""

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Candidates, best first, with their scores and what each signal said."""

    rows: Rows
    """Shape (candidates,)."""
    scores: Floats
    """Shape (candidates,)."""
    signals: dict[str, Floats]
    """Signal -> what it said of each candidate, before its weight, shape (candidates,)."""


def fuse(query: Query, allowed: NDArray[np.bool_] | None, k: int, *, without: Collection[str] = ()) -> Fused:
    """Rank the rows of a space, `k` at least where there are so many.

    Rows not `allowed` lend context and are left out. `without` names signals to switch off.
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
    return Fused(rows[order], scores, {name: values[order] for name, values in signals.items()})


def _of_all(query: Query, without: Collection[str]) -> dict[str, Floats]:
    """What each signal says of every row; one that says nothing is left out."""
    weights = query.settings.weights
    said: dict[str, Floats] = {}
    for name, signal in SIGNALS.items():
        if name not in without and weights[name] and (scores := signal(query)) is not None:
            said[name] = scores
    if "lexical" in said and "context" not in without and weights.context:
        said["context"] = spread(query, said["lexical"])
    return said


def _measure(query: Query, rows: Rows, said: dict[str, Floats], total: Floats) -> None:
    """Put what was estimated of some rows right, in what signals said and in the sums; the other rows are found no more."""
    weights = query.settings.weights
    sums = total[rows]
    for name, scores in exact(query, rows).items():
        if name in said:
            sums += np.float32(weights[name]) * (scores - said[name][rows])
            said[name][rows] = scores
    total.fill(-np.inf)
    total[rows] = sums


def _best(scores: Floats, count: int) -> Rows:
    """Rows of the `count` highest finite scores, best first; of equal ones the earlier row."""
    sample = scores[::SAMPLE]
    # The count-th best of a sample is no better than that of the whole.
    floor = np.partition(sample, len(sample) - count)[len(sample) - count] if len(sample) > count else -np.inf
    rows = np.flatnonzero((scores >= floor) & np.isfinite(scores))
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count)[:count]]
        rows.sort()
    return rows[np.argsort(-scores[rows], kind="stable")]
