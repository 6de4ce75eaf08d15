"""What an answered proof may be called, by how sure its leaves are (design.md, What an answer may be called)."""

from __future__ import annotations

from goalmem.logic.terms import KIND_OPEN, Aggregate, Derivation
from goalmem.proof.document import Node, Proof, Status, reached

__all__ = ["PROVED_CERTAINTY", "PROVED_FIT", "grade", "least_for"]

PROVED_CERTAINTY = 0.95
"""Least certainty of every judged leaf of what is called proved. The bundled judge does not reach it on the lives that it was not trained
on, where half of what it is surest of (.85 and more) is right."""
PROVED_FIT = 0.75
"""Least fit of every fact that a strict frame match took."""


def grade(proof: Proof) -> Status:
    """`proved` where every leaf is stated or judged surely enough, else `likely`."""
    nodes = reached(proof.root, proof.lemmas) if proof.root is not None else ()
    sure = all(certain(node) for node in nodes)
    return "proved" if sure else "likely"


def certain(node: Node) -> bool:
    """Whether a step is as sure as what is called proved must be."""
    if any(binding.derivation is Derivation.SAID for binding in node.bindings):
        return False  # That it was said on a day does not say that it happened then.
    if node.kind == "fact" and any(entry.how == KIND_OPEN for entry in node.alignment):
        return False  # It may be of another kind than the question asks for.
    if node.kind == "rule" and node.judge:
        return False  # A model assumed it, and nobody stated it.
    if node.judgement is not None:
        return node.judgement.certainty >= PROVED_CERTAINTY
    return node.kind != "fact" or node.weight >= PROVED_FIT


def least_for(aggregate: Aggregate, least: float) -> float:
    """The confidence under which an answer is withheld: of two answers each must be as sure as one alone."""
    return least**2 if aggregate is Aggregate.EACH else least
