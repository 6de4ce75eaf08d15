"""The sweep: the same questions at each depth and breadth, going on after an interruption, drawn."""

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.errors import InputError
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals import locomo as locomo_runner
from goalmem_lab.evals.selection import Selection
from goalmem_lab.evals.sweep import draw, sweep, table


@pytest.fixture
def measure(analyzer, tmp_path):
    def run(path, **options):
        return sweep(
            path, embedder=MiniLM(), cache=tmp_path / "cache", analyzer=analyzer, state=tmp_path / "state", **options
        )

    return run


def test_each_depth_is_measured_with_each_breadth_on_the_same_questions(locomo, measure, tmp_path):
    figures = measure(locomo, depths=[1, 2], breadths=[1], selection=Selection(limit=2))
    assert {depth: list(parts) for depth, parts in figures.items()} == {"1": ["1"], "2": ["1"]}
    for parts in figures.values():
        assert parts["1"]["questions"] == 2
        assert sum(parts["1"]["realised_depth"].values()) == sum(parts["1"]["realised_breadth"].values()) == 2
        assert set(parts["1"]["by_kind"]) == {"multi-hop", "temporal"}
    columns, rows = table(figures)
    assert len(rows) == 2
    assert len(columns) == len(rows[0])
    for name in ("a.svg", "b.svg", "a.png"):
        draw(figures, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_what_is_done_is_not_measured_again(locomo, measure, monkeypatch):
    asked = []
    evaluate = locomo_runner.evaluate

    def interrupted(path, **options):
        asked.append(options["way"].depth)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return evaluate(path, **options)

    monkeypatch.setattr(locomo_runner, "evaluate", interrupted)
    options = {"depths": [1, 2], "breadths": [2], "selection": Selection(limit=1)}
    with pytest.raises(KeyboardInterrupt):
        measure(locomo, **options)
    measure(locomo, **options)
    assert asked == [1, 2, 2]


def test_a_depth_out_of_range_is_refused_before_any_is_measured(locomo, measure):
    with pytest.raises(InputError, match="ask_depth"):
        measure(locomo, depths=[1, 99])


@pytest.mark.parametrize("options", [("--depths", "1,x"), ("--depths", ","), ("--picture", "a.docx")])
def test_what_cannot_be_swept_is_one_line(locomo, options):
    done = CliRunner().invoke(app, ["eval", "sweep", str(locomo), *options])
    assert done.exit_code == 3
    assert len(done.stderr.splitlines()) == 1
