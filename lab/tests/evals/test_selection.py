"""Which questions are measured: categories, the first ones, samples that are always the same."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import InputError
from goalmem_lab.evals.selection import Selection, read_categories, split_names

QUESTIONS = [(talk, number, number % 3) for talk in "abcd" for number in range(20)]


def choose(selection, questions=QUESTIONS):
    return selection.choose(
        questions, key=lambda q: f"{q[0]}/{q[1]}", group=lambda q: q[0], category=lambda q: str(q[2])
    )


def test_all_by_default_and_in_order():
    assert choose(Selection()) == QUESTIONS


def test_a_sample_is_spread_over_the_groups_and_keeps_the_order():
    drawn = choose(Selection(sample=10))
    assert sorted(Counter(q[0] for q in drawn).values()) == [2, 2, 3, 3]
    assert drawn == sorted(drawn)


@given(st.integers(1, 80), st.integers(1, 80), st.integers(0, 5))
def test_a_larger_sample_holds_the_smaller_one(one, other, seed):
    small, large = sorted((one, other))
    assert set(choose(Selection(sample=small, seed=seed))) <= set(choose(Selection(sample=large, seed=seed)))


def test_another_seed_draws_others():
    assert choose(Selection(sample=10)) != choose(Selection(sample=10, seed=1))


def test_a_sample_is_drawn_of_the_categories_and_then_limited():
    drawn = choose(Selection(limit=3, categories=frozenset({"1"}), sample=8))
    assert len(drawn) == 3
    assert {q[2] for q in drawn} == {1}
    assert drawn == choose(Selection(categories=frozenset({"1"}), sample=8))[:3]


def test_categories_are_read_by_number_and_name():
    numbers = {"1": "multi-hop", "2": "temporal"}
    assert read_categories(split_names(" 1, temporal,"), numbers.values(), numbers) == {"multi-hop", "temporal"}


def test_no_category_named_means_all():
    assert read_categories(split_names(" ,"), ["multi-hop"]) == split_names(None) == frozenset()


@pytest.mark.parametrize("given", ["7", "1;2", "Temporal"])
def test_an_unknown_category_is_refused_with_a_list(given):
    with pytest.raises(InputError, match="temporal"):
        read_categories(split_names(given), ["multi-hop", "temporal"], {"1": "multi-hop", "2": "temporal"})
