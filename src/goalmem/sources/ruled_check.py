"""What checking a proof asks of a space that has rules: of its memory as ever, and of its rules as they are stated now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.logic.terms import Aggregate, Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Proof, Status
from goalmem.proof.oracles import EvidenceTurn
from goalmem.rules.sentences import RULE
from goalmem.sources.check import Checker
from goalmem.sources.rules import RuleSource

__all__ = ["RuledChecker"]


@dataclass(frozen=True)
class RuledChecker:
    """Evidence reader, entailment oracle, rule book and closed world for `logic.verify`."""

    memory: Checker
    rules: RuleSource
    more: tuple[Source, ...] = ()
    """What else may prove what the rules do not: edges of a graph."""

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, or the sentence, with this id."""
        return self.rules.theory.record.content(turn_id) if turn_id.startswith(RULE) else self.memory.content(turn_id)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether what was said entails the atom, or its opposite; a sentence that states a rule is no such evidence."""
        if any(e.turn.startswith(RULE) for e in evidence):
            return False, "a rule is no evidence of a fact"
        return self.memory.entails(atom, bindings, evidence, negated)

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a fact is worth as a step."""
        return self.memory.weight(goal, atom, bindings, evidence)

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """What was said later in place of what is cited, or against it; no sentence that states a rule is."""
        return self.memory.replaced(goal, atom, bindings, evidence, negated)

    def grade(self, proof: Proof) -> Status:
        """What an answered proof may be called."""
        return self.memory.grade(proof)

    def kept(self, digest: str, judge: str) -> bool:
        """Whether the proof is on record as it was made."""
        return self.memory.kept(digest, judge)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is stated in the space, or common knowledge."""
        return self.rules.theory.record.states(rule) or self.memory.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule; common knowledge is stated nowhere."""
        return self.rules.theory.record.stated_in(rule, evidence) if evidence else self.memory.states(rule)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom is proved or may be: searched anew through rules and memory.

        What the rules do not cover may always be so.
        """
        if not self.rules.covers(atom):
            return True
        record = self.rules.theory.record
        remembered = any(map(self.rules.remembered, record.vocabulary.readings(atom)))
        if not remembered:
            return record.proves(atom)
        sources: list[Source] = [self.rules, self.memory.memory, *self.more]
        outcome = prove(Goal("", (atom,), None, Aggregate.WHETHER), sources, Budget(depth=0))
        steps = [c.step for s in outcome.solutions for c in s.nodes if c.step is not None]
        return not (outcome.status == "disproved" and all(s.kind == "closed-world" for s in steps))

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether the question may be read as the goal: as a statement about the rules, or as one of memory."""
        return self.rules.theory.record.asks(goal, asked) or self.memory.asks(goal, asked)

    def is_a(self, value: Value, type: str) -> bool:
        """Types are checked by `entails`; of which type something is, no rule says."""
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
        """Whether a chat model's reading of the question is on record."""
        return self.memory.read_by(goal, asked, judge)
