"""Weights from labels: a linear model over signals, fitted listwise.

For a question's candidates and each of its evidence sessions the loss is

    -log( sum over P of e^s / (sum over P of e^s + sum over N of e^s) ),    s = SCALE * sum over k of w_k x_k

with P the evidence turns of that session and N the turns of sessions that are no evidence: a softmax over a list (ListNet, Cao et
al. 2007) in which any turn of P will do. A session's evidence counts its share of the question. To the mean over all lists is
added PENALTY * sum over k of ((w_k - prior_k) * SCALE * sd_k)^2, with sd_k the standard deviation of signal k over all candidates:
where the labels say little, what was set by hand stands. Weights are not negative. Minimised with L-BFGS-B.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import FormatError, InputError, ModelError
from goalmem.retrieve.settings import Weights
from goalmem_lab.train.datasets import read_json

SCALE = 12.0
"""How sharply a list is judged: two turns whose scores differ by .1 are told apart as 3 to 1. Set by hand: with the prior's
weights the first turns of a list differ by about that."""
PENALTY = 0.03
"""How strongly weights are drawn to the prior. From .01 to .5 cross-validated figures are alike, within two or three questions."""
MOST_STEPS = 200

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The candidates of one question, with their labels."""

    signals: NDArray[np.float32]
    """Shape (candidates, signals)."""
    evidence: tuple[Rows, ...]
    """Candidates that are evidence, by session; none is empty."""
    others: Rows
    """Candidates of sessions that are no evidence."""


def check_fitting() -> None:
    """Raises ModelError when the package that fits is not installed."""
    if find_spec("scipy") is None:
        raise ModelError(
            "Fitting needs the package 'scipy', which is not installed.", 'Install it: pip install "goalmem-lab[eval]".'
        )


def fit(
    lists: Sequence[Judged], prior: Mapping[str, float], frozen: Collection[str] = (), *, penalty: float = PENALTY
) -> dict[str, float]:
    """The weights of the signals, which are the columns of the lists in the order of `prior`.

    Those `frozen`, and those that say the same of every candidate, keep their prior. Raises InputError when no list has
    both evidence and something else.
    """
    from scipy.optimize import minimize

    usable = [judged for judged in lists if judged.evidence and len(judged.others)]
    if not usable:
        raise InputError(
            "There is nothing to fit weights to: no question has both evidence and other turns among its candidates.",
            "Fit to more questions.",
        )
    names = list(prior)
    start = np.array([prior[name] for name in names], dtype=np.float64)
    values = np.concatenate([judged.signals for judged in usable]).astype(np.float64)
    spread = SCALE * values.std(axis=0)
    free = np.array([name not in frozen for name in names]) & (spread > 0)
    model = _Listwise.of(usable, values, free, start, spread)
    # In units of a signal's spread all weights matter alike, which is what the minimiser likes.
    origin = start[free] * spread[free]

    def objective(scaled: Floats) -> tuple[float, Floats]:
        loss, gradient = model.loss(scaled)
        away = scaled - origin
        return loss + penalty * float(away @ away), gradient + 2 * penalty * away

    bounds = [(0.0, None)] * int(free.sum())
    found = minimize(objective, origin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": MOST_STEPS})
    weights = start.copy()
    weights[free] = found.x / spread[free]
    return dict(zip(names, weights.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Listwise:
    """All lists as one matrix: segment after segment, each the evidence of a session or what is none of a list."""

    values: Floats
    """Free signals in units of their spread, shape (rows, free signals)."""
    fixed: Floats
    """What frozen signals add to the score of each row."""
    starts: Rows
    """First row of each segment."""
    lengths: Rows
    evidence: Rows
    """The segments that are evidence of a session."""
    against: Rows
    """For each of these the segment of the same list that is none."""
    shares: Floats
    """What each of these counts; all together 1."""

    @classmethod
    def of(
        cls, lists: Sequence[Judged], values: Floats, free: NDArray[np.bool_], start: Floats, spread: Floats
    ) -> _Listwise:
        rows: list[Rows] = []
        evidence: list[int] = []
        against: list[int] = []
        shares: list[float] = []
        first = 0
        for judged in lists:
            others = len(rows)
            rows.append(first + judged.others)
            for own in judged.evidence:
                evidence.append(len(rows))
                against.append(others)
                shares.append(1 / (len(judged.evidence) * len(lists)))
                rows.append(first + own)
            first += len(judged.signals)
        lengths = np.array([len(segment) for segment in rows])
        order = np.concatenate(rows)
        taken = values[order]
        return cls(
            values=taken[:, free] * (SCALE / spread[free]),
            fixed=SCALE * (taken[:, ~free] @ start[~free]),
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            evidence=np.array(evidence),
            against=np.array(against),
            shares=np.array(shares),
        )

    def loss(self, scaled: Floats) -> tuple[float, Floats]:
        """The mean loss of a list and its gradient by `scaled`."""
        scores = self.values @ scaled + self.fixed
        sums = np.logaddexp.reduceat(scores, self.starts)
        wins, losses = sums[self.evidence], sums[self.against]
        both = np.logaddexp(wins, losses)
        missed = self.shares * np.exp(losses - both)
        by_segment = np.zeros(len(sums))
        by_segment[self.evidence] = -missed
        np.add.at(by_segment, self.against, missed)
        by_row = np.exp(scores - np.repeat(sums, self.lengths)) * np.repeat(by_segment, self.lengths)
        return float(self.shares @ (both - wins)), by_row @ self.values


DIGITS = 4
"""After the point: finer differences change no ranking that is measured."""


def read_weights(path: Path) -> Weights:
    """The weights in a file; signals that it leaves out keep the weight that ships. Raises FormatError."""
    document = read_json(path)
    known = Weights().as_dict()
    if not isinstance(document, dict):
        raise FormatError(f"{path.name} is not a JSON object of weights.", "Write one with `goalmem eval fit`.")
    for name, value in document.items():
        if name not in known:
            raise FormatError(f"{path.name} weighs {name!r}, which is no signal.", f"Signals are: {', '.join(known)}.")
        # A comparison that NaN fails, too.
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise FormatError(f"The weight of {name!r} in {path.name} is {value!r}.", "Give a number, 0 or more.")
    return replace(Weights(), **{name: float(value) for name, value in document.items()})


def write_weights(weights: Mapping[str, float], path: Path) -> None:
    """Write weights as `read_weights` reads them. Raises InputError when the file cannot be written."""
    rounded = {name: round(value, DIGITS) for name, value in weights.items()}
    try:
        path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.", "Choose another place.") from error
