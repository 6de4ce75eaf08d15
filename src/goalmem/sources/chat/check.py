"""Check what a chat model said. It would not say the same again, so its judgements must be on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain

from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Rule
from goalmem.proof.document import Node
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, check_leaf, check_rule, unknown_kind
from goalmem.sources.chat.grounding import ReplyGrounding
from goalmem.sources.chat.judgement_log import Judgements
from goalmem.sources.facts.check import FactChecker, kinds, kinds_of, replaced_around


@dataclass(frozen=True)
class ChatChecker:
    """Checks the steps judged by a chat model."""

    facts: FactChecker
    """Checks the facts of the space, and knows what replaced them."""
    judgements: Judgements | None
    """The recorded judgements of chat models."""

    @cached_property
    def oracles(self) -> SourceOracles:
        """The oracles of this checker."""
        return SourceOracles.of(self)

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a reading, or on a rule that was offered."""
        if node.kind == "rule":
            return check_rule(node, node.rule is not None and self.assumed(node.rule, node.judge))
        return (
            chain(check_leaf(self.oracles, node, about), kinds(self.facts.memory, node, about))
            if node.kind == "fact"
            else unknown_kind(node)
        )

    def explains(self, node: Node, about: ProofContext) -> bool:
        """True if it aligns nothing but values whose kind is not known; its note is on record with the proof."""
        return set(node.alignment) <= set(kinds_of(self.facts.memory, node, about))

    def entails(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> tuple[bool, str]:
        """Return False: only recorded judgements count."""
        return False, "no chat model is named that judged it"

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Return if the judgement is on record, with values that may be of the types of their variables; and why (not)."""
        grounding = ReplyGrounding(self.facts.memory.similarity)
        facts = self.facts.memory.store.facts(self.facts.memory.space, turns=[e.turn for e in evidence])
        for b in bindings.values():
            plain = b.value.interval is None and b.value.number is None
            if problem := grounding.misfit(b.value, b.variable.type, facts) if plain else "":
                return False, problem
        if self.judgements is None or not self.judgements.fact(judge, ground, bindings, evidence, negated):
            return False, f"no judgement of {judge} says this of these words"
        return True, f"{judge} judged that these words say it"

    def assumed(self, rule: Rule, judge: str) -> bool:
        """True if the offered rule is on record."""
        return self.judgements is not None and self.judgements.rule(judge, rule)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """True if the reading of the question is on record."""
        return self.judgements is not None and self.judgements.goal(judge, goal, asked)

    def kept(self, digest: str, judge: str) -> bool:
        """True if the proof is on record."""
        return self.judgements is not None and self.judgements.proof(digest, judge)

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """The later words that replaced what was read."""
        if self.facts.says(atom, bindings, evidence):
            return self.facts.replaced(goal, atom, bindings, evidence, negated)
        return replaced_around(self.facts.slots, goal, atom, bindings, evidence)
