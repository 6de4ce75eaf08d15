"""Weights fitted listwise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.errors import InputError, ModelError
from goalmem_lab.evals.weight_fit import SCALE, Judged, check_fitting, fit

PRIOR = {"good": 0.3, "noise": 0.3, "frozen": 0.5}


def judged(signals, *evidence):
    rows = {row for own in evidence for row in own}
    return Judged(
        np.array(signals, dtype=np.float32),
        tuple(np.array(own, dtype=np.intp) for own in evidence),
        np.array([row for row in range(len(signals)) if row not in rows], dtype=np.intp),
    )


def lists(seed=0, count=60, rows=20):
    """The first signal tells evidence (two sessions, rows 0 and 1 to 2), the others tell nothing."""
    draw = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        signals = draw.random((rows, 3)).astype(np.float32)
        signals[:3, 0] += 0.4
        made.append(judged(signals, [0], [1, 2]))
    return made


def loss(made, weights, penalty=0.0, prior=PRIOR):
    """As the module's docstring says, written plainly."""
    w = np.array(list(weights.values()))
    spread = np.concatenate([one.signals for one in made]).astype(float).std(axis=0)
    total = 0.0
    for one in made:
        e = np.exp(SCALE * (one.signals.astype(float) @ w))
        others = e[one.others].sum()
        total += np.mean([-np.log(e[own].sum() / (e[own].sum() + others)) for own in one.evidence]) / len(made)
    away = (w - np.array(list(prior.values()))) * SCALE * spread
    return total + penalty * float(away @ away)


def test_a_signal_that_tells_evidence_gains_and_one_that_does_not_loses():
    weights = fit(lists(), PRIOR)
    assert weights["good"] > 0.3
    assert weights["noise"] < 0.1


def test_it_finds_the_minimum_of_the_loss_that_is_stated():
    made = lists()
    weights = fit(made, PRIOR, ["frozen"], penalty=0.01)
    least = loss(made, weights, 0.01)
    assert least < loss(made, PRIOR, 0.01)
    for name in ("good", "noise"):
        for step in (-0.02, 0.02):
            moved = {**weights, name: max(0.0, weights[name] + step)}
            assert loss(made, moved, 0.01) >= least - 1e-6


def test_frozen_and_silent_signals_keep_their_prior():
    made = lists()
    for one in made:
        one.signals[:, 1] = 0.0
    weights = fit(made, PRIOR, ["frozen"])
    assert weights["frozen"] == PRIOR["frozen"]
    assert weights["noise"] == PRIOR["noise"]


def test_a_strong_penalty_leaves_the_prior_as_it_was():
    assert fit(lists(), PRIOR, penalty=1e6) == pytest.approx(PRIOR, abs=1e-3)


def test_no_weight_is_negative():
    made = lists()
    for one in made:
        one.signals[:, 1] = 1.0 - one.signals[:, 0]
    assert min(fit(made, PRIOR, penalty=0.0).values()) >= 0


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_the_order_of_lists_and_of_candidates_does_not_matter(seed):
    made = lists(seed, count=6, rows=8)
    draw = np.random.default_rng(seed)
    turned = []
    for one in reversed(made):
        order = draw.permutation(len(one.signals))
        place = np.argsort(order)
        turned.append(Judged(one.signals[order], tuple(place[own] for own in one.evidence), place[one.others]))
    assert fit(turned, PRIOR) == pytest.approx(fit(made, PRIOR), abs=1e-3)


def test_scores_far_apart_are_no_trouble():
    made = [judged([[0, 1, 0], [1000, 0, 0], [0, 0, 0]], [0]), judged([[1000, 0, 0], [0, 1, 0]], [0])]
    assert all(np.isfinite(weight) for weight in fit(made, PRIOR).values())


def test_lists_without_evidence_or_without_others_say_nothing():
    useless = [judged([[1, 0, 0]], [0]), judged([[1, 0, 0], [0, 1, 0]]), judged(np.zeros((0, 3)))]
    assert fit(lists() + useless, PRIOR) == pytest.approx(fit(lists(), PRIOR), abs=1e-4)
    with pytest.raises(InputError, match="nothing to fit"):
        fit(useless, PRIOR)


def test_the_package_that_fits_is_named_when_it_is_missing(monkeypatch):
    monkeypatch.setattr("goalmem_lab.evals.weight_fit.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"goalmem-lab\[eval\]"):
        check_fitting()
