"""What checking a proof asks of a space that has a graph: of its memory and its rules as ever, and of its triples as they
are now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.graph.citing import TRIPLE
from goalmem.graph.record import GraphRecord
from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Proof, Status
from goalmem.proof.oracles import EvidenceTurn
from goalmem.sources.check import Checker
from goalmem.sources.graph import EdgeSource
from goalmem.sources.ruled_check import RuledChecker

__all__ = ["GraphedChecker"]


@dataclass(frozen=True)
class GraphedChecker:
    """Evidence reader, entailment oracle, rule book and closed world for `logic.verify`."""

    memory: Checker | RuledChecker
    edges: EdgeSource
    record: GraphRecord
    """Of the same graph: what walks are checked with."""

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, the sentence or the triple with this id."""
        return self.record.content(turn_id) if turn_id.startswith(TRIPLE) else self.memory.content(turn_id)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether what was said, or the triple cited, entails the atom; what was said may entail its opposite."""
        if not any(e.turn.startswith(TRIPLE) for e in evidence):
            return self.memory.entails(atom, bindings, evidence, negated)
        word_for_word = self.record.entails(atom, bindings, evidence, negated)
        if word_for_word[0] or negated:
            return word_for_word
        return self.edges.entails(atom, bindings, evidence)

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a step along an edge is worth: in a walk what its critic says, else how well the triple says the atom."""
        if not any(e.turn.startswith(TRIPLE) for e in evidence):
            return self.memory.weight(goal, atom, bindings, evidence)
        walked = self.record.weight(goal, atom, bindings, evidence)
        return walked if walked is not None else self.edges.weight(atom, bindings, evidence)

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """What was said later in place of what is cited, or against it; no triple is."""
        if any(e.turn.startswith(TRIPLE) for e in evidence):
            return ""
        return self.memory.replaced(goal, atom, bindings, evidence, negated)

    def grade(self, proof: Proof) -> Status:
        """What an answered proof may be called."""
        return self.memory.grade(proof)

    def kept(self, digest: str, judge: str) -> bool:
        """Whether the proof is on record as it was made; what the graph's own critic says is worked out anew."""
        return judge == self.record.judge or self.memory.kept(digest, judge)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is stated in the space, or common knowledge."""
        return self.memory.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule; where the space has no rules, whether it is common knowledge."""
        if isinstance(self.memory, RuledChecker):
            return self.memory.stated_in(rule, evidence)
        return not evidence and self.memory.states(rule)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom is proved or may be."""
        return self.memory.proves(atom)

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether the question may be read as the goal without a judge."""
        return self.memory.asks(goal, asked)

    def is_a(self, value: Value, type: str) -> bool:
        """Types are checked by `entails`."""
        return self.memory.is_a(value, type)

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of a text's words."""
        return self.memory.lemmas(text)

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Whether a chat model's judgement is on record; none stands for a triple."""
        if any(e.turn.startswith(TRIPLE) for e in evidence):
            return self.record.judged(ground, bindings, evidence, negated, judge)
        return self.memory.judged(ground, bindings, evidence, negated, judge)

    def assumed(self, rule: Rule, judge: str) -> bool:
        """Whether a chat model's rule is on record as offered."""
        return self.memory.assumed(rule, judge)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether the graph's critic reads the question as the walk, or a chat model's reading is on record."""
        return self.record.reads(goal) if judge == self.record.judge else self.memory.read_by(goal, asked, judge)
