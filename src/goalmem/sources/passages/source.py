"""Answers read out of passages, as steps: a span reader proposes words, logic and a judge decide whether they may stand.

Any atom with one open variable is read for: passages are retrieved for it with what is bound so far, and it is asked as a question
with a gap (`Ines lives in which place?`). The reader sees a turn behind the one that it replies to, as lines `Speaker: text`, and
gives spans with what they are worth, or says that the answer is not there. What it proposes counts only when the turn speaks of whom
the question names, the words are of the type asked for, a time can be placed on the calendar (conditions 1, 2 and 4 of unification),
and the judge does not find that the words say nothing of the kind. Verification asks the judge, never the reader (`sources.passages.check`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language.words import any_of
from goalmem.language.words.nouns import CHANGING
from goalmem.language.words.pronouns import FIRST_SINGULAR
from goalmem.logic.evaluate import needs_all
from goalmem.logic.terms import Aggregate, Alignment, Binding, Goal, JudgeRecord, Variable
from goalmem.models.protocol import Excerpt, Judge, PassageReading, SpanReader, Statement, Verdict
from goalmem.questions.asked import (
    AtomQuestion,
    passage_question,
    whether_question,
)
from goalmem.questions.wh import CLOCK_TIME
from goalmem.records import Modality, Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.assertion import asks_before
from goalmem.sources.certainty.answer_ranking import (
    AT_FIRST,
    EARLIER,
    FLOOR,
    LATEST,
    TELLS_ORDER,
    OfferFeatures,
    QuestionFeatures,
    WordOverlap,
    certainty,
    certainty_features,
    preference,
    recency,
)
from goalmem.sources.certainty.doubts import over, states
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.facts.clause_answer import ClauseSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frames import bound_atom
from goalmem.sources.numbers import OF_NUMBER
from goalmem.sources.passages.advice import LOWEST, AdviceQuestion, topic_of, worth
from goalmem.sources.passages.answer_words import (
    RankedOffer,
    answer_words,
    best_of_each,
    nested,
    says_nothing,
)
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import (
    NOT_SAID,
    PassageTexts,
    ReadPassage,
    atom_question,
    digest_of,
    opinion_judgement,
)
from goalmem.sources.passages.yes_no import deciding_opinion, opinions
from goalmem.sources.spans import sentence_around

READ = 24
"""Turns read for an answer."""
SPANS = 4
"""Spans looked at in one passage: the best may be what the logic refuses."""
LEAST = 0.02
"""Probability under which a span is not considered."""
LISTED = 0.2
"""Least share of the best score for what is named beside it, where everything is asked for."""
BESIDE = 0.6
"""Least share of the best score for what answers about as well as it does."""
NEAR, SAID_AT_ALL = 0.35, 0.5
"""Least share of the best score, and least probability by the judge, of a value that one followed or that followed it."""
WORSE = 1.5
"""How much less may speak for what a turn that tells a change offers (`preference`) than for what it takes the place of.
Chosen, as `SUCCEEDING`, on 160 plain statements and updates with a question each and on lab/everyday/dev."""
SUCCEEDING = 0.8
"""What the likeliest reading of a turn that tells a change is worth of what answered before it."""
CHANGED_MOST = 0.7
"""What a value that followed others is worth at most."""
MOST_LISTED = 8
ALTERNATIVES = 3
"""Readings of a subgoal that the search may go on with."""
READ_OF_SUBGOAL = 12
"""Turns read for a subgoal."""
JUDGED = 10
"""Readings of a question that the judge is asked about, the likeliest."""
DECIDING = 10
"""Turns that a question of yes or no is decided by."""
SELF = any_of(FIRST_SINGULAR)
EVER = datetime.min.replace(tzinfo=UTC)


def changes(type_: str) -> bool:
    """Whether a later value of a type takes the place of an earlier one: of numbers, amounts, hours of the day."""
    return type_.startswith(OF_NUMBER) or type_ == CLOCK_TIME or type_.split()[-1] in CHANGING


@dataclass(frozen=True, slots=True)
class Offer:
    """Words of a passage that answer, with what bears on whether they do; `proposal` is None for words about others."""

    proposal: Proposal | None
    clue: OfferFeatures


Outdated = tuple[float, Proposal, OfferFeatures, str, float]
"""A proposal with its preference and clue, the later turn that tells a change, and how much less may speak for what that offers."""


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """A proposal with the judge's verdict, and the probability in (0, 1) that it is right."""

    proposal: Proposal
    verdict: Verdict
    score: float


@dataclass
class PassageSource:
    """The turns of a space as passages to read answers out of."""

    texts: PassageTexts
    reader: SpanReader
    ranked: Callable[[int], Sequence[RankedTurn]]
    """The `k` turns to read for the question, best first."""
    judge: Judge
    asked: str = ""
    """The question as a whole."""
    answers: frozenset[Variable] = frozenset()
    """What it asks for one value of."""
    clauses: ClauseSource | None = None
    """What answers yes or no before the judge is asked."""
    name: str = "passages"
    closed: bool = False
    cost: int = 1
    _present: dict[tuple[str, str], float] = field(default_factory=dict)
    _readings: dict[tuple[str, str], PassageReading] = field(default_factory=dict)
    _unsaid: dict[str, JudgedProposal] = field(default_factory=dict)
    """By question, the likeliest reading that the judge finds not said."""
    _outdated: dict[str, list[Outdated]] = field(default_factory=dict)
    """By question, what answered it until a later turn told a change, with that turn."""

    @property
    def memory(self) -> MemorySource:
        """The turns, and the facts in them."""
        return self.texts.memory

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """What the passages say, likeliest first: one answer where one is asked for, everything where all is."""
        if (whether := whether_question(request.atom)) is not None:
            return (self.clauses.steps(request.atom) if self.clauses is not None else []) or self._decision(whether)
        reading = atom_question(request.atom, request.substitution)
        if reading is None or (needs_all(request.goal) and not reading.whole):
            return ()  # What is read for a part of what is counted or listed is neither all nor sure.
        found = self.found(reading.question, reading.variable, self.turns_for(reading, request.goal))
        if not found:
            return ()
        if (first := former_value(reading.question)) or LATEST.search(reading.question):
            found = [self._at_end(found, first=first), *found]
        elif changes(reading.variable.type):
            found = [self._newest(found), *found]
        if needs_all(request.goal):
            found = [f for n, f in enumerate(found) if not any(nested(f.proposal, g.proposal) for g in found[:n])]
            kept = [f for f in found if f.score >= LISTED * found[0].score][:MOST_LISTED]
        else:
            kept = found[:1] if reading.whole else found[:ALTERNATIVES]
        return [self.step(reading, f) for f in kept[: request.limit] if f.score >= LEAST]

    def _decision(self, question: str) -> list[Step]:
        """The turn that says yes or no to a question most surely; nothing where none says either."""
        turns = [t for r in self.ranked(DECIDING) if (t := self.memory.turn(r.turn)) is not None]
        told = opinions(self.judge, self.texts.worded(question), self.texts.excerpts(t.id for t in turns))
        found = deciding_opinion(told)
        if found is None:
            return []
        place, score = found
        said = opinion_judgement(self.judge, told[place])
        cited = evidence_of(turns[place], 0, len(turns[place].content))
        denies = said.verdict == "contradicted"
        return [Step(self.name, "fact", round(score, 4), evidence=(cited,), negated=denies, judge_record=said)]

    def turns_for(self, reading: AtomQuestion, goal: Goal) -> Sequence[RankedTurn]:
        """The turns to read: for the question itself those that all its subgoals find, for a subgoal, or one of two questions, its
        own.
        """
        memory = self.memory
        if reading.whole and goal.aggregate is Aggregate.EACH:
            text, asker = reading.question, memory.asker
            return memory.searcher.rank(text, space=memory.space, k=READ, at=memory.at, asker=asker)
        if reading.whole:
            return self.ranked(READ)
        return memory.searcher.rank(reading.text, space=memory.space, k=READ_OF_SUBGOAL, at=memory.at)

    def _newest(self, found: Sequence[JudgedProposal]) -> JudgedProposal:
        """Of readings nearly as good as the best the one that was said last: what changes is asked for as it is now."""
        near = [f for f in found if f.score >= BESIDE * found[0].score]
        return max(near, key=lambda f: (self.said(f.proposal), f.score))

    def _at_end(self, found: Sequence[JudgedProposal], *, first: bool) -> JudgedProposal:
        """Of readings that come near the best the one that was said first, or last, where it is asked for: the others are what it changed to
        or from, and speak for it as much as they do for themselves.
        """
        near = [f for f in found if f.score >= NEAR * found[0].score and f.verdict.entailed >= SAID_AT_ALL]
        if len(near) != 2:
            return found[0]  # Of more, some are about something else.
        best = (min if first else max)(near, key=lambda f: (self.said(f.proposal), -f.score if first else f.score))
        others = [f.score for f in near if self.said(f.proposal) != self.said(best.proposal)]
        return replace(best, score=min(CHANGED_MOST, round(best.score + sum(others), 4))) if others else found[0]

    def found(self, question: str, variable: Variable, ranked: Sequence[RankedTurn]) -> list[JudgedProposal]:
        """What the turns offer, likeliest first, one reading a value, each with the probability that it is right.

        How surely the words answer is weighed with how well the turn was found, how much of the question is spoken of there, and what
        the judge says: the reader takes `a cooking class` for `a ballet class`, and neither the words nor the search do. Where
        somebody else tells it as well as whom the question names, it is their story, and less is left.
        """
        if (asked := self.texts.advice_question(question, variable)) is not None:
            told = self._advice(question, variable, asked, ranked)
            if asked.by == "you" or (told and told[0].score > LOWEST):
                return told  # What others advised may also be told by somebody else.
        read = []
        for proposal, verdict, clues in self.weighed(question, variable, ranked):
            own = JudgedProposal(proposal, verdict, round(certainty(clues), 4))
            if verdict.entailed >= NOT_SAID:
                read.append(own)
            else:
                self._unsaid[question] = max(self._unsaid.get(question, own), own, key=lambda r: r.score)
        return sorted(self._succeeding(question, read), key=lambda r: -r.score)

    def _succeeding(self, question: str, read: Sequence[JudgedProposal]) -> Sequence[JudgedProposal]:
        """The readings; of the turn that told a change the likeliest is about as sure as what answered before it."""
        before = max(self._outdated.get(question, ()), key=lambda o: o[0], default=None)
        if before is None:
            return read
        liked, proposal, clue, turn, _ = before
        new = max((r for r in read if r.proposal.turn == turn), key=lambda r: r.score, default=None)
        if new is None:
            return read
        (verdict,) = self.verdicts(question, [(liked, proposal, clue)])
        was = certainty(
            certainty_features(QuestionFeatures.of(question), clue, liked, FLOOR, FLOOR, verdict.entailed, 0)
        )
        sure = replace(new, score=max(new.score, round(SUCCEEDING * was, 4)))
        return [sure if r is new else r for r in read]

    def _advice(
        self, question: str, variable: Variable, asked: AdviceQuestion, ranked: Sequence[RankedTurn]
    ) -> list[JudgedProposal]:
        """What turns advise on what the question is about, likeliest first, a sentence a turn."""
        passages = self.texts.passages_of([r.turn for r in ranked])
        spoken = WordOverlap(topic_of(question), [asked.by, variable.type], [p.text for p in passages])
        told = []
        for passage in passages:
            own = [
                (spoken.in_(passage.turn.content[p.start : p.end]), -rank, p)
                for p, rank in self.texts.advice(asked, passage)
            ]
            if own:
                sentence, rank, proposal = max(own, key=lambda o: o[:2])
                told.append((spoken.in_(passage.text), sentence, rank, proposal))
        told.sort(key=lambda t: (-t[0] - t[1], -t[2], t[3].turn))
        verdicts = self.verdicts(
            question, [(0.0, proposal, OfferFeatures(0, 0, 0, 1, 1, 0, 0)) for *_, proposal in told]
        )
        scores = worth([(passage, sentence) for passage, sentence, *_ in told])
        return [
            JudgedProposal(proposal, verdict, score)
            for (*_, proposal), verdict, score in zip(told, verdicts, scores, strict=True)
            if verdict.entailed >= NOT_SAID
        ]

    def weighed(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn]
    ) -> list[tuple[Proposal, Verdict, tuple[float, ...]]]:
        """The likeliest readings, each with the judge's verdict and what bears on its certainty."""
        own, others = self.likeliest(question, variable, ranked)
        best, form = own[:JUDGED], QuestionFeatures.of(question)
        told = max(map(preference, others), default=FLOOR)
        recent = recency([self.said(proposal) for _, proposal, _ in best])
        found = []
        for (liked, proposal, clue), verdict, late in zip(best, self.verdicts(question, best), recent, strict=True):
            rivals = (weight for weight, other, _ in own if other is not proposal and not nested(other, proposal))
            clues = certainty_features(form, clue, liked, told, next(rivals, FLOOR), verdict.entailed, late)
            found.append((proposal, verdict, clues))
        return found

    def said(self, proposal: Proposal) -> datetime:
        """When the words of a proposal were said."""
        turn = self.memory.turn(proposal.turn)
        return turn.at if turn is not None else EVER

    def likeliest(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn]
    ) -> tuple[list[RankedOffer], list[OfferFeatures]]:
        """What turns offer as an answer by preference, one proposal a value; and the clues of what is told of somebody else."""
        offers = self.offers(question, variable, ranked)
        own = best_of_each((preference(o.clue), o.proposal, o.clue) for o in offers if o.proposal is not None)
        return own, [o.clue for o in offers if o.proposal is None]

    def verdicts(self, question: str, offered: Sequence[RankedOffer]) -> Sequence[Verdict]:
        """What the judge says of each of what is offered as an answer."""
        return self.judge.judge([self._pair(question, answer_words(p.span, p.value), p) for _, p, _ in offered])

    def _pair(self, question: str, answer: str, cited: Proposal) -> tuple[Statement, Excerpt]:
        """A reading as the judge is shown it: the turn around the cited words, behind the end of the turn before it."""
        turn = self.memory.turn(cited.turn)
        assert turn is not None
        return Statement(self.texts.worded(question), answer), self.texts.excerpt(turn, cited.start, cited.end)

    def offers(self, question: str, variable: Variable, ranked: Sequence[RankedTurn]) -> list[Offer]:
        """What each turn offers as an answer, weighed by nothing yet."""
        of_few = max(1.0, READ / max(1, len(ranked)))
        places = {r.turn: place * of_few for place, r in enumerate(ranked, 1)}
        passages = self.texts.passages_of([r.turn for r in ranked])
        named = [*self.texts.participants.named(question), variable.type]
        spoken = WordOverlap(question, named, [p.turn.content for p in passages])
        at_first = AT_FIRST.search(question) is not None
        back, former = EARLIER.search(question) is not None, asks_before(question)
        offers, changed = list[Offer](), list[Outdated]()
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            of_passage = spoken.in_(passage.text)
            for proposal, span, start, end in self._offered(question, variable, passage, reading):
                if proposal is not None and says_nothing(question, proposal.value.text):
                    continue
                if proposal is not None and at_first and not TELLS_ORDER.search(passage.turn.content):
                    continue  # The only home known need not be the first.
                if proposal is not None and not back and self._replaced(passage, start, end):
                    continue
                if proposal is not None and former and self._holds(passage, start, end):
                    continue
                later = self._later(variable, passage.turn, proposal)
                first, last = sentence_around(passage.turn.content, start, end)
                clue = OfferFeatures(
                    span=span,
                    present=reading.present,
                    suits=proposal.score if proposal is not None else 0.0,
                    place=places[passage.turn.id],
                    words=max(1, len(passage.turn.content[start:end].split())),
                    passage=of_passage,
                    sentence=spoken.in_(passage.turn.content[first:last]),
                )
                offers.append(Offer(proposal, clue))
                if proposal is not None and later is not None:
                    changed.append((preference(clue), proposal, clue, *later))
        return self._current(offers, changed, question)

    def _current(self, offers: list[Offer], changed: Sequence[Outdated], question: str) -> list[Offer]:
        """The offers without those in whose place a later turn that tells a change offers something about as good."""
        best: dict[str, float] = {}
        for offer in offers:
            if offer.proposal is not None:
                turn = offer.proposal.turn
                best[turn] = max(best.get(turn, -math.inf), preference(offer.clue))
        over = [o for o in changed if best.get(o[3], -math.inf) >= o[0] - o[4]]
        self._outdated[question] = over
        gone = {id(o[1]) for o in over}
        return [o for o in offers if o.proposal is None or id(o.proposal) not in gone]

    def _later(self, variable: Variable, turn: Turn, proposal: Proposal | None) -> tuple[str, float] | None:
        """The turn by which what is proposed answers the question as a whole no longer, and how much less may speak for what it offers."""
        if proposal is None or variable not in self.answers:
            return None
        for surely, worse in ((True, math.inf), (False, WORSE)):
            later = self.memory.outdated(self.asked, turn, proposal.value.text, surely=surely)
            if later is not None:
                return later[0].id, worse
        return None

    def _replaced(self, passage: ReadPassage, start: int, end: int) -> bool:
        """Whether what is said at these offsets no longer holds: something else was said of it later."""
        around = (f for f in passage.facts if f.start <= start and end <= f.end)
        return any(self.memory.slots.words_replaced_by(fact, start, end) is not None for fact in around)

    def _holds(self, passage: ReadPassage, start: int, end: int) -> bool:
        """Whether what is said at these offsets is so until something else is said of it."""
        inside = [f for f in passage.facts if f.start <= start and end <= f.end]
        around = [f for f in inside if f.slot] or [
            f for f in inside if states(f) and not over(f) and not self.memory.doubts.changed(f)
        ]
        return bool(around) and all(
            f.modality is Modality.ASSERTED and self.memory.slots.superseded_by(f) is None for f in around
        )

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The turn that came nearest to answering."""
        reading = atom_question(request.atom, request.substitution)
        if reading is not None and (unsaid := self._unsaid.get(reading.question)) is not None:
            return (self._not_said(unsaid),)
        asked = passage_question(bound_atom(request.atom, request.substitution))
        if asked is None:
            return ()
        question, _ = asked
        turns = [r.turn for r in self.ranked(READ)]
        near = [(p, turn) for turn in turns if (p := self._present.get((question, turn))) is not None]
        best = max(near, default=None)
        turn = self.memory.turn(best[1]) if best is not None else None
        if best is None or turn is None:
            return (NearMiss("never-said", f"nothing remembered answers “{question}”", None, 0.0),)
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
        """A reading as the engine takes it."""
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
        """For each turn how surely it answers the question, in [0, 1], of whom it names.

        Whether the passage answers at all and how sure the best of its words are count alike.
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
        """All that turns offer as an answer."""
        passages = self.texts.passages_of(turns)
        pairs = zip(passages, self._read(question, passages), strict=True)
        offered = (o for passage, reading in pairs for o in self._offered(question, variable, passage, reading))
        return [proposal for proposal, *_ in offered if proposal is not None]

    def _offered(
        self, question: str, variable: Variable, passage: ReadPassage, reading: PassageReading
    ) -> Iterator[tuple[Proposal | None, float, int, int]]:
        """The spans of one passage as proposals, scored by how well they suit; None where they speak of somebody else.

        With each what the reader expects it to be worth, and where it stands in the turn's content.
        """
        about = self.texts.participants.about(question, passage.turn, passage.facts)
        present = reading.present * about(0, len(passage.turn.content))
        self._present[question, passage.turn.id] = present
        for span in reading.spans:
            start, end = own_words(passage, span.start - passage.shift, span.end - passage.shift)
            if span.score < LEAST or start < 0:
                continue
            for proposal, _ in self.texts.values(question, variable, passage, start, end):
                yield proposal, span.score, start, end

    def _read(self, question: str, passages: Sequence[ReadPassage]) -> list[PassageReading]:
        """What the reader reads in each passage; in one that it read already, what it read then."""
        new = [p for p in passages if (question, p.turn.id) not in self._readings]
        readings = self.reader.read([(self.texts.worded(question), p.text) for p in new], limit=SPANS) if new else []
        for passage, reading in zip(new, readings, strict=True):
            self._readings[question, passage.turn.id] = reading
        return [self._readings[question, p.turn.id] for p in passages]


def former_value(question: str) -> bool:
    """Whether a question asks for a value that others followed: `originally`, `at first`; not for what was before something."""
    said = {m.group().casefold() for m in EARLIER.finditer(question)}
    return (
        asks_before(question) or AT_FIRST.search(question) is not None or bool(said - {"before", "first", "earliest"})
    )


def own_words(passage: ReadPassage, start: int, end: int) -> tuple[int, int]:
    """A span in the turn's own words: of the name before them, the first word by which the speaker means himself."""
    named = -len(passage.turn.speaker) - len(": ")
    me = SELF.search(passage.turn.content) if named <= start < 0 else None
    return me.span() if me is not None else (start, end)
