"""The checker of proofs about a space. Each step is checked by the checker of its source.

For the whole proof it decides if the question asks the goal, and if the citations exist. Citations must exist whatever the source, so that
naming another source gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.graph.evidence_text import TRIPLE
from goalmem.graph.record import GraphRecord, asks_walk
from goalmem.language import Analyzer
from goalmem.language.verb_forms import lemmas_of, verb_bases
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Goal, Value
from goalmem.proof.document import Node, Proof, Status
from goalmem.proof.node_check import Finding, NodeChecker, ProofContext, is_walk
from goalmem.proof.oracles import EvidenceTurn
from goalmem.proof.status import PASSAGES, calibrated, grade, kind_of, required_confidence
from goalmem.questions.local import LocalReasoner, not_understood
from goalmem.questions.states import is_of_state, state_goals
from goalmem.questions.whole_question import is_of_passages
from goalmem.rules.derivation import SOURCE as RULES
from goalmem.rules.record import RuleChecker, TheoryRecord
from goalmem.rules.source import RuleSource
from goalmem.rules.terms import RULE
from goalmem.sources.background import BackgroundChecker, BackgroundSource
from goalmem.sources.chat.check import ChatChecker
from goalmem.sources.facts.check import FactChecker
from goalmem.sources.facts.clause_answer import ClauseChecker, ClauseSource
from goalmem.sources.facts.state_source import StateChecker, StateSource
from goalmem.sources.graph.source import SOURCE as EDGES
from goalmem.sources.graph.source import EdgeChecker
from goalmem.sources.graph.walks import IMPORTED, OWN
from goalmem.sources.passages.check import PassageChecker


class AbsentSourceChecker:
    """Rejects the steps of a source that the space does not have."""

    def check(self, node: Node, _about: ProofContext, /) -> Iterable[Finding]:
        """Report that there is no such source."""
        yield "source", False, f"nothing of the name of {node.source!r} is asked in this space"


@dataclass(frozen=True)
class SpaceChecker:
    """Reads evidence and questions of one space, and knows the checkers of its sources."""

    facts: FactChecker
    background: BackgroundSource
    chat: ChatChecker
    analyzer: Analyzer
    reasoner: LocalReasoner
    least: float = 0.0
    """Least confidence of an answer."""
    passages: PassageChecker | None = None
    """None if nothing is read."""
    rules: RuleSource | None = None
    """None if the space has no rules."""
    graph: EdgeChecker | None = None
    """For the imported graph; None if the space has none."""
    own_record: Callable[[], GraphRecord] | None = None
    """Makes the checker of walks over the space's own edges; None if none can be stored."""
    _absent: AbsentSourceChecker = field(default_factory=AbsentSourceChecker)

    def of(self, node: Node) -> NodeChecker:
        """The checker of a step, by its source; for a step judged by a chat model, the record of its judgements."""
        if node.judge and not is_walk(node):
            return self.chat
        if node.source == OWN and self.own is not None:
            return self.own
        return self._checkers.get(node.source, self._absent)

    @cached_property
    def state(self) -> StateSource:
        """The event log of the space."""
        return StateSource(self.facts.memory)

    @cached_property
    def _checkers(self) -> Mapping[str, NodeChecker]:
        """The checkers of the space's sources, by name."""
        memory = self.facts.memory
        found: dict[str, NodeChecker] = {
            memory.name: self.facts,
            self.background.name: BackgroundChecker(self.background),
            self.state.name: StateChecker(self.state, self.facts),
        }
        if self.passages is not None:
            clauses = ClauseSource(memory, lambda text: self.analyzer.docs([text])[0])
            found |= {PASSAGES: self.passages, clauses.name: ClauseChecker(clauses)}
        if self._record is not None:
            found[RULES] = RuleChecker(self._record, self._may_hold)
        if self.graph is not None:
            found |= {EDGES: self.graph, IMPORTED: self.graph.record}
        return found

    @cached_property
    def own(self) -> GraphRecord | None:
        """The checker of walks over the space's own edges."""
        return self.own_record() if self.own_record is not None else None

    @cached_property
    def _record(self) -> TheoryRecord | None:
        """The rules of the space."""
        return TheoryRecord(self.rules.theory) if self.rules is not None else None

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, sentence or triple with this id, as it is now."""
        if turn_id.startswith(RULE) and self._record is not None:
            return self._record.content(turn_id)
        if turn_id.startswith(TRIPLE) and self.graph is not None:
            return self.graph.record.content(turn_id)
        turn = self.facts.memory.turn(turn_id)
        return (
            EvidenceTurn(turn.content, turn.speaker, turn.at.isoformat(), turn.session, turn.source, turn.position)
            if turn
            else None
        )

    def fate(self, turn_id: str) -> str:
        """What happened to a turn, if the memory knows."""
        memory = self.facts.memory
        return memory.store.fate(memory.space, turn_id)

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """True if the question may be read as the goal: as a statement about the rules, as a walk, or as a question to the memory (one of
        the reasoner's goals, or the question itself).
        """
        if any(map(is_of_state, goal.atoms)):
            return canonical_goal(goal) in map(canonical_goal, state_goals(goal.question, self.facts.memory.asker))
        if asks_walk(goal) or (self._record is not None and self._record.asks(goal, asked)):
            return True
        memory = self.facts.memory
        if any(map(is_of_passages, goal.atoms)):
            read = self.reasoner.read_goals(goal.question, asked, memory.names, memory.asker)
            return canonical_goal(goal) in map(canonical_goal, read)
        if canonical_goal(goal) == canonical_goal(not_understood(goal.question)):
            return True
        readings = self.reasoner.whole_goals(goal.question, asked, memory.names, memory.asker)
        return canonical_goal(goal) in map(canonical_goal, readings)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """True if a graph's critic reads the question as the walk, or if a chat model's reading is on record."""
        if self.graph is not None and judge == self.graph.record.judge:
            return self.graph.record.reads(goal)
        return self.chat.read_by(goal, asked, judge)

    def grade(self, proof: Proof) -> Status:
        """The status of an answered proof, by the certainty of its judged leaves and its confidence."""
        least = required_confidence(proof.goal.aggregate, self.least)
        return grade(proof) if calibrated(proof.confidence, kind_of(proof)) >= least else "unknown"

    def kept(self, digest: str, judge: str) -> bool:
        """True if the proof is on record; what a graph's own critic says is computed again."""
        if self.graph is not None and judge == self.graph.record.judge:
            return True
        return self.chat.kept(digest, judge) or (self.own is not None and judge == self.own.judge)

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case base forms of a text's words, whatever their part of speech."""
        return verb_bases(text) | lemmas_of(text)

    def is_a(self, value: Value, type: str) -> bool:
        """Return True: the sources check types, because they see values in their clauses; rules and graphs do not define types."""
        return bool(value.text and type)

    def _may_hold(self, atom: Atom) -> bool:
        """True if the ground atom is or may be proved. This is searched again in all sources, because no evidence shows that there is no
        proof. Atoms that the rules do not cover may always hold.
        """
        rules = self.rules
        if rules is None or not rules.covers(atom):
            return True
        if not any(map(rules.remembered, rules.theory.vocabulary.readings(atom))):
            return TheoryRecord(rules.theory).proves(atom)
        edges = (self.graph.edges,) if self.graph is not None else ()
        sources: list[Source] = [rules, self.facts.memory, *edges]
        outcome = prove(Goal("", (atom,), None, Aggregate.WHETHER), sources, Budget(depth=0))
        steps = [c.step for s in outcome.solutions for c in s.nodes if c.step is not None]
        return not (outcome.status == "disproved" and all(s.kind == "closed-world" for s in steps))


def canonical_goal(goal: Goal) -> Goal:
    """The goal with its atoms in canonical form, as in a proof document."""
    return replace(goal, atoms=tuple(canonical(a) for a in goal.atoms))
