"""Which city, town or country: what dictionaries know of places, and of companies that somebody works for."""

from __future__ import annotations

import pytest

from goalmem import Memory
from tests.asking import asked

KNOWN = [
    ("I live in Ghent.", "Which town do I live in?", "Ghent"),
    ("I live in Ghent.", "Which city do I live in?", "Ghent"),
    ("I live in Ireland.", "Which country do I live in?", "Ireland"),
    ("I visited Malta.", "Which island did I visit?", "Malta"),
    ("I work for Selkon.", "Which company do I work for?", "Selkon"),
]
OTHERS = [
    ("I live in Spain.", "Which city do I live in?"),
    ("I work in Manchester.", "Which office do I work in?"),
    ("I work for Selkon.", "Which school do I work for?"),
]


@pytest.mark.parametrize(("said", "question", "answer"), KNOWN)
def test_a_place_of_the_kind_is_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(("said", "question"), OTHERS)
def test_another_kind_of_place_is_not(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


def test_an_answer_whose_kind_is_not_known_is_as_uncertain_as_that():
    with Memory() as memory:
        memory.add("I drive a Volvo.")
        answer = memory.ask("Which car do I drive?")
        assert (answer.text, answer.status) == ("Volvo", "likely")
        assert answer.confidence < 0.75
        assert memory.verify(answer).ok
