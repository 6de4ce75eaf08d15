"""From a question to a proof that has been checked: reasoner, engine, assembly, checker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from goalmem.extract import Analyzer, Extractor
from goalmem.extract.names import Names
from goalmem.logic.proof import MissingGoal, Proof
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Goal
from goalmem.logic.verify import Verification, verify
from goalmem.messages import parse_when
from goalmem.models.protocol import Embedder
from goalmem.prove.assemble import build_proof
from goalmem.prove.budget import Budget
from goalmem.prove.engine import prove
from goalmem.prove.outcome import Outcome
from goalmem.prove.step import Source
from goalmem.reasoners.local import LocalReasoner
from goalmem.retrieve.search import Searcher
from goalmem.settings import Settings
from goalmem.sources.background import BackgroundSource, RuleBook
from goalmem.sources.check import Checker
from goalmem.sources.memory import MemorySource
from goalmem.sources.wording import Likeness
from goalmem.store.protocol import Store

__all__ = ["Asking"]

ONE_ONLY = frozenset({"time", "number", "age", "duration"})
"""Types of answers of which there is one: several make a conflict, not a list."""
MOST_LISTED = 6
"""Things named where one was asked for; more than this say that the question was not understood."""
WITHHELD = "A proof was found that does not hold when it is checked again; it is withheld."


@dataclass
class Asking:
    """Answers questions over one store. Safe to use from several threads."""

    store: Store
    searcher: Searcher
    extractor: Extractor
    analyzer: Analyzer
    embedder: Embedder
    settings: Settings
    _names: dict[str, tuple[tuple[int, int], Names]] = field(default_factory=dict)

    def proof(self, question: str, *, space: str, at: datetime) -> Proof:
        """The proof of the first goal that answers the question; else the one that came nearest. Always one that holds.

        What is found is checked before it is handed out, as `check` would: an answer that fails is withheld.
        """
        source, background = self._sources(space, at)
        checker = Checker(source, background, self.analyzer, self._reasoner)
        sources: list[Source] = [source, background]
        limits = self.settings
        budget = Budget(seconds=limits.ask_seconds, depth=limits.ask_depth, breadth=limits.ask_breadth)
        failed: list[Proof] = []
        for offered in self._reasoner.goals(question, at, source.names):
            goal, outcome = settled(offered, lambda g: prove(g, sources, budget))
            proof = self._built(goal, outcome, question, space, at, checker)
            if proof.status != "unknown":
                return proof
            failed.append(proof)
        return max(failed, key=closeness)

    def check(self, proof: Proof, *, space: str) -> Verification:
        """Check a proof against what the store holds now, without the engine that made it."""
        source, background = self._sources(space, parse_when(proof.asked_at, "The proof"))
        return held_by(proof, Checker(source, background, self.analyzer, self._reasoner))

    def _built(self, goal: Goal, outcome: Outcome, question: str, space: str, at: datetime, checker: Checker) -> Proof:
        """The proof of an outcome; without what does not hold when checked."""
        reason = doubt(goal, outcome, self.settings.answer_threshold)
        for why in (reason, reason or WITHHELD):
            proof = build_proof(outcome, goal, question=question, space=space, asked_at=at, abstain_reason=why)
            if held_by(proof, checker).ok:
                return proof
        first = MissingGoal(atom=canonical(goal.atoms[0]), stage="not-unified", reason=reason or WITHHELD)
        return proof.model_copy(update={"root": None, "alternatives": (), "missing": (first,)})

    def _sources(self, space: str, at: datetime) -> tuple[MemorySource, BackgroundSource]:
        """What steps come from, for one question."""
        names = self._names_of(space)
        memory = MemorySource(self.store, self.searcher, self.extractor, self.likeness, space, at, names)
        return memory, BackgroundSource(memory.reader, memory.wording, self._rule_book)

    def _names_of(self, space: str) -> Names:
        """The names known in a space, read again when something was added or forgotten."""
        version = self.store.version(space)
        held = self._names.get(space)
        if held is None or held[0] != version:
            types = {name: kind for name, (kind, _) in self.store.entities(space).items()}
            types |= {alias: types.get(name, "") for alias, name in self.store.aliases(space).items()}
            types |= dict.fromkeys(self.searcher.speakers(space), "person")
            held = self._names[space] = (version, Names(types))
        return held[1]

    @cached_property
    def likeness(self) -> Likeness:
        """Cosines of phrases, remembered from question to question."""
        return Likeness(self.embedder)

    @cached_property
    def _reasoner(self) -> LocalReasoner:
        return LocalReasoner(self.analyzer)

    @cached_property
    def _rule_book(self) -> RuleBook:
        return RuleBook(self.extractor)


def held_by(proof: Proof, checker: Checker) -> Verification:
    """The proof checked with one checker for all that it asks."""
    return verify(proof, evidence=checker, entails=checker, closed=checker, isa=checker, reader=checker)


def settled(goal: Goal, prove_goal: Callable[[Goal], Outcome]) -> tuple[Goal, Outcome]:
    """The outcome of a goal; where several things answer it equally well, that of asking for all of them.

    Facts that name different times or numbers for one thing are left in conflict: they cannot all hold.
    """
    outcome = prove_goal(goal)
    kind = set(goal.answer.type.split()) if goal.answer is not None else set()
    if outcome.conflict and goal.aggregate is Aggregate.ONE and kind and not kind & ONE_ONLY:
        listed = replace(goal, aggregate=Aggregate.LIST)
        every = prove_goal(listed)
        if len(every.solutions) <= MOST_LISTED:
            return listed, every
    return goal, outcome


def doubt(goal: Goal, outcome: Outcome, least: float) -> str | None:
    """Why an answer is better withheld: competing values of what has one, or too little confidence."""
    if outcome.conflict and outcome.status == "proved" and goal.aggregate is Aggregate.ONE:
        return "Different answers are equally well supported, and nothing said settles which holds."
    if outcome.solutions and outcome.solutions[0].score < least:
        return f"The best proof is too weak ({outcome.solutions[0].score:.2f}; at least {least:.2f} is asked for)."
    return None


def closeness(proof: Proof) -> tuple[int, float]:
    """How near a failed proof came."""
    return (-len(proof.missing), proof.root.score if proof.root else 0.0)
