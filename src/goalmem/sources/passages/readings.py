"""What the span reader finds in passages: each passage is read once for a question, and its words become proposals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goalmem.language.words import any_of
from goalmem.language.words.pronouns import FIRST_SINGULAR
from goalmem.logic.terms import Variable
from goalmem.models.protocol import PassageReading, SpanReader
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import PassageTexts, ReadPassage

SPANS = 4
"""Spans considered in one passage: the logic may reject the best."""
LEAST = 0.02
"""Spans with a lower probability are ignored."""
SELF = any_of(FIRST_SINGULAR)


@dataclass(frozen=True, slots=True)
class ReadWords:
    """Words of a turn that the reader finds."""

    proposal: Proposal | None
    """Their value; None if they are about somebody else."""
    span: float
    """The share of the answer that the reader expects in them."""
    present: float
    """The reader's probability that the passage contains an answer."""
    start: int
    end: int
    """Their offsets in the turn's content."""


@dataclass
class PassageReadings:
    """The readings of a space's turns."""

    texts: PassageTexts
    reader: SpanReader
    _readings: dict[tuple[str, str], PassageReading] = field(default_factory=dict)
    """By question and turn."""
    _present: dict[tuple[str, str], float] = field(default_factory=dict)
    """By question and turn whose words were asked for, the probability that it contains an answer about the right people."""

    def words(self, question: str, variable: Variable, passages: Sequence[ReadPassage]) -> Iterator[list[ReadWords]]:
        """For each passage, the words that may be a value of the variable, scored by how well they fit."""
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            yield list(self._words_in(question, variable, passage, reading))

    def _words_in(
        self, question: str, variable: Variable, passage: ReadPassage, reading: PassageReading
    ) -> Iterator[ReadWords]:
        about = self.texts.participants.about(question, passage.turn, passage.facts)
        self._present[question, passage.turn.id] = reading.present * about(0, len(passage.turn.content))
        for span in reading.spans:
            start, end = own_words(passage, span.start - passage.shift, span.end - passage.shift)
            if span.score < LEAST or start < 0:
                continue
            for proposal in self.texts.values(question, variable, passage, start, end):
                yield ReadWords(proposal, span.score, reading.present, start, end)

    def answering(self, question: str, turns: Sequence[str]) -> list[float]:
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

    def nearest(self, question: str, turns: Sequence[str]) -> tuple[float, str] | None:
        """The turn whose words come nearest to an answer about the right people, behind its probability; None if none was read."""
        return max(
            ((p, turn) for turn in turns if (p := self._present.get((question, turn))) is not None), default=None
        )

    def _read(self, question: str, passages: Sequence[ReadPassage]) -> list[PassageReading]:
        """The reader's results for passages; cached."""
        new = [p for p in passages if (question, p.turn.id) not in self._readings]
        readings = self.reader.read([(self.texts.worded(question), p.text) for p in new], limit=SPANS) if new else []
        for passage, reading in zip(new, readings, strict=True):
            self._readings[question, passage.turn.id] = reading
        return [self._readings[question, p.turn.id] for p in passages]


def own_words(passage: ReadPassage, start: int, end: int) -> tuple[int, int]:
    """A span in the turn's own words: in the speaker's name before them, the first word that refers to the speaker."""
    named = -len(passage.turn.speaker) - len(": ")
    me = SELF.search(passage.turn.content) if named <= start < 0 else None
    return me.span() if me is not None else (start, end)
