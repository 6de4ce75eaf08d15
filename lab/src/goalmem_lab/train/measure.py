"""How well a reader reads: token F1 where the answer is there, rejection where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.models.protocol import SpanReader
from goalmem_lab.train.cases import Case, Kind
from goalmem_lab.train.token_overlap import best_f1

THRESHOLD = 0.5
"""A window counts as answering when `present` is at least this: what a calibrated probability means."""
BINS = 10

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one corpus; shares and means in [0, 1]."""

    windows: int
    f1: float
    """Mean token F1 of the best span where the answer is there."""
    f1_if_present: float
    """The same with 0 where the reader says that it is not there."""
    accepted: float
    """Share of windows with the answer that it says hold it."""
    rejected: float
    """Share of windows of the same document without it that it says do not."""
    rejected_person: float | None
    rejected_alike: float | None
    rejected_unanswerable: float | None
    auroc: float
    """Of `present`, windows with the answer against all others."""

    def rounded(self) -> dict[str, float | None]:
        """For people and for JSON."""
        return {name: None if value is None else round(value, 3) for name, value in asdict(self).items()}


def measured(reader: SpanReader, cases: Sequence[Case]) -> Figures:
    """The figures of `reader` on cases of one corpus, some of which hold the answer."""
    readings = reader.read([(case.question, case.passage) for case in cases], limit=1)
    present = np.array([reading.present for reading in readings])
    kinds = np.array([case.kind.value for case in cases])
    there = kinds == Kind.ANSWER.value
    f1 = np.array(
        [
            max((best_f1(case.passage[span.start : span.end], case.texts) for span in reading.spans), default=0.0)
            for case, reading in zip(cases, readings, strict=True)
        ]
    )

    def rejected(kind: Kind) -> float | None:
        chosen = present[kinds == kind.value]
        return float((chosen < THRESHOLD).mean()) if len(chosen) else None

    return Figures(
        windows=len(cases),
        f1=float(f1[there].mean()),
        f1_if_present=float((f1 * (present >= THRESHOLD))[there].mean()),
        accepted=float((present[there] >= THRESHOLD).mean()),
        rejected=rejected(Kind.WITHOUT) or 0.0,
        rejected_person=rejected(Kind.PERSON),
        rejected_alike=rejected(Kind.ALIKE),
        rejected_unanswerable=rejected(Kind.UNANSWERABLE),
        auroc=auroc(present[there].tolist(), present[~there].tolist()),
    )


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


def reliability(probabilities: Numbers, right: Numbers) -> list[Bin]:
    """Ten bins of equal width, those that hold an answer, in order."""
    places = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    return [
        Bin(
            place / BINS,
            (place + 1) / BINS,
            int((places == place).sum()),
            float(probabilities[places == place].mean()),
            float(right[places == place].mean()),
        )
        for place in range(BINS)
        if (places == place).any()
    ]


def calibration_error(probabilities: Numbers, right: Numbers) -> float:
    """Expected calibration error (Guo et al. 2017): mean distance of confidence and share right, over bins by their size."""
    found = reliability(probabilities, right)
    return sum(b.count * abs(b.confidence - b.right) for b in found) / max(1, len(probabilities))


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Chance that a positive scores above a negative, ties counted half (Mann and Whitney, 1947)."""
    ordered = np.sort(np.array(negative))
    below = np.searchsorted(ordered, positive, side="left")
    upto = np.searchsorted(ordered, positive, side="right")
    return float((below + upto).mean() / (2 * max(1, len(ordered))))
