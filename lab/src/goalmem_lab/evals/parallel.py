"""Benchmarks measured by the workers of an engine: each takes some of the questions, with the memories that they are asked of.

The functions are those of `goalmem eval`. A worker runs the benchmark on its questions, with a folder of its own for what is finished; it
is stopped when the last is, before it makes figures, and so its lines remain. They are put together into the state of the whole run,
which then finds every question finished and makes the figures, as one that was interrupted after its last question would.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from goalmem.errors import InputError
from goalmem.integrations.bulk.engine import Engine, begin
from goalmem.settings import ENV_PREFIX
from goalmem_lab.evals import locomo, longmemeval
from goalmem_lab.evals.progress import DEFAULT_FOLDER, Tick, ignore
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection

BenchmarkName: TypeAlias = Literal["locomo", "longmemeval"]
EVALUATE: Mapping[str, Callable[..., dict[str, Any]]] = {
    "locomo": locomo.evaluate,
    "longmemeval": longmemeval.evaluate,
}
BY_GROUP = frozenset({"locomo"})
"""Benchmarks that ask many questions of one memory: a group is its questions. In the others each question has a memory of its own."""
PARTS_A_WORKER = 4
"""Of the others: fewer would leave workers idle at the end, more would read the data more often."""
PARTS, STARTS = "parts", "starts"
QUESTIONS = "questions"
"""What evals call their own progress, whose end is that of the work."""

Item = TypeVar("Item")


class _ChosenError(Exception):
    """Ends a run at the moment when it is known what is measured: questions by their groups."""

    def __init__(self, groups: Mapping[str, str]) -> None:
        self.groups = groups


class _FinishedError(Exception):
    """Ends a run when its last question is finished, so that it keeps its state."""


@dataclass(frozen=True, slots=True)
class Probe(Selection):
    """Finds out which questions are chosen."""

    def choose(
        self,
        questions: Sequence[Item],
        *,
        key: Callable[[Item], str],
        group: Callable[[Item], str],
        category: Callable[[Item], str],
    ) -> list[Item]:
        """Raises `_ChosenError` with them."""
        chosen = Selection.choose(self, questions, key=key, group=group, category=category)
        raise _ChosenError({key(question): group(question) for question in chosen})


@dataclass(frozen=True)
class MeasureWork:
    """Makes workers that measure shares of a benchmark's questions. Travels to the process where they work."""

    benchmark: BenchmarkName
    path: str
    selection: Selection
    options: Mapping[str, Any]
    """What else `evaluate` is told."""
    folder: str
    settings: Mapping[str, str] = field(repr=False)
    """Variables of the environment that set something."""

    def __call__(self) -> Measurer:
        """A worker."""
        os.environ.update(self.settings)
        return Measurer(self)


@dataclass(frozen=True, slots=True)
class Measurer:
    """A `Worker` that measures shares."""

    work: MeasureWork

    def __call__(self, task: str) -> str:
        """Measure the questions whose keys a task lists; the lines of their state by the name of its file, as JSON."""
        work = self.work
        state = _folder_of(Path(work.folder), task)
        with suppress(OSError):  # said by `begin`
            state.mkdir(parents=True, exist_ok=True)
        begin(state / STARTS)
        chosen = replace(work.selection, keys=frozenset(json.loads(task)))

        def stop(what: str, done: int, total: int) -> None:
            if what == QUESTIONS and done == total:
                raise _FinishedError

        with suppress(_FinishedError):
            EVALUATE[work.benchmark](work.path, selection=chosen, state=state, progress=stop, **work.options)
        return json.dumps({file.name: file.read_text(encoding="utf-8") for file in sorted(state.glob("*.jsonl"))})

    def close(self) -> None:
        """Nothing is held: each share opens what it needs."""


def _folder_of(parts: Path, task: str) -> Path:
    """Where the state of a share is kept."""
    return parts / blake2b(task.encode(), digest_size=8).hexdigest()


def measure(
    benchmark: BenchmarkName,
    path: Path,
    *,
    engine: Engine,
    selection: Selection = ALL_QUESTIONS,
    state: Path | None = None,
    save: Path | None = None,
    progress: Tick | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The figures that `goalmem_lab.evals` gives in one process, and the same `save`d lines; `options` are those of its `evaluate`.

    `state`: folder that keeps finished questions of an interrupted run; every worker must reach it, and the data. Raises as `evaluate`.
    """
    if options.get("scope") == "pool":
        raise InputError("The pool is one memory: it has no parts.", "Measure it with `goalmem eval longmemeval`.")
    path = path.resolve()
    folder = (state or DEFAULT_FOLDER).resolve()
    tick = progress or ignore
    # Refused before the work begins, as it is in one process.
    keys = _chosen(benchmark, path, selection, {**options, "save": save})
    tasks = _tasks(benchmark, keys, engine.workers)
    given = {name: value for name, value in os.environ.items() if name.startswith(ENV_PREFIX)}
    work = MeasureWork(benchmark, str(path), selection, options, str(folder / PARTS), given)
    for task in tasks:
        (_folder_of(Path(work.folder), task) / STARTS).unlink(missing_ok=True)
    tick("parts", 0, len(tasks))
    for done, outcome in enumerate(engine.run(work, tasks, here=False), 1):
        _gather(folder, json.loads(outcome))
        tick("parts", done, len(tasks))
    figures = EVALUATE[benchmark](path, selection=selection, state=folder, save=save, progress=progress, **options)
    for task in tasks:
        shutil.rmtree(_folder_of(folder / PARTS, task), ignore_errors=True)
    return figures


def _chosen(
    benchmark: BenchmarkName, path: Path, selection: Selection, options: Mapping[str, Any]
) -> Mapping[str, str]:
    """Every question that is measured, with its group."""
    try:
        EVALUATE[benchmark](
            path, selection=Probe(selection.limit, selection.categories, selection.sample, selection.seed), **options
        )
    except _ChosenError as chosen:
        return chosen.groups
    raise AssertionError("a benchmark chooses its questions before it asks them")


def _gather(folder: Path, files: Mapping[str, str]) -> None:
    """Add the lines of a share to the state of the run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in files.items():
            with (folder / name).open("a", encoding="utf-8") as whole:
                whole.write(f"\n{lines}\n")
    except OSError as error:
        raise InputError(
            f"The folder {folder} cannot keep the state of a run: {error.strerror or error}.",
            "Name another one with --state.",
        ) from error


def _tasks(benchmark: BenchmarkName, groups: Mapping[str, str], workers: int) -> list[str]:
    """Lists of keys, as JSON, the longest first."""
    shares: dict[str, list[str]] = {}
    for number, (key, group) in enumerate(groups.items()):
        name = group if benchmark in BY_GROUP else str(number % (workers * PARTS_A_WORKER))
        shares.setdefault(name, []).append(key)
    return [json.dumps(keys) for keys in sorted(shares.values(), key=len, reverse=True)]
