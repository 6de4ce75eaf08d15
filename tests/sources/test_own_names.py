"""Who tells their name is asked for it: `I'm Sam`, `call me Sam`; what somebody is, or somebody else is called, is no name of theirs."""

from __future__ import annotations

import pytest

from goalmem import Memory

QUESTION = "What's my name?"


def asked(said: str, question: str = QUESTION) -> tuple[str, str]:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-05-04T10:00:00")
        answer = memory.ask(question)
        assert memory.verify(answer).ok
        return answer.text, answer.status


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My name is Sam.", "Sam"),
        ("I'm Priya Chen.", "Priya Chen"),
        ("Please call me Sam.", "Sam"),
        ("Everyone calls me Ace.", "Ace"),
        ("I'm called Bo.", "Bo"),
        ("My name is Frank.", "Frank"),
    ],
)
def test_a_name_that_is_told_is_proved(said: str, name: str) -> None:
    assert asked(said) == (name, "proved")


@pytest.mark.parametrize(
    "said",
    [
        "I'm tired.",
        "I'm Team Lead at Acme.",
        "I'm German.",
        "I'm not Sam.",
        "I'm Ada's brother.",
        "My sister's name is Ada.",
        "Call me a taxi.",
        "My ex kept calling me Princess.",
        "My brother called me an idiot.",
        "Don't call me Al.",
        "If you win you can call me Al.",
    ],
)
def test_what_is_no_name_of_the_asker_is_left_open(said: str) -> None:
    assert asked(said)[1] == "unknown"


def test_the_name_by_which_somebody_asks_to_be_called_is_the_newest() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "My name is Samantha."}], at="2026-05-04T10:00:00")
        memory.add([{"role": "user", "content": "Please call me Sam."}], at="2026-05-05T10:00:00")
        assert memory.ask(QUESTION).text == "Sam"


def test_each_speaker_has_their_own_name() -> None:
    with Memory() as memory:
        memory.add(
            [
                {"role": "user", "name": "Maya", "content": "I adopted a dog."},
                {"role": "user", "name": "Ivo", "content": "My name is Ivo Brand."},
            ],
            at="2026-05-04T10:00:00",
        )
        assert memory.ask(QUESTION, speaker="Ivo").text == "Ivo Brand"
        assert memory.ask(QUESTION, speaker="Maya").status == "unknown"
