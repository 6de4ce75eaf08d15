"""Facts from conversations as steps (Goal-Mem: targeted retrieval, then unification, for each subgoal)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language import Extractor
from goalmem.language.lexicon import is_a
from goalmem.language.names import Names
from goalmem.language.terms import WORD_PART
from goalmem.language.times import find_times
from goalmem.language.times_within import is_bare_date, is_read_within
from goalmem.language.verb_forms import is_just_done, is_over
from goalmem.language.words.verbs import ACQUIRING, BOOKING
from goalmem.logic.evaluate import OF_AMOUNTS, needs_all
from goalmem.logic.interval import Interval
from goalmem.logic.quantity import is_rate
from goalmem.logic.terms import Aggregate, Alignment, Binding, Derivation, Evidence, Goal, Value, Variable
from goalmem.logic.unify import Frame, FramePart, Mismatch, Unification, unify
from goalmem.models.tracing import span
from goalmem.questions.states import is_of_state
from goalmem.questions.whole_question import is_walk, quotes_question
from goalmem.records import ASKER, Fact, Modality, Turn
from goalmem.sources.assertion import ends_elsewhere
from goalmem.sources.certainty.doubts import DOUBTFUL, OPEN, Doubts, is_outgrown
from goalmem.sources.certainty.namesakes import may_mean_another
from goalmem.sources.certainty.outdated import (
    LaterChanges,
    bare_question,
    courting_question,
    is_correction,
    is_of_another_kind,
)
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.evidence_store import EvidenceStore, SearchedStore, TurnFinder, evidence_of, said_by
from goalmem.sources.facts.amounts import (
    AMONG_OTHERS,
    RANKED,
    SOME_OF,
    is_of_fewer,
    is_some,
    leaves_one_out,
    names_several,
    newest_numbers,
    pays_less,
)
from goalmem.sources.facts.answer_names import as_said, is_antecedent, is_no_destination, lemmas, repeats, said_in_full
from goalmem.sources.facts.conditions import conditional_frames, consequence_of
from goalmem.sources.facts.match import FactCandidate, Match, best_first, is_terse, renewed, says, tells_change
from goalmem.sources.facts.tense import article, asks_now, is_habit, is_of_the_past, lasts, looks_back, meant
from goalmem.sources.facts.told_times import (
    by_event,
    by_goal,
    coarse,
    counted_back,
    denies_less_time,
    is_from_then_on,
    loose,
    recurring,
    starts_range,
    tells_no_end,
    timetabled,
    without_time,
)
from goalmem.sources.frame_reader import FrameReader, FrameReading, bound_atom, says_nothing_more
from goalmem.sources.frames import frame_of_fact
from goalmem.sources.kinds import UNPROVED, kinds_open, qualified
from goalmem.sources.numbers import number_in
from goalmem.sources.phrase_cosine import PhraseCosine
from goalmem.sources.rates import is_other_rate
from goalmem.sources.shared_amounts import is_share
from goalmem.sources.similarity import Similarity
from goalmem.sources.spans import sentence_around
from goalmem.sources.state.attribute_text import is_colour
from goalmem.sources.unplaced_times import has_other_time
from goalmem.sources.values import HABITUAL, activity_of, said_day, tells_new_time, time_value, value_of

TURNS = 40
"""Turns fetched for one subgoal. On two cores, unifying their facts takes some tens of milliseconds."""
BY_ENTITY = 400
"""Newest facts of a named entity that are considered beside those of the turns found."""
DOING = 0.9
"""Score of an activity as the answer to `what did … do`."""
LISTED = 0.8
"""Least score of a fact if all solutions count: a doubtful fact would count as much as a certain one."""
SAID_SCORE = 0.6
"""Score of a time that is only the day of the statement. It is `likely` at most (`proof.status`): of 164 such times offered by passages of
held-out conversations none was right, so passages no longer offer them."""
CLAUSE_OF_TIME = re.compile(r"\b(?:when|whenever|while|once|after|before|until|till|since|as)\s+$", re.IGNORECASE)
JUST_DONE = 0.75
"""The same where it is told as just done."""
READ_WITHIN = 0.7
"""Score of a date that is read within a period set by a sentence before it."""
LATER = 24
"""Turns found for a question, among which changes are searched."""
NEAREST = 3
"""Near misses given for one subgoal."""
OWNED = "'s "
BEST = 5
"""Turns named in a search event."""
COLOURS = frozenset({"colour", "color"})
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
    given_anew: Callable[[str, Variable, Turn, str, Sequence[str]], float] | None = None
    """The probability that one of the turns that were found for a question gives its value anew, without saying of what
    (`sources.passages.succession`); None where no turn is read."""
    _turns: dict[str, Turn] = field(default_factory=dict)
    _candidates: dict[str, list[FactCandidate]] = field(default_factory=dict)
    _facts: dict[str, list[Fact]] = field(default_factory=dict)
    """By turn."""
    _framed: dict[str, FactCandidate] = field(default_factory=dict)
    """By fact."""

    _outdating: dict[str, LaterChanges] = field(default_factory=dict)
    """By question."""
    _doubts: dict[tuple[str, str], tuple[Slots, Doubts]] = field(default_factory=dict)
    """By subgoal and slot, where the store holds only what was searched for."""

    def __post_init__(self) -> None:
        self.similarity = Similarity(self.store.aliases(self.space), self.cosine)
        self.reader = FrameReader(self.extractor, self.at.replace(tzinfo=None), self.names, self.asker)
        self.slots = Slots(self.store, self.space, self.similarity, self.at)
        self.doubts = Doubts(self.slots.statements, self.at, self.cosine)

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
        atom = bound_atom(request.atom, request.substitution)
        reading = self.reader.read(atom)
        least = LISTED if needs_all(request.goal) else 0.0
        history = looks_back(request.goal)
        best: dict[tuple[object, ...], Step] = {}
        uncounted = set[tuple[str, int]]()
        for candidate in self.candidates(reading):
            if pays_less(candidate.fact, reading, atom):
                continue
            matches = by_goal(list(self.matches(reading, candidate)), request.goal)
            for match in matches:
                # Only for matches, since finding replacements may need a search.
                slots, _ = self.later_words(reading, candidate.fact)
                off = slots.annulled_by(candidate.fact) is not None
                if off or not (history or self.holds(candidate.fact, reading)):
                    break
                if (
                    loose(match, request.goal, just_done=self.just_done(match.fact))
                    or repeats(match, request.goal, atom)
                    or self.says_who_was_asked(match, reading, request.goal)
                    or is_outgrown(match.fact, match.bindings, request.goal, self.at)
                    or self.lasts_otherwise(match, request.goal)
                    or not self.is_total(request.goal, match)
                    or denies_less_time(request.goal, match)
                    or tells_no_end(request.goal, match)
                ):
                    continue
                step = self.step_for(request.goal, match)
                counts = request.goal.aggregate is Aggregate.COUNT
                if counts and names_several(step):
                    if candidate.fact.kind == "clause":
                        uncounted.add((candidate.fact.turn, candidate.fact.start))
                    continue
                if step.score < least or (counts and not self.is_countable(step, candidate.fact, request.goal)):
                    continue
                if not needs_all(request.goal) and self.told_otherwise(request.goal, step.bindings):
                    continue
                step = self.doubted(step, match, reading, request.goal)
                step = self.with_kinds(step, request)
                key = (step.negated, *sorted((b.variable.name, b.value.key) for b in step.bindings))
                if key not in best or best_first((best[key], step))[0] is step:
                    best[key] = step
        # Of milk, eggs and bread not all can be counted.
        counted = (s for s in best.values() if all((e.turn, e.start) not in uncounted for e in s.evidence))
        steps = best_first(counted)
        return (steps if history else newest_numbers(steps, reading))[: request.limit]

    def says_who_was_asked(self, match: Match, reading: FrameReading, goal: Goal) -> bool:
        """True if an answer is another name of what the question names: Elliot's teacher, of who my son's teacher is, if Elliot is my son."""
        if goal.aggregate is not Aggregate.ONE:
            return False
        name = self.similarity.canonical
        named = {name(p.entity) for frame in reading.frames for p in frame.constants if OWNED in p.entity}
        values = (b.value for b in match.bindings if b.variable == goal.answer and b.value.number is None)
        return any(OWNED in value.text and name(value.text) in named for value in values)

    def lasts_otherwise(self, match: Match, goal: Goal) -> bool:
        """True if a duration ends when it was told, and not when the other event of the question happened."""
        turn = self.turn(match.fact.turn)
        told = next((b for b in match.bindings if b.variable == goal.answer and b.variable.type == "duration"), None)
        if turn is None or told is None or not goal.constraints:
            return False
        start = turn.content.find(told.span, match.fact.start)
        return start >= 0 and ends_elsewhere(goal.question, turn.content, start, start + len(told.span))

    def is_countable(self, step: Step, fact: Fact, goal: Goal) -> bool:
        """True if a fact names one of the things to be counted, and all that its sentence speaks of."""
        told = qualified(step.bindings, self.facts_of([e.turn for e in step.evidence]))
        kind = goal.answer.type.split()[-1] if goal.answer is not None else ""
        sort = is_a(kind, "relative") and any(a.head != kind and is_a(a.head, kind) for a in fact.args)
        return told and not sort and not self.names_some(fact, goal)  # Who has a daughter may have a son.

    def names_some(self, fact: Fact, goal: Goal) -> bool:
        """True if the sentence of a fact says that there are more than it names: `among others`, `one of my brothers`, `the second beer`."""
        turn = self.turn(fact.turn)
        if turn is None or goal.answer is None:
            return False
        first, last = sentence_around(turn.content, fact.start, fact.end)
        of = SOME_OF.search(turn.content, first, last)
        counted = of is not None and bool(lemmas(of[1].casefold().split()) & lemmas(goal.answer.type.split()))
        ordinal = any(RANKED.match(a.text) for a in fact.args if a.role != "subject" and a.type != "time")
        return counted or ordinal or AMONG_OTHERS.search(turn.content, first, last) is not None

    def told_otherwise(self, goal: Goal, bindings: Iterable[Binding], *, surely: bool = True) -> str:
        """The later words after which a goal's value no longer holds; empty if it holds, and for several values.

        Without `surely`, also words after which it may no longer hold.
        """
        answer = next((b for b in bindings if b.variable == goal.answer), None)
        turn = self.turn(answer.turn) if answer is not None and goal.aggregate is Aggregate.ONE else None
        if turn is None or answer is None:
            return ""
        later = self.outdated(goal.question, turn, answer.value.text, surely=surely)
        return later[1] if later is not None else ""

    def outdated(self, question: str, turn: Turn, value: str, *, surely: bool) -> tuple[Turn, str] | None:
        """The later turn and sentence that replace an earlier value; None if it still holds."""
        for asked in filter(None, (bare_question(question), "" if surely else courting_question(question))):
            if asked not in self._outdating:
                found = self.searcher.rank(question, space=self.space, k=LATER, at=self.at, asker=self.asker)
                turns = [t for r in found if (t := self.turn(r.turn)) is not None]
                self._outdating[asked] = LaterChanges(asked, turns)
            changes = self._outdating[asked]
            while (later := changes.by(turn, value, surely=surely)) is not None:
                # A date that is computed from words of the turn itself is in none of its words.
                computed = later[0].id == turn.id and (
                    bool(find_times(value, turn.at)) or starts_range(value, later[1])
                )
                computed = computed and not is_correction(later[1])
                if not computed and not is_of_another_kind(question, later[1]):
                    return later
                changes = replace(changes, turns=[t for t in changes.turns if t.id != later[0].id])
        return None

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
                misses.append(NearMiss(stage, reason, self.evidence(candidate.fact), round(min(score, 0.99), 4)))
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

    def facts_of(self, turns: Sequence[str]) -> list[Fact]:
        """The facts of turns. Each turn's are loaded once, since subgoals of one question find many of the same turns."""
        new = [turn for turn in turns if turn not in self._facts]
        self._facts |= {turn: [] for turn in new}
        for fact in self.store.facts(self.space, turns=new) if new else ():
            self._facts[fact.turn].append(fact)
        return [fact for turn in turns for fact in self._facts[turn]]

    def candidate(self, fact: Fact) -> FactCandidate:
        """A fact with its frame; cached."""
        held = self._framed.get(fact.id)
        if held is None:
            held = self._framed[fact.id] = self.candidate_of(fact)
        return held

    @staticmethod
    def candidate_of(fact: Fact) -> FactCandidate:
        """A fact with its frame."""
        return FactCandidate(fact, frame_of_fact(fact))

    def names_of(self, entity: str) -> set[str]:
        """The entity's name, its canonical name, and its aliases."""
        canonical = self.similarity.canonical(entity)
        others = {a for a, c in self.similarity.aliases.items() if c.casefold() == canonical}
        return {entity.casefold(), canonical, *others}

    # -- unification -------------------------------------------------------------------------------------------------

    def matches(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which the fact matches the atom, also with an amount that was given anew since."""
        fact = candidate.fact
        yield from self.told(reading, candidate)
        present = asks_now(reading) and not reading.former
        asked = present and any(frame.predicate == candidate.frame.predicate for frame in reading.frames)
        if asked and (renewal := self.later_words(reading, fact)[1].renewal(fact)) is not None:
            now = self.candidate_of(renewal.renewed(fact))
            yield from (renewed(match, renewal, fact) for match in self.told(reading, now))

    def told(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which the fact matches the atom as it was told."""
        if candidate.fact.modality is Modality.CONDITIONAL:
            yield from self.conditional(reading, candidate)
            return
        stated = meant(candidate.fact, reading) and not self.leaves_one_out(candidate.fact, reading)
        for frame in reading.frames:
            if says_nothing_more(frame):
                continue
            if candidate.fact.modality is Modality.ASSERTED:
                yield from self.described(frame, candidate)
            if not stated:
                continue
            if reading.activity is not None:
                yield from self.doing(frame, reading.activity, candidate)
                continue
            yield from self.happened(frame, candidate)
            result = unify(frame, candidate.frame, self.similarity)
            if not isinstance(result, Mismatch):
                for unification in result:
                    match = self.bound(frame, unification, candidate.fact)
                    if match is not None and not self._is_other_rate(reading.text, match):
                        yield match
                    if (dated := self.dated_by_event(frame, unification, candidate.fact)) is not None:
                        yield dated

    def conditional(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which a fact matches an atom under the same condition."""
        fact = candidate.fact
        for frame, told in conditional_frames(reading, fact, candidate.frame, self.asker):
            free = next((p.variable for p in frame.unknowns if p.variable is not None), None)
            happens = frame.predicate == "happen" and free is not None and len(frame.parts) == 1
            doing = free if happens else reading.activity
            if doing is None:
                result = unify(frame, told, self.similarity)
                matched = (self.bound(frame, u, fact) for u in ([] if isinstance(result, Mismatch) else result))
                yield from (m for m in matched if m is not None)
                continue
            found = consequence_of(fact, whole=happens)
            asked = replace(frame, parts=tuple(p for p in frame.parts if p.variable is None))
            result = unify(asked, replace(told, predicate=asked.predicate), self.similarity)
            if found is None or not fact.polarity or isinstance(result, Mismatch):
                continue
            value = replace(found, type=doing.type)
            binding = Binding(doing, value, Derivation.QUOTED, found.text, fact.turn)
            yield Match(fact, (binding,), result[0].alignment[1:], DOING, opposed=False)

    def leaves_one_out(self, fact: Fact, reading: FrameReading) -> bool:
        """See `match.leaves_one_out`."""
        turn = self.turn(fact.turn)
        return turn is not None and leaves_one_out(fact, turn.content, reading)

    def bound(self, frame: Frame, unification: Unification, fact: Fact) -> Match | None:
        """A unification with its values; None if a time is needed and the fact has none, or if a value is only what a clause describes."""
        if any(is_antecedent(part, fact) for _, part in unification.filled):
            return None
        if any(
            self._is_share(variable, part, frame, fact)
            or is_some(variable, part, frame)
            or is_no_destination(variable, part, fact)
            for variable, part in unification.filled
        ):
            return None
        named = {part.entity.casefold() for part in frame.constants if part.entity}
        bindings = [self.binding(variable, part, fact, named) for variable, part in unification.filled]
        score, alignment = unification.score, unification.alignment
        if alignment and (fact.kind == "possession" or not says(fact.text, fact.predicate)):
            # `my sister` and `Yes` have no verb: it comes from the question they answer.
            alignment = (replace(alignment[0], how="implied"), *alignment[1:])
        if frame.time is not None:
            timed = self.timed(frame.time, fact)
            if timed is None:
                return None
            bindings.append(timed[0])
            score *= timed[1]
        return Match(fact, tuple(bindings), alignment, score, unification.opposed)

    def dated_by_event(self, frame: Frame, unification: Unification, fact: Fact) -> Match | None:
        """A unification with the event that the fact is dated by as its time: `right after the festival`; None if there is none."""
        turn = self.turn(fact.turn)
        event = by_event(fact, turn) if turn is not None and frame.time is not None and fact.when is None else ""
        plain = self.bound(replace(frame, time=None), unification, fact) if event else None
        if plain is None or frame.time is None:
            return None
        told = Binding(frame.time, Value(event, event.casefold(), "time"), Derivation.QUOTED, event, fact.turn)
        return replace(plain, bindings=(*plain.bindings, told))

    def _is_other_rate(self, asked: str, match: Match) -> bool:
        """True if an amount was told for another period or a part of what is asked for."""
        amounts = (b for b in match.bindings if b.value.interval is None and number_in(b.span) is not None)
        return any(is_other_rate(b.variable.type, asked, *self._around(match.fact, b)) for b in amounts)

    def is_total(self, goal: Goal, match: Match) -> bool:
        """True unless a sum is asked for and the amount is for each of many."""
        rates = (is_rate(self._around(match.fact, b)[1]) for b in match.bindings)
        return goal.aggregate is not Aggregate.SUM or not any(rates)

    def _around(self, fact: Fact, binding: Binding) -> tuple[str, str]:
        """The sentence with a value, and the words of it behind the value; empty if the value is in no words."""
        turn = self.turn(fact.turn)
        at = fact.text.find(binding.span) if binding.span else -1
        if turn is None or at < 0:
            return "", ""
        first, last = sentence_around(turn.content, fact.start, fact.end)
        return turn.content[first:last], turn.content[fact.start + at + len(binding.span) : last]

    def _is_share(self, variable: Variable, part: FramePart, frame: Frame, fact: Fact) -> bool:
        """True if the value was told of what the goal names and of something else together."""
        amount = next((a for a in fact.args if (a.start, a.end) == (part.start, part.end)), None)
        turn = self.turn(fact.turn)
        if turn is None or amount is None or not (amount.modifiers or amount.type in ("quantity", "time")):
            return False
        first, last = sentence_around(turn.content, fact.start, fact.end)
        asked = {name for p in frame.constants for name in (p.head, p.entity.casefold())}
        return is_share(variable.type, asked, turn.content[first:last], fact, amount, self.facts_of([fact.turn]))

    def doing(self, frame: Frame, activity: Variable, candidate: FactCandidate) -> Iterator[Match]:
        """`X did (x:activity)`: any clause with X as subject that describes an activity."""
        found = activity_of(candidate.fact)
        if found is None or not candidate.fact.polarity:
            return
        asked = tuple(p for p in frame.parts if p.variable is None)
        told = replace(candidate.frame, predicate=frame.predicate)
        result = unify(replace(frame, parts=asked), told, self.similarity)
        if isinstance(result, Mismatch):
            return
        found = without_time(found, candidate.fact, frame)
        binding = Binding(activity, found, Derivation.QUOTED, found.text, candidate.fact.turn)
        filled = replace(result[0], alignment=result[0].alignment[1:], score=result[0].score * DOING)
        match = self.bound(frame, filled, candidate.fact)
        if match is not None:
            yield replace(match, bindings=(binding, *match.bindings))

    def described(self, frame: Frame, candidate: FactCandidate) -> Iterator[Match]:
        """`X's N is (c:colour)`: a clause that mentions the colour, or the colour of what its owner got: `I bought a blue car`."""
        fact, asked = candidate.fact, frame.constants
        colour = next(
            (p.variable for p in frame.unknowns if p.variable is not None and p.variable.type in COLOURS), None
        )
        if frame.predicate != "be" or colour is None or len(frame.parts) != 2 or len(asked) != 1 or not fact.polarity:
            return
        owner, mark, noun = asked[0].entity.rpartition("'s ")
        owned = fact.predicate in ACQUIRING and mark and self.similarity.corefer(fact.subject, owner)
        for part in candidate.frame.parts:
            words = [w for w in WORD_PART.findall(part.text) if is_colour(w.casefold())]
            got = (
                owned
                and part.role == "object"
                and self.similarity.same(replace(asked[0], entity="", text=noun, modifiers=()), part)[0]
            )
            if (
                len(words) != 1
                or fact.predicate == "be"
                or not (got or self.similarity.same(asked[0], part)[0] >= DOING)
            ):
                continue
            value = Value(words[0], words[0].casefold(), "colour")
            binding = Binding(colour, value, Derivation.QUOTED, words[0], fact.turn)
            shown = Alignment(asked[0].text, part.text, "same", DOUBTFUL if got else DOING)
            yield Match(fact, (binding,), (shown,), DOUBTFUL if got else DOING, False)

    def happened(self, frame: Frame, candidate: FactCandidate) -> Iterator[Match]:
        """`(x:thing) happened to X`: any clause in which something is done to X, or X dies or breaks."""
        fact, told = candidate.fact, candidate.frame
        what = next((p.variable for p in frame.unknowns if p.variable is not None and p.role == "subject"), None)
        to = next((p for p in frame.constants if p.role == "to"), None)
        done = activity_of(fact) if fact.polarity and what is not None and to is not None else None
        if frame.predicate != "happen" or what is None or to is None or done is None or not tells_change(fact):
            return
        for part in told.parts:
            if part.role == "object" and self.similarity.same(to, part)[0] >= DOING:
                binding = Binding(what, Value(done.text, done.key, "thing"), Derivation.QUOTED, done.text, fact.turn)
                shown = Alignment(to.text, part.text, "same", DOUBTFUL)
                yield Match(fact, (binding,), (shown,), DOUBTFUL, False)

    def binding(self, variable: Variable, part: FramePart, fact: Fact, named: Collection[str] = ()) -> Binding:
        """The binding of a variable to `part`.

        A person that the goal names (`named`) is described by relation: Lucia is `Ivo's sister`, not Lucia.
        """
        value = value_of(variable, part, self.similarity)
        again = value.key in map(self.similarity.canonical, named)
        if again and OWNED in part.entity and part.entity.casefold() not in named:
            own = f"{ASKER}{OWNED}" if self.asker == ASKER else ""
            described = part.entity.replace(own, "your ") if own else part.entity
            value = Value(described, part.entity.casefold(), part.type)
        derivation = Derivation.NUMBER if value.number is not None else Derivation.QUOTED
        if value.number is None and (part.start < 0 or value.text.casefold() not in part.text.casefold()):
            derivation = Derivation.RESOLVED
        span = said_in_full(variable, part, fact) if part.start >= 0 else ""
        return Binding(variable, value, derivation, span, fact.turn)

    def timed(self, variable: Variable, fact: Fact) -> tuple[Binding, float] | None:
        """The time of the fact: as stated, otherwise no later than the day on which it was said."""
        if tells_new_time(fact):
            return None
        turn = self.turn(fact.turn)
        hour = timetabled(fact, turn) if turn is not None and fact.polarity else ""
        told = (
            Binding(variable, Value(hour, hour.casefold(), "time"), Derivation.QUOTED, hour, fact.turn)
            if hour
            else None
        )
        if told is not None and turn is not None and is_from_then_on(fact, turn):
            return told, 1.0
        if fact.when is not None:
            shown = time_value(fact.when, fact.when_text)
            return Binding(variable, shown, Derivation.TIME, fact.when_text, fact.turn), self.placed(fact, fact.when)
        if turn is not None and fact.polarity and (again := recurring(fact, turn)):
            return Binding(variable, Value(again, again.casefold(), "time"), Derivation.QUOTED, again, fact.turn), 1.0
        if told is not None:
            return told, 1.0
        if fact.modality is Modality.PLANNED or (turn is not None and not turn.dated):
            return None
        if HABITUAL.search(fact.text) or is_habit(fact):
            return None
        if any(a.role == "time" and is_bare_date(a.text) for a in fact.args) and fact.predicate not in BOOKING:
            return None
        if turn is not None and has_other_time(turn.content, fact.start, fact.end, whole=fact.kind == "possession"):
            return None
        if any(a.role == "at" and a.type == "quantity" for a in fact.args) and not is_over(fact.text, fact.predicate):
            return None  # `The match is at two` gives an hour and leaves the day open.
        day = said_day(fact.said)
        sure = JUST_DONE if self.just_done(fact) else SAID_SCORE
        return Binding(variable, Value(str(day), str(day), "time", day), Derivation.SAID, "", fact.turn), sure

    def placed(self, fact: Fact, when: Interval) -> float:
        """How sure it is when a fact was: less where a sentence before it set the week, the month or the year."""
        turn = self.turn(fact.turn)
        told = turn is not None and is_read_within(turn.content, fact.start, fact.when_text, when, fact.said)
        return READ_WITHIN if told else 1.0

    def just_done(self, fact: Fact) -> bool:
        """True if an event had just happened when it was told, and not when something else did: `when I just moved there`."""
        turn = self.turn(fact.turn) if is_just_done(fact.text, fact.predicate) else None
        return turn is not None and CLAUSE_OF_TIME.search(turn.content, 0, fact.start) is None

    def step(self, match: Match) -> Step:
        """The engine's step for a match."""
        return Step(
            self.name,
            "fact",
            max(0.0001, min(1.0, round(match.score, 4))),
            match.bindings,
            (),
            self.cited(match),
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
        anew = self.likely_given_anew(goal, step.bindings) if present else 0.0
        if anew >= SUCCEEDED or doubts.leaves_open(match.fact, reading.text, present=present, past=reading.past):
            return replace(step, score=OPEN)
        if (
            doubts.of(match.fact, step.bindings, reading.text, present=present)
            or may_mean_another(match.fact, reading, [c.fact for c in self.candidates(reading)])
            or coarse(step.bindings, goal)
            or is_of_fewer(match.fact, goal)
            or (reading.past and is_habit(match.fact))
            or is_of_the_past(match.fact, step.bindings, reading, goal)
            or self.told_otherwise(goal, step.bindings, surely=False)
        ):
            return replace(step, score=DOUBTFUL)
        return step

    def likely_given_anew(self, goal: Goal, bindings: Iterable[Binding]) -> float:
        """The probability that a later turn gives a goal's value anew, without saying of what."""
        answer = next((b for b in bindings if b.variable == goal.answer), None)
        turn = self.turn(answer.turn) if answer is not None and goal.aggregate is Aggregate.ONE else None
        if self.given_anew is None or turn is None or answer is None:
            return 0.0
        found = self.searcher.rank(goal.question, space=self.space, k=LATER, at=self.at, asker=self.asker)
        held = answer.span or answer.value.text
        return self.given_anew(goal.question, answer.variable, turn, held, [r.turn for r in found])

    # -- evidence ----------------------------------------------------------------------------------------------------

    def turn(self, turn_id: str) -> Turn | None:
        """A turn of the space; cached."""
        if turn_id not in self._turns:
            self._turns |= self.store.turns(self.space, [turn_id])
        return self._turns.get(turn_id)

    def cited(self, match: Match) -> tuple[Evidence, ...]:
        """The fact's span, and the span of its time if that is elsewhere in the turn, or of the fact that gives its amount anew."""
        own = self.evidence(match.fact)
        if match.since is not None:
            return own, self.evidence(match.since)
        turn = self.turn(match.fact.turn)
        if (asked := self.answered(match.fact)) is not None:
            return own, asked
        times = (b.span for b in match.bindings if b.variable.type == "time" and b.derivation is not Derivation.SAID)
        when = next((span for span in times if span not in own.quote), "")
        start = turn.content.find(when) if turn is not None and when else -1
        if start < 0:
            return (own,)
        return own, replace(own, quote=when, start=start, end=start + len(when))

    def answered(self, fact: Fact) -> Evidence | None:
        """The words in the previous turn that a terse answer refers to. None for any other fact."""
        turn = self.turn(fact.turn) if is_terse(fact) else None
        place = turn.position - 1 if turn is not None else -1
        if turn is None or place < 0:
            return None
        before = self.store.session_turns(self.space, turn.session, first=place, last=place)
        if not before or before[0].speaker == turn.speaker:
            return None
        content = before[0].content
        at = max(content.rfind("?"), 0) or max(len(content.rstrip()) - 1, 0)
        return evidence_of(before[0], *sentence_around(content, at, at + 1))

    def evidence(self, fact: Fact) -> Evidence:
        """The span of a fact, with the hash of its turn."""
        turn = self.turn(fact.turn)
        if turn is not None:
            return evidence_of(turn, fact.start, fact.end)
        # The turn was forgotten since the fact was read; verification will say so.
        digest = hashlib.sha256(fact.text.encode()).hexdigest()
        return Evidence(fact.turn, digest, fact.text, fact.start, fact.end, fact.speaker, fact.said.isoformat())
