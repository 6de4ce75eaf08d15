"""How old somebody is: by a number of years, and by what they turned; no other quantity is an age."""

from functools import partial

import pytest

from tests.asking import asked
from tests.cases import one_in

ask = partial(asked, told="2026-05-04T10:00:00", at="2026-06-01")


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
    assert ask(said.split(" | "), question) == ("proved", age)


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
    assert ask(said.split(" | "), question)[0] not in ("proved", "disproved")
