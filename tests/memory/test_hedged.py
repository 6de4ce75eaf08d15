"""What somebody says with a comment that leaves it open is `likely` at most, wherever the comment stands; other clauses are as they were."""

from __future__ import annotations

from itertools import product

import pytest

from tests.asking import asked
from tests.cases import one_in

SAID = {
    "My boss is Petra": "Who is my boss?",
    "I live in Leeds": "Where do I live?",
    "Tom moved to Oslo in May": "Where did Tom move?",
    "My sister has a cat": "Does my sister have a cat?",
    "Ida works at Selkon": "Where does Ida work?",
}
HEDGES = (
    *("I think", "I believe", "I guess", "iirc", "afaik", "if I remember right", "if I'm not mistaken", "from memory"),
    *("as far as I know", "not sure", "not 100% sure", "pretty sure", "maybe", "probably", "apparently"),
)
PLACES = ("{said}, {hedge}.", "{said} {hedge}.", "{Hedge}, {said}.", "{Hedge} {said}.")
SURE = [
    ("I live in Leeds, and I think it is nice.", "Where do I live?", "Leeds"),
    ("I live in Leeds but I guess you knew.", "Where do I live?", "Leeds"),
    ("I think a lot. I live in Leeds.", "Where do I live?", "Leeds"),
    ("I live in Leeds. Not sure about the weather.", "Where do I live?", "Leeds"),
    ("My boss is Petra, and she is probably ill.", "Who is my boss?", "Petra"),
    ("I am sure my boss is Petra.", "Who is my boss?", "Petra"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("said", "hedge", "place"), one_in(9, product(SAID, HEDGES, PLACES)))
def test_what_is_left_open_is_not_proved(said, hedge, place):
    own = said[0].lower() + said[1:] if said.startswith("My") and place.startswith("{Hedge}") else said
    text = place.format(said=own, hedge=hedge, Hedge=hedge[0].upper() + hedge[1:])
    assert asked(text, SAID[said])[0] != "proved"


@pytest.mark.parametrize(("text", "question", "answer"), one_in(2, SURE))
def test_a_comment_on_another_clause_leaves_nothing_open(text, question, answer):
    assert asked(text, question) == ("proved", answer)
