"""The status of an answered proof, by the certainty of its leaves (design.md, What an answer may be called)."""

from __future__ import annotations

from goalmem.logic.terms import KIND_OPEN, Aggregate, Derivation
from goalmem.proof.document import Node, Proof, Status, all_nodes
from goalmem.proof.node_check import is_walk

PROVED_CERTAINTY = 0.95
"""Least certainty of every judged leaf of a proof with status proved. The bundled judge does not reach it on conversations that it was not
trained on; there, half of its most certain verdicts (.85 and more) are right."""
PROVED_FIT = 0.75
"""Least score of every fact that a strict frame match accepted."""


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
    return node.kind != "fact" or node.weight >= PROVED_FIT


def required_confidence(aggregate: Aggregate, least: float) -> float:
    """Least confidence of an answer that is not withheld: for two answers, each must be as certain as one alone."""
    return least**2 if aggregate is Aggregate.EACH else least
