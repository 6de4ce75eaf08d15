"""Promise: plain cases are read, asked and fitted to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goalmem.errors import FormatError, InputError
from goalmem.sources.certainty.answer_ranking import CERTAINTY_OF_FEW
from goalmem.sources.passages.succession_features import WEIGHTS
from goalmem_lab.evals.plain import evaluate, fit
from goalmem_lab.train.plain_cases import is_right, read_cases

DATA = Path(__file__).parents[2] / "plain"
CASES = [
    {"said": ["My locker is 118."], "question": "What's my locker?", "answer": "118"},
    {"said": ["My sister has a boat."], "question": "What colour is my car?", "answer": None},
    {
        "said": ["The deposit is 400 euros.", "we got it down to 350"],
        "question": "How much is the deposit?",
        "answer": "350",
        "changed": True,
    },
    {
        "said": ["My physio is on Tuesdays.", "she's moved me to Fridays"],
        "question": "What day is my physio?",
        "answer": "Fridays",
        "changed": True,
    },
    {
        "said": ["The rent is 900.", "the sofa was 350"],
        "question": "How much is the rent?",
        "answer": "900",
        "changed": False,
    },
    {
        "said": ["My desk is on the fourth floor.", "the canteen is on the sixth"],
        "question": "Which floor is my desk on?",
        "answer": "fourth",
        "changed": False,
    },
]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, CASES)), encoding="utf-8")
    return file


def test_what_is_answered_is_counted_by_kind(cases: Path) -> None:
    figures = evaluate(cases, lambda done, all_: None)
    assert set(figures) == {"said", "without an answer", "changed", "not changed"}
    assert figures["without an answer"] == {"open": 1, "open and proved": 0}


def test_weights_are_fitted_to_what_a_later_message_says(tmp_path: Path) -> None:
    some = tmp_path / "some.jsonl"
    some.write_text("\n".join((DATA / "changes.jsonl").read_text(encoding="utf-8").splitlines()[:60]), encoding="utf-8")
    found = fit(some, lambda done, all_: None)
    assert len(found["weights"]) == len(WEIGHTS)  # type: ignore[arg-type]
    assert found["auroc, cross-validated"] > 0.5  # type: ignore[operator]


def test_answers_that_no_message_changes_are_fitted_to_beside_changes(tmp_path: Path) -> None:
    for name, lines in (("changes", 40), ("told", 12), ("simple", 12)):
        text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8")
        (tmp_path / f"{name}.jsonl").write_text("\n".join(text.splitlines()[:lines]), encoding="utf-8")
    both = fit(tmp_path, lambda done, all_: None)
    assert both["pairs"] > fit(tmp_path / "changes.jsonl", lambda done, all_: None)["pairs"]  # type: ignore[operator]


def test_where_no_later_message_changes_anything_certainty_is_fitted(tmp_path: Path) -> None:
    some = tmp_path / "some.jsonl"
    some.write_text("\n".join((DATA / "told.jsonl").read_text(encoding="utf-8").splitlines()[:30]), encoding="utf-8")
    found = fit(some, lambda done, all_: None)
    assert len(found["weights"]) == len(CERTAINTY_OF_FEW)  # type: ignore[arg-type]
    assert found["weights"][-3:] == list(CERTAINTY_OF_FEW[-3:])  # type: ignore[index]
    assert found["right"] > 5  # type: ignore[operator]


def test_too_few_cases_are_refused(cases: Path) -> None:
    with pytest.raises(InputError, match="too few"):
        fit(cases, lambda done, all_: None)


@pytest.mark.parametrize("line", ["", "{}", '{"said": [], "question": "Who?"}', "no JSON"])
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f"{json.dumps(CASES[0])}\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 2"):
        read_cases(file)


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [("the Arena", "Arena", True), ("75", "75mg", True), ("50", "75mg", False), ("I don't know", "Arena", False)],
)
def test_an_answer_is_right_by_its_words_or_its_number(answer: str, gold: str, right: bool) -> None:
    assert is_right(answer, gold) is right


@pytest.mark.parametrize("name", ["changes", "dev", "test", "told", "told-test", "simple", "simple-test"])
def test_the_laboratory_holds_cases(name: str) -> None:
    cases = read_cases(DATA / f"{name}.jsonl")
    assert len(cases) >= 100
    assert all("changed" in case for case in cases) == (name == "changes")
