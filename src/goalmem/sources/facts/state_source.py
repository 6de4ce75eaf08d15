"""What holds now, held before, and was given, as steps that cite the events behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language.words.function_words import LOCATIVE_ROLES
from goalmem.language.words.pronouns import SOMEBODY
from goalmem.logic.terms import Atom, Binding, Derivation, Evidence, Goal, Value
from goalmem.proof.document import Node
from goalmem.proof.node_check import WEIGHT_TOLERANCE, Finding, ProofContext, unknown_kind
from goalmem.questions.attributes import AttributeQuestion, attribute_question
from goalmem.questions.states import NOTHING, StateQuestion, state_question
from goalmem.records import Fact
from goalmem.sources.certainty.denials import is_overtaken
from goalmem.sources.certainty.doubts import DOUBTFUL, OPEN, Doubts, was_over
from goalmem.sources.certainty.later_statements import Statements
from goalmem.sources.certainty.namesakes import is_of_namesake
from goalmem.sources.certainty.reservations import is_of_another, nearby
from goalmem.sources.certainty.topics import words_in
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.facts.check import EVER, FactChecker
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frame_reader import bound_atom
from goalmem.sources.frames import part_of
from goalmem.sources.narrower_phrases import denies_less
from goalmem.sources.qualifiers import restricting
from goalmem.sources.similarity import excluding
from goalmem.sources.state.answers import StateAnswer, StateAnswers
from goalmem.sources.state.attribute_log import attribute_answers, is_left_open
from goalmem.sources.state.loader import StateLoader
from goalmem.sources.values import RECURRING


def log_question(atom: Atom) -> StateQuestion | AttributeQuestion | None:
    """The question that an atom puts to the log; None for any other atom."""
    return state_question(atom) or attribute_question(atom)


def holdings(asked: StateQuestion | AttributeQuestion, loader: StateLoader, at: datetime) -> list[StateAnswer]:
    """The answers to a question at a given time, from the loader's events; best first."""
    if isinstance(asked, StateQuestion):
        log = StateAnswers(asked, loader, at.replace(tzinfo=None))
        answers = list(log.answers())
        known = frozenset(e.fact.id for e in loader.events(()) if log.understands(e))
    else:
        answers = attribute_answers(asked, loader, at)
        known = frozenset()
    present = is_of_now(asked)
    doubts = Doubts(Statements(loader.store, loader.space, at), at, loader.similarity.cosine)
    return [
        replace(h, weight=min(h.weight, OPEN))
        if present and h.opposed and any(is_overtaken(f, doubts.statements) for f in h.because)
        else replace(h, weight=min(h.weight, DOUBTFUL))
        if doubts.of_last(h.because, known, present=present) or _not_so(doubts, asked, h)
        else h
        for h in (
            _in_words(asked, answer)
            for answer in answers
            if not _only_near(asked, answer) and not _denies_less(asked, answer) and not _is_no_such(asked, answer)
        )
    ]


def is_of_now(asked: StateQuestion | AttributeQuestion) -> bool:
    """True if the question is about the present."""
    if isinstance(asked, StateQuestion):
        return asked.form in ("at", "holder", "home") and asked.before is None
    return asked.form == "now"


def _not_so(doubts: Doubts, asked: StateQuestion | AttributeQuestion, holding: StateAnswer) -> bool:
    """True if an answer is inexact, about a namesake, or names nobody."""
    if holding.value is not None and holding.value.text.casefold().startswith(SOMEBODY):
        return True
    day = isinstance(asked, AttributeQuestion) and asked.form == "now" and asked.attribute == "day"
    if day and holding.because and was_over(holding.because[-1]):
        return True
    last = holding.because[-1] if holding.opposed and holding.because else None
    if last is not None and (RECURRING.search(last.text) or (last.when_text and was_over(last))):
        return True  # A shop that is closed on Sundays, or was in May, may be open.
    named = f"{asked.subject} {asked.value}"
    now = holding.because[-1] if is_of_now(asked) and asked.value and holding.because else None
    if now is not None and RECURRING.search(now.text) and not RECURRING.search(named):
        return True
    told = {w for f in holding.because for w in words_in(f.text)}
    if any(w not in told for w in restricting(w for w in asked.subject.split()[1:-1] if w.islower())):
        return True  # A white Tesla need not be the Tesla that was told of.
    return any(is_of_namesake(f, asked.subject, doubts.statements) or is_of_another(f, named) for f in holding.because)


def _only_near(asked: StateQuestion | AttributeQuestion, holding: StateAnswer) -> bool:
    """True if it is asked whether something is in a place, and told that it is near it: under the mat is not in the mat."""
    whether = isinstance(asked, StateQuestion) and asked.whether and not holding.opposed
    return whether and any(nearby(f, asked.value) for f in holding.because[-1:])


def _denies_less(asked: StateQuestion | AttributeQuestion, holding: StateAnswer) -> bool:
    """True if what is denied is narrower than what is asked: who has no red car may have a car, and a car in London is not every car."""
    last = holding.because[-1] if holding.opposed and holding.because else None
    if last is None or last.polarity or not last.args:
        return False
    said = words_in(f"{asked.subject} {asked.value}")
    things = [a for a in last.args if a.head in said]
    goals = (replace(part_of(a, " ".join(said)), entity="", modifiers=()) for a in things)
    narrower = any(denies_less(goal, part_of(a, a.text)) for goal, a in zip(goals, things, strict=True))
    beside = (a for a in last.args if a not in things and a.role in LOCATIVE_ROLES | {"with", "for", "to", "of"})
    return narrower or any(not words_in(a.text) & said for a in beside)


def _is_no_such(asked: StateQuestion | AttributeQuestion, holding: StateAnswer) -> bool:
    """True if what was told of is not what the question names: a stuffed tiger is no tiger."""
    said = words_in(f"{asked.subject} {asked.value}")
    things = [a for f in holding.because[-1:] for a in f.args if a.head in said]
    return any(excluding(a.head).intersection(words_in(a.text)).difference(said) for a in things)


def _in_words(asked: StateQuestion | AttributeQuestion, holding: StateAnswer) -> StateAnswer:
    """A place with the words that put something near it: `under the mat`."""
    value = holding.value
    if not isinstance(asked, StateQuestion) or asked.form != "at" or value is None or not holding.because:
        return holding
    told = nearby(holding.because[-1], value.text)
    return replace(holding, value=replace(value, text=told)) if told else holding


def told_last(asked: StateQuestion | AttributeQuestion, loader: StateLoader, at: datetime) -> str:
    """The latest words about what is asked; empty if there are none."""
    if isinstance(asked, AttributeQuestion):
        found = attribute_answers(replace(asked, form="now", value=""), loader, at)
        return found[0].because[-1].text if found else ""
    stay = StateAnswers(asked, loader, at.replace(tzinfo=None)).present()
    if stay is not None:
        return stay.since.fact.text
    told = loader.events(())
    return told[-1].fact.text if told else ""


@dataclass
class StateSource:
    """The event log of a space as a source of steps."""

    memory: MemorySource
    name: str = "state"
    closed: bool = False
    cost: int = 0
    exhaustive: bool = True
    _loaders: list[StateLoader] = field(default_factory=list)

    def loader(self, until: datetime | None = None) -> StateLoader:
        """The loader of the space's events; shared by all atoms of one question."""
        memory = self.memory
        if until is not None:
            return StateLoader(memory.store, memory.space, memory.similarity, until)
        if not self._loaders:
            self._loaders.append(StateLoader(memory.store, memory.space, memory.similarity, memory.at))
        return self._loaders[0]

    def steps(self, request: Request) -> Sequence[Step]:
        """The answers of the log to an atom; none for an atom of another kind."""
        atom = bound_atom(request.atom, request.substitution)
        asked = log_question(atom)
        if asked is None:
            return []
        # Pronouns depend on the events that were loaded, which are the same for the checker.
        loader = self.loader(self.memory.at if isinstance(asked, AttributeQuestion) else None)
        steps = [self.step(atom, h) for h in holdings(asked, loader, self.memory.at)]
        return [
            s for s in steps if not (is_of_now(asked) and self.memory.later.told_otherwise(request.goal, s.bindings))
        ]

    def step(self, atom: Atom, holding: StateAnswer) -> Step:
        """The engine's step for an answer of the log."""
        return Step(
            self.name,
            "fact",
            holding.weight,
            bindings=bindings_of(atom, holding),
            evidence=self.evidence(holding.because),
            negated=holding.opposed,
        )

    def evidence(self, because: Sequence[Fact]) -> tuple[Evidence, ...]:
        """The spans of facts, without duplicates, in the order in which they were said."""
        turns = self.memory.store.turns(self.memory.space, {f.turn for f in because})
        cited = {evidence_of(turns[f.turn], f.start, f.end) for f in because if f.turn in turns}
        return tuple(sorted(cited, key=lambda e: (e.order, e.start, e.end)))

    def left_open(self, goals: Sequence[Goal]) -> bool:
        """True if something is said to have changed to an unknown value, so that no earlier statement answers."""
        asked = [q for g in goals for a in g.atoms if (q := attribute_question(a)) is not None]
        return any(is_left_open(q, self.loader(self.memory.at), self.memory.at) for q in asked)

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The latest statement, if it says that nothing more is known."""
        asked = state_question(bound_atom(request.atom, request.substitution))
        if asked is None or asked.before is not None:
            return ()
        stay = StateAnswers(asked, self.loader(), self.memory.at.replace(tzinfo=None)).present()
        if stay is None or stay.value is not None:
            return ()
        said = stay.since.fact
        evidence = self.evidence([stay.since.fact])
        return [NearMiss("superseded", f"what was said last leaves it open: “{said.text}”", e, 0.95) for e in evidence]


def bindings_of(atom: Atom, holding: StateAnswer) -> tuple[Binding, ...]:
    """The bindings of an answer."""
    if not atom.variables or holding.opposed:
        return ()
    (variable,) = atom.variables
    if holding.number is not None:
        text = str(holding.number) if holding.number else "none"
        value = Value(
            text, text if not holding.number else f"{holding.number}", "number", number=holding.number or None
        )
    elif holding.value is None:
        value = Value(NOTHING, NOTHING, variable.type)
    else:
        value = Value(holding.value.text, holding.value.key, variable.type)
    return (Binding(variable, value, Derivation.RESOLVED, "", holding.because[-1].turn),)


@dataclass(frozen=True)
class StateChecker:
    """Checks steps from the event log of one space."""

    source: StateSource
    facts: FactChecker
    """Knows what was said later."""

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a step: the evidence supports it, and nothing later ended it."""
        asked = log_question(node.goal) if node.goal is not None else None
        if node.kind != "fact" or node.judge or node.judgement is not None or asked is None or node.goal is None:
            yield from unknown_kind(node)
            return
        at = self.source.memory.at
        told = holdings(asked, self.source.loader(at), at)
        same = [h for h in told if self.agrees(node, h)]
        yield "entailed", bool(same), "the events that are cited come to this"
        weights = [h.weight for h in same]
        yield "weight", any(math.isclose(node.weight, w, abs_tol=WEIGHT_TOLERANCE) for w in weights), f"worth {weights}"
        yield "alignment", not node.alignment, "events are aligned with nothing"
        if about.answered and is_of_now(asked):
            later = self.facts.told_otherwise(about.goal, {b.variable.name: b for b in node.bindings})
            yield (
                "superseded",
                not later,
                f"later it was said: “{later}”" if later else "nothing told later speaks against it",
            )
        if about.answered and self.facts.since:
            loader = self.source.loader(EVER)
            holds = any(self.says(node, h) for h in holdings(asked, loader, at))
            ended = "" if holds else f"later it was said: “{told_last(asked, loader, at)}”"
            yield "superseded", holds, ended or "no event told later ends it"

    def agrees(self, node: Node, holding: StateAnswer) -> bool:
        """True if a step gives the log's answer and cites exactly the events behind it."""
        turns = {e.turn for e in node.evidence}
        read = all(b.turn in turns for b in node.bindings)
        return self.says(node, holding) and read and places(node.evidence) == places_of(holding.because)

    def says(self, node: Node, holding: StateAnswer) -> bool:
        """True if a step gives the log's answer."""
        assert node.goal is not None
        bound = bindings_of(bound_atom(node.goal, {}), holding)
        values = [(b.variable, b.value, b.derivation) for b in node.bindings]
        return node.negated == holding.opposed and values == [(b.variable, b.value, b.derivation) for b in bound]


def places(evidence: Sequence[Evidence]) -> list[tuple[str, int, int]]:
    """Turn, start and end of evidence."""
    return sorted((e.turn, e.start, e.end) for e in evidence)


def places_of(because: Sequence[Fact]) -> list[tuple[str, int, int]]:
    """Turn, start and end of facts, without duplicates."""
    return sorted({(f.turn, f.start, f.end) for f in because})
