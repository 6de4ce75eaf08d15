"""Calibration: how well scores hold as probabilities."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError, InputError
from goalmem_lab.evals.calibration import brier, calibrate, draw, is_right, log_loss
from goalmem_lab.train.measure import auroc, calibration_error, reliability


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


def test_scores_that_are_probabilities_hold_and_overconfident_ones_do_not(written):
    sure = calibrate([written("sure.jsonl", run_of(lambda s: s**3, 600))])["by_kind"]["proved"]
    fair = calibrate([written("fair.jsonl", run_of(lambda s: s, 800))])["by_kind"]["proved"]
    assert sure["answers"] == 600
    assert sure["ece"] > 0.15 > 0.06 > fair["ece"]
    assert fair["brier"] < sure["brier"]


def test_scores_tell_what_can_be_answered(written):
    figures = calibrate([written("run.jsonl", run_of(lambda s: s, 100))])
    assert figures["by_benchmark"]["friendsqa"]["auroc_answerable"] == 1.0


def test_a_question_asked_with_goals_and_without_counts_once(written):
    rows = run_of(lambda s: s, 200)
    both = [r | {"goals": goals} for r in rows for goals in (True, False)]
    assert calibrate([written("a.jsonl", both)]) == calibrate([written("b.jsonl", rows)])


def test_a_run_without_an_answer_is_refused(written):
    with pytest.raises(InputError, match="None of the questions"):
        calibrate([written("run.jsonl", [row(1, 0.1, False, known=False)])])


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


@given(pairs)
def test_auroc_is_the_share_of_pairs_in_the_right_order(answers):
    positive, negative = ([s for s, right in answers if right is wanted] for wanted in (True, False))
    wins = [(a > b) + 0.5 * (a == b) for a in positive for b in negative]
    if wins:
        assert auroc(positive, negative) == pytest.approx(np.mean(wins))


def test_perfect_probabilities_have_no_error():
    right = np.array([0.0, 1.0, 1.0])
    assert calibration_error(right, right) == brier(right, right) == 0
    assert log_loss(right, right) < 1e-5
    assert sum(b.count for b in reliability(right, right)) == 3
