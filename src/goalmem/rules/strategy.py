"""How a proof decided its question, in EVR's words."""

from __future__ import annotations

from goalmem.proof.document import Proof
from goalmem.rules.program import Strategy

__all__ = ["strategy_of"]


def strategy_of(proof: Proof) -> Strategy:
    """Whether the question was proved, its opposite was, or neither could be."""
    tops = [n for solution in (proof.root.children if proof.root is not None else ()) for n in solution.children]
    if proof.status == "unknown" or any(n.kind == "closed-world" for n in tops):
        return Strategy.FAIL_TO_PROVE
    denied = any(n.negated for top in tops for _, n in top.walk())
    return Strategy.INVERSE_PROOF if denied else Strategy.PROOF
