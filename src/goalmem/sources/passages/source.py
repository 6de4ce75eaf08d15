"""Answers read out of passages, as steps: a span reader proposes words; logic and a judge decide about them.

Every atom with one open variable is read for: passages are retrieved for it with the current bindings, and it becomes a question with a gap
(`Ines lives in which place?`). The reader sees a turn after the one that it replies to, as lines `Speaker: text`, and returns spans with
scores, or that there is no answer. A proposal counts only if the turn is about the people in the question, the words are of the answer
type, a time can be resolved (conditions 1, 2 and 4 of unification), and the judge does not reject it. Verification asks the judge, never
the reader (`sources.passages.check`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.logic.evaluate import RECKONED, needs_all
from goalmem.logic.terms import Aggregate, Alignment, Binding, Goal, JudgeRecord, Variable
from goalmem.models.protocol import Judge, SpanReader
from goalmem.proof.status import PROVED_CERTAINTY
from goalmem.questions.whole_question import (
    AtomQuestion,
    is_of_passages,
    passage_question,
    whether_question,
)
from goalmem.records import Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.facts.clause_answer import ClauseSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frame_reader import bound_atom
from goalmem.sources.passages.answer_words import nested
from goalmem.sources.passages.current_offers import CurrentOffers
from goalmem.sources.passages.description_fit import fits_description, only_repeats
from goalmem.sources.passages.effort import (
    CHANGES_READ,
    FOR_ONE,
    FOUND,
    READ_OF_SUBGOAL,
    Effort,
    effort_for,
    in_steps,
    is_of_two,
)
from goalmem.sources.passages.judged_offers import JudgedOffers, OfferJudge
from goalmem.sources.passages.offers import TurnOffers
from goalmem.sources.passages.over_time import JudgedProposal, asked_for
from goalmem.sources.passages.readings import LEAST, PassageReadings
from goalmem.sources.passages.stated_forms import StatedForms
from goalmem.sources.passages.succession import READ_BEHIND, Successions
from goalmem.sources.passages.texts import PassageTexts, atom_question, digest_of, opinion_judgement
from goalmem.sources.passages.yes_no import DECIDING, Opinion, deciding_opinion

LISTED = 0.25
"""Least share of the best score for further values, if all are wanted."""
MOST_LISTED = 8
READ_AT_MOST = 0.84
"""The most that a reading counts which makes an answer only `likely`: less than a fact with a rule of common knowledge, which proves."""
ALTERNATIVES = 3
"""Readings of a subgoal that the search may continue with."""
IN_STEPS = 0.6
"""Exponent of the certainties of two readings of which one names what the other is about: that what is named has the answer speaks for the
name, so their product is too low. So it is for the order of two events, which holds even if a time is inexact. Chosen on
lab/everyday/dev and the lives held out, and on 42 pairs of LongMemEval's development half, so that what is answered this way is seldom
wrong."""


@dataclass
class PassageSource:
    """The turns of a space as passages from which answers are read."""

    texts: PassageTexts
    reader: SpanReader
    ranked: Callable[[int], Sequence[RankedTurn]]
    """Returns the `k` turns to read for the question, best first."""
    judge: Judge
    asked: str
    """The whole question."""
    answers: frozenset[Variable]
    """The variables for which one value is wanted."""
    clauses: ClauseSource
    """Answers yes/no questions before the judge is asked."""
    name: str = "passages"
    closed: bool = False
    cost: int = 1

    @property
    def memory(self) -> MemorySource:
        """The turns, and their facts."""
        return self.texts.memory

    @cached_property
    def readings(self) -> PassageReadings:
        """What the reader finds."""
        return PassageReadings(self.texts, self.reader)

    @cached_property
    def successions(self) -> Successions:
        """Reads later turns behind earlier ones."""
        return Successions(self.texts, self.reader, self.judge)

    @cached_property
    def offers(self) -> CurrentOffers:
        """What of it may answer, as it is now."""
        return CurrentOffers(TurnOffers(self.readings, self.asked), self.successions, self.answers)

    @cached_property
    def judged(self) -> JudgedOffers:
        """What of that the judge finds said."""
        return JudgedOffers(self.offers, OfferJudge(self.texts, self.judge), self.clauses.analyze, self.asked)

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """Steps for what the passages say, likeliest first: one answer if one is wanted, otherwise all."""
        if (whether := whether_question(request.atom)) is not None:
            return self.clauses.steps(request.atom) or (
                self._decision(whether) if self._afford(request, DECIDING, DECIDING) else ()
            )
        reading = atom_question(request.atom, request.substitution)
        if reading is None or (needs_all(request.goal) and not reading.whole):
            return ()  # Readings for a part of a count or list are neither complete nor certain.
        effort = effort_for(request.goal)
        if not self._afford(
            request,
            min(effort.read + CHANGES_READ + READ_BEHIND, FOUND if reading.whole else READ_OF_SUBGOAL),
            effort.judged,
        ):
            return ()
        found = self._about_described(reading, request.goal, effort)
        if not found:
            return ()
        found = [*asked_for(found, reading.question, reading.variable.type, self.memory.turn), *found]
        if needs_all(request.goal) and request.goal.aggregate not in RECKONED:
            found = [f for n, f in enumerate(found) if not any(nested(f.proposal, g.proposal) for g in found[:n])]
            kept = [f for f in found if f.score >= LISTED * found[0].score][:MOST_LISTED]
        else:
            last = reading.whole and not (in_steps(request.goal) and reading.variable != request.goal.answer)
            kept = found[:1] if last else found[:ALTERNATIVES]
        if is_of_two(request.goal) and all(map(is_of_passages, request.goal.atoms)):
            kept = [replace(f, score=round(f.score**IN_STEPS, 4)) for f in kept if f.score >= LEAST]
        if request.goal.aggregate in RECKONED or request.goal.aggregate is Aggregate.DURATION:
            kept = [replace(f, proposal=self.texts.counted(f.proposal)) for f in kept]
        return [self.step(reading, f) for f in kept[: request.limit] if f.score >= LEAST]

    @staticmethod
    def _afford(request: Request, passages: int, judgements: int) -> bool:
        """Charge the budget with so many passages read and statements judged, at most; False if it does not cover them."""
        allowed = request.budget.allows(passages=passages, judgements=judgements)
        if allowed:
            request.budget.spend(passages=passages, judgements=judgements)
        return allowed

    def _about_described(self, reading: AtomQuestion, goal: Goal, effort: Effort) -> list[JudgedProposal]:
        """The readings; of what another part of the goal is about, those that name it, in turns that speak of what is described."""
        found = self.found(reading.question, reading.variable, self.turns_for(reading, goal), effort)
        if not in_steps(goal) or reading.variable == goal.answer:
            return found
        type_, cosine = reading.variable.type, self.memory.similarity.cosine
        passages = self.texts.passages_of(list(dict.fromkeys(f.proposal.turn for f in found)))
        told = {p.turn.id for p in passages if fits_description(reading.question, type_, p.text, cosine)}
        return [f for f in found if f.proposal.turn in told and not only_repeats(f.proposal.value.text, type_)]

    def _decision(self, question: str) -> list[Step]:
        """The step of the turn that answers a yes/no question with most certainty; none if no turn does."""
        turns = [t for r in self.ranked(DECIDING) if (t := self.memory.turn(r.turn)) is not None]
        told = self.texts.opinions(self.judge, question, [t.id for t in turns])
        since = [o.verdict == "contradicted" and self._is_done_since(t) for t, o in zip(turns, told, strict=True)]
        told = [Opinion(0.0, 0.0) if over else opinion for opinion, over in zip(told, since, strict=True)]
        found = deciding_opinion(told)
        if found is None:
            return []
        place, score = found
        said = opinion_judgement(self.judge, told[place])
        cited = evidence_of(turns[place], 0, len(turns[place].content))
        denies = said.verdict == "contradicted"
        return [Step(self.name, "fact", round(score, 4), evidence=(cited,), negated=denies, judge_record=said)]

    def _is_done_since(self, turn: Turn) -> bool:
        """True if what a turn denies was done later: `has not paid`, and then `they paid on the 4th`."""
        return any(self.memory.doubts.is_done_since(f) for f in self.memory.facts_of([turn.id]) if not f.polarity)

    def turns_for(self, reading: AtomQuestion, goal: Goal) -> Sequence[RankedTurn]:
        """The turns to read: for the question, those found by all its subgoals; for a subgoal, or one of two questions, its own."""
        memory = self.memory
        if reading.whole and (goal.aggregate in (Aggregate.EACH, *RECKONED) or in_steps(goal)):
            text, asker = reading.question, memory.asker
            return memory.searcher.rank(text, space=memory.space, k=FOUND, at=memory.at, asker=asker)
        if reading.whole:
            return self.ranked(FOUND)
        return memory.searcher.rank(reading.text, space=memory.space, k=READ_OF_SUBGOAL, at=memory.at)

    def found(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> list[JudgedProposal]:
        """The readings of the turns, likeliest first, one per value, each with the probability that it is right."""
        stated = StatedForms(self.judged.judge, self.asked).found(question, variable, ranked)
        return stated if stated is not None else self.judged.found(question, variable, ranked, effort)

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The turn that came nearest to an answer."""
        reading = atom_question(request.atom, request.substitution)
        if reading is not None and (unsaid := self.judged.rejected(reading.question)) is not None:
            return (self._not_said(unsaid),)
        asked = passage_question(bound_atom(request.atom, request.substitution))
        if asked is None:
            return ()
        question, _ = asked
        best = self.readings.nearest(question, [r.turn for r in self.ranked(FOUND)])
        turn = self.memory.turn(best[1]) if best is not None else None
        if best is None or turn is None:
            return (self.memory.never_said(f"nothing remembered answers “{question}”"),)
        whole = evidence_of(turn, 0, len(turn.content))
        reason = f"the nearest passage answers it with a probability of {best[0]:.2f} only"
        return (
            NearMiss("never-said" if best[0] < 0.5 else "not-unified", reason, whole, round(min(best[0], 0.99), 4)),
        )

    def _not_said(self, read: JudgedProposal) -> NearMiss:
        turn = self.memory.turn(read.proposal.turn)
        assert turn is not None
        sure = read.verdict.entailed
        words = read.proposal.span or read.proposal.value.text
        reason = f"“{words}” was read, but {self.judge.name} finds it said there with a probability of {sure:.2f} only"
        cited = evidence_of(turn, read.proposal.start, read.proposal.end)
        return NearMiss("judged-not-said", reason, cited, round(min(read.score, 0.99), 4))

    def step(self, reading: AtomQuestion, read: JudgedProposal) -> Step:
        """The engine's step for a reading."""
        proposal = read.proposal
        turn = self.memory.turn(proposal.turn)
        assert turn is not None
        binding = Binding(reading.variable, proposal.value, proposal.derivation, proposal.span, proposal.turn)
        sure = round(read.verdict.entailed, 4)
        score = read.score if sure >= PROVED_CERTAINTY else min(read.score, READ_AT_MOST)
        return Step(
            self.name,
            "fact",
            max(0.0001, min(1.0, score)),
            (binding,),
            (),
            (evidence_of(turn, proposal.start, proposal.end),),
            (Alignment(reading.question, proposal.span, "read", min(1.0, score)),) if proposal.span else (),
            note=f"read by {self.reader.name}",
            judge_record=JudgeRecord(self.judge.name, "entailed", sure, digest_of(self.judge)),
        )
