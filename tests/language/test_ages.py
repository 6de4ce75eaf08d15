"""Ages beside names are read, and of the one beside whom they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem import Memory
from goalmem.records import Fact
from tests.language.finding import find, named

Tell = Callable[..., list[Fact]]


@pytest.mark.parametrize(
    ("said", "ages"),
    [
        ("I have two kids, Anton (7) and Mia (4).", {"Anton": "7", "Mia": "4"}),
        ("My kids Anton, 7, and Mia, 4, love it.", {"Anton": "7", "Mia": "4"}),
        ("My son Leo, 5, plays chess.", {"Leo": "5"}),
    ],
)
def test_each_has_the_age_beside_the_name(tell: Tell, said: str, ages: dict[str, str]) -> None:
    found = [(named(f, "subject"), named(f, "attribute")) for f in tell(said) if f.predicate == "be"]
    assert {(who, age) for who, age in found if age.isdigit()} == set(ages.items())


@pytest.mark.parametrize("said", ["See Smith (2019) on this.", "My son Leo (no. 7) plays.", "Anton, 7 of us came."])
def test_other_numbers_behind_a_name_are_no_age(tell: Tell, said: str) -> None:
    assert not [f for f in tell(said) if f.predicate == "be" and named(f, "attribute").isdigit()]


def test_an_age_in_brackets_is_proved() -> None:
    with Memory() as memory:
        memory.add("I have two kids, Anton (7) and Mia (4).")
        for who, age in (("Anton", "7"), ("Mia", "4")):
            answer = memory.ask(f"How old is {who}?")
            assert (answer.status, answer.text) == ("proved", age)
            assert memory.verify(answer).ok


def test_a_writer_called_by_somebody_elses_name_is_not_them(tell: Tell) -> None:
    facts = tell("Beni's dad: Beni has football at six.", context=None)
    assert find(facts, "have", subject="Beni")
    assert not find(facts, "have", subject="Beni's dad")


def test_names_that_lead_back_to_each_other_are_read(tell: Tell) -> None:
    facts = tell("Beni's dad: Beni's mum is Ada.", "Ada: Beni's dad and Beni's mum like Beni's bike.")
    assert facts
