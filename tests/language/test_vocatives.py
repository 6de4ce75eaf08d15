"""Who is spoken to by name is the one whom `you` means, and who is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem.records import Extraction, Fact
from tests.language.finding import find

Tell = Callable[..., list[Fact]]
Talk = Callable[..., list[Extraction]]


@pytest.mark.parametrize(
    "question",
    [
        "Leo, do you smoke?",
        "Do you smoke, Leo?",
        "Hey Leo! Do you smoke?",
        "So, Leo, do you smoke?",
        "@Leo do you smoke?",
        "karl, do you smoke?",
    ],
)
@pytest.mark.parametrize("reply", ["Yes!", "No.", "He does."])
def test_a_question_asked_of_another_is_not_answered_for_oneself(tell: Tell, question: str, reply: str) -> None:
    assert not find(tell(f"Maya: {question}", f"Tom: {reply}"), "smoke")


@pytest.mark.parametrize(
    "question",
    [
        "Tom, do you smoke?",
        "do you smoke, Tom?",
        "Do you smoke?",
        "Wow, do you smoke?",
        "Mate, do you smoke?",
        "Honestly, do you smoke?",
        "Yep, do you smoke?",
        "Cool, do you smoke?",
        "Dude, do you smoke?",
        "I have Oscar, my guinea pig. Do you smoke?",
        "Oscar, my guinea pig. Do you smoke?",
        "Do you smoke, by the way?",
    ],
)
def test_a_question_asked_of_oneself_is(tell: Tell, question: str) -> None:
    assert find(tell(f"Maya: {question}", "Tom: Yes!"), "smoke", subject="Tom")


def test_one_of_several_is_meant_by_name(talk: Talk) -> None:
    *_, last = talk("Maya: hi", "Tom: hi", "Leo: hi", "Maya: Tom, you live in Rome.")
    assert find(last.facts, "live", subject="Tom", in_="Rome")


def test_an_assistant_may_be_called_anything(talk: Talk) -> None:
    *_, last = talk("user: hi", "assistant: hi", "user: Karl, you live in Rome.")
    assert find(last.facts, "live", subject="assistant", in_="Rome")
