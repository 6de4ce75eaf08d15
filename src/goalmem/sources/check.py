"""What checking a proof asks of one space's memory: the turns as they are now, and what they entail, read anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from goalmem.extract import Analyzer
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Atom, Binding, Derivation, Evidence, Goal, Rule, Value
from goalmem.proof.oracles import EvidenceTurn
from goalmem.reasoners.asked import passage_question
from goalmem.reasoners.local import LocalReasoner, not_understood
from goalmem.sources.background import BackgroundSource
from goalmem.sources.grounding import Grounding
from goalmem.sources.judgement_log import Judgements
from goalmem.sources.memory import Candidate, MemorySource, meant
from goalmem.sources.passages import PassageSource
from goalmem.sources.reading import bound_atom, frame_of_fact
from goalmem.sources.values import bare

__all__ = ["Checker"]


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

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether the question may be read as the goal: one of the reasoner's, or the question itself."""
        if any(passage_question(atom) for atom in goal.atoms):
            read = self.reasoner.passage_goal(goal.question, asked, self.memory.names, self.memory.asker)
            return read is not None and canonical_goal(goal) == canonical_goal(read)
        nothing = not_understood(goal.question, goal.question)
        readings = self.reasoner.goals(goal.question, asked, self.memory.names, self.memory.asker)
        return canonical_goal(goal) in [canonical_goal(g) for g in (*readings, nothing)]

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn as the store holds it now."""
        turn = self.memory.turn(turn_id)
        return EvidenceTurn(turn.content, turn.speaker, turn.at.isoformat(), turn.session) if turn else None

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether a fact read from the quoted span says the atom under the bindings, or its opposite."""
        if passage_question(atom):
            if self.passages is None or negated:
                return False, "passages deny nothing" if negated else "no span reader is set, so that nothing is read"
            return self.passages.entails(atom, bindings, evidence)
        spans = {(e.turn, e.start, e.end) for e in evidence}
        turns = {e.turn for e in evidence}
        # What was bound by another fact is a constant here; what this one binds is read from it anew.
        elsewhere = {name: b.value for name, b in bindings.items() if b.turn not in turns}
        reading = self.memory.reader.read(canonical(bound_atom(atom, elsewhere)))
        facts = [
            f
            for f in self.memory.store.facts(self.memory.space, turns=[e.turn for e in evidence])
            if (f.turn, f.start, f.end) in spans
        ]
        for fact in facts:
            if not meant(fact, reading):
                continue
            candidate = Candidate(fact, frame_of_fact(fact))
            for match in self.memory.matches(reading, candidate):
                if match.opposed != negated:
                    continue
                if all(self.agree(bindings.get(b.variable.name), b) for b in match.bindings):
                    return True, f"“{fact.text}” says it"
        if self.passages is not None and not negated:
            return self.passages.entails(atom, bindings, evidence)
        return False, "what is quoted does not say this of these" if facts else "no fact is read from the quoted words"

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


def canonical_goal(goal: Goal) -> Goal:
    """The goal with its atoms in canonical form, as a proof document holds them."""
    return replace(goal, atoms=tuple(canonical(a) for a in goal.atoms))
