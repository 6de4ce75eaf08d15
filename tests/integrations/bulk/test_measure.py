"""Benchmarks in parts have the figures of one process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from goalmem.errors import InputError
from goalmem.integrations.bulk import LocalEngine
from goalmem.integrations.bulk.engine import MakeWorker
from goalmem_lab.evals import locomo, longmemeval
from goalmem_lab.evals.parallel import measure
from goalmem_lab.evals.runs import read_run
from goalmem_lab.evals.selection import Selection
from tests.retrieve.telling import WordEmbedder

from .benchmarks import locomo_file, longmemeval_file, timeless


class Counting(LocalEngine):
    """Counts its tasks, and may be stopped after some."""

    def __init__(self, after: int | None = None) -> None:
        super().__init__()
        self.after = after
        self.tasks: list[str] = []

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        self.tasks += tasks
        yield from super().run(make, tasks[: self.after], here=here)
        if self.after is not None:
            raise KeyboardInterrupt


@pytest.fixture
def given(tmp_path: Path) -> dict[str, object]:
    return {"embedder": WordEmbedder(), "cache": tmp_path / "cache"}


def test_locomo_goes_by_conversation(tmp_path: Path, given: dict[str, object]) -> None:
    path, engine = locomo_file(tmp_path / "locomo.json"), Counting()
    alone = locomo.evaluate(path, state=tmp_path / "alone", **given)
    parted = measure("locomo", path, engine=engine, state=tmp_path / "parted", **given)
    assert timeless(parted) == timeless(alone)
    assert [len(json.loads(task)) for task in engine.tasks] == [2, 2, 2]
    assert not list((tmp_path / "parted").rglob("*.jsonl"))


def test_answers_are_saved_as_one_process_saves_them(tmp_path: Path, given: dict[str, object]) -> None:
    path, engine = locomo_file(tmp_path / "locomo.json"), Counting()
    ways = {"mode": "ask", **given}
    alone = locomo.evaluate(path, state=tmp_path / "alone", save=tmp_path / "alone.jsonl", **ways)
    parted = measure("locomo", path, engine=engine, state=tmp_path / "parted", save=tmp_path / "parted.jsonl", **ways)
    assert timeless(parted) == timeless(alone)
    answers = [[(row["id"], row["answer"]) for row in read_run(tmp_path / f"{w}.jsonl")] for w in ("alone", "parted")]
    assert answers[0] == answers[1]


def test_longmemeval_goes_by_question(tmp_path: Path, given: dict[str, object]) -> None:
    path, engine = longmemeval_file(tmp_path / "longmemeval.json"), Counting()
    alone = longmemeval.evaluate(path, state=tmp_path / "alone", **given)
    parted = measure("longmemeval", path, engine=engine, state=tmp_path / "parted", **given)
    assert timeless(parted) == timeless(alone)
    assert len(engine.tasks) == 3


def test_a_sample_is_the_one_of_one_process(tmp_path: Path, given: dict[str, object]) -> None:
    path, engine = locomo_file(tmp_path / "locomo.json"), Counting()
    chosen = Selection(sample=2, seed=3)
    alone = locomo.evaluate(path, selection=chosen, state=tmp_path / "alone", **given)
    parted = measure("locomo", path, engine=engine, selection=chosen, state=tmp_path / "parted", **given)
    assert timeless(parted) == timeless(alone)
    assert sum(len(json.loads(task)) for task in engine.tasks) == 2


def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, given: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, state = locomo_file(tmp_path / "locomo.json"), tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        measure("locomo", path, engine=Counting(after=2), state=state, **given)
    filled: list[object] = []
    fill = locomo.Corpora.filled
    monkeypatch.setattr(locomo.Corpora, "filled", lambda *a, **k: filled.append(a) or fill(*a, **k))
    parted = measure("locomo", path, engine=LocalEngine(), state=state, **given)
    assert len(filled) == 1
    assert timeless(parted) == timeless(locomo.evaluate(path, state=tmp_path / "alone", **given))


def test_what_one_process_refuses_is_refused(tmp_path: Path, given: dict[str, object]) -> None:
    path, engine = longmemeval_file(tmp_path / "longmemeval.json"), Counting()
    for wrong in ({"scope": "pool"}, {"mode": "dream"}, {"without": ("magic",)}, {"save": tmp_path / "answers"}):
        with pytest.raises(InputError):
            measure("longmemeval", path, engine=engine, state=tmp_path / "state", **{**given, **wrong})
    assert engine.tasks == []
