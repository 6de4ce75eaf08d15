"""What spans of messy turns stand for, and what doubts of them count."""

import pytest

from goalmem import Memory
from goalmem.models.span_reader import breaks_of
from goalmem.sources.passages.answer_words import answer_start
from goalmem.sources.passages.participants import stems_and_verbs
from goalmem.sources.passages.span_values import RECURRING
from goalmem.sources.passages.type_fit import quantity


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("7 apr, Specsavers Wells rd, £45 bc OCT scan", "£45"),
        ("14 euros a head, cash", "14 euros a head"),
        ("120g €11, medium 220g €18", "120g €11, medium 220g €18"),
        ("no idea", "no idea"),
    ],
)
def test_of_words_around_one_amount_of_money_that_amount_is_meant(text: str, amount: str) -> None:
    start, end = quantity("amount", text, 0, len(text))
    assert text[start:end] == amount


@pytest.mark.parametrize(("words", "recurs"), [
    ("fridays", True), ("Fridays at 8:30", True), ("every other week", True), ("on mondays", True),
    ("friday", False), ("last Friday", False), ("the 26th", False),
])  # fmt: skip
def test_what_comes_again_is_no_day_on_the_calendar(words: str, recurs: bool) -> None:
    assert (RECURRING.fullmatch(words) is not None) is recurs


def test_when_something_recurs_is_told_in_its_own_words(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "my choir meets every tuesday at 7 in the old mill"}], at="2026-03-04")
    answer = memory.ask("When does my choir meet?")
    assert answer.text in ("every tuesday at 7", "I don't know")


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("right thigh. next wk left", 1),
        ("Dr. Sandhu at 8.30, no. 4", 0),
        ("one\ntwo", 1),
        ("really?! yes (he said so.) fine", 2),
    ],
)
def test_an_answer_reaches_over_no_end_of_a_sentence(text: str, breaks: int) -> None:
    assert len(breaks_of(text)) == breaks


def test_words_are_told_by_stem_and_by_verb() -> None:
    assert stems_and_verbs("What did I buy?") & stems_and_verbs("I nearly bought a boat")
    assert not stems_and_verbs("What was it?")


def test_what_is_denied_of_something_else_may_answer(memory: Memory) -> None:
    messages = [
        {"role": "assistant", "content": "What would you have taken for a large one?"},
        {"role": "user", "content": "19. didn't hear back"},
    ]
    memory.add(messages, session="one", at="2026-03-04")
    pipeline = memory._parts.pipeline
    found = pipeline.offers(
        "How much would I have taken for a large one?", space="default", at=memory._parts.moment("default", None)
    )
    assert "19" in {offer.proposal.value.text for offer in found if offer.proposal is not None}


@pytest.mark.parametrize(
    ("question", "kind", "words", "answer"),
    [
        ("Where does Nadia live?", "place", "I live in Ghent", "Ghent"),
        ("What did Mara give Ysolde?", "thing", "gave Ysolde a book", "a book"),
        ("Which bird does Ivo have?", "bird", "bird of paradise", "bird of paradise"),
        ("Why did Bo go?", "reason", "I went to rest", "I went to rest"),
    ],
)
def test_what_only_repeats_the_question_is_no_part_of_the_answer(
    question: str, kind: str, words: str, answer: str
) -> None:
    assert words[answer_start(question, kind, words, 0, len(words)) :] == answer
