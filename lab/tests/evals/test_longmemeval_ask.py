"""LongMemEval asked: as of its date, of its haystack or the pool, with abstention on what cannot be answered."""

import json

import pytest

from goalmem.errors import InputError
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals.longmemeval import evaluate
from goalmem_lab.evals.longmemeval_ask import acceptable
from goalmem_lab.evals.selection import Selection
from goalmem_lab.evals.token_f1 import contains
from goalmem_lab.evals.ways import Way


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def ask(cache, analyzer, tmp_path):
    def measure(path, **options):
        return evaluate(
            path, mode="ask", embedder=MiniLM(), cache=cache, analyzer=analyzer, state=tmp_path / "state", **options
        )

    return measure


@pytest.mark.parametrize("scope", ["haystack", "pool"])
def test_figures_have_their_names_in_both_scopes(folder, ask, scope, tmp_path):
    figures = ask(folder, scope=scope, way=Way(goals="both"), save=tmp_path / "run.jsonl")
    assert figures["scope"] == scope
    assert figures["questions"] == 3
    assert figures.keys() >= {"f1", "contains", "gain", "without_goals", "verified_answered", "seconds_p95"}
    assert figures["abstention"].keys() == {"unanswerable", "answered"}
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert len(rows) == 8
    assert {r["id"]: r["answerable"] for r in rows}["q3_abs"] is False
    assert "dog" in rows[0]["found"]


def test_the_official_file_does_as_well(official, ask):
    assert ask(official, selection=Selection(limit=1))["questions"] == 1


def test_only_questions_of_some_types(folder, ask):
    figures = ask(folder, selection=Selection(categories=frozenset({"multi-session"})))
    assert list(figures["by_type"]) == ["multi-session"]
    with pytest.raises(InputError, match="single-session-user"):
        ask(folder, selection=Selection(categories=frozenset({"temporal"})))


def test_questions_without_a_gold_answer_are_left_out(folder, ask):
    questions = folder / "questions.jsonl"
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    del rows[0]["answer"]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert ask(folder)["questions"] == 2


def test_signals_and_folds_are_for_searching(folder, ask):
    with pytest.raises(InputError):
        ask(folder, without=["dense"])


def test_an_answer_contains_the_gold_words_in_one_run():
    assert contains("She moved to the old town of Leiden in May.", "the old town")
    assert contains("300 dollars", "300 Dollars!")
    assert not contains("old and new town", "old town")
    assert not contains("anything", "the")


@pytest.mark.parametrize(
    ("gold", "accepted"),
    [
        ("6 days. 7 days (including the last day) is also acceptable.", ("6 days", "7 days")),
        ("a yellow dress", ("a yellow dress",)),
        ("Yes. It is acceptable.", ("Yes. It is acceptable.",)),
    ],
)
def test_a_gold_answer_may_allow_another(gold, accepted):
    assert acceptable(gold) == accepted
