"""Promise: a later message that gives a value anew without saying of what is understood, and one about something else changes nothing."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.sources.passages.succession_features import Succeeded

ANEW = [
    (
        ["flying to Porto on the 2nd, BA out of gatwick, seat 14C", "swapped to 21A so I can have a window"],
        "What's my seat number to Porto?",
        "21A",
        "14C",
    ),
    (
        ["The gig is at the Corn Exchange", "too much demand, it's been upgraded to the Arena"],
        "Where's the gig on?",
        "Arena",
        "Corn Exchange",
    ),
    (["Doc put me on 50mg sertraline", "been bumped up to 75"], "What dose of sertraline am I on?", "75", "50"),
    (["My physio is on Tuesdays.", "she's moved me to Fridays"], "What day is my physio?", "Fridays", "Tuesdays"),
    (
        ["My desk is on the fourth floor.", "they've put us all on the sixth"],
        "Which floor is my desk on?",
        "sixth",
        "fourth",
    ),
    (["The deposit is 400 euros.", "we haggled and got it down to 350"], "How much is the deposit?", "350", "400"),
]
NOT_ANEW = [
    (["I weigh 90 kilos.", "I'm down to 2 coffees a day."], "How much do I weigh?", "90 kilos"),
    (["I live in Leeds.", "I moved my savings to Monzo."], "Where do I live?", "Leeds"),
    (["My physio is on Tuesdays.", "swimming has moved to Fridays"], "What day is my physio?", "Tuesdays"),
    (["The deposit is 400 euros.", "the sofa was 350"], "How much is the deposit?", "400"),
    (["The wedding cake is lemon.", "my aunt wants chocolate for hers"], "What flavour is the wedding cake?", "lemon"),
    (["I play the cello.", "We have a piano at home."], "What do I play?", "cello"),
    (["My flight is at 6:40.", "My brother lands at 9:15."], "What time is my flight?", "6:40"),
    (["My interview is on Wednesday.", "The dentist is on Friday."], "Which day is my interview?", "Wednesday"),
    (["I like tea.", "I own a red bike."], "What do I like?", "tea"),
    (["i collect stamps", "i bought a coin yesterday"], "what do i collect?", "stamps"),
    (["I drink oat milk.", "they were out of it so I nearly took almond"], "Which milk do I drink?", "oat"),
]


def remember(memory: Memory, said: list[str]) -> None:
    for day, text in enumerate(said, 2):
        memory.add([{"role": "user", "content": text}], at=f"2026-03-{day:02d}")


@pytest.mark.parametrize(("said", "question", "new", "old"), ANEW)
def test_a_value_given_anew_is_told(said: list[str], question: str, new: str, old: str) -> None:
    with Memory() as memory:
        remember(memory, said)
        answer = memory.ask(question)
        assert new in answer.text
        assert old not in answer.text
        assert answer.status == "likely"
        assert memory.verify(answer.proof).ok
        assert old in memory.ask(question, at="2026-03-02T23:00").text


@pytest.mark.parametrize(("said", "question", "value"), NOT_ANEW)
def test_words_about_something_else_change_nothing(said: list[str], question: str, value: str) -> None:
    with Memory() as memory:
        remember(memory, said)
        assert value in memory.ask(question).text


def test_a_fact_that_was_given_anew_is_not_proved() -> None:
    with Memory() as memory:
        remember(memory, ["My physio is on Tuesdays."])
        before = memory.ask("What day is my physio?")
        remember(memory, ["My physio is on Tuesdays.", "she's moved me to Fridays"])
        assert before.text == "Tuesdays"
        assert memory.ask("What day is my physio?").status != "proved"


def test_the_past_is_not_given_anew() -> None:
    with Memory() as memory:
        remember(memory, ["The deposit was 400 euros.", "we haggled and got it down to 350"])
        assert "350" not in memory.ask("How much was the deposit at first?").text


def features(later: str, value: str, *, earlier: str = "My seat is 14C.") -> Succeeded:
    start = later.index(value)
    return Succeeded("What is my seat?", earlier, "14C", later, start, start + len(value), 0.3, 0.4, 2)


@pytest.mark.parametrize(
    ("later", "feature", "expected"),
    [
        ("swapped to 21A", "changed_to", True),
        ("the best one is 21A", "changed_to", False),
        ("it's 21A now", "from_now", True),
        ("sorry, 21A", "repairs", True),
        ("they offered me 21A", "supposed", True),
        ("I saw 21A but no", "undone", True),
        ("back then it was 21A", "over", True),
        ("Ingrid has 21A", "persons", 1),
        ("my brother has 21A", "persons", 1),
        ("Ingrid has 21A", "of_persons", True),
        ("Ingrid gave me 21A", "of_persons", False),
        ("her seat is 21A", "of_persons", True),
        ("the other seat is 21A", "of_another", True),
        ("they gave us 21A", "concerns", True),
        ("21A is by the window", "first", True),
        ("they gave us 21A", "last", True),
        ("they gave us 21A", "of_numbers", True),
        ("they gave us the window", "of_numbers", False),
    ],
)
def test_words_around_a_value_are_told(later: str, feature: str, expected: float) -> None:
    value = "21A" if "21A" in later else "the window"
    told = features(later, value).features(lambda _one, _other: 0.5)
    assert getattr(told, feature) == expected
