"""What an answered proof may be called, by how sure its judged leaves are."""

from __future__ import annotations

from goalmem.proof.document import Proof, Status, reached

__all__ = ["PROVED_CERTAINTY", "grade"]

PROVED_CERTAINTY = 0.9
"""Least certainty of every judged leaf of what is called proved. Until the judge is trained and its threshold chosen on
`lives/train`, a probability at which nobody would call it a guess."""


def grade(proof: Proof, least: float = PROVED_CERTAINTY) -> Status:
    """`likely` where some leaf of the answer is judged with less certainty than `least`, else `proved`."""
    nodes = reached(proof.root, proof.lemmas) if proof.root is not None else ()
    judged = [n.judgement.certainty for n in nodes if n.judgement is not None]
    return "likely" if judged and min(judged) < least else "proved"
