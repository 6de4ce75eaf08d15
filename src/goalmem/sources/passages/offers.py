"""What each turn offers as an answer: words that fit the question, with the features by which offers are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from goalmem.logic.terms import Variable
from goalmem.records import Modality, Turn
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.assertion import asks_before, facts_around
from goalmem.sources.certainty.answer_ranking import (
    AT_FIRST,
    EARLIER,
    TELLS_ORDER,
    OfferFeatures,
    Refusal,
    WordOverlap,
    preference,
)
from goalmem.sources.certainty.topics import is_state
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.passages.answer_words import nested, says_nothing
from goalmem.sources.passages.contradiction import lives_there
from goalmem.sources.passages.effort import FOUND
from goalmem.sources.passages.participants import names_unknown
from goalmem.sources.passages.readings import PassageReadings, ReadWords
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import MOST_READ, ReadPassage
from goalmem.sources.passages.told_apart import is_about_another
from goalmem.sources.spans import sentence_around


@dataclass(frozen=True, slots=True)
class Offer:
    """Words of a passage that may answer, with their features; `proposal` is None for words about other people."""

    proposal: Proposal | None
    features: OfferFeatures

    @property
    def accepted(self) -> Proposal | None:
        """The proposal, if it is about the people in the question and seems to be asserted."""
        return None if self.proposal is None or self.proposal.refusal is not None else self.proposal


def best_of(offers: Sequence[Offer]) -> Proposal | None:
    """The likeliest offer of words that are about the people in the question."""
    own = [(preference(o.features), o.accepted) for o in offers if o.accepted is not None]
    return max(own, key=lambda o: o[0])[1] if own else None


def is_of_same_words(one: Proposal, other: Proposal) -> bool:
    """True if two offers are of the same words of a turn, or one of some of the other's."""
    return one is other or (one.turn == other.turn and nested(one, other))


def is_same_offer(one: Proposal, held: Proposal) -> bool:
    """True if two offers are of one value, or of words around it in one turn."""
    return one.value.key == held.value.key or is_of_same_words(one, held)


@dataclass(frozen=True, slots=True)
class QuestionRead:
    """A question that is read for, with what the offers of all turns are measured against."""

    question: str
    variable: Variable
    scarcity: float
    places: Mapping[str, float]
    """By turn, its rank among those found, from 1; times the scarcity."""
    spoken: WordOverlap
    unknown: bool
    """True if the question names somebody or something that no turn names."""
    _shares: dict[str, float] = field(default_factory=dict, compare=False, repr=False)
    """By turn, the share of the question's words in it."""

    def features(self, passage: ReadPassage, words: ReadWords) -> OfferFeatures:
        """The features of words that a passage offers."""
        turn, proposal = passage.turn, words.proposal
        first, last = sentence_around(turn.content, words.start, words.end)
        if turn.id not in self._shares:
            self._shares[turn.id] = self.spoken.share(passage.text)
        return OfferFeatures(
            span=words.span,
            present=words.present,
            suits=proposal.score if proposal is not None else 0.0,
            place=self._place(turn.id),
            words=max(1, len(turn.content[words.start : words.end].split())),
            passage=self._shares[turn.id],
            sentence=self.spoken.share(turn.content[first:last]),
            scarcity=self.scarcity,
            refusal=proposal.refusal if proposal is not None else None,
            dated=proposal is not None and proposal.value.interval is not None,
        )

    def _place(self, turn: str) -> float:
        """The rank of a turn; one that was not found ranks behind the others."""
        return self.places.get(turn, (len(self.places) + 1) * self.scarcity)


@dataclass(frozen=True)
class TurnOffers:
    """The offers of turns, each by itself."""

    readings: PassageReadings
    asked: str
    """The whole question."""

    @property
    def memory(self) -> MemorySource:
        """The turns, and their facts."""
        return self.readings.texts.memory

    def question_read(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], passages: Sequence[ReadPassage]
    ) -> QuestionRead:
        """A question with the turns found for it, as passages."""
        of_few = max(1.0, FOUND / max(1, len(ranked)))
        skipped = [*self.readings.texts.participants.named(question), variable.type]
        return QuestionRead(
            question,
            variable,
            of_few,
            {r.turn: place * of_few for place, r in enumerate(ranked, 1)},
            WordOverlap(question, skipped, [p.turn.content[:MOST_READ] for p in passages]),
            unknown=names_unknown(self.asked or question, [p.text for p in passages]),
        )

    def of(self, asked: QuestionRead, passages: Sequence[ReadPassage]) -> list[Offer]:
        """The offers of passages, in their order."""
        read = zip(passages, self.readings.words(asked.question, asked.variable, passages), strict=True)
        return [offer for passage, words in read for offer in self._offers(asked, passage, words)]

    def _offers(self, asked: QuestionRead, passage: ReadPassage, read: Sequence[ReadWords]) -> Iterator[Offer]:
        for words in read:
            if words.proposal is not None:
                if self._answers_not(asked, passage, words, words.proposal):
                    continue
                if self._is_doubtful(asked, passage, words):
                    words = replace(words, proposal=replace(words.proposal, refusal=Refusal.UNSAID))
            yield Offer(words.proposal, asked.features(passage, words))

    def _answers_not(self, asked: QuestionRead, passage: ReadPassage, words: ReadWords, proposal: Proposal) -> bool:
        """True if words say nothing of what is asked, something of another thing, or what was replaced later."""
        question, start, end = asked.question, words.start, words.end
        if says_nothing(question, proposal.value.text):
            return True
        if lives_there(self.asked, asked.variable.type, passage.facts, start, end):
            return True
        if EARLIER.search(question) is not None:
            return False
        return self._is_replaced(passage, start, end) or self._is_of_another(question, passage.turn, start, end)

    def _is_doubtful(self, asked: QuestionRead, passage: ReadPassage, words: ReadWords) -> bool:
        """True if a question names somebody unknown, or asks for a value at another time than words are known to be of."""
        # The only home known need not be the first, nor one that still holds the former.
        question, content = asked.question, passage.turn.content
        unordered = AT_FIRST.search(question) is not None and not TELLS_ORDER.search(content)
        return asked.unknown or unordered or (asks_before(question) and self._holds(passage, words.start, words.end))

    def _is_replaced(self, passage: ReadPassage, start: int, end: int) -> bool:
        """True if a clause around these offsets was replaced later."""
        around = facts_around(passage.facts, start, end)
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
        memory = self.memory
        inside = facts_around(passage.facts, start, end)
        around = [f for f in inside if f.slot] or [
            f for f in inside if is_state(f) and not memory.doubts.may_have_changed(f)
        ]
        return bool(around) and all(
            f.modality is Modality.ASSERTED and memory.slots.superseded_by(f) is None for f in around
        )
