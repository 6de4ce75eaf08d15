"""What a proof rests on, and the probability that its score stands for."""

from __future__ import annotations

from goalmem.engine.outcome import Solution
from goalmem.proof.document import Proof

PROVED = "proved"
"""Proofs of which code checks every step."""
READ = "read"
"""Proofs of which a span reader read some step out of a passage."""
JUDGED = "judged"
"""Proofs that rest on what a chat model said of a step."""
PASSAGES = "passages"
"""The source of steps that a span reader reads."""


def calibrated(raw: float, kind: str = PROVED) -> float:
    """The probability in [0, 1] that an answer with this score is right: the score itself, for proofs of every kind.

    What is read was given a probability (`sources.certainty.answer_ranking`, fitted to held-out conversations of `lab/lives`); proofs
    from facts are too few to fit anything to. `goalmem eval calibrate` measures how well both hold.
    """
    del kind
    return min(max(raw, 0.0), 1.0)


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
