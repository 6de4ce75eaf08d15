"""Calibration: what a score is worth as a probability, fitted to runs, cross-validated, never to LoCoMo."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.errors import FormatError, InputError
from goalmem.proof.calibration import MAPS, Platt, calibrated
from goalmem_lab.evals.calibration import calibrate, fit_isotonic, fit_platt, is_right, points_of
from goalmem_lab.evals.calibration_picture import draw
from goalmem_lab.evals.scoring_rules import auroc, brier, calibration_error, log_loss, reliability


def row(number, raw, right, *, benchmark="friendsqa", known=True, answerable=True, **more):
    return {
        "benchmark": benchmark,
        "id": f"{benchmark}/{number}",
        "category": "told",
        "question": "?",
        "goals": True,
        "answerable": answerable,
        "known": known,
        "kind": "proved",
        "raw": raw,
        "confidence": raw if known else 0.0,
        "f1": float(right),
        "score": float(right) if answerable else float(not known),
        **more,
    }


def run_of(truth, count, benchmark="friendsqa", seed=0):
    """Answers whose score s is right with the probability truth(s), and some that were withheld of what has none."""
    chance = np.random.default_rng(seed)
    scores = chance.uniform(0.3, 0.99, count)
    answered = [row(n, float(s), chance.random() < truth(s), benchmark=benchmark) for n, s in enumerate(scores)]
    withheld = [row(count + n, 0.1, False, benchmark=benchmark, known=False, answerable=False) for n in range(20)]
    return answered + withheld


@pytest.fixture
def written(tmp_path):
    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        return path

    return write


def test_overconfident_scores_are_brought_down_to_what_they_are_worth(written):
    figures = calibrate([written("run.jsonl", run_of(lambda s: s**3, 600))])
    found = figures["by_kind"]["proved"]
    assert found["answers"] == 600
    assert found["raw"]["ece"] > 0.15
    assert found["platt"]["ece"] < 0.06
    assert found["platt"]["brier"] < found["raw"]["brier"]
    fitted = Platt(**figures["maps"]["proved"])
    assert fitted(0.8) == pytest.approx(0.8**3, abs=0.08)


def test_scores_that_are_probabilities_stay_about_as_they_are(written):
    figures = calibrate([written("run.jsonl", run_of(lambda s: s, 800))])
    fitted = Platt(**figures["maps"]["proved"])
    assert all(fitted(s) == pytest.approx(s, abs=0.07) for s in (0.4, 0.6, 0.8, 0.95))


def test_locomo_is_measured_and_never_fitted_to(written):
    friends = written("friends.jsonl", run_of(lambda s: s**2, 300))
    locomo = written("locomo.jsonl", run_of(lambda s: 0.1, 300, "locomo", seed=1))
    alone, both = calibrate([friends]), calibrate([friends, locomo])
    assert both["maps"] == alone["maps"]
    assert both["by_kind"] == alone["by_kind"]
    assert both["by_benchmark"]["locomo"]["fitted_to"] is False
    only = calibrate([locomo])
    assert only["maps"] == {}
    assert only["by_benchmark"]["locomo"]["answers"] == 300


def test_scores_tell_what_can_be_answered(written):
    figures = calibrate([written("run.jsonl", run_of(lambda s: s, 100))])
    assert figures["by_benchmark"]["friendsqa"]["auroc_answerable"] == 1.0


def test_a_question_asked_with_goals_and_without_counts_once(written):
    rows = run_of(lambda s: s, 200)
    both = [r | {"goals": goals} for r in rows for goals in (True, False)]
    assert calibrate([written("a.jsonl", both)]) == calibrate([written("b.jsonl", rows)])


def test_too_few_answers_are_said(written):
    with pytest.raises(InputError, match="too few"):
        calibrate([written("run.jsonl", run_of(lambda s: s, 5))])


@pytest.mark.parametrize(
    "line",
    ["{", "[]", json.dumps({"id": "1"}), json.dumps(row(1, 2.0, True)), json.dumps(row(1, True, True)), ""],
)
def test_what_is_no_run_is_refused(tmp_path, line):
    path = tmp_path / "run.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FormatError):
        calibrate([path])


def test_the_diagram_is_drawn_the_same_each_time(written, tmp_path):
    figures = calibrate([written("run.jsonl", run_of(lambda s: s**2, 100))])
    for name in ("a.svg", "b.svg", "a.png"):
        draw(figures, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").stat().st_size > 1_000


def test_what_makes_an_answer_right():
    assert is_right(row(1, 0.5, True))
    assert not is_right(row(1, 0.5, True, answerable=False))
    assert not is_right(row(1, 0.5, True, known=False))
    assert is_right(row(1, 0.5, False, contains=1.0))
    assert is_right(row(1, 0.5, False, judged=1.0))
    assert not is_right(row(1, 0.5, True, judged=0.0))


# -- laws ----------------------------------------------------------------------------------------------------------------

pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40)


def points(given_pairs):
    return points_of([row(n, raw, right) for n, (raw, right) in enumerate(given_pairs)])


@settings(max_examples=25)
@given(pairs, st.lists(st.floats(0, 1), min_size=2, max_size=10))
def test_maps_never_fall_and_stay_probabilities(answers, asked):
    asked = sorted(asked)
    for fitted in (np.vectorize(fit_platt(points(answers))), fit_isotonic(points(answers))):
        found = fitted(np.array(asked))
        assert ((found >= 0) & (found <= 1)).all()
        assert (np.diff(found) >= -1e-9).all()


@given(st.floats(-1e9, 1e9), st.floats(0, 1e6), st.floats(-1e6, 1e6))
def test_no_map_ever_leaves_the_probabilities(raw, slope, shift):
    assert 0 <= Platt(slope, shift)(raw) <= 1
    assert 0 <= calibrated(raw, "a kind that nobody knows") <= 1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_what_ships_is_monotone_for_every_kind(scores):
    for kind in (*MAPS, "unknown"):
        found = [calibrated(s, kind) for s in sorted(scores)]
        assert found == sorted(found)


@given(pairs)
def test_auroc_is_the_share_of_pairs_in_the_right_order(answers):
    scores, positive = np.array([s for s, _ in answers]), np.array([float(p) for _, p in answers])
    wins = [(a > b) + 0.5 * (a == b) for a in scores[positive > 0].tolist() for b in scores[positive == 0].tolist()]
    found = auroc(scores, positive)
    assert found == (pytest.approx(np.mean(wins)) if wins else None)


def test_perfect_probabilities_have_no_error():
    right = np.array([0.0, 1.0, 1.0])
    assert calibration_error(right, right) == brier(right, right) == 0
    assert log_loss(right, right) < 1e-5
    assert sum(b.count for b in reliability(right, right)) == 3
