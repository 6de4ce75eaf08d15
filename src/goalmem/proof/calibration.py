"""From the score of a proof to the probability that its answer is right.

Scores of steps multiply, and none of them was made to be a probability. What an answer is worth is found by comparing scores with
right and wrong answers (Platt 1999): on the log-odds of a score a line is fitted, two numbers for each kind of proof. The line never
falls, so calibration changes no order among proofs of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from goalmem.engine.outcome import Solution
from goalmem.proof.document import Proof

__all__ = [
    "JUDGED",
    "KINDS",
    "MAPS",
    "PASSAGES",
    "PROVED",
    "READ",
    "Platt",
    "calibrated",
    "kind_of",
    "kind_of_solution",
]

EXTREME = 1e-3
"""Scores nearer to 0 or 1 count as this near: no proof is that bad or that good, and their log-odds are endless."""
PROVED = "proved"
"""Proofs of which code checks every step."""
READ = "read"
"""Proofs of which a span reader read some step out of a passage."""
JUDGED = "judged"
"""Proofs that rest on what a chat model said of a step."""
KINDS = (PROVED, READ, JUDGED)
PASSAGES = "passages"
"""The source of steps that a span reader reads."""


@dataclass(frozen=True, slots=True)
class Platt:
    """p = 1 / (1 + exp(-(slope * log(s / (1 - s)) + shift)))."""

    slope: float = 1.0
    """Not negative."""
    shift: float = 0.0

    def __call__(self, raw: float) -> float:
        """The probability that a score stands for."""
        held = min(max(raw, EXTREME), 1 - EXTREME)
        odds = self.slope * math.log(held / (1 - held)) + self.shift
        # Where exp would overflow the answer is as good as 0.
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


MAPS: Mapping[str, Platt] = {}
"""By kind of proof, as `goalmem eval calibrate` fits them. A kind that is not here keeps its scores: those of facts are too few to
be fitted to, and what is read has a probability already (`sources.certainty.answer_ranking.certainty`, fitted to held-out conversations of `lab/lives`)."""


def calibrated(raw: float, kind: str = PROVED) -> float:
    """The probability in [0, 1] that an answer with this score is right; monotone in `raw` for each kind."""
    found = MAPS.get(kind)
    return found(raw) if found is not None else min(max(raw, 0.0), 1.0)


def kind_of_solution(solution: Solution) -> str:
    """What a solution rests on."""
    steps = [closed.step for node in solution.nodes for closed in node.walk() if closed.step is not None]
    if any(step.judge for step in steps):
        return JUDGED
    return READ if any(step.source == PASSAGES for step in steps) else PROVED


def kind_of(proof: Proof) -> str:
    """What a proof rests on."""
    nodes = [node for _, node in proof.root.walk()] if proof.root is not None else []
    if proof.judge or any(node.judge for node in nodes):
        return JUDGED
    return READ if any(node.source == PASSAGES for node in nodes) else PROVED
