"""How long something had lasted when something else happened: counted until then, not until it was told."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

QUESTIONS = [
    (
        ("I have been taking guitar lessons for six weeks.", "I bought a new amp two weeks ago."),
        "How long had I been taking guitar lessons when I bought the amp?",
        "about 4 weeks",
    ),
    (
        ("I have been working at Selkon since 2021.", "I got promoted in March 2024."),
        "How long had I been working at Selkon when I was promoted?",
        "about 3 years",
    ),
    (
        ("I have been learning Danish since January 5.", "I visited Copenhagen on February 9."),
        "How long had I been learning Danish when I visited Copenhagen?",
        "5 weeks",
    ),
    (
        ("I've been vegan for two years.", "My daughter was born in May 2025."),
        "How long had I been vegan when my daughter was born?",
        "about 14 months",
    ),
    (
        ("I moved to Oslo in May 2020.", "I met Ida in June 2023."),
        "How long had I lived in Oslo when I met Ida?",
        "about 3 years",
    ),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, QUESTIONS))
def test_it_is_counted_until_the_event(said: tuple[str, ...], question: str, answer: str) -> None:
    assert asked(said, question)[1] == answer


def test_until_when_is_not_known_if_the_event_has_no_day() -> None:
    said = ("I have been taking guitar lessons for six weeks.", "I love my amp.")
    question = "How long had I been taking guitar lessons when I bought the amp?"
    assert asked(said, question)[0] == "unknown"
