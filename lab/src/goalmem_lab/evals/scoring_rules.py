"""How good probabilities are: calibration error, Brier score, log loss, and how well they rank (AUROC)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "Bin", "auroc", "brier", "calibration_error", "log_loss", "reliability"]

BINS = 10
LEAST = 1e-6
"""Nearest to 0 or 1 that a probability counts for the log loss, which is endless there."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about one confidence."""

    low: float
    high: float
    count: int
    confidence: float
    """Their mean."""
    right: float
    """Share of them that is right."""


def reliability(probabilities: Numbers, right: Numbers, bins: int = BINS) -> list[Bin]:
    """Bins of equal width that hold an answer, in order."""
    places = np.minimum((probabilities * bins).astype(int), bins - 1)
    return [
        Bin(
            place / bins,
            (place + 1) / bins,
            int((places == place).sum()),
            float(probabilities[places == place].mean()),
            float(right[places == place].mean()),
        )
        for place in range(bins)
        if (places == place).any()
    ]


def calibration_error(probabilities: Numbers, right: Numbers, bins: int = BINS) -> float:
    """Expected calibration error (Guo et al. 2017): mean distance of confidence and share right, over bins by their size."""
    found = reliability(probabilities, right, bins)
    return sum(b.count * abs(b.confidence - b.right) for b in found) / max(1, len(probabilities))


def brier(probabilities: Numbers, right: Numbers) -> float:
    """Mean squared error."""
    return float(np.mean((probabilities - right) ** 2))


def log_loss(probabilities: Numbers, right: Numbers) -> float:
    """Mean negative log-likelihood, natural logarithm."""
    held = np.clip(probabilities, LEAST, 1 - LEAST)
    return float(-np.mean(right * np.log(held) + (1 - right) * np.log(1 - held)))


def auroc(scores: Numbers, positive: Numbers) -> float | None:
    """Probability that a positive has a higher score than a negative, ties counting half; None when either is missing."""
    from scipy.stats import rankdata

    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return None
    ranks = rankdata(scores)
    return float((ranks[positive > 0].sum() - positives * (positives + 1) / 2) / (positives * negatives))
