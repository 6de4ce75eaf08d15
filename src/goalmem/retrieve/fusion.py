"""One score from many: a weighted sum of signals, of their spread over neighbouring turns, and of whole sessions.

Every part of a sum is kept, so that a hit can say what it owes to which signal.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.signals import SIGNALS, Query

__all__ = ["Fused", "fuse"]

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Candidates, best first, with their scores and what each signal gave."""

    rows: Rows
    """Shape (candidates,)."""
    scores: Floats
    """Shape (candidates,)."""
    parts: dict[str, Floats]
    """Signal -> its weighted share of the score, shape (candidates,)."""


def fuse(query: Query, allowed: NDArray[np.bool_] | None, k: int, *, without: Collection[str] = ()) -> Fused:
    """Rank the rows of a space, `k` at least where there are so many.

    Rows not `allowed` lend context and are left out. `without` names signals to switch off.
    """
    settings = query.settings
    parts: dict[str, Floats] = {}
    for name, weight in _weights(settings).items():
        if name not in without:
            parts[name] = np.float32(weight) * SIGNALS[name](query)
    if "lexical" in parts and "context" not in without:
        parts["context"] = spread(query, parts["lexical"])
    total = np.zeros(query.view.size, dtype=np.float32)
    for part in parts.values():
        total += part
    if allowed is not None:
        total[~allowed] = -np.inf
    rows = _best(total, max(k, settings.candidates))
    scores = total[rows]
    chosen = {name: part[rows] for name, part in parts.items()}
    if "session" not in without:
        chosen["session"] = np.float32(settings.session) * session_means(
            query.view.sessions[rows], scores, settings.session_turns
        )
        scores = scores + chosen["session"]
    order = np.argsort(-scores, kind="stable")
    return Fused(rows[order], scores[order], {name: part[order] for name, part in chosen.items()})


def _weights(settings: RetrievalSettings) -> dict[str, float]:
    return {
        "dense": settings.dense,
        "lexical": 1.0,
        "speaker": settings.speaker,
        "person": settings.person,
        "time": settings.time,
        "phrase": settings.phrase,
    }


def spread(query: Query, own: Floats) -> Floats:
    """What the turns around each turn add to it: less, the longer the turn itself is."""
    settings, view = query.settings, query.view
    rows = np.flatnonzero(view.previous >= 0)
    earlier = view.previous[rows]
    around = np.zeros_like(own)
    for weights, step in ((settings.before, _from_earlier), (settings.after, _from_later)):
        moved = own
        for weight in weights:
            moved = step(moved, rows, earlier)
            around += np.float32(weight) * moved
    leaning = np.float32(settings.context_length) / (np.float32(settings.context_length) + view.lengths)
    return around * leaning


def _from_earlier(scores: Floats, rows: Rows, earlier: NDArray[np.int32]) -> Floats:
    moved = np.zeros_like(scores)
    moved[rows] = scores[earlier]
    return moved


def _from_later(scores: Floats, rows: Rows, earlier: NDArray[np.int32]) -> Floats:
    moved = np.zeros_like(scores)
    moved[earlier] = scores[rows]
    return moved


def session_means(sessions: NDArray[np.int32], scores: Floats, turns: int) -> Floats:
    """For every candidate the mean of its session's best `turns` scores; absent ones count as 0. Candidates come best first."""
    _, members = np.unique(sessions, return_inverse=True)
    order = np.argsort(members, kind="stable")
    grouped = members[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]]) if len(grouped) else np.empty(0, dtype=np.intp)
    place = np.arange(len(grouped)) - np.repeat(starts, np.diff(starts, append=len(grouped)))
    counted = order[place < turns]
    sums = np.bincount(members[counted], weights=scores[counted], minlength=len(starts))
    means: Floats = (sums[members] / turns).astype(np.float32)
    return means


def _best(scores: Floats, count: int) -> Rows:
    """Rows of the `count` highest finite scores, best first; of equal ones the earlier row."""
    rows = np.flatnonzero(np.isfinite(scores))
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count)[:count]]
        rows.sort()
    return rows[np.argsort(-scores[rows], kind="stable")]
