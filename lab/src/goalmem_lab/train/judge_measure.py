"""How well a judge judges, and the temperature at which its probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.models.protocol import Judge
from goalmem_lab.train.lives import Claim, Label
from goalmem_lab.train.measure import auroc, calibration_error

NAMES = (Label.ENTAILED, Label.CONTRADICTED, Label.NOT_SAID)
TEMPERATURES = tuple(round(0.5 + 0.05 * step, 2) for step in range(71))


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """Of claims over the turns that bear on them; shares in [0, 1]."""

    claims: int
    accuracy: float
    """Share of the three classes named rightly, of whole statements."""
    auroc: float
    """Of the probability of entailment, entailed statements against all others."""
    contradicted: float
    """Of the probability of contradiction, contradicted statements against all others: AUROC."""
    calibration_error: float
    """Of the probability of entailment, in ten bins of equal width (expected calibration error)."""
    yes_no: float
    """Share of questions of yes or no for which the right one is judged entailed more surely than the other."""

    def rounded(self) -> dict[str, float | None]:
        """For people and for JSON."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


def judged_well(judge: Judge, claims: Sequence[Claim]) -> JudgeFigures:
    """The figures of `judge` on `claims`, all of which have one of the three labels."""
    stated = [claim for claim in claims if not claim.statement.answer]
    verdicts = judge.judge([(claim.statement, claim.excerpt) for claim in stated])
    scores = np.array([[v.entailed, v.contradicted, v.not_said] for v in verdicts]).reshape(-1, len(NAMES))
    gold = np.array([NAMES.index(claim.label) for claim in stated])
    entailed, contradicted = gold == 0, gold == 1
    return JudgeFigures(
        claims=len(stated),
        accuracy=float((scores.argmax(1) == gold).mean()),
        auroc=auroc(scores[entailed, 0].tolist(), scores[~entailed, 0].tolist()),
        contradicted=auroc(scores[contradicted, 1].tolist(), scores[~contradicted, 1].tolist()),
        calibration_error=calibration_error(scores[:, 0], entailed.astype(np.float64)),
        yes_no=_yes_no(judge, claims),
    )


def _yes_no(judge: Judge, claims: Sequence[Claim]) -> float:
    asked = [claim for claim in claims if claim.statement.answer in ("yes", "no")]
    verdicts = judge.judge([(claim.statement, claim.excerpt) for claim in asked])
    sure: dict[tuple[str, str], dict[Label, float]] = {}
    for claim, verdict in zip(asked, verdicts, strict=True):
        sure.setdefault((claim.statement.question, claim.excerpt.text), {})[claim.label] = verdict.entailed
    pairs = [each for each in sure.values() if len(each) > 1]
    return sum(each[Label.ENTAILED] > each[Label.CONTRADICTED] for each in pairs) / max(1, len(pairs))


def temperature(logits: NDArray[np.float64], claims: Sequence[Claim]) -> float:
    """What the logits are divided by so that the labels of `claims` are likeliest (Guo et al., 2017, section 4.2)."""
    gold = np.array([NAMES.index(claim.label) for claim in claims])

    def likelihood(value: float) -> float:
        scaled = logits / value
        logs = scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)
        return float(logs[np.arange(len(gold)), gold].mean())

    return max(TEMPERATURES, key=likelihood)
