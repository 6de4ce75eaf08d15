"""What checking a proof asks of a space: one checker, which leaves each step to what knows the source that the step names.

Statements that were said or read are checked by memory (`sources.check`), triples by the graph as it is now, walks by the
graph and its critic, rules by what is stated now. What a step cites must be there whichever of them is asked, so that to
name another source gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.graph.citing import TRIPLE
from goalmem.graph.record import GraphRecord, asks_walk
from goalmem.logic.terms import Aggregate, Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Proof, Status
from goalmem.proof.oracles import Entailment, EvidenceTurn
from goalmem.rules.record import Record
from goalmem.rules.sentences import RULE
from goalmem.rules.source import RuleSource
from goalmem.sources.check import Checker
from goalmem.sources.graph import SOURCE as EDGES
from goalmem.sources.graph import EdgeSource
from goalmem.sources.graph_walks import IMPORTED, OWN

__all__ = ["EdgeChecker", "SpaceChecker"]


@dataclass(frozen=True)
class EdgeChecker:
    """Entailment oracle for the edges of one graph."""

    edges: EdgeSource
    record: GraphRecord
    """Of the same graph: what walks are checked with."""

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether the triple cited entails the atom, word for word or unified anew."""
        word_for_word = self.record.entails(atom, bindings, evidence, negated)
        if word_for_word[0] or negated:
            return word_for_word
        return self.edges.entails(atom, bindings, evidence)

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a step along an edge is worth: where the goal is a walk what its critic says, else how well the triple says it."""
        walked = self.record.weight(goal, atom, bindings, evidence)
        return walked if walked is not None else self.edges.weight(atom, bindings, evidence)

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Never: no judgement stands for a triple."""
        return self.record.judged(ground, bindings, evidence, negated, judge)

    def assumed(self, rule: Rule, judge: str) -> bool:
        """Never: a graph has no rules."""
        return self.record.assumed(rule, judge)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether the graph's critic reads the question as the walk."""
        return self.record.read_by(goal, asked, judge)


@dataclass(frozen=True)
class SpaceChecker:
    """Evidence reader, entailment oracle by source, rule book, closed world and question reader of one space."""

    memory: Checker
    rules: RuleSource | None = None
    """None where the space has no rules."""
    graph: EdgeChecker | None = None
    """Of the imported graph; None where the space has none."""
    own_record: Callable[[], GraphRecord] | None = None
    """Makes what checks walks over the space's own edges; None where none can be kept."""

    def of(self, source: str) -> Entailment:
        """What checks the steps of a source."""
        if source == EDGES and self.graph is not None:
            return self.graph
        if source == IMPORTED and self.graph is not None:
            return self.graph.record
        if source == OWN and self.own is not None:
            return self.own
        return self.memory

    @cached_property
    def own(self) -> GraphRecord | None:
        """What checks walks over the space's own edges."""
        return self.own_record() if self.own_record is not None else None

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, the sentence or the triple with this id."""
        if turn_id.startswith(RULE) and self.rules is not None:
            return Record(self.rules.theory).content(turn_id)
        if turn_id.startswith(TRIPLE) and self.graph is not None:
            return self.graph.record.content(turn_id)
        return self.memory.content(turn_id)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether what was said entails the atom, or its opposite."""
        return self.memory.entails(atom, bindings, evidence, negated)

    def grade(self, proof: Proof) -> Status:
        """What an answered proof may be called."""
        return self.memory.grade(proof)

    def kept(self, digest: str, judge: str) -> bool:
        """Whether the proof is on record as it was made; what a graph's own critic says is worked out anew."""
        if self.graph is not None and judge == self.graph.record.judge:
            return True
        return self.memory.kept(digest, judge) or (self.own is not None and judge == self.own.judge)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is stated in the space, or common knowledge."""
        return (self.rules is not None and Record(self.rules.theory).states(rule)) or self.memory.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule; common knowledge is stated nowhere."""
        if not evidence:
            return self.memory.states(rule)
        return self.rules is not None and Record(self.rules.theory).stated_in(rule, evidence)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom is proved or may be: searched anew through all that may prove it.

        What the rules do not cover may always be so.
        """
        rules = self.rules
        if rules is None or not rules.covers(atom):
            return True
        record = Record(rules.theory)
        if not any(map(rules.remembered, rules.theory.vocabulary.readings(atom))):
            return record.proves(atom)
        edges = (self.graph.edges,) if self.graph is not None else ()
        sources: list[Source] = [rules, self.memory.memory, *edges]
        outcome = prove(Goal("", (atom,), None, Aggregate.WHETHER), sources, Budget(depth=0))
        steps = [c.step for s in outcome.solutions for c in s.nodes if c.step is not None]
        return not (outcome.status == "disproved" and all(s.kind == "closed-world" for s in steps))

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether the question may be read as the goal: as a statement about the rules, as what leads somewhere in a graph, or
        as one of memory.
        """
        if asks_walk(goal) or (self.rules is not None and Record(self.rules.theory).asks(goal, asked)):
            return True
        return self.memory.asks(goal, asked)

    def is_a(self, value: Value, type: str) -> bool:
        """Types are checked by `entails`; of which type something is, no rule and no graph says."""
        return self.memory.is_a(value, type)

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of a text's words."""
        return self.memory.lemmas(text)

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Whether a chat model's judgement is on record."""
        return self.memory.judged(ground, bindings, evidence, negated, judge)

    def assumed(self, rule: Rule, judge: str) -> bool:
        """Whether a chat model's rule is on record as offered."""
        return self.memory.assumed(rule, judge)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether a graph's critic reads the question as the walk, or a chat model's reading is on record."""
        if self.graph is not None and judge == self.graph.record.judge:
            return self.graph.record.reads(goal)
        return self.memory.read_by(goal, asked, judge)
