"""How long something had lasted when something else happened: counted until then, not until it was told."""

from __future__ import annotations

import pytest

from goalmem import Memory
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
        "about 5 weeks",
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
    with Memory() as memory:
        memory.add([{"role": "user", "content": text} for text in said], at="2026-03-04")
        found = memory.ask(question, at="2026-03-10")
        assert found.text == answer
        assert memory.verify(found).ok


def test_until_when_is_not_known_if_the_event_has_no_day() -> None:
    with Memory() as memory:
        said = ("I have been taking guitar lessons for six weeks.", "I love my amp.")
        memory.add([{"role": "user", "content": text} for text in said], at="2026-03-04")
        question = "How long had I been taking guitar lessons when I bought the amp?"
        assert memory.ask(question, at="2026-03-10").status == "unknown"
