"""How old somebody is: by a number of years, and by what they turned; no other quantity is an age."""

import pytest

from goalmem import Memory
from tests.cases import one_in


def told(said: str, question: str) -> tuple[str, str]:
    with Memory() as memory:
        for day, text in enumerate(said.split(" | ")):
            memory.add([{"role": "user", "content": text}], session=str(day), at=f"2026-05-{4 + day:02}T10:00:00")
        answer = memory.ask(question, at="2026-06-01")
        assert memory.verify(answer.proof)
        return answer.text, answer.status


@pytest.mark.parametrize(
    ("said", "question", "age"),
    one_in(
        2,
        [
            ("Nathaniel turned six on Saturday.", "How old is Nathaniel?", "six"),
            ("Mum turned 60 last week.", "How old is Mum?", "60"),
            ("Wilf has just turned nine.", "How old is Wilf?", "nine"),
            ("My nephew Wilf is eight. | Wilf turned nine yesterday.", "How old is Wilf now?", "nine"),
            ("The baby is 12 weeks.", "How old is the baby?", "12 weeks"),
            ("The house is 100 years old.", "How old is the house?", "100 years old"),
            ("Wilf is forty-two.", "How old is Wilf?", "forty-two"),
        ],
    ),
)
def test_an_age_is_proved(said, question, age):
    assert told(said, question) == (age, "proved")


@pytest.mark.parametrize(
    ("said", "question"),
    one_in(
        2,
        [
            ("The baby is 3 kilos.", "How old is the baby?"),
            ("Wilf is 5 foot 10.", "How old is Wilf?"),
            ("Wilf is number 9.", "How old is Wilf?"),
            ("The ticket is 40 euros.", "How old is the ticket?"),
            ("The water is 40 degrees.", "How old is the water?"),
            ("The bridge is 40 metres long.", "How old is the bridge?"),
            ("Wilf has turned two pages.", "How old is Wilf?"),
            ("Wilf turned 40 degrees to the left on Friday.", "How old is Wilf?"),
            ("Wilf nearly turned nine on Friday.", "How old is Wilf?"),
            ("Wilf turned nine in 2019.", "How old is Wilf?"),
            ("When Wilf turned nine we moved to Hull.", "How old is Wilf?"),
            ("Wilf turns nine in July.", "How old is Wilf?"),
            ("Wilf was nine then.", "How old is Wilf?"),
        ],
    ),
)
def test_what_is_no_age_now_proves_none(said, question):
    assert told(said, question)[1] not in ("proved", "disproved")
