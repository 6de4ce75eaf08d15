"""Paired differences: their mean, their interval, the same from run to run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem_lab.evals.paired import paired_difference

scores = st.lists(st.tuples(*[st.floats(0, 1)] * 2), min_size=1, max_size=30)


@given(scores)
def test_the_mean_lies_in_its_interval_and_within_what_is_possible(pairs):
    found = paired_difference([a for a, _ in pairs], [b for _, b in pairs], resamples=200)
    slack = 1e-9
    differences = [a - b for a, b in pairs]
    assert min(differences) - slack <= found.low <= found.high <= max(differences) + slack
    assert found.mean == pytest.approx(np.mean(differences))
    assert found.questions == len(pairs)


@given(scores)
def test_exchanged_ways_exchange_the_sign(pairs):
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = paired_difference(one, other, resamples=200), paired_difference(other, one, resamples=200)
    assert (there.mean, there.low, there.high) == pytest.approx((-back.mean, -back.high, -back.low))


def test_the_same_seed_gives_the_same_interval():
    chance = np.random.default_rng(5)
    one, other = chance.random(100), chance.random(100)
    assert paired_difference(list(one), list(other)) == paired_difference(list(one), list(other))
    assert paired_difference(list(one), list(other), seed=1) != paired_difference(list(one), list(other))


def test_the_interval_is_about_that_of_the_normal_distribution():
    differences = np.random.default_rng(0).normal(0.1, 1.0, 400)
    found = paired_difference(list(differences), [0.0] * 400)
    half = 1.96 * differences.std() / 20
    assert found.low == pytest.approx(differences.mean() - half, abs=0.01)
    assert found.high == pytest.approx(differences.mean() + half, abs=0.01)


def test_of_no_question_there_is_no_difference():
    assert paired_difference([], []) is None


def test_scores_of_other_questions_are_refused():
    with pytest.raises(ValueError, match="paired"):
        paired_difference([1.0], [1.0, 0.0])
