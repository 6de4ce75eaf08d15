"""Answers read out of passages, as steps: a span reader proposes words; logic and a judge decide about them.

Every atom with one open variable is read for: passages are retrieved for it with the current bindings, and it becomes a question with a gap
(`Ines lives in which place?`). The reader sees a turn after the one that it replies to, as lines `Speaker: text`, and returns spans with
scores, or that there is no answer. A proposal counts only if the turn is about the people in the question, the words are of the answer
type, a time can be resolved (conditions 1, 2 and 4 of unification), and the judge does not reject it. Verification asks the judge, never
the reader (`sources.passages.check`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.language.words.pronouns import FIRST_SINGULAR
from goalmem.logic.evaluate import RECKONED, needs_all
from goalmem.logic.terms import Aggregate, Alignment, Binding, Goal, JudgeRecord, Variable
from goalmem.models.protocol import Excerpt, Judge, PassageReading, SpanReader, Statement, Verdict
from goalmem.questions.intent import about_assistant
from goalmem.questions.whole_question import (
    AtomQuestion,
    is_of_passages,
    passage_question,
    whether_question,
)
from goalmem.records import Modality, Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.assertion import asks_before
from goalmem.sources.certainty.answer_ranking import (
    AT_FIRST,
    EARLIER,
    FLOOR,
    LATEST,
    TELLS_ORDER,
    CertaintyFeatures,
    OfferFeatures,
    QuestionFeatures,
    WordOverlap,
    certainty,
    log_odds,
    preference,
    recency,
)
from goalmem.sources.certainty.outdated import core, is_beside_denial
from goalmem.sources.certainty.topics import is_state
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.facts.clause_answer import ClauseSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frame_reader import bound_atom
from goalmem.sources.passages.advice import LOWEST, AdviceQuestion, fit, topic_of, worth
from goalmem.sources.passages.answer_words import (
    RankedOffer,
    answer_words,
    best_of_each,
    nested,
    says_nothing,
)
from goalmem.sources.passages.contradiction import lives_there
from goalmem.sources.passages.description_fit import fits_description, only_repeats
from goalmem.sources.passages.list_items import ListQuestion, list_question, topic_of_list
from goalmem.sources.passages.over_time import JudgedProposal, asked_for, said_at
from goalmem.sources.passages.participants import names_unknown
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.succession import MAY_SUCCEED, READ_BEHIND, SUCCEEDS, GivenAnew, Successions
from goalmem.sources.passages.texts import (
    MOST_READ,
    NOT_SAID,
    PassageTexts,
    ReadPassage,
    atom_question,
    digest_of,
    opinion_judgement,
)
from goalmem.sources.passages.told_apart import is_about_another
from goalmem.sources.passages.twin_questions import twin_questions
from goalmem.sources.passages.yes_no import DECIDING, Opinion, deciding_opinion
from goalmem.sources.spans import sentence_around

FOUND = 24
"""Turns found for a question."""
CHANGES_READ = 4
"""Turns read because they change what others offer, beside those that rank highest."""
SPANS = 4
"""Spans considered in one passage: the logic may reject the best."""
LEAST = 0.02
"""Spans with a lower probability are ignored."""
LISTED = 0.25
"""Least share of the best score for further values, if all are wanted."""
WORSE = 1.5
"""How much lower the preference of a value in a turn with a change may be than that of the value it replaces. Chosen, like `SUCCEEDING`, on
160 plain statements and updates with a question each and on lab/everyday/dev."""
SUCCEEDING = 0.84
"""Score of the likeliest reading in a turn with a change, relative to the previous answer."""
SAID_ANEW = 0.35
"""Least probability by the judge of a value that takes the place of another."""
MOST_LISTED = 8
ALTERNATIVES = 3
"""Readings of a subgoal that the search may continue with."""
READ_OF_SUBGOAL = 12
"""Turns read for a subgoal."""
IN_STEPS = 0.6
"""Exponent of the certainties of two readings of which one names what the other is about: that what is named has the answer speaks for the
name, so their product is too low. So it is for the order of two events, which holds even if a time is inexact. Chosen on
lab/everyday/dev and the lives held out, and on 42 pairs of LongMemEval's development half, so that what is answered this way is seldom
wrong."""
OF_ORDER = frozenset({Aggregate.FIRST_OF, Aggregate.LAST_OF, Aggregate.COMPARE})
"""Which of two events was first: right even where a time is not exactly so."""
SELF = any_of(FIRST_SINGULAR)


@dataclass(frozen=True, slots=True)
class Effort:
    """How many passages are read for a question, best first, and how many of the likeliest readings are judged."""

    read: int
    judged: int


FOR_ONE = Effort(read=12, judged=6)
"""For one answer: on the lives held out, twice as many of both answer no more questions rightly (docs/reasoning.md)."""
FOR_SEVERAL = Effort(read=FOUND, judged=10)
"""For a list or a count, of which every part is wanted, and for the latest or an earlier one of several values."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Words of a passage that may answer, with their features; `proposal` is None for words about other people."""

    proposal: Proposal | None
    features: OfferFeatures


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read for, with what the offers of all turns are measured against."""

    question: str
    variable: Variable
    scarcity: float
    places: Mapping[str, float]
    """By turn, its rank among those found, from 1; times the scarcity."""
    spoken: WordOverlap
    unknown: bool
    """True if the question names somebody or something that no turn names."""

    def place(self, turn: str) -> float:
        """The rank of a turn; one that was not found ranks behind the others."""
        return self.places.get(turn, (len(self.places) + 1) * self.scarcity)


Outdated = tuple[float, Proposal, OfferFeatures, str, float]
"""A proposal with its preference and features, the later turn with a change, and how much lower the
preference of that turn's offer may be."""


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
    _anew: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By question, turn and value that takes the place of an earlier one, though it does not say of what it is."""
    _unsure: dict[str, tuple[Proposal, float]] = field(default_factory=dict)
    """By question, a value that may have been given anew, and how probably."""
    _present: dict[tuple[str, str], float] = field(default_factory=dict)
    _readings: dict[tuple[str, str], PassageReading] = field(default_factory=dict)
    _unsaid: dict[str, JudgedProposal] = field(default_factory=dict)
    """By question, the likeliest reading that the judge rejected."""
    _outdated: dict[str, list[Outdated]] = field(default_factory=dict)
    """By question, the former answers, with the later turn that has a change."""

    @property
    def memory(self) -> MemorySource:
        """The turns, and their facts."""
        return self.texts.memory

    @cached_property
    def successions(self) -> Successions:
        """Reads later turns behind earlier ones."""
        return Successions(self.texts, self.reader, self.judge)

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
        """The readings of the turns, likeliest first, one per value, each with the probability that it is right.

        The probability combines the reader's score, the rank of the turn, the share of the question in it, and the judge: the reader
        confuses `a cooking class` with `a ballet class`, and neither words nor search can tell. If the words fit somebody else as well, it
        is probably their story, and the probability is lower.
        """
        if (asked := self.texts.advice_question(question, variable)) is not None:
            told = self._advice(question, variable, asked, ranked)
            if asked.by == "you" or (told and told[0].score > LOWEST):
                return told  # Others may give the same advice.
        if (item := list_question(question)) is not None and (told := self._listed(question, item, ranked)):
            return told
        read = []
        for proposal, verdict, features in self.judged_readings(question, variable, ranked, effort):
            likely = certainty(features) * self._holds_still(question, proposal)
            own = JudgedProposal(proposal, verdict, round(likely, 4))
            if verdict.entailed >= NOT_SAID:
                read.append(own)
            else:
                self._unsaid[question] = max(self._unsaid.get(question, own), own, key=lambda r: r.score)
        return sorted(self._succeeding(question, read), key=lambda r: -r.score)

    def _holds_still(self, question: str, proposal: Proposal) -> float:
        """The probability that a value was not given anew."""
        held, likely = self._unsure.get(question, (None, 0.0))
        return 1 - likely if held is not None and is_same_offer(proposal, held) else 1.0

    def _succeeding(self, question: str, read: Sequence[JudgedProposal]) -> Sequence[JudgedProposal]:
        """The readings. The likeliest one in a turn with a change becomes about as likely as the previous answer."""
        before = max(self._outdated.get(question, ()), key=lambda o: o[0], default=None)
        if before is None:
            return read
        liked, proposal, features, turn, _ = before
        old = core(proposal.value.text).casefold()
        told = (r for r in read if r.proposal.turn == turn and old not in r.proposal.span.casefold())
        anew = self._anew.get(question)
        told = (
            r
            for r in told
            if (r.proposal.turn, r.proposal.value.text) == anew or (anew is None and r.verdict.entailed >= SAID_ANEW)
        )
        new = max(told, key=lambda r: r.score, default=None)
        if new is None:
            return read
        (verdict,) = self.verdicts(question, [(liked, proposal, features)])
        was = certainty(CertaintyFeatures(self.form_of(question), features, liked, FLOOR, FLOOR, verdict.entailed))
        sure = replace(new, score=max(new.score, round(SUCCEEDING * was, 4)))
        return [sure if r is new else r for r in read]

    def _advice(
        self, question: str, variable: Variable, asked: AdviceQuestion, ranked: Sequence[RankedTurn]
    ) -> list[JudgedProposal]:
        """Advice in turns on the topic of the question, likeliest first, one sentence per turn."""
        passages = self.texts.passages_of([r.turn for r in ranked])
        spoken = WordOverlap(topic_of(question), [asked.by, variable.type], [p.text for p in passages])
        told = []
        for passage in passages:
            own = [
                (spoken.share(passage.turn.content[p.start : p.end]), -rank, p)
                for p, rank in self.texts.advice(asked, passage)
            ]
            if own:
                sentence, rank, proposal = max(own, key=lambda o: o[:2])
                told.append((spoken.share(passage.text), sentence, rank, proposal))
        told.sort(key=lambda t: (-t[0] - t[1], -t[2], t[3].turn))
        return self._of_topic(question, [(passage, sentence, proposal) for passage, sentence, _, proposal in told])

    def _listed(self, question: str, asked: ListQuestion, ranked: Sequence[RankedTurn]) -> list[JudgedProposal]:
        """What stands at the place that is asked for in lists on the topic of the question, likeliest first."""
        passages = self.texts.passages_of([r.turn for r in ranked])
        asked_in = {topic for text in (question, self.asked) if terms_of(topic := topic_of_list(text))}
        topics = [WordOverlap(topic, [], [p.text for p in passages]) for topic in sorted(asked_in)]

        def spoken(text: str) -> float:
            return max((topic.share(text) for topic in topics), default=0.0)

        told = [
            (spoken(listed), spoken(passage.text), proposal)
            for passage in passages
            for proposal, listed in self.texts.listed(asked, passage)
        ]
        told.sort(key=lambda t: (-fit(*t[:2]), t[2].turn, t[2].start))
        return self._of_topic(question, told[: FOR_SEVERAL.judged])

    def _of_topic(self, question: str, told: Sequence[tuple[float, float, Proposal]]) -> list[JudgedProposal]:
        """Words that forms of speech find, with the shares of the topic in what they stand in; without those that the judge rejects."""
        verdicts = self.verdicts(
            question, [(0.0, proposal, OfferFeatures(0, 0, 0, 1, 1, 0, 0)) for *_, proposal in told]
        )
        scores = worth([(passage, sentence) for passage, sentence, _ in told])
        return [
            JudgedProposal(proposal, verdict, score)
            for (*_, proposal), verdict, score in zip(told, verdicts, scores, strict=True)
            if verdict.entailed >= NOT_SAID
        ]

    def judged_readings(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> list[tuple[Proposal, Verdict, CertaintyFeatures]]:
        """The likeliest readings, each with the judge's verdict and what bears on the probability that it is right."""
        own, others = self.likeliest(question, variable, ranked, effort)
        anew, form = self._anew.get(question), self.form_of(question)
        best = [o for n, o in enumerate(own) if n < effort.judged or (o[1].turn, o[1].value.text) == anew]
        told = max(map(preference, others), default=FLOOR)
        recent = recency([said_at(proposal, self.memory.turn) for _, proposal, _ in best])
        found = []
        verdicts = self.verdicts(question, best)
        elsewhere = self._elsewhere(question, best, verdicts)
        for (liked, proposal, features), verdict, late, apart in zip(best, verdicts, recent, elsewhere, strict=True):
            rivals = (weight for weight, other, _ in own if other is not proposal and not nested(other, proposal))
            turn = self.memory.turn(proposal.turn)
            said = turn.content[proposal.start : proposal.end] if turn is not None else ""
            denied = is_beside_denial(question, said, proposal.span)
            clues = CertaintyFeatures(
                form, features, liked, told, next(rivals, FLOOR), verdict.entailed, late, denied, apart
            )
            found.append((proposal, verdict, clues))
        return found

    def form_of(self, question: str) -> QuestionFeatures:
        """The form of a question, which may be a part of what was asked."""
        return QuestionFeatures.of(question, recalls=about_assistant(self.clauses.analyze(self.asked or question)))

    def likeliest(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> tuple[list[RankedOffer], list[OfferFeatures]]:
        """The offers by preference, one per value; and the features of words about somebody else."""
        offers = self.offers(question, variable, ranked, effort)
        own = best_of_each((preference(o.features), o.proposal, o.features) for o in offers if o.proposal is not None)
        return own, [o.features for o in offers if o.proposal is None]

    def verdicts(self, question: str, offered: Sequence[RankedOffer]) -> Sequence[Verdict]:
        """The judge's verdicts on offers."""
        return self.judge.judge([self.pair(question, answer_words(p.span, p.value), p) for _, p, _ in offered])

    def _elsewhere(self, question: str, offered: Sequence[RankedOffer], verdicts: Sequence[Verdict]) -> list[float]:
        """By how much surer the judge is of each offer if the question is about whom its clause is about; 0 in a memory of many turns, where
        this says nothing.
        """
        pairs, of = list[tuple[Statement, Excerpt]](), list[int]()
        for place, (_, proposal, features) in enumerate(offered):
            for twin in self._twins(question, proposal) if features.few else ():
                pairs.append(self.pair(twin, answer_words(proposal.span, proposal.value), proposal))
                of.append(place)
        surer = [0.0] * len(offered)
        for place, verdict in zip(of, self.judge.judge(pairs) if pairs else (), strict=True):
            more = log_odds(verdict.entailed) - log_odds(verdicts[place].entailed)
            surer[place] = max(surer[place], more)
        return surer

    def _twins(self, question: str, proposal: Proposal) -> list[str]:
        turn = self.memory.turn(proposal.turn)
        start = -1 if turn is None else turn.content.find(proposal.span, proposal.start, proposal.end)
        if turn is None or start < 0:
            return []
        facts = self.memory.facts_of([turn.id])
        return twin_questions(question, turn.content, facts, start, start + len(proposal.span))

    def pair(self, question: str, answer: str, cited: Proposal) -> tuple[Statement, Excerpt]:
        """A reading as the judge sees it: the turn around the cited words, after the end of the previous turn."""
        turn = self.memory.turn(cited.turn)
        assert turn is not None
        return Statement(self.texts.worded(question), answer), self.texts.excerpt(turn, cited.start, cited.end)

    def offers(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> list[Offer]:
        """The offers of each turn that is read, not yet scored. A later turn with a change of what is offered is read, too."""
        passages = self.texts.passages_of([r.turn for r in ranked])
        asked = self._reading_of(question, variable, ranked, passages)
        read = passages[: effort.read]
        offers, changed = self._offers_of(asked, read)
        ids = {p.turn.id for p in read}
        if later := list(dict.fromkeys(turn for *_, turn, _ in changed if turn not in ids)):
            more, also = self._offers_of(asked, self.texts.passages_of(later[:CHANGES_READ]))
            offers, changed = offers + more, changed + also
        if variable in self.answers and not any(best_of(offers) is o[1] for o in changed):
            more, also = self._given_anew(asked, offers, [r.turn for r in ranked])
            offers, changed = offers + more, changed + also
        return self._current(offers, changed, question)

    def _given_anew(
        self, asked: _Reading, offers: Sequence[Offer], found: Sequence[str]
    ) -> tuple[list[Offer], list[Outdated]]:
        """The value that a later turn gives in place of the likeliest one without saying of what it is, and what it replaces."""
        held = best_of(offers)
        turn = self.memory.turn(held.turn) if held is not None else None
        if held is None or turn is None:
            return [], []
        given = self.successions.given_anew(asked.question, asked.variable, turn, held.span, found)
        new = next((g for g in reversed(given) if g.probability >= SUCCEEDS), None)
        if new is None:
            likely = max((g.probability for g in given), default=0.0)
            if likely >= MAY_SUCCEED:
                self._unsure[asked.question] = held, likely
            return [], []
        self._anew[asked.question] = new.passage.turn.id, new.proposal.value.text
        told = [
            (preference(o.features), o.proposal, o.features, new.passage.turn.id, math.inf)
            for o in offers
            if o.proposal is not None and (o.proposal.turn == held.turn or o.proposal.value.key == held.value.key)
        ]
        return [Offer(new.proposal, self._features_of(asked, new))], told

    @staticmethod
    def _features_of(asked: _Reading, new: GivenAnew) -> OfferFeatures:
        content = new.passage.turn.content
        first, last = sentence_around(content, new.start, new.end)
        return OfferFeatures(
            span=new.span,
            present=new.present,
            suits=new.proposal.score,
            place=asked.place(new.passage.turn.id),
            words=max(1, len(content[new.start : new.end].split())),
            passage=asked.spoken.share(new.passage.text),
            sentence=asked.spoken.share(content[first:last]),
            scarcity=asked.scarcity,
            refused=new.proposal.refused,
            beside=new.proposal.beside,
            dated=new.proposal.value.interval is not None,
        )

    def unchanged_offers(self, question: str, variable: Variable, ranked: Sequence[RankedTurn]) -> list[Offer]:
        """The offers of the turns that are read, without those that words of change replace."""
        passages = self.texts.passages_of([r.turn for r in ranked])
        offers, changed = self._offers_of(self._reading_of(question, variable, ranked, passages), passages)
        return self._current(offers, changed, question)

    def _reading_of(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], passages: Sequence[ReadPassage]
    ) -> _Reading:
        of_few = max(1.0, FOUND / max(1, len(ranked)))
        return _Reading(
            question,
            variable,
            of_few,
            {r.turn: place * of_few for place, r in enumerate(ranked, 1)},
            WordOverlap(
                question,
                [*self.texts.participants.named(question), variable.type],
                [p.turn.content[:MOST_READ] for p in passages],
            ),
            unknown=names_unknown(self.asked or question, [p.text for p in passages]),
        )

    def _offers_of(self, asked: _Reading, passages: Sequence[ReadPassage]) -> tuple[list[Offer], list[Outdated]]:
        """The offers of turns, and those that a later turn has a change of."""
        question, variable, spoken = asked.question, asked.variable, asked.spoken
        at_first = AT_FIRST.search(question) is not None
        back, former = EARLIER.search(question) is not None, asks_before(question)
        offers, changed = list[Offer](), list[Outdated]()
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            of_passage = spoken.share(passage.text)
            for proposal, span, start, end in self._offered(question, variable, passage, reading):
                if proposal is not None and says_nothing(question, proposal.value.text):
                    continue
                if proposal is not None and lives_there(self.asked, variable.type, passage.facts, start, end):
                    continue
                if proposal is not None and not back and self._replaced(passage, start, end):
                    continue
                if proposal is not None and not back and self._is_of_another(question, passage.turn, start, end):
                    continue
                # The only home known need not be the first, nor one that still holds the former.
                unordered = at_first and not TELLS_ORDER.search(passage.turn.content)
                if proposal is not None and (
                    asked.unknown or unordered or (former and self._holds(passage, start, end))
                ):
                    proposal = replace(proposal, refused=True, beside=False)
                later = self._later(variable, passage.turn, proposal)
                first, last = sentence_around(passage.turn.content, start, end)
                features = OfferFeatures(
                    span=span,
                    present=reading.present,
                    suits=proposal.score if proposal is not None else 0.0,
                    place=asked.place(passage.turn.id),
                    words=max(1, len(passage.turn.content[start:end].split())),
                    passage=of_passage,
                    sentence=spoken.share(passage.turn.content[first:last]),
                    scarcity=asked.scarcity,
                    refused=proposal is not None and proposal.refused,
                    beside=proposal is not None and proposal.beside,
                    dated=proposal is not None and proposal.value.interval is not None,
                )
                offers.append(Offer(proposal, features))
                if proposal is not None and later is not None and not proposal.refused:
                    changed.append((preference(features), proposal, features, *later))
        return offers, changed

    def _current(self, offers: list[Offer], changed: Sequence[Outdated], question: str) -> list[Offer]:
        """The offers, without those that a nearly as good offer in a later turn with a change replaces."""
        best: dict[str, float] = {}
        for offer in offers:
            if offer.proposal is not None and not offer.proposal.refused:
                turn = offer.proposal.turn
                best[turn] = max(best.get(turn, -math.inf), preference(offer.features))
        over = [o for o in changed if best.get(o[3], -math.inf) >= o[0] - o[4]]
        self._outdated[question] = over
        gone = [o[1] for o in over]
        return [o for o in offers if o.proposal is None or not any(is_of_same_words(o.proposal, old) for old in gone)]

    def _later(self, variable: Variable, turn: Turn, proposal: Proposal | None) -> tuple[str, float] | None:
        """The later turn after which a proposal no longer answers the question, and how much lower the preference of its offer may be."""
        if proposal is None or variable not in self.answers:
            return None
        for surely, worse in ((True, math.inf), (False, WORSE)):
            later = self.memory.outdated(self.asked, turn, proposal.value.text, surely=surely)
            if later is not None:
                return later[0].id, worse
        return None

    def _replaced(self, passage: ReadPassage, start: int, end: int) -> bool:
        """True if a clause around these offsets was replaced later."""
        around = (f for f in passage.facts if f.start <= start and end <= f.end)
        slots, doubts = self.memory.slots, self.memory.doubts
        return any(slots.words_replaced_by(f, start, end) is not None or doubts.is_remeasured(f) for f in around)

    def _is_of_another(self, question: str, turn: Turn, start: int, end: int) -> bool:
        """True if the asker speaks there of another thing of the kind that is asked about."""
        memory = self.memory
        if not memory.similarity.corefer(turn.speaker, memory.asker):
            return False
        first, last = sentence_around(turn.content, start, end)
        return is_about_another(
            question, turn.content[first:last], turn.content, memory.asker, memory.similarity.cosine
        )

    def _holds(self, passage: ReadPassage, start: int, end: int) -> bool:
        """True if a clause around these offsets describes a state that lasts until something else is said."""
        inside = [f for f in passage.facts if f.start <= start and end <= f.end]
        around = [f for f in inside if f.slot] or [
            f for f in inside if is_state(f) and not self.memory.doubts.may_have_changed(f)
        ]
        return bool(around) and all(
            f.modality is Modality.ASSERTED and self.memory.slots.superseded_by(f) is None for f in around
        )

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The turn that came nearest to an answer."""
        reading = atom_question(request.atom, request.substitution)
        if reading is not None and (unsaid := self._unsaid.get(reading.question)) is not None:
            return (self._not_said(unsaid),)
        asked = passage_question(bound_atom(request.atom, request.substitution))
        if asked is None:
            return ()
        question, _ = asked
        turns = [r.turn for r in self.ranked(FOUND)]
        near = [(p, turn) for turn in turns if (p := self._present.get((question, turn))) is not None]
        best = max(near, default=None)
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
        return Step(
            self.name,
            "fact",
            max(0.0001, min(1.0, read.score)),
            (binding,),
            (),
            (evidence_of(turn, proposal.start, proposal.end),),
            (Alignment(reading.question, proposal.span, "read", min(1.0, read.score)),) if proposal.span else (),
            note=f"read by {self.reader.name}",
            judge_record=JudgeRecord(self.judge.name, "entailed", sure, digest_of(self.judge)),
        )

    # -- reading ---------------------------------------------------------------------------------------------------

    def read(self, question: str, turns: Sequence[str]) -> list[float]:
        """For each turn, the certainty that it answers the question about the right people, in [0, 1].

        Combines the probability that there is an answer and the score of its best span, with equal weight.
        """
        passages = self.texts.passages_of(turns)
        found = dict.fromkeys(turns, 0.0)
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            about = self.texts.participants.about(question, passage.turn, passage.facts)
            spans = [(s.score, s.start - passage.shift, s.end - passage.shift) for s in reading.spans]
            best = max((score * about(start, end) for score, start, end in spans if start >= 0), default=0.0)
            found[passage.turn.id] = (reading.present * about(0, len(passage.turn.content)) + best) / 2
        return [found[turn] for turn in turns]

    def proposals(self, question: str, variable: Variable, turns: Sequence[str]) -> list[Proposal]:
        """All proposals of the turns."""
        passages = self.texts.passages_of(turns)
        pairs = zip(passages, self._read(question, passages), strict=True)
        offered = (o for passage, reading in pairs for o in self._offered(question, variable, passage, reading))
        return [proposal for proposal, *_ in offered if proposal is not None]

    def _offered(
        self, question: str, variable: Variable, passage: ReadPassage, reading: PassageReading
    ) -> Iterator[tuple[Proposal | None, float, int, int]]:
        """The spans of one passage as proposals, scored by how well they fit; None if they are about somebody else.

        Each comes with the reader's score and its offsets in the turn's content.
        """
        about = self.texts.participants.about(question, passage.turn, passage.facts)
        present = reading.present * about(0, len(passage.turn.content))
        self._present[question, passage.turn.id] = present
        for span in reading.spans:
            start, end = own_words(passage, span.start - passage.shift, span.end - passage.shift)
            if span.score < LEAST or start < 0:
                continue
            for proposal in self.texts.values(question, variable, passage, start, end):
                yield proposal, span.score, start, end

    def _read(self, question: str, passages: Sequence[ReadPassage]) -> list[PassageReading]:
        """The reader's results for passages; cached."""
        new = [p for p in passages if (question, p.turn.id) not in self._readings]
        readings = self.reader.read([(self.texts.worded(question), p.text) for p in new], limit=SPANS) if new else []
        for passage, reading in zip(new, readings, strict=True):
            self._readings[question, passage.turn.id] = reading
        return [self._readings[question, p.turn.id] for p in passages]


def best_of(offers: Sequence[Offer]) -> Proposal | None:
    """The likeliest offer of words that are about the people in the question."""
    own = [(preference(o.features), o.proposal) for o in offers if o.proposal is not None and not o.proposal.refused]
    return max(own, key=lambda o: o[0])[1] if own else None


def is_of_same_words(one: Proposal, other: Proposal) -> bool:
    """True if two offers are of the same words of a turn, or one of some of the other's."""
    return one is other or (one.turn == other.turn and nested(one, other))


def is_same_offer(one: Proposal, held: Proposal) -> bool:
    """True if two offers are of one value, or of words around it in one turn."""
    return one.value.key == held.value.key or is_of_same_words(one, held)


def effort_for(goal: Goal) -> Effort:
    """How much is read for a goal."""
    of_several = needs_all(goal) or any(kind.search(goal.question) for kind in (LATEST, EARLIER))
    return FOR_SEVERAL if of_several else FOR_ONE


def in_steps(goal: Goal) -> bool:
    """True if a goal asks passages for its answer by way of another answer."""
    return goal.answer is not None and len(goal.atoms) > 1


def is_of_two(goal: Goal) -> bool:
    """True if a goal asks passages for two answers: one by way of the other, the order of two events, or two amounts to reckon with."""
    return in_steps(goal) or (len(goal.atoms) > 1 and goal.aggregate in (*OF_ORDER, *RECKONED))


def own_words(passage: ReadPassage, start: int, end: int) -> tuple[int, int]:
    """A span in the turn's own words: in the speaker's name before them, the first word that refers to the speaker."""
    named = -len(passage.turn.speaker) - len(": ")
    me = SELF.search(passage.turn.content) if named <= start < 0 else None
    return me.span() if me is not None else (start, end)
