"""The scores of a walk are those of ArG's equations 4 to 6."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.graph.critic import Reflection
from goalmem.graph.tree import HopReflections, Scoring, relevance_score, sequence_score, utility_score

SURE, HALF = Reflection((1.0, 0.0, 0.0)), Reflection((0.0, 1.0, 0.0))


def test_partial_relevance_counts_half():
    assert relevance_score(Reflection((0.5, 0.3, 0.2))) == pytest.approx(0.65)


def test_utility_is_expected_from_none_to_all():
    assert utility_score(Reflection((1.0, 0, 0, 0, 0))) == 1.0
    assert utility_score(Reflection((0, 0, 0, 0, 1.0))) == 0.0
    assert utility_score(Reflection((0.2,) * 5)) == pytest.approx(0.5)


def test_the_sequence_score_is_normalised_by_length():
    one, two = Reflection((1, 0, 0), math.log(0.25), 1), Reflection((1, 0, 0), math.log(0.25), 2)
    assert sequence_score([one]) == pytest.approx(0.25)
    assert sequence_score([two]) == pytest.approx(0.5)
    assert sequence_score([one, one, one]) == pytest.approx(0.25)


def test_a_leaf_is_the_mean_over_its_hops_and_its_utility_once():
    hops = [HopReflections(SURE, 1.0, HALF), HopReflections(HALF, 1.0, SURE)]
    utility = Reflection((0.0, 1.0, 0.0, 0.0, 0.0))
    # Each hop: S_seq 1, S_rel * S_rat 0.5; the leaf: 0.5 * 0.75.
    assert Scoring().node(hops) == pytest.approx(1.5)
    assert Scoring().node(hops, utility) == pytest.approx(1.5 + 0.5 * 0.75)


def test_each_score_can_be_left_out():
    hops = [HopReflections(Reflection((0.0, 1.0, 0.0), math.log(0.5)), 1.0, HALF)]
    utility = Reflection((1.0, 0.0, 0.0, 0.0, 0.0))
    assert Scoring().node(hops, utility) == pytest.approx(0.5 + 0.25 + 0.5)
    assert Scoring(sequence=False).node(hops, utility) == pytest.approx(0.25 + 0.5)
    assert Scoring(relevance=False).node(hops, utility) == pytest.approx(0.5 + 0.5 + 0.5)
    assert Scoring(rationality=False).node(hops, utility) == pytest.approx(0.5 + 0.5 + 0.5)
    assert Scoring(utility=False).node(hops, utility) == pytest.approx(0.5 + 0.25)
    assert Scoring(relevance=False, rationality=False).node(hops, utility) == pytest.approx(0.5 + 0.5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_a_score_stays_between_none_and_all(chances):
    hops = [HopReflections(Reflection((p, 0.0, 1 - p), math.log(max(p, 1e-9))), 1.0, SURE) for p in chances]
    assert 0.0 <= Scoring().node(hops, Reflection((1.0, 0, 0, 0, 0))) <= 2.5 + 1e-9
