"""What somebody speaks of as theirs, and no longer has: `my bike was stolen`, `my dog passed away`."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

GONE = [
    ("My bike got stolen.", "Do I have a bike?"),
    ("My bike has been stolen.", "Do I have a bike?"),
    ("Somebody stole my bike.", "Do I have a bike?"),
    ("My bike is gone.", "Do I have a bike?"),
    ("My dog passed away.", "Do I have a dog?"),
    ("My dog ran away.", "Do I have a dog?"),
    ("My dog got run over.", "Do I have a dog?"),
    ("My cat went missing.", "Do I have a cat?"),
    ("My cat is missing.", "Do I have a cat?"),
    ("I binned my old shoes.", "Do I have shoes?"),
]
STILL = [
    ("My dog ran over to me.", "Do I have a dog?"),
    ("My bike was fixed.", "Do I have a bike?"),
    ("My bike will be sold.", "Do I have a bike?"),
    ("My car was hit by a bus.", "Do I have a car?"),
]
WAS = [
    ("My boss was Petra.", "Who is my boss?"),
    ("My old boss was Petra.", "Who is my boss?"),
    ("My dog was called Rex.", "What is my dog called?"),
    ("My wife was Ana.", "Who is my wife?"),
]
IS_OR_WAS = [
    ("My boss was Petra.", "Who was my boss?", "Petra"),
    ("My dog was called Rex.", "What was my dog called?", "Rex"),
    ("My grandmother was called Ida.", "Who is my grandmother?", "Ida"),
    ("My boss is Petra.", "Who is my boss?", "Petra"),
    ("My boss, Petra, was late today.", "Who is my boss?", "Petra"),
]
NEXT_TO = [("I work next to Selkon.", "Where do I work?"), ("I work close to Selkon.", "Where do I work?")]


@pytest.mark.parametrize(("said", "question"), one_in(2, GONE))
def test_what_is_gone_is_not_had(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


@pytest.mark.parametrize(("said", "question"), STILL)
def test_what_something_else_happened_to_is_had(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")


@pytest.mark.parametrize(("said", "question"), NEXT_TO)
def test_who_is_next_to_a_place_is_not_there(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


@pytest.mark.parametrize(("said", "question"), WAS)
def test_who_was_something_need_not_be_it_now(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


@pytest.mark.parametrize(("said", "question", "answer"), IS_OR_WAS)
def test_a_relative_remains_one_and_who_was_it_was(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)
