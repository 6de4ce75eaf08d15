"""Questions that offer a choice: one of the two is told, never a yes."""

from __future__ import annotations

import pytest
from tests.asking import asked


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I like tea.", "Do I like tea or coffee?", ("proved", "tea")),
        ("I have a cat.", "Do I have a cat or a dog?", ("proved", "cat")),
        ("I went home.", "Did I go home or not?", ("proved", "Yes")),
        ("I prefer window seats to aisle seats.", "Do I prefer window or aisle seats?", None),
    ],
)
def test_a_choice_is_made_and_not_affirmed(said: str, question: str, answer: tuple[str, str] | None) -> None:
    found = asked(said, question)
    assert found == answer if answer is not None else found[1] != "Yes"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I owe Priya 50 dollars.", "How much do I owe Priya?", "50 dollars"),
        ("I owe Priya 50 dollars.", "Who do I owe 50 dollars?", "Priya"),
        ("The meeting starts at 3 pm.", "When does the meeting start?", "3 pm"),
    ],
)
def test_a_debt_and_an_hour_are_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)
