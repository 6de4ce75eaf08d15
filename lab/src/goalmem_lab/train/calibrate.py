"""Calibration on held-out windows: the temperature over spans, and the presence of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from goalmem.models.encoder_file import PairWindow, pair_windows
from goalmem.models.span_reader import Calibration, WindowLogits, answer_odds, span_sums
from goalmem_lab.train.cases import Case, Kind

Logits = Callable[[PairWindow], WindowLogits]

ANSWERING = 0.4
"""Share of windows that answer, for which probabilities are calibrated: among what a search brings they are fewer."""
PRIORS = {Kind.ANSWER: 1.0, Kind.WITHOUT: 0.4, Kind.PERSON: 0.2, Kind.ALIKE: 0.2, Kind.UNANSWERABLE: 0.2}
"""How much each kind counts among the windows that answer, and among those that do not."""
TEMPERATURES = tuple(round(0.5 + 0.1 * step, 1) for step in range(36))
RIDGE = 1e-3
"""Keeps the logistic fit finite."""


def calibrated(cases: Sequence[Case], tokenizer: Tokenizer, logits: Logits) -> Calibration:
    """The calibration under which `logits` gives the marked answers and the absent ones the highest likelihood."""
    windows = pair_windows(tokenizer, [(case.question, case.passage) for case in cases], most=1)
    read = [(case, own[0], logits(own[0])) for case, own in zip(cases, windows, strict=True) if own[0].offsets]
    marked = [found for each in read if (found := _marked(*each))]
    temperature = max(TEMPERATURES, key=lambda value: sum(_likelihood(sums / value, here) for sums, here in marked))
    features = np.array(
        [[said.present, answer_odds(case.passage, window, said, temperature), 1.0] for case, window, said in read]
    )
    there = np.array([case.kind is Kind.ANSWER for case, _, _ in read], dtype=float)
    ridge = np.full(features.shape[1], RIDGE)
    head, odds, bias = logistic(features, there, ridge, _weights([case for case, _, _ in read])).tolist()
    return Calibration(temperature, round(head, 4), round(odds, 4), round(bias, 4))


def _marked(case: Case, window: PairWindow, said: WindowLogits) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """The sums of all spans and which are marked; None when none is."""
    if not case.answers:
        return None
    sums, starts, ends = span_sums(case.passage, window, said.spans)
    offsets = np.array(window.offsets)
    bounds = zip(offsets[starts, 0].tolist(), offsets[ends, 1].tolist(), strict=True)
    here = np.array([bound in case.answers for bound in bounds])
    return (sums, here) if here.any() else None


def _likelihood(scores: NDArray[np.float64], marked: NDArray[np.bool_]) -> float:
    """Log probability of the marked spans together, given that the answer is there."""
    return float(np.logaddexp.reduce(scores[marked]) - np.logaddexp.reduce(scores))


def _weights(cases: Sequence[Case]) -> NDArray[np.float64]:
    """A weight for each case: the corpora count the same, and in each the kinds by their priors."""
    keys = [(case.corpus, case.kind) for case in cases]
    counts = {key: keys.count(key) for key in set(keys)}
    weights = np.array([PRIORS[case.kind] / counts[case.corpus, case.kind] for case in cases])
    there = np.array([case.kind is Kind.ANSWER for case in cases])
    weights[there] *= ANSWERING / weights[there].sum()
    weights[~there] *= (1 - ANSWERING) / weights[~there].sum()
    return weights


def logistic(
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
    ridge: NDArray[np.float64],
    counts: NDArray[np.float64] | float = 1.0,
    offset: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """The likeliest weights of a logistic regression, by Newton's method. `ridge`: of each weight; `counts`: what each row counts;
    `offset`: log-odds that each row has already.
    """
    weights = np.zeros(features.shape[1])
    for _ in range(60):
        chance = 1.0 / (1.0 + np.exp(-np.clip(features @ weights + offset, -60.0, 60.0)))
        slope = features.T @ (counts * (chance - labels)) + ridge * weights
        curve = (features * (counts * chance * (1 - chance))[:, None]).T @ features
        move = np.linalg.solve(curve + np.diag(ridge), slope)
        weights -= move
        if np.abs(move).max() < 1e-9:
            break
    return weights
