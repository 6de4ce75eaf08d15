"""What was put right, or came to nothing, is not proved."""

from __future__ import annotations

import pytest
from tests.asking import asked, replied


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("lines", "question", "old"),
    [
        (["The code is 4471.", "Correction: 4417."], "What is the code?", "4471"),
        (["The code is 4471.", "Edit: it's 4417."], "What is the code?", "4471"),
        (["The code is 4471.", "EDIT 4417"], "What is the code?", "4471"),
        (["The code is 4471.", "4417, sorry"], "What is the code?", "4471"),
        (["We leave on Monday.", "Edit: Tuesday."], "When do we leave?", "9 March"),
        (["We leave on Monday.", "Update: Tuesday."], "When do we leave?", "9 March"),
        (["I have two dogs.", "Edit: three."], "How many dogs do I have?", "2"),
        (["Ana: The party is on Friday.", "Leo: You mean Saturday.", "Ana: Oh right, Saturday."], "When is the party?", "6 March"),
        (["Ana: The party is on Friday.", "Leo: Isn't it on Saturday?", "Ana: True."], "When is the party?", "6 March"),
        (["Ana: The party is on Friday.", "Leo: Saturday, surely.", "Ana: Yes sorry."], "When is the party?", "6 March"),
        (["I moved to Ulm.", "False alarm, the move fell through."], "Where do I live?", "Ulm"),
        (["I am pregnant.", "False alarm."], "Am I pregnant?", "Yes"),
        (["I bought a house.", "The purchase fell through."], "Did I buy a house?", "Yes"),
        (["Leo married Mia.", "The wedding was called off."], "Did Leo marry Mia?", "Yes"),
    ],
)  # fmt: skip
def test_what_is_put_right_is_not_proved(lines: list[str], question: str, old: str) -> None:
    status, text = replied(lines, question)
    assert status not in ("proved", "disproved") or old not in text


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    [
        (["The code is 4471.", "Update: I moved to Bonn."], "What is the code?", "4471"),
        (["Ana: The party is on Friday.", "Leo: Isn't it fun?"], "When is the party?", "6 March"),
        (["Ana: The party is on Friday.", "Leo: What do you mean?"], "When is the party?", "6 March"),
        (["I moved to Ulm.", "My fence collapsed."], "Where do I live?", "Ulm"),
        (["I signed up for yoga.", "We cancelled the trip."], "Did I sign up for yoga?", "Yes"),
        (["I live in Rome.", "There was a false alarm at work today."], "Where do I live?", "Rome"),
    ],
)
def test_other_words_leave_it(lines: list[str], question: str, answer: str) -> None:
    status, text = replied(lines, question)
    assert status == "proved"
    assert answer in text


def test_what_falls_through_later_is_in_doubt() -> None:
    assert asked(["I moved to Ulm.", "The move fell through."], "Where do I live?")[0] != "proved"
