"""Answers read out of passages: the reader proposes, the logic decides, verification reads again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from goalmem import Memory, Settings
from goalmem.logic.terms import Aggregate, Variable
from goalmem.models.protocol import PassageReading, Span
from goalmem.questions.whole_question import passage_goal, passage_question
from goalmem.sources.passages.answer_words import best_of_each
from goalmem.sources.spans import sentence_around, trim_span


class Pointing:
    """A reader that points at given words wherever they stand, with given probabilities."""

    name = "pointing"

    def __init__(self, *words: tuple[str, float]) -> None:
        self.words = words

    def read(self, pairs: Sequence[tuple[str, str]], *, limit: int = 3) -> list[PassageReading]:
        return [self.one(passage)[0] for _, passage in pairs][: len(pairs)] if limit else []

    def one(self, passage: str) -> tuple[PassageReading, int]:
        spans = [
            Span(m.start(), m.end(), p)
            for w, p in self.words
            for m in re.finditer(re.escape(w), passage)
            if m is not None
        ]
        spans.sort(key=lambda s: -s.score)
        return PassageReading(max((s.score for s in spans), default=0.0), tuple(spans)), len(spans)


CHAT = [
    {
        "role": "user",
        "name": "Maya",
        "content": "Guess what! The shelter let me take Biscuit home last Friday.",
        "id": "1",
    },
    {"role": "user", "name": "Tom", "content": "Lovely. I spent the weekend carving a spoon.", "id": "2"},
    {"role": "user", "name": "Maya", "content": "You carved a spoon? She would chew it.", "id": "3"},
]


@pytest.fixture
def reader() -> Pointing:
    return Pointing()


@pytest.fixture
def memory(open_memory: Callable[..., Memory], reader: Pointing) -> Memory:
    """A memory of the chat."""
    memory = open_memory(reader=reader)
    memory.add(CHAT, session="s", at="2024-05-08T10:00")
    return memory


@pytest.fixture
def reading(memory: Memory, reader: Pointing) -> Callable[..., Memory]:
    """The memory, whose reader points at these words from now on."""

    def pointed(*words: tuple[str, float]) -> Memory:
        reader.words = words
        return memory

    return pointed


def test_an_answer_that_is_read_has_a_proof_that_holds(memory: Memory, reading: Callable[..., Memory]) -> None:
    answer = reading(("Biscuit", 0.9)).ask("Whom did the shelter let Maya take home?")
    assert answer.text == "Biscuit"
    assert answer.proof.root is not None
    assert [n.source for _, n in answer.proof.root.walk() if n.kind == "fact"] == ["passages"]
    assert memory.verify(answer.proof).ok


def test_what_is_read_and_judged_is_charged_to_the_budget(reading: Callable[..., Memory]) -> None:
    spent = reading(("Biscuit", 0.9)).ask("Whom did the shelter let Maya take home?").proof.spent
    assert spent["passages"] > 0
    assert spent["judgements"] > 0


def test_what_another_speaker_tells_of_themselves_is_no_answer(reading: Callable[..., Memory]) -> None:
    assert not reading(("a spoon", 0.9)).ask("What was it that Maya was carving all weekend?").known


def test_when_is_placed_on_the_calendar(memory: Memory, reading: Callable[..., Memory]) -> None:
    answer = reading(("take Biscuit home", 0.9)).ask("When was it that the shelter let Maya take a dog home?")
    assert answer.text == "3 May 2024"
    assert memory.verify(answer.proof).ok


def test_an_unsure_reading_is_no_answer(reading: Callable[..., Memory]) -> None:
    answer = reading(("Biscuit", 0.03)).ask("Whom did the shelter let Maya take home?")
    assert not answer.known
    assert answer.missing


def test_a_proof_is_refused_when_the_reader_reads_something_else(
    memory: Memory, reading: Callable[..., Memory]
) -> None:
    proof = reading(("Biscuit", 0.9)).ask("Whom did the shelter let Maya take home?").proof
    assert memory.verify(proof).ok
    assert not reading(("The shelter", 0.9)).verify(proof).ok


def test_another_value_of_the_same_sentence_is_refused(memory: Memory, reading: Callable[..., Memory]) -> None:
    proof = reading(("Biscuit", 0.9)).ask("Whom did the shelter let Maya take home?").proof
    altered = proof.to_json().replace('"text": "Biscuit"', '"text": "Guess"').replace('"Biscuit"', '"Guess"')
    assert altered != proof.to_json()
    assert not memory.verify(altered).ok


def test_without_a_reader_nothing_is_read(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(settings=Settings(reader="none"))
    memory.add(CHAT, session="s", at="2024-05-08T10:00")
    assert not memory.ask("Whom did the shelter let Maya take home?").known


def test_a_question_asks_itself_of_passages() -> None:
    goal = passage_goal("So, who is (x:thing)?", "Who is (x:thing)?", Variable("x", "person"), Aggregate.ONE)
    asked = passage_question(goal.atoms[0])
    assert asked == ("Who is (x:thing)?", Variable("x", "person"))
    assert passage_question(replace(goal.atoms[0], negated=True)) is None


@pytest.mark.parametrize(
    ("text", "span", "found"),
    [("One. Two three. Four", (5, 8), "Two three."), ("No end", (0, 2), "No end"), ("A? B! C", (3, 7), "B! C")],
)
def test_the_sentence_around_a_span(text: str, span: tuple[int, int], found: str) -> None:
    start, end = sentence_around(text, *span)
    assert text[start:end] == found


def test_spans_lose_what_is_no_word() -> None:
    text = "  “Dune”, "
    start, end = trim_span(text, 0, len(text))
    assert text[start:end] == "“Dune”"
    assert best_of_each([]) == []
