"""The status and the kind of a proof, by the certainty of its leaves and by what it rests on (reasoning.md, What an answer is called)."""

from __future__ import annotations

from goalmem.engine.outcome import Solution
from goalmem.logic.terms import KIND_OPEN, Aggregate, Derivation
from goalmem.proof.document import Node, Proof, Status, all_nodes
from goalmem.proof.node_check import is_walk

PROVED_CERTAINTY = 0.95
"""Least certainty of every judged leaf of a proof with status proved. The bundled judge does not reach it on conversations that it was not
trained on; there, half of its most certain verdicts (.85 and more) are right."""
PROVED_FIT = 0.75
"""Least score of every fact that a strict frame match accepted, and of every rule."""


def grade(proof: Proof) -> Status:
    """Return `proved` if every leaf is stated or judged with enough certainty, otherwise `likely`.

    What only a chat model says is not enough: that the question asks this goal, or that words say a step.
    """
    nodes = list(all_nodes(proof.root, proof.lemmas)) if proof.root is not None else []
    read = not proof.judge or is_of_walks(proof)  # a graph's critic reads a question as a walk, and that is judged
    return "proved" if read and all(map(certain, nodes)) else "likely"


def is_of_walks(proof: Proof) -> bool:
    """True if all steps are walks or edges of one, in the form used before walks were steps: these match no words."""
    steps = [step for solution in proof.root.children for step in solution.children] if proof.root is not None else []
    return all(is_walk(step) or (step.kind == "edge" and not step.alignment) for step in steps)


def certain(node: Node) -> bool:
    """True if a step is certain enough for status proved."""
    if any(binding.derivation is Derivation.SAID for binding in node.bindings):
        return False  # The day of saying is not necessarily the day of the event.
    if node.kind == "fact" and any(entry.how == KIND_OPEN for entry in node.alignment):
        return False  # It may be of another kind than the question asks for.
    if node.kind in ("fact", "rule") and node.judge:
        return False  # A model read or assumed it, and no other judged it.
    if node.judgement is not None:
        return node.judgement.certainty >= PROVED_CERTAINTY
    return node.kind not in ("fact", "rule") or node.weight >= PROVED_FIT


def required_confidence(aggregate: Aggregate, least: float) -> float:
    """Least confidence of an answer that is not withheld: for two answers, each must be as certain as one alone."""
    return least**2 if aggregate is Aggregate.EACH else least


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
