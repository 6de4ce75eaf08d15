"""Logistic models over named features, fitted with a ridge by Newton's method (Hastie et al. 2009, section 4.4.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from goalmem.rules.learned.features import Linear

SEEN = 2
"""Examples that a feature must be in to have a weight."""
STEPS = 30
CLOSE = 1e-4
"""The fit ends when no weight moves more than this in a step."""
BIAS_RIDGE = 0.01
"""Precision of the bias's prior, as a share of the weights'."""
CERTAIN = 30.0
"""Log-odds beyond which a probability is 0 or 1."""
CHUNK = 2048
"""Examples that are counted at a time."""
DIGITS = 4
SMALLEST = 1e-3
"""Weights that come to less are left out."""

_Array = NDArray[np.float64]
_Ids = NDArray[np.int64]


Labelled: TypeAlias = tuple[Collection[str], bool, float]
"""Features, whether the answer is yes, and how much the example counts."""


def fit(examples: Sequence[Labelled], ridge: float = 1.0) -> Linear:
    """The model that makes the labels likeliest, its weights kept small by `ridge` (a Gaussian prior's precision)."""
    counts = Counter(feature for features, _, _ in examples for feature in features)
    names = sorted(feature for feature, n in counts.items() if n >= SEEN)
    places = {name: n for n, name in enumerate(names)}
    rows: dict[tuple[frozenset[int], bool], float] = defaultdict(float)
    for features, label, weight in examples:
        rows[frozenset(places[f] for f in features if f in places), label] += weight
    often = np.array(list(rows.values()), float)
    labels = np.array([label for _, label in rows], float)
    penalty = np.array([ridge] * len(names) + [ridge * BIAS_RIDGE])
    weights = _newton(_active([row for row, _ in rows], len(names)), labels, often, penalty)
    kept = {name: round(float(w), DIGITS) for name, w in zip(names, weights, strict=False) if abs(w) >= SMALLEST}
    return Linear(round(float(weights[-1]), DIGITS), kept)


def _active(rows: Sequence[Collection[int]], size: int) -> _Ids:
    """Each row's features and the bias (`size`), filled up with one more place that has no weight: rows x most."""
    most = max(map(len, rows)) + 1
    ids = np.full((len(rows), most), size + 1, np.int64)
    for n, row in enumerate(rows):
        ids[n, : len(row)] = sorted(row)
        ids[n, len(row)] = size
    return ids


def _newton(ids: _Ids, y: _Array, often: _Array, penalty: _Array) -> _Array:
    size = len(penalty)
    weights = np.zeros(size + 1)  # the last stays 0: the place that fills rows up
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(weights[ids].sum(1), -CERTAIN, CERTAIN)))
        wrong = np.repeat((p - y) * often, ids.shape[1])
        slope = np.bincount(ids.ravel(), wrong, size + 1)[:size] + penalty * weights[:size]
        move = np.linalg.solve(_curvature(ids, p * (1 - p) * often, size) + np.diag(penalty), slope)
        weights[:size] -= move
        if np.abs(move).max() < CLOSE:
            break
    return weights[:size]


def _curvature(ids: _Ids, by: _Array, size: int) -> _Array:
    """Sum of the rows' outer products, each times its number in `by`; rows have few features, so pairs are counted."""
    total = np.zeros((size + 1) ** 2)
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        pairs = (part[:, :, None] * (size + 1) + part[:, None, :]).ravel()
        total += np.bincount(pairs, np.repeat(by[start : start + CHUNK], part.shape[1] ** 2), len(total))
    return total.reshape(size + 1, size + 1)[:size, :size]
