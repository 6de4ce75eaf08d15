"""Who somebody's sisters or dogs are is told only by words that say so: whoever has two brothers or cats has neither."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

OWNED = [
    ("I have two {}, Milo and Otis.", "cats", "dogs", "What are my {} called?"),
    ("I have two {}, Milo and Otis.", "cats", "horses", "What are the names of my {}?"),
    ("I have two {}, Max and Leo.", "brothers", "sisters", "Who are my {}?"),
    ("I have two {}, Max and Leo.", "brothers", "sons", "What are my {} called?"),
    ("I have two {}, Ida and Eva.", "daughters", "aunts", "Who are my {}?"),
]


@pytest.mark.parametrize(("form", "told", "other", "question"), one_in(2, OWNED))
def test_the_noun_is_told(form: str, told: str, other: str, question: str) -> None:
    said = form.format(told)
    status, answer = asked(said, question.format(told))
    assert status == "proved"
    assert " and " in answer
    assert "two" not in answer
    assert asked(said, question.format(other))[0] == "unknown"


@pytest.mark.parametrize("relation", ["daughter", "son", "wife", "boss"])
def test_whoever_has_somebody_as_a_friend_has_no_relative_of_the_name(relation: str) -> None:
    assert asked("I have Tom as my neighbour.", f"Who is my {relation}?")[0] != "proved"


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I have a beagle.", "Do I have a dog?"),
        ("I have a beagle called Pixel.", "Do I have a dog?"),
        ("Ann has a parrot.", "Does Ann have a bird?"),
        ("I have a son called Tom.", "Do I have a child?"),
    ],
)
def test_who_has_one_of_a_kind_has_the_kind(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I don't have a beagle.", "Do I have a dog?"),
        ("I have a dog.", "Do I have a beagle?"),
        ("I have a toy beagle.", "Do I have a dog?"),
        ("I have a photo of a beagle.", "Do I have a dog?"),
        ("My sister has a beagle.", "Do I have a dog?"),
        ("I want a beagle.", "Do I have a dog?"),
        ("I bought ice cream.", "Did I buy cream?"),
    ],
)
def test_who_has_none_of_a_kind_or_only_what_sounds_like_it_is_left_open(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"
