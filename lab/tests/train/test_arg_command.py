"""goalmem train collect and goalmem train arg."""

from __future__ import annotations

import importlib.util
import json

import pytest
from lab.tests.train.arg_world import LINES, QUESTIONS
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.cli.outcome import Exit


def run(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    kb, questions = tmp_path / "kb.txt", tmp_path / "2-hop" / "qa_train.txt"
    questions.parent.mkdir()
    kb.write_text(LINES.strip() + "\n", encoding="utf-8")
    questions.write_text("".join(f"{q}\t{a}\n" for q, a in QUESTIONS), encoding="utf-8")
    return kb, questions


def test_samples_are_collected_from_questions_and_a_graph(files, tmp_path):
    kb, questions = files
    out = tmp_path / "samples.jsonl"
    result = run("collect", questions, "--kb", kb, "--out", out, "--depth", 2)
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {"prompt", "completion", "kind"} == set(lines[0])
    assert f"{len(lines)} samples of {len(QUESTIONS)} questions" in " ".join(result.stderr.split())
    again = tmp_path / "again.jsonl"
    run("collect", questions, "--kb", kb, "--out", again, "--depth", 2)
    assert again.read_bytes() == out.read_bytes()
    assert run("collect", questions, "--kb", kb, "--out", out).exit_code == Exit.INPUT


def test_layouts_transcripts_and_fewer_questions(files, tmp_path):
    kb, questions = files
    out = tmp_path / "samples.jsonl"
    options = ["--layout", "messages", "--transcripts-only", "--questions", 2, "--paths", 1]
    assert run("collect", questions, "--kb", kb, "--out", out, *options).exit_code == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2
    assert all(line["kind"] == "path" and len(line["messages"]) == 2 for line in lines)


def test_questions_may_bring_their_own_graphs(tmp_path):
    triples = [line.split("|") for line in LINES.strip().split("\n")]
    record = {
        "id": "1", "question": "what did Ann Poe paint", "answer": ["Kites", "Rain"], "a_entity": ["Kites", "Rain"],
        "q_entity": ["Ann Poe"], "graph": triples,
    }  # fmt: skip
    path, out = tmp_path / "rog.jsonl", tmp_path / "samples.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert run("collect", path, "--out", out).exit_code == 0
    assert "~painted_by" in out.read_text(encoding="utf-8")


def test_the_local_critic_rates(files, tmp_path):
    kb, questions = files
    out = tmp_path / "samples.jsonl"
    result = run("collect", questions, "--kb", kb, "--out", out, "--critic", "local", "--questions", 2)
    assert result.exit_code == 0, result.output
    assert out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--critic", "tuned"], "--critic-model"),
        (["--critic", "answers", "--critic-model", "x"], "--critic-model"),
        (["--critic", "chat"], "GOALMEM_CHAT_URL"),
    ],
)
def test_critics_that_cannot_be_had_are_refused(files, tmp_path, monkeypatch, options, said):
    for name in ("GOALMEM_CHAT_URL", "GOALMEM_CHAT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    kb, questions = files
    result = run("collect", questions, "--kb", kb, "--out", tmp_path / "x.jsonl", *options)
    assert result.exit_code == Exit.INPUT
    assert said in result.stderr
    assert not (tmp_path / "x.jsonl").exists()


def test_questions_about_another_graph_are_refused(files, tmp_path):
    kb, questions = files
    questions.write_text("who is [Nobody]\tNothing\n", encoding="utf-8")
    result = run("collect", questions, "--kb", kb, "--out", tmp_path / "x.jsonl")
    assert result.exit_code == Exit.INPUT
    assert "topic" in result.stderr


@pytest.fixture
def train(monkeypatch):
    """The command as if its extra were installed."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: object() if name in ("torch", "transformers", "peft") else found(name, *rest),
    )
    return lambda *arguments: run("arg", *arguments)


@pytest.mark.parametrize(("missing", "options"), [("torch", []), ("peft", ["--lora", "8"])])
def test_without_its_packages_it_says_what_to_install(tmp_path, monkeypatch, missing, options):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: (
            None if name == missing else object() if name in ("torch", "transformers") else found(name, *rest)
        ),
    )
    result = run("arg", tmp_path / "s.jsonl", "--out", tmp_path / "out", *options)
    assert result.exit_code == Exit.STORE
    assert "goalmem-lab[train]" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_run_that_was_stopped_is_neither_overwritten_nor_imagined(train, tmp_path):
    (tmp_path / "state").mkdir()
    assert "--resume" in train("s.jsonl", "--out", tmp_path).stderr
    result = train("s.jsonl", "--out", tmp_path / "new", "--resume")
    assert result.exit_code == Exit.INPUT
    assert "no run" in result.stderr


def test_a_trained_critic_is_not_overwritten(train, tmp_path):
    (tmp_path / "arg.json").write_text("{}")
    assert "trained critic" in train("s.jsonl", "--out", tmp_path).stderr


def test_a_checkpoint_that_is_no_folder_is_refused(train, tmp_path):
    result = train("s.jsonl", "--out", tmp_path / "new", "--from", tmp_path / "gone")
    assert result.exit_code == Exit.INPUT
    assert "--from" in result.stderr


@pytest.mark.parametrize("option", ["--epochs", "--batch", "--lora", "--max-minutes"])
def test_senseless_numbers_are_refused(train, tmp_path, option):
    assert train("s.jsonl", "--out", tmp_path / "x", option, "0").exit_code == Exit.USAGE
