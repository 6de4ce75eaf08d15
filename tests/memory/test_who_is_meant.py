"""Who somebody's boss or neighbour is: a name, in whichever language, and no mere description."""

from __future__ import annotations

import pytest

from goalmem.language.lexicon import is_given_name
from tests.asking import asked
from tests.cases import one_in

NAMES = ("Yewande", "Kofi", "Xiomara", "Siobhan", "Tjaša", "Jiří", "Paavo", "Bronagh")
DESCRIBED = [
    ("My boss is a jerk.", "Who is my boss?"),
    ("My boss is a woman.", "Who is my boss?"),
    ("My boss is German.", "Who is my boss?"),
    ("My teacher is a good man.", "Who is my teacher?"),
    ("The man who called was Tom.", "Who called?"),
    ("The book I am reading is Dune.", "What am I reading?"),
    ("The car I bought is a Volvo.", "What did I buy?"),
]
TOLD = [
    ("My boss is Petra, a nice woman.", "Who is my boss?", "Petra"),
    ("My boss is a woman named Petra.", "Who is my boss?", "Petra"),
    ("My landlord is Kestrel.", "Who is my landlord?", "Kestrel"),
    ("My employer is Selkon.", "Who do I work for?", "Selkon"),
    ("Bram is an accordion teacher.", "Who is Bram?", "accordion teacher"),
    ("The lamp was broken by Tom.", "What was broken by Tom?", "lamp"),
]


@pytest.mark.parametrize("name", one_in(2, NAMES))
def test_names_of_many_languages_are_people(name: str) -> None:
    assert asked(f"My boss is {name}.", "Who is my boss?") == ("proved", name)
    assert asked(f"I work with {name}.", "Who do I work with?") == ("proved", name)


@pytest.mark.parametrize("name", ["yewande", "kofi", "siobhan"])
def test_so_are_they_in_lower_case(name: str) -> None:
    assert asked(f"i met {name} at the gym", "Who did I meet at the gym?") == ("proved", name.title())


@pytest.mark.parametrize("word", ["will", "rose", "theres", "america", "mercedes", "may", "the", "ashby"])
def test_an_ordinary_word_a_place_or_a_brand_is_no_given_name(word: str) -> None:
    assert not is_given_name(word)


@pytest.mark.parametrize(("said", "question"), one_in(2, DESCRIBED))
def test_a_description_does_not_say_who_or_which(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOLD))
def test_a_name_beside_it_does(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)
