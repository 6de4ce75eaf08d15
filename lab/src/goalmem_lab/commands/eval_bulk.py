"""`goalmem bulk eval`: benchmarks measured by several workers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from goalmem.cli.bulk import Address, Engines, Workers, engine_of
from goalmem_lab.commands.eval_options import (
    Cache,
    Categories,
    Goals,
    JsonOut,
    Limit,
    Mode,
    PathArgument,
    Sample,
    Save,
    Seed,
    State,
    WithGoals,
    Without,
    measured,
)
from goalmem_lab.commands.figures import report

__all__ = ["register"]


def register(bulk: typer.Typer) -> None:
    """Add the command of this module."""
    bulk.command("eval")(evaluate)


class Benchmark(StrEnum):
    """What is measured in parts."""

    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"


def evaluate(
    benchmark: Annotated[Benchmark, typer.Argument(metavar="BENCHMARK", help="locomo or longmemeval.")],
    path: PathArgument,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    mode: Annotated[Mode, typer.Option(help="As of `goalmem eval`; recall is LoCoMo's.")] = Mode.SEARCH,
    without: Without = None,
    limit: Limit = None,
    categories: Categories = None,
    sample: Sample = None,
    seed: Seed = 0,
    goals: WithGoals = Goals.ON,
    save: Save = None,
    out: JsonOut = None,
    state: State = None,
    cache: Cache = None,
) -> None:
    """Measure a benchmark by parts: LoCoMo by conversation, LongMemEval by question, each with its own haystack.

    The figures are those of `goalmem eval`, but for times. Repeat the command after an interruption: it goes on.

    \b
    Examples:
      goalmem bulk eval locomo locomo10.json --engine ray --workers 2
      goalmem bulk eval longmemeval longmemeval_s.json --engine ray --workers 8 --json figures.json
      goalmem bulk eval locomo locomo10.json --mode ask --engine ray --save answers.jsonl
    """
    from goalmem_lab.evals.locomo_data import CATEGORIES
    from goalmem_lab.evals.parallel import measure
    from goalmem_lab.evals.selection import Selection, read_categories, split_names
    from goalmem_lab.evals.ways import Way

    kinds = split_names(categories)
    if benchmark is Benchmark.LOCOMO:
        kinds = read_categories(kinds, CATEGORIES.values(), {str(n): name for n, name in CATEGORIES.items()})
    selection = Selection(limit, kinds, sample, seed)
    figures = measured(
        lambda tick: measure(
            benchmark.value, path, engine=engine_of(engine, workers, address), selection=selection, state=state, save=save,
            progress=tick, mode=mode.value, without=tuple(without or ()), way=Way(goals.value), cache=cache,
        )
    )  # fmt: skip
    report(f"{benchmark.value}, {mode.value}", figures, out)
