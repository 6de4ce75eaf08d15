"""What checking a proof asks of one space's memory: the turns as they are now, and what they entail, read anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from goalmem.engine.step import Step
from goalmem.extract import Analyzer
from goalmem.logic.evaluate import needs_all
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Binding, Derivation, Evidence, Goal, Rule, Value
from goalmem.proof.calibration import calibrated, kind_of
from goalmem.proof.document import Judgement, Proof, Status
from goalmem.proof.grading import grade
from goalmem.proof.oracles import EvidenceTurn
from goalmem.reasoners.asked import is_of_passages, passage_question
from goalmem.reasoners.local import LocalReasoner, not_understood
from goalmem.records import Fact
from goalmem.sources.background import BackgroundSource
from goalmem.sources.grounding import Grounding
from goalmem.sources.judgement_log import Judgements
from goalmem.sources.memory import HELD, LISTED, Candidate, Match, MemorySource, looks_back, meant, names_several
from goalmem.sources.passages import EARLIER, PassageSource
from goalmem.sources.question_words import lost_words
from goalmem.sources.reading import Reading, bound_atom, frame_of_fact
from goalmem.sources.values import bare

__all__ = ["Checker"]

EVER = datetime(9000, 1, 1, tzinfo=UTC)
"""Later than anything that was said."""


@dataclass(frozen=True)
class Checker:
    """Evidence reader, entailment oracle and rule book for `logic.verify`."""

    memory: MemorySource
    background: BackgroundSource
    analyzer: Analyzer
    reasoner: LocalReasoner
    passages: PassageSource | None = None
    """What reads passages anew; None where no span reader is."""
    judgements: Judgements | None = None
    """What chat models judged when proofs were made."""
    least: float = 0.0
    """Confidence under which nothing is told."""
    since: bool = False
    """Whether what was said since the question was asked counts, too."""
    _today: list[MemorySource] = field(default_factory=list, compare=False)
    """The memory with all that was said since the question was asked, once it is needed."""

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether the question may be read as the goal: one of the reasoner's, or the question itself."""
        if any(map(is_of_passages, goal.atoms)):
            read = self.reasoner.passage_goal(goal.question, asked, self.memory.names, self.memory.asker)
            return read is not None and canonical_goal(goal) == canonical_goal(read)
        nothing = not_understood(goal.question, goal.question)
        if canonical_goal(goal) == canonical_goal(nothing):
            return True
        readings = self.reasoner.goals(goal.question, asked, self.memory.names, self.memory.asker)
        found = canonical_goal(goal) in map(canonical_goal, readings)
        return found and not lost_words(goal, asked, self.analyzer)

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn as the store holds it now."""
        turn = self.memory.turn(turn_id)
        return EvidenceTurn(turn.content, turn.speaker, turn.at.isoformat(), turn.session) if turn else None

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether a fact read from the quoted span says the atom under the bindings, or its opposite."""
        if not is_of_passages(atom):
            for match in self._matches(atom, bindings, evidence):
                if match.opposed == negated:
                    return True, f"“{match.fact.text}” says it"
        if self.passages is not None and (is_of_passages(atom) or not negated):
            return self.passages.entails(atom, bindings, evidence, negated)
        if is_of_passages(atom):
            return False, "no span reader is set, so that nothing is read"
        said = self._quoted(evidence)
        return False, "what is quoted does not say this of these" if said else "no fact is read from the quoted words"

    def judgement(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> Judgement | None:
        """What the judge says now of a leaf that was read; None where a strict frame match says it."""
        denies = negated and not is_of_passages(atom)
        if self.passages is None or denies or not self._read(atom, bindings, evidence):
            return None
        said = self.passages.judgement(atom, bindings, evidence)
        return Judgement.of(said) if said is not None else None

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a fact is worth as a step, by how well it fits; None for what is read, whose worth depends on the rest."""
        if self._read(atom, bindings, evidence):
            return None
        steps = [self.memory.step(match) for match in self._matches(atom, bindings, evidence)]
        if needs_all(goal):
            steps = [step for step in steps if counts(step, goal)]
        return max((step.score for step in steps), default=0.0)

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """What was said later in place of what is cited, or against it since the question was asked."""
        asked = passage_question(atom)
        if looks_back(goal) or (asked is not None and EARLIER.search(asked[0])):
            return ""
        if self._read(atom, bindings, evidence):
            spans = [b.span for b in bindings.values()]
            around = [f for f in self._around(evidence, spans) if f.slot]
            newer = [self.memory.slots.superseded_by(f) for f in around]
            return next((f.text for f in newer if f is not None), "")
        facts = [m.fact for m in self._matches(atom, bindings, evidence) if m.opposed == negated]
        newer = [self.memory.slots.superseded_by(f) for f in facts]
        if facts and all(newer):
            return next(f.text for f in newer if f is not None)
        return self._taken_back(atom, bindings, negated) if facts and self.since else ""

    def grade(self, proof: Proof) -> Status:
        """What an answered proof may be called by how sure its judged leaves are, and its confidence."""
        return grade(proof) if calibrated(proof.confidence, kind_of(proof)) >= self.least else "unknown"

    def kept(self, digest: str, judge: str) -> bool:
        """Whether the proof is on record as it was made."""
        return self.judgements is not None and self.judgements.proof(digest, judge)

    def _read(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> bool:
        """Whether a leaf was read out of a passage: no fact that is cited says it."""
        return is_of_passages(atom) or next(self._matches(atom, bindings, evidence), None) is None

    def _quoted(self, evidence: Sequence[Evidence]) -> list[Fact]:
        """The facts that were read from exactly the words that are cited."""
        spans = {(e.turn, e.start, e.end) for e in evidence}
        facts = self.memory.store.facts(self.memory.space, turns=[e.turn for e in evidence])
        return [f for f in facts if (f.turn, f.start, f.end) in spans]

    def _around(self, evidence: Sequence[Evidence], spans: Sequence[str]) -> Iterator[Fact]:
        """The facts whose clause holds the words that were read."""
        facts = self.memory.store.facts(self.memory.space, turns=[e.turn for e in evidence])
        for cited in evidence:
            for start in (cited.start + cited.quote.find(span) for span in spans if span and span in cited.quote):
                yield from (f for f in facts if f.turn == cited.turn and f.start <= start < f.end)

    def _matches(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> Iterator[Match]:
        """Every way in which what is quoted says the atom, or its opposite, of what is bound."""
        turns = {e.turn for e in evidence}
        # What was bound by another fact is a constant here; what this one binds is read from it anew.
        elsewhere = {name: b.value for name, b in bindings.items() if b.turn not in turns}
        reading = self.memory.reader.read(canonical(bound_atom(atom, elsewhere)))
        for fact in self._quoted(evidence):
            if meant(fact, reading):
                for match in self.memory.matches(reading, Candidate(fact, frame_of_fact(fact))):
                    if all(self.agree(bindings.get(b.variable.name), b) for b in match.bindings):
                        yield match

    def _taken_back(self, atom: Atom, bindings: Mapping[str, Binding], negated: bool) -> str:
        """The newest words since the question was asked that deny an atom of the same things, or give another number."""
        if not self._today:
            self._today.append(replace(self.memory, at=EVER, _turns={}, _candidates={}))
        memory = self._today[0]
        numbers = {n: b.value.number for n, b in bindings.items() if b.value.number is not None}
        known = {n: b.value for n, b in bindings.items() if n not in numbers}
        reading: Reading = memory.reader.read(canonical(bound_atom(atom, known)))
        counted = any(frame.predicate in HELD for frame in reading.frames)
        for candidate in reversed(memory.candidates(reading)):
            if candidate.fact.said <= self.memory.at or not meant(candidate.fact, reading):
                continue
            for match in memory.matches(reading, candidate):
                told = {b.variable.name: b.value.number for b in match.bindings if b.variable.name in numbers}
                if match.opposed != negated or (counted and told != numbers):
                    return candidate.fact.text
        return ""

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Whether the judgement is on record, of values that may be of the types of their variables."""
        grounding = Grounding(self.memory.wording)
        facts = self.memory.store.facts(self.memory.space, turns=[e.turn for e in evidence])
        for b in bindings.values():
            plain = b.value.interval is None and b.value.number is None
            if problem := grounding.misfit(b.value, b.variable.type, facts) if plain else "":
                return False, problem
        if self.judgements is None or not self.judgements.fact(judge, ground, bindings, evidence, negated):
            return False, f"no judgement of {judge} says this of these words"
        return True, f"{judge} judged that these words say it"

    def assumed(self, rule: Rule, judge: str) -> bool:
        """Whether the rule is on record as offered."""
        return self.judgements is not None and self.judgements.rule(judge, rule)

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether the reading of the question is on record."""
        return self.judgements is not None and self.judgements.goal(judge, goal, asked)

    def agree(self, held: Binding | None, found: Binding) -> bool:
        """Whether a value read anew is the bound one: the same words, the words said, or the entity's other name."""
        if held is None or (found.derivation is Derivation.TIME and held.span != found.span):
            return False
        name = self.memory.wording.canonical
        value, anew = held.value, found.value
        if value.key != anew.key and name(value.key) != name(anew.key):
            return False
        said = value.text.casefold() in {anew.text.casefold(), bare(found.span).casefold()}
        return said or name(value.text) in (name(anew.text), name(value.key))

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of a text's words."""
        return frozenset(t.lemma_.lower() for t in self.analyzer.docs([text])[0])

    def is_a(self, value: Value, type: str) -> bool:
        """Types are checked by `entails`, which sees the value in its clause."""
        return bool(value.text and type)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is one of common knowledge."""
        return self.background.states(rule)

    def proves(self, atom: Atom) -> bool:
        """Memory is never closed: what it does not say is unknown, and may be so."""
        return bool(atom.parts)


def counts(step: Step, goal: Goal) -> bool:
    """Whether a fact is sure enough, and speaks of one thing only, where all solutions count."""
    return step.score >= LISTED and not (goal.aggregate is Aggregate.COUNT and names_several(step))


def canonical_goal(goal: Goal) -> Goal:
    """The goal with its atoms in canonical form, as a proof document holds them."""
    return replace(goal, atoms=tuple(canonical(a) for a in goal.atoms))
