"""Facts from conversations as steps (Goal-Mem: targeted retrieval, then unification, for each subgoal)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language import Extractor
from goalmem.language.names import Names
from goalmem.logic.evaluate import OF_AMOUNTS, needs_all
from goalmem.logic.terms import Aggregate, Atom, Goal
from goalmem.logic.unify import Mismatch, unify
from goalmem.models.tracing import span
from goalmem.questions.states import is_of_state
from goalmem.questions.whole_question import is_walk, quotes_question
from goalmem.records import ASKER, Fact, Modality, Turn
from goalmem.sources.certainty.doubts import DOUBTFUL, OPEN, Doubts, is_outgrown
from goalmem.sources.certainty.namesakes import may_mean_another
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.evidence_store import EvidenceStore, SearchedStore, TurnFinder, said_by
from goalmem.sources.facts.amounts import (
    is_of_fewer,
    names_several,
    newest_numbers,
    pays_less,
)
from goalmem.sources.facts.answer_names import OWNED, as_said, repeats
from goalmem.sources.facts.later_values import LaterValues
from goalmem.sources.facts.match import FactCandidate, Match, best_first, renewed
from goalmem.sources.facts.space_facts import SpaceFacts
from goalmem.sources.facts.tense import article, asks_now, is_habit, is_of_the_past, lasts, looks_back, meant
from goalmem.sources.facts.told_times import (
    by_goal,
    coarse,
    counted_back,
    denies_less_time,
    loose,
    tells_no_end,
)
from goalmem.sources.facts.unification import FactUnifier
from goalmem.sources.frame_reader import FrameReader, FrameReading, bound_atom
from goalmem.sources.frames import frame_of_fact
from goalmem.sources.kinds import UNPROVED, kinds_open
from goalmem.sources.phrase_cosine import PhraseCosine
from goalmem.sources.similarity import Similarity

TURNS = 40
"""Turns fetched for one subgoal. On two cores, unifying their facts takes some tens of milliseconds."""
BY_ENTITY = 400
"""Newest facts of a named entity that are considered beside those of the turns found."""
LISTED = 0.8
"""Least score of a fact if all solutions count: a doubtful fact would count as much as a certain one."""
NEAREST = 3
"""Near misses given for one subgoal."""
BEST = 5
"""Turns named in a search event."""
NEAR_ENOUGH = 0.2
"""Least score of a fact shown as a near miss."""
SUPERSEDED, NOT_ASSERTED, ELSEWHERE = 0.95, 0.9, 0.8
"""Scores of near misses: superseded facts, facts that are not asserted, and facts about other things or times."""
SUCCEEDED = 0.6
"""The probability that a later turn gives a value anew from which a fact does not answer."""
OF_ANOTHER_TIME = "it is about another time, or conflicts with the rest"


@dataclass
class MemorySource:
    """The memory of one space as a source of steps, and the data for checking them."""

    store: EvidenceStore
    searcher: TurnFinder
    extractor: Extractor
    cosine: PhraseCosine
    space: str
    at: datetime
    """When the question is asked."""
    names: Names
    name: str = "memory"
    closed: bool = False
    cost: int = 0
    listener: Listener = silent
    """Receives an event for each search of the memory."""
    asker: str = ASKER
    """The person that `I` refers to in the question."""
    _candidates: dict[str, list[FactCandidate]] = field(default_factory=dict, init=False)
    """By subgoal."""
    _framed: dict[str, FactCandidate] = field(default_factory=dict, init=False)
    """By fact."""
    _doubts: dict[tuple[str, str], tuple[Slots, Doubts]] = field(default_factory=dict, init=False)
    """By subgoal and slot, where the store holds only what was searched for."""

    def __post_init__(self) -> None:
        self.similarity = Similarity(self.store.aliases(self.space), self.cosine)
        self.reader = FrameReader(self.extractor, self.at.replace(tzinfo=None), self.names, self.asker)
        self.slots = Slots(self.store, self.space, self.similarity, self.at)
        self.doubts = Doubts(self.slots.statements, self.at, self.cosine)
        self.facts = SpaceFacts(self.store, self.space)
        self.unifier = FactUnifier(self.facts, self.similarity, self.asker)
        self.later = LaterValues(self.facts, self.searcher, self.at, self.asker)

    def turn(self, turn_id: str) -> Turn | None:
        """A turn of the space."""
        return self.facts.turn(turn_id)

    def facts_of(self, turns: Sequence[str]) -> list[Fact]:
        """The facts of turns."""
        return self.facts.of_turns(turns)

    def known_for(self, reading: FrameReading, slot: str = "") -> EvidenceStore:
        """What the facts that answer a subgoal are compared with: the memory, or what was found of another system's for them."""
        store = self.store
        return store.found_for(reading.text, TURNS, slot) if isinstance(store, SearchedStore) else store

    def later_words(self, reading: FrameReading, fact: Fact) -> tuple[Slots, Doubts]:
        """What replaces a fact that answers a subgoal, and what leaves it in doubt."""
        if not isinstance(self.store, SearchedStore):
            return self.slots, self.doubts
        key = reading.text, fact.slot
        if key not in self._doubts:
            slots = Slots(self.known_for(reading, fact.slot), self.space, self.similarity, self.at)
            self._doubts[key] = slots, Doubts(slots.statements, self.at, self.cosine)
        return self._doubts[key]

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """Facts that entail the atom under the substitution, best first, one for each set of bindings.

        None for a whole question: no fact says that it is answered.
        """
        if quotes_question(request.atom):
            return ()
        atom, goal = bound_atom(request.atom, request.substitution), request.goal
        reading = self.reader.read(atom)
        best: dict[tuple[object, ...], Step] = {}
        uncounted = set[tuple[str, int]]()
        for match in self._answering(reading, atom, goal):
            step, fact = self.step_for(goal, match), match.fact
            if goal.aggregate is Aggregate.COUNT and names_several(step):
                if fact.kind == "clause":
                    uncounted.add((fact.turn, fact.start))
                continue
            if not self._counts(step, fact, goal):
                continue
            step = self.with_kinds(self.doubted(step, match, reading, goal), request)
            key = (step.negated, *sorted((b.variable.name, b.value.key) for b in step.bindings))
            if key not in best or best_first((best[key], step))[0] is step:
                best[key] = step
        # Of milk, eggs and bread not all can be counted.
        counted = (s for s in best.values() if all((e.turn, e.start) not in uncounted for e in s.evidence))
        steps = best_first(counted)
        return (steps if looks_back(goal) else newest_numbers(steps, reading))[: request.limit]

    def _answering(self, reading: FrameReading, atom: Atom, goal: Goal) -> Iterator[Match]:
        """The matches of facts that still stand, and that give what the goal asks for."""
        for candidate in self.candidates(reading):
            fact = candidate.fact
            matches = () if pays_less(fact, reading, atom) else by_goal(list(self.matches(reading, candidate)), goal)
            # Only for matches, since finding replacements may need a search.
            if not matches or self.later_words(reading, fact)[0].annulled_by(fact) is not None:
                continue
            if looks_back(goal) or self.holds(fact, reading):
                yield from (m for m in matches if not self._misses(m, reading, atom, goal))

    def _misses(self, match: Match, reading: FrameReading, atom: Atom, goal: Goal) -> bool:
        """True if a match does not give what the goal asks for: another time, a part of an amount, or only its own words."""
        times, amounts = self.unifier.times, self.unifier.amounts
        return (
            loose(match, goal, just_done=times.just_done(match.fact))
            or repeats(match, goal, atom)
            or self.says_who_was_asked(match, reading, goal)
            or is_outgrown(match.fact, match.bindings, goal, self.at)
            or times.lasts_otherwise(match, goal)
            or not amounts.is_total(goal, match)
            or denies_less_time(goal, match)
            or tells_no_end(goal, match)
        )

    def _counts(self, step: Step, fact: Fact, goal: Goal) -> bool:
        """True if a step is sure enough, names one thing where they are counted, and no later words give a single value anew."""
        if goal.aggregate is Aggregate.COUNT and not self.unifier.amounts.is_countable(step, fact, goal):
            return False
        if needs_all(goal):
            return step.score >= LISTED
        return not self.later.told_otherwise(goal, step.bindings)

    def says_who_was_asked(self, match: Match, reading: FrameReading, goal: Goal) -> bool:
        """True if an answer is another name of what the question names: Elliot's teacher, of who my son's teacher is, if Elliot is my son."""
        if goal.aggregate is not Aggregate.ONE:
            return False
        name = self.similarity.canonical
        named = {name(p.entity) for frame in reading.frames for p in frame.constants if OWNED in p.entity}
        values = (b.value for b in match.bindings if b.variable == goal.answer and b.value.number is None)
        return any(OWNED in value.text and name(value.text) in named for value in values)

    def with_kinds(self, step: Step, request: Request) -> Step:
        """The step, marked with the values that are not known to be of their variable's type."""
        names = {variable.name for variable in request.atom.variables}
        bindings = [*step.bindings, *(b for b in request.substitution.bindings if b.variable.name in names)]
        open_ = kinds_open(
            bindings, self.facts_of([e.turn for e in step.evidence]), (*request.goal.atoms, request.atom)
        )
        score = min(step.score, UNPROVED) if open_ else step.score
        return replace(step, score=score, alignment=(*step.alignment, *dict.fromkeys(open_)))

    def holds(self, fact: Fact, reading: FrameReading) -> bool:
        """True if a fact belongs to the time of the question: it still holds, or, if the question is about an earlier value, no longer."""
        slots, doubts = self.later_words(reading, fact)
        over = fact.modality is Modality.FORMER or slots.superseded_by(fact) is not None
        over = over or doubts.has_parted(fact)
        return over == reading.former or fact.modality is Modality.FORMER

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The nearest facts, and what each lacks."""
        if is_walk(request.atom) or is_of_state(request.atom):
            return ()
        reading = self.reader.read(bound_atom(request.atom, request.substitution))
        misses = []
        for candidate in self.candidates(reading):
            stage, reason, score = self.shortfall(reading, candidate)
            if stage:
                misses.append(NearMiss(stage, reason, self.facts.evidence(candidate.fact), round(min(score, 0.99), 4)))
        misses.sort(key=lambda m: (-m.score, m.evidence.said if m.evidence else "", m.reason))
        return misses[:NEAREST] or [self.never_said(f"nothing remembered says “{reading.text}”")]

    def never_said(self, reason: str) -> NearMiss:
        """Nothing near was found, for this reason; where the space is unknown, for that."""
        unknown = self.store.version(self.space) == (0, 0)
        return NearMiss("never-said", f"the space {self.space!r} holds nothing" if unknown else reason, None, 0.0)

    def shortfall(self, reading: FrameReading, candidate: FactCandidate) -> tuple[str, str, float]:
        """The stage at which a fact fails, why, and its score; an empty stage if it does not fail or says nothing."""
        results = [unify(frame, candidate.frame, self.similarity) for frame in reading.frames]
        unified = any(not isinstance(r, Mismatch) for r in results)
        if not unified:
            nearest = max((r for r in results if isinstance(r, Mismatch)), key=lambda r: r.score)
            return ("not-unified", nearest.reason, nearest.score) if nearest.score > NEAR_ENOUGH else ("", "", 0.0)
        if not meant(candidate.fact, reading):
            return "not-asserted", f"it is {article(candidate.fact.modality)}, not stated as so", NOT_ASSERTED
        newer = self.later_words(reading, candidate.fact)[0].superseded_by(candidate.fact)
        if newer is not None:
            return "superseded", f"later it was said: “{newer.text}”", SUPERSEDED
        return "not-unified", OF_ANOTHER_TIME, ELSEWHERE

    # -- retrieval ---------------------------------------------------------------------------------------------------

    def candidates(self, reading: FrameReading) -> list[FactCandidate]:
        """Facts worth unifying: those of the turns found for the subgoal, and those of the people it names."""
        held = self._candidates.get(reading.text)
        if held is None:
            with span("retrieval") as opened:
                found = [r.turn for r in self.searcher.rank(reading.text, space=self.space, k=TURNS, at=self.at)]
                opened.set_attribute("turns", len(found))
            facts = {f.id: f for f in self.facts_of(found)}
            self.listener(Event("retrieval", reading.text, {"turns": len(found), "best": tuple(found[:BEST])}))
            store = self.known_for(reading)
            for entity in {p.entity for frame in reading.frames for p in frame.constants if p.entity}:
                predicates = {frame.predicate for frame in reading.frames}
                for name in self.names_of(entity):
                    for predicate in predicates:
                        newest = store.facts(self.space, entity=name, predicate=predicate, newest=BY_ENTITY)
                        facts |= {f.id: f for f in newest}
            # As in search: ignore what was said after the day of the question.
            known = (f for f in facts.values() if said_by(f.said, self.at))
            ordered = self.doubts.statements.in_order(known)
            held = self._candidates[reading.text] = [self.candidate(f) for f in ordered]
        return held

    def candidate(self, fact: Fact) -> FactCandidate:
        """A fact with its frame; cached."""
        held = self._framed.get(fact.id)
        if held is None:
            held = self._framed[fact.id] = candidate_of(fact)
        return held

    def names_of(self, entity: str) -> set[str]:
        """The entity's name, its canonical name, and its aliases."""
        canonical = self.similarity.canonical(entity)
        others = {a for a, c in self.similarity.aliases.items() if c.casefold() == canonical}
        return {entity.casefold(), canonical, *others}

    # -- unification -------------------------------------------------------------------------------------------------

    def matches(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which the fact matches the atom, also with an amount that was given anew since."""
        fact = candidate.fact
        yield from self.unifier.told(reading, candidate)
        present = asks_now(reading) and not reading.former
        asked = present and any(frame.predicate == candidate.frame.predicate for frame in reading.frames)
        if asked and (renewal := self.later_words(reading, fact)[1].renewal(fact)) is not None:
            now = candidate_of(renewal.renewed(fact))
            yield from (renewed(match, renewal, fact) for match in self.unifier.told(reading, now))

    def step(self, match: Match) -> Step:
        """The engine's step for a match."""
        return Step(
            self.name,
            "fact",
            max(0.0001, min(1.0, round(match.score, 4))),
            match.bindings,
            (),
            self.facts.cited(match),
            match.alignment,
            negated=match.opposed,
            note=match.fact.statement,
        )

    def step_for(self, goal: Goal, match: Match) -> Step:
        """The step of a match with its values as the goal asks for them: in the words that were said, or counted back for a duration."""
        lasted = goal.aggregate is Aggregate.DURATION
        told = (counted_back(b, match.fact) if lasted else b for b in match.bindings)
        return self.step(replace(match, bindings=tuple(as_said(b, goal) for b in told)))

    def doubted(self, step: Step, match: Match, reading: FrameReading, goal: Goal) -> Step:
        """The step of a match, with a lower score if its fact is doubted."""
        if step.score <= DOUBTFUL:
            return step
        _, doubts = self.later_words(reading, match.fact)
        # A rule's condition may be in the past tense although the question is about the present.
        present = asks_now(reading) or lasts(goal)
        present |= any(asks_now(self.reader.read(a)) for a in goal.atoms if not quotes_question(a))
        if needs_all(goal) and goal.aggregate not in OF_AMOUNTS:
            # What else speaks against one of several leaves out too many of them.
            since = present and doubts.may_have_changed(match.fact)
            since |= doubts.is_figurative(match.fact, reading.text)
            return replace(step, score=DOUBTFUL) if since else step
        anew = self.later.likely_given_anew(goal, step.bindings) if present else 0.0
        if anew >= SUCCEEDED or doubts.leaves_open(match.fact, reading.text, present=present, past=reading.past):
            return replace(step, score=OPEN)
        if (
            doubts.of(match.fact, step.bindings, reading.text, present=present)
            or may_mean_another(match.fact, reading, [c.fact for c in self.candidates(reading)])
            or coarse(step.bindings, goal)
            or is_of_fewer(match.fact, goal)
            or (reading.past and is_habit(match.fact))
            or is_of_the_past(match.fact, step.bindings, reading, goal)
            or self.later.told_otherwise(goal, step.bindings, surely=False)
        ):
            return replace(step, score=DOUBTFUL)
        return step


def candidate_of(fact: Fact) -> FactCandidate:
    """A fact with its frame."""
    return FactCandidate(fact, frame_of_fact(fact))
