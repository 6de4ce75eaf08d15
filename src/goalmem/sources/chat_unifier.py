"""One call of a chat model for all open subgoals and all candidate facts, and what of its reply holds (Goal-Mem, unification).

Checked in code, for each binding: the subgoal and the fact exist; the value stands in the fact or follows from it; it is
of the variable's type; the fact is about whom the subgoal names, meant as so, and not replaced. The order of the facts
decides nothing: what is accepted is kept in an order of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.engine.step import NearMiss, Request
from goalmem.language.terms import terms_of
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Atom, Binding, Derivation, Substitution, Value
from goalmem.models.chat_prompts import Shown
from goalmem.questions.chat import ChatReasoner
from goalmem.questions.chat_replies import Bound, RejectedError, Unified
from goalmem.records import Fact
from goalmem.sources.candidates import Candidate
from goalmem.sources.fact_filters import Saying
from goalmem.sources.grounding import Grounding, find
from goalmem.sources.memory import MemorySource, looks_back

__all__ = ["Judgement", "Unifier", "known_as", "overlap", "shown", "shuffled"]

JUDGED = 0.9
"""What a fact is worth that a model reads as saying the subgoal."""
LOOSELY = 0.85
"""The same where the value is only the day on which it was said."""
LOOKS_BACK = 120
"""Characters shown of what was said before a fact that is too short to be understood alone."""
OBJECTED = 0.5
"""How near what a model proposes and the code objects to comes."""
CONTRADICTED = "another fact contradicts it"
MOST_OBJECTIONS = 3
"""Kept for one subgoal, and told to the model."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A fact that says an atom, as the model said and the code accepted."""

    atom: str
    """As asked: with the variables that were open then."""
    values: Mapping[str, Value]
    """What each of those stands for."""
    bindings: tuple[Binding, ...]
    candidate: Candidate
    denies: bool
    score: float

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two judgements the same."""
        values = tuple(sorted((n, v.key) for n, v in self.values.items()))
        return self.atom, self.candidate.turn.id, self.candidate.start, self.denies, values


@dataclass
class Unifier:
    """Asks one model about one space."""

    reasoner: ChatReasoner
    memory: MemorySource
    question: str
    orders: int = 1
    """In how many orders the facts are shown; what is not accepted in every one does not count."""
    objections: dict[str, list[NearMiss]] = field(default_factory=dict)
    """What spoke against what the model proposed, by subgoal."""
    conflicts: set[str] = field(default_factory=set)
    """Subgoals whose facts contradict each other, as the model says: none of these proves them (condition 6)."""

    def __post_init__(self) -> None:
        names = {n.casefold() for n in self.memory.store.entities(self.memory.space)}
        speakers = {s.casefold() for s in self.memory.searcher.speakers(self.memory.space)}
        self.grounding = Grounding(self.memory.wording)
        self.saying = Saying(self.memory.wording, self.memory.slots, names | speakers, speakers)

    def judge(
        self, active: Sequence[Atom], candidates: Sequence[Candidate], request: Request
    ) -> list[Judgement] | None:
        """What the model finds and the code accepts; None when the model gives nothing that can be used."""
        accepted: list[list[Judgement]] = []
        facts = self.facts_of(candidates)
        for order in range(max(1, self.orders)):
            placed = shuffled(candidates, order)
            call = _Call(self, active, dict(enumerate(placed, 1)), facts, request)
            turns = [c.turn.id for c in candidates]
            known = known_as(request.substitution)
            found = self.reasoner.unify(self.question, active, known, shown(placed), call.checked, turns)
            if found is None:
                return None
            accepted.append(found)
        others = [{j.identity for j in found} for found in accepted[1:]]
        return [j for j in accepted[0] if all(j.identity in other for other in others)]

    def objected(self, atom: Atom, candidate: Candidate, reason: str) -> None:
        """Remember why a fact that was proposed does not prove an atom."""
        misses = self.objections.setdefault(format_atom(atom), [])
        miss = NearMiss("not-unified", reason, candidate.evidence[0], OBJECTED)
        if len(misses) < MOST_OBJECTIONS and miss not in misses:
            misses.append(miss)

    def facts_of(self, candidates: Iterable[Candidate]) -> dict[str, list[Fact]]:
        """What was read from the candidates' turns, by turn."""
        by_turn: dict[str, list[Fact]] = {}
        for fact in self.memory.store.facts(self.memory.space, turns=sorted({c.turn.id for c in candidates})):
            by_turn.setdefault(fact.turn, []).append(fact)
        return by_turn


@dataclass(frozen=True)
class _Call:
    """What one reply is checked against."""

    unifier: Unifier
    active: Sequence[Atom]
    numbered: Mapping[int, Candidate]
    facts: Mapping[str, Sequence[Fact]]
    request: Request

    def checked(self, reply: Unified) -> list[Judgement]:
        """The bindings that hold, in an order of their own. Raises RejectedError when some are given and none holds."""
        found: dict[tuple[object, ...], Judgement] = {}
        problems: list[str] = []
        for row in reply.bindings:
            judgement = self.row(row)
            if isinstance(judgement, str):
                problems.append(judgement)
            elif row.subgoal in reply.unresolved:
                problems.append(f"subgoal {row.subgoal} is called unresolved, and fact {row.fact} is said to prove it")
            elif row.subgoal in reply.conflicts:
                self.unifier.conflicts.add(judgement.atom)
                self.unifier.objected(self.active[row.subgoal - 1], judgement.candidate, CONTRADICTED)
            else:
                found.setdefault(judgement.identity, judgement)
        if problems and not found:
            raise RejectedError("; ".join(dict.fromkeys(problems[:MOST_OBJECTIONS])))
        return [found[key] for key in sorted(found, key=repr)]

    def row(self, row: Bound) -> Judgement | str:
        """One binding, checked; or why it does not hold.

        The number of the fact is a hint, the words are what counts: where the fact that is named does not bear the binding
        out and others do, all with the same values, the one of them is meant that speaks most of the subgoal.
        """
        if not 1 <= row.subgoal <= len(self.active):
            return f"there is no subgoal {row.subgoal}"
        atom, named = self.active[row.subgoal - 1], self.numbered.get(row.fact)
        if row.says == "no" and not (atom.ground and self.request.goal.answer is None):
            return f"subgoal {row.subgoal} is not to be denied"
        held = self._held(row, atom, named) if named is not None else f"there is no fact {row.fact}"
        if not isinstance(held, str):
            return held
        said = [v.value for v in row.values if v.value.strip()]
        holding = {n: c for n, c in sorted(self.numbered.items()) if said and all(find(v, c.text) for v in said)}
        others = [self._held(row, atom, c) for c in holding.values() if c is not named]
        meant = [judgement for judgement in others if not isinstance(judgement, str)]
        if len({tuple(v.key for v in j.values.values()) for j in meant}) == 1:
            return max(meant, key=lambda j: (overlap(format_atom(atom), j.candidate.text), j.candidate.turn.id))
        if named is None:
            return held
        self.unifier.objected(atom, named, held)
        elsewhere = ""
        if holding and row.fact not in holding:
            elsewhere = f" ({' and '.join(said)} stands in fact {', '.join(map(str, [*holding][:MOST_OBJECTIONS]))})"
        return f"fact {row.fact} does not prove subgoal {row.subgoal}: {held}{elsewhere}"

    def _held(self, row: Bound, atom: Atom, candidate: Candidate) -> Judgement | str:
        """The binding as read from one fact; or why that does not bear it out."""
        bindings = self._bindings(row, atom, candidate)
        if isinstance(bindings, str):
            return bindings
        denies = row.says == "no"
        if problem := self._objection(atom, bindings, candidate, denies=denies):
            return problem
        loose = any(b.derivation is Derivation.SAID for b in bindings)
        values = {b.variable.name: b.value for b in bindings}
        return Judgement(format_atom(atom), values, bindings, candidate, denies, LOOSELY if loose else JUDGED)

    def _bindings(self, row: Bound, atom: Atom, candidate: Candidate) -> tuple[Binding, ...] | str:
        """A binding for every variable of the atom, or why one is missing."""
        own = self.facts.get(candidate.turn.id, ())
        given = {v.variable.strip(" ()").partition(":")[0].casefold(): v.value for v in row.values}
        bindings: list[Binding] = []
        for variable in atom.variables:
            said = given.get(variable.name.casefold(), "")
            binding = self.unifier.grounding.binding(variable, said, candidate, own)
            if isinstance(binding, str):
                return binding
            bindings.append(binding)
        return tuple(bindings)

    def _objection(self, atom: Atom, bindings: Sequence[Binding], candidate: Candidate, *, denies: bool) -> str:
        ground = canonical(atom.substitute({b.variable.name: b.value for b in bindings}))
        return self.unifier.saying.objection(
            ground,
            bindings,
            candidate,
            self.facts.get(candidate.turn.id, ()),
            denies=denies,
            history=looks_back(self.request.goal),
        )


def overlap(asked: str, said: str) -> int:
    """How many words two texts share, in any form."""
    return len(set(terms_of(asked)) & set(terms_of(said)))


def known_as(substitution: Substitution) -> str:
    """The current substitution in words."""
    return "; ".join(f"{name} = {substitution[name].text}" for name in sorted(substitution))


def shown(candidates: Sequence[Candidate]) -> list[Shown]:
    """Candidates as a model sees them, numbered from 1."""
    return [
        Shown(n, c.turn.at, c.turn.speaker, c.text, c.before.content[-LOOKS_BACK:] if c.before is not None else "")
        for n, c in enumerate(candidates, 1)
    ]


def shuffled(candidates: Sequence[Candidate], order: int) -> list[Candidate]:
    """The candidates as they were said, or in the `order`-th other order, which hangs on nothing but their ids."""
    if order == 0:
        return list(candidates)
    return sorted(candidates, key=lambda c: hashlib.sha256(f"{order} {c.turn.id}".encode()).digest())
