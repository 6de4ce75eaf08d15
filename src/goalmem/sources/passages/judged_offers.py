"""The offers of passages with the judge's verdict and the probability that each is right.

The probability combines the reader's score, the rank of the turn, the share of the question in it, and the judge: the reader confuses `a
cooking class` with `a ballet class`, and neither words nor search can tell. If the words fit somebody else as well, it is probably their
story, and the probability is lower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goalmem.logic.terms import Variable
from goalmem.models.protocol import Excerpt, Judge, Statement, Verdict
from goalmem.questions.intent import about_assistant
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.certainty.answer_ranking import (
    FLOOR,
    CertaintyFeatures,
    OfferFeatures,
    QuestionFeatures,
    certainty,
    log_odds,
    preference,
    recency,
)
from goalmem.sources.certainty.outdated import core, is_beside_denial
from goalmem.sources.passages.answer_words import RankedOffer, answer_words, best_of_each, nested
from goalmem.sources.passages.current_offers import CurrentOffers, OfferedNow
from goalmem.sources.passages.effort import FOR_ONE, Effort
from goalmem.sources.passages.offers import is_same_offer
from goalmem.sources.passages.over_time import JudgedProposal, said_at
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import NOT_SAID, PassageTexts
from goalmem.sources.passages.twin_questions import twin_questions

if TYPE_CHECKING:
    from spacy.tokens import Doc

SUCCEEDING = 0.84
"""Score of the likeliest reading in a turn with a change, relative to the previous answer."""
SAID_ANEW = 0.35
"""Least probability by the judge of a value that takes the place of another."""


@dataclass(frozen=True)
class OfferJudge:
    """Puts words of turns to the judge, as answers to a question."""

    texts: PassageTexts
    judge: Judge

    def verdicts(self, question: str, offered: Sequence[RankedOffer]) -> Sequence[Verdict]:
        """The judge's verdicts on offers."""
        return self.judge.judge([self.pair(question, proposal) for _, proposal, _ in offered])

    def pair(self, question: str, cited: Proposal) -> tuple[Statement, Excerpt]:
        """A reading as the judge sees it: the turn around the cited words, after the end of the previous turn."""
        turn = self.texts.memory.turn(cited.turn)
        assert turn is not None
        statement = Statement(self.texts.worded(question), answer_words(cited.span, cited.value))
        return statement, self.texts.excerpt(turn, cited.start, cited.end)

    def elsewhere(self, question: str, offered: Sequence[RankedOffer], verdicts: Sequence[Verdict]) -> list[float]:
        """By how much surer the judge is of each offer if the question is about whom its clause is about; 0 in a memory of many turns, where
        this says nothing.
        """
        pairs, of = list[tuple[Statement, Excerpt]](), list[int]()
        for place, (_, proposal, features) in enumerate(offered):
            for twin in self._twins(question, proposal) if features.few else ():
                pairs.append(self.pair(twin, proposal))
                of.append(place)
        surer = [0.0] * len(offered)
        for place, verdict in zip(of, self.judge.judge(pairs) if pairs else (), strict=True):
            more = log_odds(verdict.entailed) - log_odds(verdicts[place].entailed)
            surer[place] = max(surer[place], more)
        return surer

    def _twins(self, question: str, proposal: Proposal) -> list[str]:
        turn = self.texts.memory.turn(proposal.turn)
        start = -1 if turn is None else turn.content.find(proposal.span, proposal.start, proposal.end)
        if turn is None or start < 0:
            return []
        facts = self.texts.memory.facts_of([turn.id])
        return twin_questions(question, turn.content, facts, start, start + len(proposal.span))


@dataclass
class JudgedOffers:
    """The likeliest of the current offers, judged."""

    current: CurrentOffers
    judge: OfferJudge
    analyze: Callable[[str], Doc]
    """Parses a question."""
    asked: str
    """The whole question."""
    _rejected: dict[str, JudgedProposal] = field(default_factory=dict)
    """By question."""

    def found(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort
    ) -> list[JudgedProposal]:
        """The readings of the turns, likeliest first, one per value, each with the probability that it is right."""
        now = self.current.of(question, variable, ranked, effort)
        read = []
        for proposal, verdict, features in self._readings(question, now, effort):
            held, anew = now.unsure or (None, 0.0)
            likely = certainty(features) * (1 - anew if held is not None and is_same_offer(proposal, held) else 1.0)
            own = JudgedProposal(proposal, verdict, round(likely, 4))
            if verdict.entailed >= NOT_SAID:
                read.append(own)
            else:
                self._rejected[question] = max(self._rejected.get(question, own), own, key=lambda r: r.score)
        return sorted(self._succeeding(question, now, read), key=lambda r: -r.score)

    def rejected(self, question: str) -> JudgedProposal | None:
        """The likeliest of the readings found for a question that the judge rejected."""
        return self._rejected.get(question)

    def readings(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> list[tuple[Proposal, Verdict, CertaintyFeatures]]:
        """The likeliest readings, each with the judge's verdict and what bears on the probability that it is right."""
        return self._readings(question, self.current.of(question, variable, ranked, effort), effort)

    def likeliest(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn]
    ) -> tuple[list[RankedOffer], list[OfferFeatures]]:
        """The offers by preference, one per value; and the features of words about somebody else."""
        return _by_preference(self.current.of(question, variable, ranked))

    def form_of(self, question: str) -> QuestionFeatures:
        """The form of a question, which may be a part of what was asked."""
        return QuestionFeatures.of(question, recalls=about_assistant(self.analyze(self.asked or question)))

    def _readings(
        self, question: str, now: OfferedNow, effort: Effort
    ) -> list[tuple[Proposal, Verdict, CertaintyFeatures]]:
        own, others = _by_preference(now)
        form, turn_of = self.form_of(question), self.judge.texts.memory.turn
        best = [o for n, o in enumerate(own) if n < effort.judged or (o[1].turn, o[1].value.text) == now.anew]
        told = max(map(preference, others), default=FLOOR)
        recent = recency([said_at(proposal, turn_of) for _, proposal, _ in best])
        verdicts = self.judge.verdicts(question, best)
        elsewhere = self.judge.elsewhere(question, best, verdicts)
        found = []
        for (liked, proposal, features), verdict, late, apart in zip(best, verdicts, recent, elsewhere, strict=True):
            rivals = (weight for weight, other, _ in own if other is not proposal and not nested(other, proposal))
            turn = turn_of(proposal.turn)
            said = turn.content[proposal.start : proposal.end] if turn is not None else ""
            denied = is_beside_denial(question, said, proposal.span)
            clues = CertaintyFeatures(
                form, features, liked, told, next(rivals, FLOOR), verdict.entailed, late, denied, apart
            )
            found.append((proposal, verdict, clues))
        return found

    def _succeeding(self, question: str, now: OfferedNow, read: Sequence[JudgedProposal]) -> Sequence[JudgedProposal]:
        """The readings. The likeliest one in a turn with a change becomes about as likely as the previous answer."""
        before = max(now.outdated, key=lambda o: o.preference, default=None)
        if before is None:
            return read
        old = core(before.proposal.value.text).casefold()
        told = (
            r
            for r in read
            if r.proposal.turn == before.later
            and old not in r.proposal.span.casefold()
            and (
                (r.proposal.turn, r.proposal.value.text) == now.anew
                or (now.anew is None and r.verdict.entailed >= SAID_ANEW)
            )
        )
        new = max(told, key=lambda r: r.score, default=None)
        if new is None:
            return read
        (verdict,) = self.judge.verdicts(question, [(before.preference, before.proposal, before.features)])
        form = self.form_of(question)
        was = certainty(CertaintyFeatures(form, before.features, before.preference, FLOOR, FLOOR, verdict.entailed))
        sure = replace(new, score=max(new.score, round(SUCCEEDING * was, 4)))
        return [sure if r is new else r for r in read]


def _by_preference(now: OfferedNow) -> tuple[list[RankedOffer], list[OfferFeatures]]:
    own = best_of_each((preference(o.features), o.proposal, o.features) for o in now.offers if o.proposal is not None)
    return own, [o.features for o in now.offers if o.proposal is None]
