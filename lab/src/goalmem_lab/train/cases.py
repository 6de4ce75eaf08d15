"""Held-out windows, printed as they stand: what a reader is calibrated on and measured with."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from goalmem_lab.train.chance import chance
from goalmem_lab.train.documents import Document, Question
from goalmem_lab.train.examples import window_with, window_without
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.speaker_names import swapped


class Kind(StrEnum):
    """What a window is to its question."""

    ANSWER = "answer"
    WITHOUT = "without"
    """Of the same document, without the answer."""
    PERSON = "person"
    """With the answer, asked about another speaker."""
    ALIKE = "alike"
    """Of another document, sharing rare words."""
    UNANSWERABLE = "unanswerable"
    """Marked so by its corpus, around what seems to answer it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question and a window; the answers are every stretch of it that answers."""

    corpus: str
    kind: Kind
    question: str
    passage: str
    answers: tuple[tuple[int, int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The words of the answers."""
        return tuple(self.passage[start:end] for start, end in self.answers)


def cases(documents: Sequence[Document], turns: Sequence[int], sentences: Sequence[int], seed: int) -> list[Case]:
    """One window of each kind for each question, as far as there is one, of a length drawn from `turns` or `sentences`."""
    random_ = chance(seed)
    alike = Lookalikes(documents)
    made: list[Case] = []
    for number, document in enumerate(documents):
        lengths = turns if document.dialogue else sentences
        for place in range(len(document.questions)):
            made += _of(documents, number, place, random_.choice(lengths), alike, random_)
    return made


def _of(
    documents: Sequence[Document], number: int, place: int, length: int, alike: Lookalikes, random_: random.Random
) -> Iterator[Case]:
    document = documents[number]
    question = document.questions[place]
    window = window_with(document, question, length, random_)
    if not question.answers:
        yield _case(document, question, window, Kind.UNANSWERABLE)
        return
    yield _case(document, question, window, Kind.ANSWER)
    empty = window_without(document, question, length, random_)
    if empty:
        yield _case(document, Question(question.text), empty, Kind.WITHOUT)
    wrong = swapped(question.text, document.speakers, [document.lines[line].speaker for line in window], random_)
    if wrong:
        yield _case(document, Question(wrong), window, Kind.PERSON)
    found = alike.find(number, place, random_)
    if found:
        other = documents[found[0]]
        there = window_with(other, Question("", near=found[1]), length, random_)
        yield _case(other, Question(question.text), there, Kind.ALIKE)


def _case(document: Document, question: Question, window: range, kind: Kind) -> Case:
    separator = "\n" if document.dialogue else " "
    passage = separator.join(document.lines[number].text for number in window)
    spans = []
    start = 0
    for number in window:
        spans += [(start + mark.start, start + mark.end) for mark in question.answers if mark.line == number]
        start += len(document.lines[number].text) + len(separator)
    return Case(document.corpus, kind, question.text, passage, tuple(dict.fromkeys(spans)))
