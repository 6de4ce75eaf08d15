"""What a proof rests on, and the probability that its score stands for."""

from __future__ import annotations

from goalmem.engine.outcome import Solution
from goalmem.proof.document import Proof

PROVED = "proved"
"""Proofs whose every step is checked by code."""
READ = "read"
"""Proofs with a step that a span reader read out of a passage."""
JUDGED = "judged"
"""Proofs that rest on a chat model's judgement of a step."""
PASSAGES = "passages"
"""Source of the steps that a span reader reads."""


def calibrated(raw: float, kind: str = PROVED) -> float:
    """The probability in [0, 1] that an answer with this score is right: the score itself, for all kinds of proofs.

    Scores of read answers are probabilities already (`sources.certainty.answer_ranking`, fitted to held-out conversations of `lab/lives`);
    there are too few proofs from facts to fit anything. `goalmem eval calibrate` measures both.
    """
    del kind
    return min(max(raw, 0.0), 1.0)


def kind_of_solution(solution: Solution) -> str:
    """The kind of a solution: what it rests on."""
    steps = [closed.step for node in solution.nodes for closed in node.walk() if closed.step is not None]
    if any(step.judge for step in steps):
        return JUDGED
    return READ if any(step.source == PASSAGES for step in steps) else PROVED


def kind_of(proof: Proof) -> str:
    """The kind of a proof: what it rests on."""
    nodes = [node for _, node in proof.root.walk()] if proof.root is not None else []
    if proof.judge or any(node.judge for node in nodes):
        return JUDGED
    return READ if any(node.source == PASSAGES for node in nodes) else PROVED
