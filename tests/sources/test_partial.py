"""An amount of one of two things, or of one event of several, is no amount of all of them."""

from __future__ import annotations

import pytest
from tests.asking import asked

from goalmem import Memory, Settings
from goalmem.sources.passages.partial import is_of_part


@pytest.mark.parametrize(
    ("question", "type_", "said", "of_part"),
    [
        ("How much did I spend on the car wash and the parking ticket?", "amount", "The car wash was 15 euros.", True),
        ("How much did I spend on the car wash and the ticket?", "amount", "Car wash and ticket came to 65.", False),
        ("How many hours of jogging and yoga did I do?", "duration", "I went for a 30-minute jog.", True),
        ("How long did Tom and Ana live in Rome?", "duration", "We lived in Rome for two years.", False),
        ("How long did my mother and I travel?", "duration", "We travelled for two weeks.", False),
        ("How many days did I spend on camping trips?", "duration", "I was on a 5-day camping trip in May.", True),
        ("How many days did I spend on camping trips?", "duration", "My camping trips took 8 days.", False),
        ("How much do I pay for guitar lessons?", "amount", "A guitar lesson costs 30 euros.", False),
        ("Where did I buy the lamp and the rug?", "place", "I bought the lamp in Leeds.", False),
    ],
)
def test_what_speaks_of_a_part_only(question: str, type_: str, said: str, of_part: bool) -> None:
    assert is_of_part(question, type_, said, said) == of_part


def test_a_part_answers_nothing() -> None:
    said = ["I spent 15 euros on the car wash.", "The dog is fine again."]
    assert asked(said, "How much did I spend on the car wash and the parking ticket?")[0] == "unknown"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many days did I spend in total in Hawaii and in New York City?", "15 days"),
        ("How many more days did I spend in Hawaii than in New York City?", "5 days"),
    ],
)
def test_amounts_are_read_apart_and_reckoned_with(question: str, answer: str) -> None:
    said = ["so i went to new york city for five days and it was lovely.", "the hawaii trip took us ten days in all"]
    with Memory(settings=Settings(answer_threshold=0.1)) as memory:
        for day, text in enumerate(said, 1):
            memory.add({"role": "user", "content": text}, session=f"{day}", at=f"2026-03-0{day}T10:00:00")
        found = memory.ask(question, at="2026-03-10T10:00:00")
        assert (found.status, found.text) == ("likely", answer)
        assert memory.verify(found).ok
