"""Weights fitted to LongMemEval, cross-validated, and kept in a file."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from goalmem.errors import FormatError, InputError
from goalmem.retrieve.settings import Weights
from goalmem_lab.evals.folds import FROZEN, HAND_SET, cross_validate, folds_of, tables
from goalmem_lab.evals.longmemeval import evaluate
from goalmem_lab.evals.longmemeval_data import read_longmemeval
from goalmem_lab.evals.weight_fit import read_weights, write_weights


@pytest.fixture
def fitted(folder, embedder, tmp_path):
    return cross_validate(folder, folds=2, embedder=embedder, state=tmp_path)


def test_every_way_to_weigh_is_measured_in_both_scopes(fitted):
    assert list(fitted["scopes"]) == ["haystack", "pool"]
    for ways in fitted["scopes"].values():
        assert list(ways) == ["set by hand", "fitted", "cross-validated"]
    assert fitted["scopes"]["haystack"]["cross-validated"]["questions"] == 3


def test_measures_are_those_of_searches_with_these_weights(fitted, folder, embedder, tmp_path):
    write_weights({name: found["fitted"] for name, found in fitted["weights"].items()}, tmp_path / "w.json")
    for scope in ("haystack", "pool"):
        for way, weights in (("set by hand", HAND_SET), ("fitted", read_weights(tmp_path / "w.json"))):
            alone = evaluate(folder, scope=scope, weights=weights, embedder=embedder, state=tmp_path)
            for measure in ("any@5", "all@5", "any@10", "all@10", "by_type"):
                assert fitted["scopes"][scope][way][measure] == alone[measure]


def test_every_signal_has_a_weight_and_frozen_ones_keep_theirs(fitted):
    assert set(fitted["weights"]) == set(HAND_SET.as_dict())
    for name in FROZEN:
        assert fitted["weights"][name]["fitted"] == HAND_SET[name]
        assert fitted["weights"][name]["folds"] == [HAND_SET[name]] * 2
    assert any(found["fitted"] != found["set_by_hand"] for found in fitted["weights"].values())


def test_weights_set_by_hand_are_of_all_signals_and_those_that_are_never_fitted_are_the_defaults():
    assert {*HAND_SET.as_dict()} == {*Weights().as_dict()} >= FROZEN
    assert all(weight >= 0 for weight in HAND_SET.as_dict().values())
    assert all(Weights()[name] == HAND_SET[name] for name in FROZEN)


def test_the_page_on_retrieval_says_which_weights_were_set_by_hand_and_which_are_never_fitted():
    text = (Path(__file__).parents[3] / "docs" / "retrieval.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| [\d.]+ \| ([\d.]+) \|", text, re.MULTILINE)
    assert {name: float(by_hand) for name, by_hand in rows} == HAND_SET.as_dict()
    sentence = re.search(r"^(.*) are as set by hand; the others are", text, re.MULTILINE)
    assert sentence
    assert {*re.findall(r"`(\w+)`", sentence[1])} == FROZEN


def test_without_folds_nothing_is_cross_validated(folder, embedder, tmp_path):
    fitted = cross_validate(folder, folds=None, embedder=embedder, state=tmp_path)
    assert list(fitted["scopes"]["pool"]) == ["set by hand", "fitted"]
    for _, columns, rows in tables(fitted):
        assert all(len(row) == len(columns) for row in rows)


def test_the_tables_hold_what_was_measured_and_the_weights(fitted):
    (_, columns, rows), (_, _, weights) = tables(fitted)
    assert columns[:2] == ["scope", "weights"]
    assert len(rows) == 6
    assert {row[0] for row in weights} == set(HAND_SET.as_dict())


def test_each_question_is_in_one_fold_and_folds_are_alike_in_size(folder):
    questions = read_longmemeval(folder).questions
    folds = folds_of(questions, 3)
    assert Counter(q for part in folds.values() for q in part) == Counter(q.id for q in questions)
    assert {len(part) for part in folds.values()} == {1, 2}
    assert folds == folds_of(questions, 3)


def test_more_folds_than_questions_are_refused(folder, embedder, tmp_path):
    with pytest.raises(InputError, match="4 questions make no 5 parts"):
        cross_validate(folder, folds=5, embedder=embedder, state=tmp_path)


def test_weights_are_read_as_they_were_written(tmp_path):
    write_weights({**Weights().as_dict(), "dense": 0.123456}, tmp_path / "w.json")
    assert read_weights(tmp_path / "w.json").dense == 0.1235
    (tmp_path / "w.json").write_text('{"time": 2}')
    assert read_weights(tmp_path / "w.json") == Weights(time=2.0)


@pytest.mark.parametrize(
    "content",
    ["[]", '{"magic": 1}', '{"dense": "1"}', '{"dense": true}', '{"dense": -1}', '{"dense": NaN}', "{", "{}x"],
)
def test_what_are_no_weights_is_refused(tmp_path, content):
    (tmp_path / "w.json").write_text(content)
    with pytest.raises(FormatError, match=r"w\.json"):
        read_weights(tmp_path / "w.json")


def test_weights_that_cannot_be_written_are_said(tmp_path):
    with pytest.raises(InputError, match="gone"):
        write_weights({}, tmp_path / "gone" / "w.json")


def test_figures_can_be_written_as_json(fitted):
    assert json.loads(json.dumps(fitted)) == fitted
