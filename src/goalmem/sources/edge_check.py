"""What checks edges: the triple cited is in the graph as it is now, and says the atom, word for word or unified anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from goalmem.graph.record import GraphRecord
from goalmem.logic.terms import Atom, Binding, Evidence, Goal
from goalmem.proof.document import Judgement, Node
from goalmem.proof.node_check import About, Asked, Finding, foreign, is_walk, leaf
from goalmem.sources.graph import EdgeSource

__all__ = ["EdgeChecker"]


@dataclass(frozen=True)
class EdgeChecker:
    """Checks what rests on single edges of one graph."""

    edges: EdgeSource
    record: GraphRecord
    """Of the same graph: what walks are checked with."""

    @cached_property
    def asked(self) -> Asked:
        """What this can be asked."""
        return Asked.of(self)

    def check(self, node: Node, about: About) -> Iterable[Finding]:
        """What is found of an edge."""
        return leaf(self.asked, node, about) if node.kind == "edge" and not is_walk(node) else foreign(node)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether the triple cited entails the atom, word for word or unified anew."""
        word_for_word = self.record.entails(atom, bindings, evidence, negated)
        if word_for_word[0] or negated:
            return word_for_word
        return self.edges.entails(atom, bindings, evidence)

    def judgement(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> Judgement | None:
        """None: an edge is there or not, and no judge is asked."""
        return None

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a step along an edge is worth: where the goal is a walk what its critic says, else how well the triple says it."""
        walked = self.record.weight(goal, atom, bindings, evidence)
        return walked if walked is not None else self.edges.weight(atom, bindings, evidence)
