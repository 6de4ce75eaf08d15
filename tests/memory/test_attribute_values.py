"""What an attribute of somebody is: a number, a sign, or an adjective that says which."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

VALUES = [
    ("My shoe size is 42.", "What is my shoe size?", "42"),
    ("My shoe size: 42", "What is my shoe size?", "42"),
    ("My desk number is 14.", "What's my desk number?", "14"),
    ("My passport number is X123.", "What is my passport number?", "X123"),
    ("My blood type is O negative.", "What is my blood type?", "O negative"),
    ("My blood type is A positive.", "What is my blood type?", "A positive"),
    ("My marital status is single.", "What is my marital status?", "single"),
    ("My hair type is curly.", "What is my hair type?", "curly"),
    ("My eye colour is brown.", "What is my eye colour?", "brown"),
    ("My email is ana@example.org", "What is my email address?", "ana@example.org"),
    ("my e-mail: ana@example.org", "What is my email?", "ana@example.org"),
    ("My address is 12 Elm Street.", "What is my address?", "12 Elm Street"),
    ("my boss: Petra", "Who is my boss?", "Petra"),
    ("My native language is Dutch.", "What languages do I speak?", "Dutch"),
    ("I can speak Dutch and Polish.", "Do I speak Polish?", "Yes"),
    ("I'm allergic to peanuts.", "Do I have any allergies?", "Yes"),
    ("I take 5 mg of amlodipine every morning.", "Do I take amlodipine?", "Yes"),
    ("I ate a slice of cake.", "Did I eat cake?", "Yes"),
]
NO_VALUES = [
    ("My blood type is rare.", "What is my blood type?"),
    ("My blood type is the same as my mum's.", "What is my blood type?"),
    ("My shoe size is bigger than Tom's.", "What is my shoe size?"),
    ("My status is unclear.", "What is my status?"),
    ("My room number is different now.", "What is my room number?"),
    ("My locker number is easy to remember.", "What is my locker number?"),
    ("My pin is secret.", "What is my pin?"),
    ("My plan is good.", "What is my plan?"),
    ("I have a photo of Rex.", "Do I have Rex?"),
    ("I like the smell of coffee.", "Do I like coffee?"),
    ("Tom's email is tom@example.org", "What is my email address?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, VALUES))
def test_a_value_is_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(("said", "question"), one_in(2, NO_VALUES))
def test_what_only_rates_or_compares_a_value_does_not_tell_it(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"
