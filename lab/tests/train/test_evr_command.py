"""goalmem train evr, and eval ruletaker with what it wrote."""

import importlib.util
import json

import pytest
from lab.tests.train.evr_oracle import Oracle
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.cli.outcome import Exit
from goalmem.rules import Theory
from goalmem.rules.grammar.reader import GrammarReader
from goalmem_lab.evals.ruletaker import evaluate
from goalmem_lab.evals.ruletaker_data import Question, TheoryText
from goalmem_lab.evals.ruletaker_networks import Networks

CONTEXT = "Bob is big. Big people are rough. Ann is round. If someone is rough and not blue then they are green."


@pytest.fixture
def train(monkeypatch):
    """The command as if its extra were installed."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: object() if name in ("torch", "transformers") else found(name, *rest),
    )

    def run(*arguments):
        return CliRunner().invoke(app, ["train", "evr", *map(str, arguments)])

    return run


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else found(name, *rest)
    )
    result = CliRunner().invoke(app, ["train", "evr", "--out", str(tmp_path / "evr")])
    assert result.exit_code == Exit.STORE
    assert "goalmem-lab[train]" in result.stderr
    assert not (tmp_path / "evr").exists()


def test_a_run_that_was_stopped_is_neither_overwritten_nor_imagined(train, tmp_path):
    (tmp_path / "state").mkdir()
    assert "--resume" in train("--out", tmp_path).stderr
    result = train("--out", tmp_path / "new", "--resume")
    assert result.exit_code == Exit.INPUT
    assert "no run" in result.stderr


def test_a_trained_reasoner_is_not_overwritten(train, tmp_path):
    (tmp_path / "evr.json").write_text("{}")
    result = train("--out", tmp_path)
    assert result.exit_code == Exit.INPUT
    assert "trained reasoner" in result.stderr


def test_a_checkpoint_that_is_no_folder_is_refused(train, tmp_path):
    result = train("--out", tmp_path / "new", "--from", tmp_path / "gone")
    assert result.exit_code == Exit.INPUT
    assert "--from" in result.stderr


@pytest.mark.parametrize("option", ["--fact-buffer", "--rule-buffer", "--max-minutes"])
def test_senseless_numbers_are_refused(train, tmp_path, option):
    assert train("--out", tmp_path / "x", option, "0").exit_code == Exit.USAGE


def test_ruletaker_measures_what_the_networks_say_and_not_the_solver(tmp_path):
    questions = [
        {"id": "1", "text": "Bob is green.", "label": True, "meta": {"QDep": 2}},
        {"id": "2", "text": "Ann is not rough.", "label": True, "meta": {"QDep": 0}},
    ]
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps({"id": "a", "context": CONTEXT, "questions": questions}) + "\n")
    reader = GrammarReader()

    def figures(lies, believed):
        oracle = Oracle.of(Theory.read(CONTEXT))
        oracle.lies.update(lies)
        return evaluate([path], reader, measuring=Networks(oracle.reasoner(), believed).measure)

    perfect, believed = figures({}, False), figures({}, True)
    assert (perfect["accuracy"], perfect["proofs_verified"], perfect["proof_accuracy"]) == (1.0, 1.0, 1.0)
    assert (believed["accuracy"], believed["proofs_verified"], believed["proof_accuracy"]) == (1.0, None, 1.0)
    lie = {"true, this is confirmed by fact 1.": "false, CWA."}
    blind, wrong = figures(lie, False), figures(lie, True)
    assert blind["accuracy"] == wrong["accuracy"] == 0.5
    assert blind["by_depth"]["2"] == {"questions": 1, "accuracy": 0.0, "proof_accuracy": 0.0}
    assert blind["proofs_verified"] == 0.5


def test_what_the_command_says_is_what_is_trained(train, tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    from goalmem_lab.train import evr_recipe

    recipes = []
    monkeypatch.setattr(evr_recipe, "train_evr", lambda recipe, watch: recipes.append(recipe) or {})
    out = tmp_path / "evr3"
    options = ("--variant", "evr3", "--examples", "10000", "--depth", "5", "--max-minutes", "20", "--seed", "3")
    assert train("--out", out, *options).exit_code == 0
    (recipe,) = recipes
    assert (recipe.out, recipe.buffers, recipe.questions, recipe.depth) == (out, (20, 10), 10_000, 5)
    assert (recipe.max_minutes, recipe.schedule.seed) == (20, 3)


def test_what_holds_because_nothing_contradicts_it_has_no_proof_to_compare():
    theory = "Bob is not big. Ann is round. If someone is not big then they are rough."
    asked = {"Bob is not big.": True, "Ann is not big.": True, "Ann is rough.": True, "Ann is not rough.": False}
    questions = tuple(Question(text, text, label, "0", "proof") for text, label in asked.items())
    networks = Networks(Oracle.of(Theory.read(theory)).reasoner())
    found, _ = networks.measure(TheoryText("a", theory, questions), GrammarReader())
    assert [(each.right, each.proved) for each in found] == [(True, False), (True, None), (True, True), (True, True)]
