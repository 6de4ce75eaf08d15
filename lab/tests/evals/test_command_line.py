"""`goalmem eval`, as it is typed."""

import json

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem_lab.evals import corpus

SHARES = {"any@5", "all@5", "any@10", "all@10"}


@pytest.fixture(autouse=True)
def _quick_and_in_a_folder_of_its_own(tmp_path, monkeypatch, embedder):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(corpus, "embedder_set", lambda: embedder)


def typed(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_signals_can_be_switched_off(folder, tmp_path):
    for off in ([], [f"--without={name}" for name in SIGNAL_NAMES]):
        done = typed("longmemeval", folder, *off, "--json", "out.json")
        assert done.exit_code == 0, done.output
        assert "any@5" in done.stdout
        figures = json.loads((tmp_path / "out.json").read_text())
        assert (figures["all@5"] == 1.0) is not bool(off)


@pytest.mark.parametrize("benchmark", ["longmemeval", "locomo"])
def test_an_unknown_signal_is_one_line_that_lists_the_signals(folder, locomo, benchmark):
    done = typed(benchmark, folder if benchmark == "longmemeval" else locomo, "--without", "magic")
    assert done.exit_code == 3
    assert len(done.stderr.splitlines()) == 1
    assert all(name in done.stderr for name in ("magic", *SIGNAL_NAMES))


def test_ablation_gives_table_json_and_picture(folder, locomo, tmp_path):
    done = typed(
        "ablation", folder, locomo, "--signal=time", "--signal=dense", "--picture", "a.svg", "--json", "a.json"
    )
    assert done.exit_code == 0, done.output
    for shown in ("(full)", "time", "dense", "signal: LoCoMo", "recall@20", "signal: pool", "all@10"):
        assert shown in done.stdout
    figures = json.loads((tmp_path / "a.json").read_text())
    assert figures["benchmarks"]["LongMemEval, pool"]["full"].keys() >= SHARES
    assert (tmp_path / "a.svg").stat().st_size > 1_000


def test_ablation_prints_markdown(locomo):
    done = typed("ablation", locomo, "--signal=time", "--markdown")
    lines = done.stdout.splitlines()
    assert lines[0] == "| without | LoCoMo: recall@10 | LoCoMo: recall@20 |"
    assert lines[1] == "| --- | ---: | ---: |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| (full)", "| time"]


@pytest.mark.parametrize("option", [["--save", "a.jsonl"], ["--goals", "off"], ["--depth", "2"]])
def test_a_search_has_no_answers_to_save(folder, locomo, option):
    for benchmark, path in (("longmemeval", folder), ("locomo", locomo)):
        done = typed(benchmark, path, *option)
        assert done.exit_code == 3
        assert "--mode ask" in done.stderr


def test_a_picture_of_no_kind_is_refused_before_the_work(folder):
    assert typed("ablation", folder, "--picture", "a.docx").exit_code == 3


def test_weights_are_fitted_written_and_used(folder, locomo, tmp_path):
    done = typed("fit", folder, "--out", "w.json", "--folds", "2", "--json", "fit.json")
    assert done.exit_code == 0, done.output
    assert "cross-validated" in done.stdout
    fitted = json.loads((tmp_path / "fit.json").read_text())
    assert json.loads((tmp_path / "w.json").read_text()) == {n: w["fitted"] for n, w in fitted["weights"].items()}
    for benchmark, path in (("longmemeval", folder), ("locomo", locomo)):
        assert typed(benchmark, path, "--weights", "w.json").exit_code == 0


def test_folds_measure_both_scopes(folder, tmp_path):
    done = typed("longmemeval", folder, "--folds", "2", "--json", "folds.json")
    assert done.exit_code == 0, done.output
    assert set(json.loads((tmp_path / "folds.json").read_text())["scopes"]) == {"haystack", "pool"}


@pytest.mark.parametrize("also", [("--without", "dense"), ("--weights", "w.json")])
def test_folds_are_over_all_signals(folder, also):
    assert typed("longmemeval", folder, "--folds", "2", *also).exit_code == 3


def test_the_cache_stands_where_it_is_said(folder, tmp_path):
    assert typed("longmemeval", folder, "--cache", "kept").exit_code == 0
    assert [path.suffix for path in (tmp_path / "kept").glob("*.sqlite3")] == [".sqlite3"]


def test_the_embedder_that_is_set_is_used(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("GOALMEM_EMBEDDER", "minilm")
    assert "MiniLM" in corpus.embedder_set().name
    monkeypatch.setenv("GOALMEM_EMBEDDER", "nosuch")
    done = typed("longmemeval", "nowhere")
    assert done.exit_code == 3
