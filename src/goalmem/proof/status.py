"""What an answered proof may be called, by how sure its leaves are (design.md, What an answer may be called)."""

from __future__ import annotations

from goalmem.logic.terms import KIND_OPEN, Aggregate, Derivation
from goalmem.proof.document import Node, Proof, Status, all_nodes
from goalmem.proof.node_check import is_walk

PROVED_CERTAINTY = 0.95
"""Least certainty of every judged leaf of what is called proved. The bundled judge does not reach it on the lives that it was not trained
on, where half of what it is surest of (.85 and more) is right."""
PROVED_FIT = 0.75
"""Least fit of every fact that a strict frame match took."""


def grade(proof: Proof) -> Status:
    """`proved` where every leaf is stated or judged surely enough, else `likely`.

    What a chat model alone says is neither: that the question asks this goal, or that words say a step.
    """
    nodes = list(all_nodes(proof.root, proof.lemmas)) if proof.root is not None else []
    read = not proof.judge or is_of_walks(proof)  # a graph's critic reads a question as a walk, and that is judged
    return "proved" if read and all(map(certain, nodes)) else "likely"


def is_of_walks(proof: Proof) -> bool:
    """Whether all steps are walks, or the edges of one, as they were written before a walk was a step: matched with no words."""
    steps = [step for solution in proof.root.children for step in solution.children] if proof.root is not None else []
    return all(is_walk(step) or (step.kind == "edge" and not step.alignment) for step in steps)


def certain(node: Node) -> bool:
    """Whether a step is as sure as what is called proved must be."""
    if any(binding.derivation is Derivation.SAID for binding in node.bindings):
        return False  # That it was said on a day does not say that it happened then.
    if node.kind == "fact" and any(entry.how == KIND_OPEN for entry in node.alignment):
        return False  # It may be of another kind than the question asks for.
    if node.kind in ("fact", "rule") and node.judge:
        return False  # A model read or assumed it, and no other judged it.
    if node.judgement is not None:
        return node.judgement.certainty >= PROVED_CERTAINTY
    return node.kind != "fact" or node.weight >= PROVED_FIT


def required_confidence(aggregate: Aggregate, least: float) -> float:
    """The confidence under which an answer is withheld: of two answers each must be as sure as one alone."""
    return least**2 if aggregate is Aggregate.EACH else least
