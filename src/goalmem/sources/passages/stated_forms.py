"""Answers that forms of speech find where span readers find none: advice, and items of lists by their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.language.terms import terms_of
from goalmem.logic.terms import Variable
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.certainty.answer_ranking import OfferFeatures, WordOverlap
from goalmem.sources.passages.advice import LOWEST, AdviceQuestion, fit, topic_of, worth
from goalmem.sources.passages.effort import FOR_SEVERAL
from goalmem.sources.passages.judged_offers import OfferJudge
from goalmem.sources.passages.list_items import ListQuestion, list_question, topic_of_list
from goalmem.sources.passages.over_time import JudgedProposal
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import NOT_SAID, ReadPassage


@dataclass(frozen=True)
class StatedForms:
    """Advice and lists in turns, judged."""

    judge: OfferJudge
    asked: str
    """The whole question."""

    def found(self, question: str, variable: Variable, ranked: Sequence[RankedTurn]) -> list[JudgedProposal] | None:
        """What a question for advice or for an item of a list is answered by, likeliest first; None if the reader is to answer it."""
        texts = self.judge.texts
        advice, item = texts.advice_question(question, variable), list_question(question)
        passages = texts.passages_of([r.turn for r in ranked]) if advice is not None or item is not None else []
        if advice is not None:
            told = self._advice(question, variable, advice, passages)
            if advice.by == "you" or (told and told[0].score > LOWEST):
                return told  # Others may give the same advice.
        return (self._listed(question, item, passages) or None) if item is not None else None

    def _advice(
        self, question: str, variable: Variable, asked: AdviceQuestion, passages: Sequence[ReadPassage]
    ) -> list[JudgedProposal]:
        """Advice in turns on the topic of the question, likeliest first, one sentence per turn."""
        spoken = WordOverlap(topic_of(question), [asked.by, variable.type], [p.text for p in passages])
        told = []
        for passage in passages:
            own = [
                (spoken.share(passage.turn.content[p.start : p.end]), -rank, p)
                for p, rank in self.judge.texts.advice(asked, passage)
            ]
            if own:
                sentence, rank, proposal = max(own, key=lambda o: o[:2])
                told.append((spoken.share(passage.text), sentence, rank, proposal))
        told.sort(key=lambda t: (-t[0] - t[1], -t[2], t[3].turn))
        return self._of_topic(question, [(passage, sentence, proposal) for passage, sentence, _, proposal in told])

    def _listed(self, question: str, asked: ListQuestion, passages: Sequence[ReadPassage]) -> list[JudgedProposal]:
        """What stands at the place that is asked for in lists on the topic of the question, likeliest first."""
        asked_in = {topic for text in (question, self.asked) if terms_of(topic := topic_of_list(text))}
        topics = [WordOverlap(topic, [], [p.text for p in passages]) for topic in sorted(asked_in)]

        def spoken(text: str) -> float:
            return max((topic.share(text) for topic in topics), default=0.0)

        told = [
            (spoken(listed), spoken(passage.text), proposal)
            for passage in passages
            for proposal, listed in self.judge.texts.listed(asked, passage)
        ]
        told.sort(key=lambda t: (-fit(*t[:2]), t[2].turn, t[2].start))
        return self._of_topic(question, told[: FOR_SEVERAL.judged])

    def _of_topic(self, question: str, told: Sequence[tuple[float, float, Proposal]]) -> list[JudgedProposal]:
        """Words that forms of speech find, with the shares of the topic in what they stand in; without those that the judge rejects."""
        none_read = OfferFeatures(0, 0, 0, 1, 1, 0, 0)
        verdicts = self.judge.verdicts(question, [(0.0, proposal, none_read) for *_, proposal in told])
        scores = worth([(passage, sentence) for passage, sentence, _ in told])
        return [
            JudgedProposal(proposal, verdict, score)
            for (*_, proposal), verdict, score in zip(told, verdicts, scores, strict=True)
            if verdict.entailed >= NOT_SAID
        ]
