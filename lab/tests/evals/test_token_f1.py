"""Token F1 as LoCoMo defines it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem_lab.evals.token_f1 import f1_of_answer, f1_of_list, token_f1, tokens

MULTI_HOP, TEMPORAL, COMMONSENSE, SINGLE_HOP = 1, 2, 3, 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The beagles", ["beagl"]),
        ("a dog and an owl", ["dog", "owl"]),
        ("Running, jumped!", ["run", "jump"]),
        ("3,000 dollars", ["3000", "dollar"]),
        ("Maya's", ["maya"]),
        ("", []),
        ("the a an and", []),
        ("…?!", ["…"]),
    ],
)
def test_words_that_count(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("said", "gold", "score"),
    [
        ("a beagle", "The beagle.", 1.0),
        ("beagles", "beagle", 1.0),
        ("a small beagle", "beagle", 2 / 3),
        ("Lisbon in Portugal", "Lisbon", 1 / 2),
        ("Porto", "Lisbon", 0.0),
        ("", "Lisbon", 0.0),
        ("Lisbon", "", 0.0),
        ("", "", 0.0),
        ("very very good", "very good", 4 / 5),
    ],
)
def test_it_is_the_harmonic_mean_of_precision_and_recall(said, gold, score):
    assert token_f1(said, gold) == pytest.approx(score)


@pytest.mark.parametrize(
    ("said", "gold", "score"),
    [
        ("tea, coffee", "coffee, tea", 1.0),
        ("tea", "coffee, tea", 0.5),
        ("tea, coffee, beer", "coffee, tea", 1.0),
        ("water", "coffee, tea", 0.0),
    ],
)
def test_of_a_list_each_part_counts_with_the_best_that_was_said(said, gold, score):
    assert f1_of_list(said, gold) == pytest.approx(score)


def test_each_category_is_scored_in_its_own_way():
    assert f1_of_answer("tea", "coffee, tea", MULTI_HOP) == 0.5
    assert f1_of_answer("tea", "coffee, tea", SINGLE_HOP) == pytest.approx(2 / 3)
    assert f1_of_answer("yes", "yes; she said so twice", COMMONSENSE) == 1.0
    assert f1_of_answer("yes", "yes; she said so twice", TEMPORAL) < 1.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_it_lies_between_0_and_1_and_has_no_sides(said, gold):
    assert 0 <= token_f1(said, gold) <= 1
    assert token_f1(said, gold) == pytest.approx(token_f1(gold, said))
    assert token_f1(said, said) == (1.0 if tokens(said) else 0.0)
