"""`goalmem bulk eval`: benchmarks measured by several workers."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from goalmem.cli.bulk import Address, Engines, Workers, engine_of
from goalmem_lab.commands import eval_options as options
from goalmem_lab.commands.figures import report


def register(bulk: typer.Typer) -> None:
    """Add the command of this module."""
    bulk.command("eval")(evaluate)


def evaluate(
    benchmark: Annotated[
        Literal["locomo", "longmemeval"], typer.Argument(metavar="BENCHMARK", help="locomo or longmemeval.")
    ],
    path: options.PathArgument,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    mode: Annotated[options.Mode, typer.Option(help="As of `goalmem eval`; recall is LoCoMo's.")] = "search",
    without: options.Without = None,
    limit: options.Limit = None,
    categories: options.Categories = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    goals: options.WithGoals = "on",
    save: options.Save = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure a benchmark by parts: LoCoMo by conversation, LongMemEval by question, each with its own haystack.

    The figures are those of `goalmem eval`, but for times. Repeat the command after an interruption: it goes on.

    \b
    Examples:
      goalmem bulk eval locomo locomo10.json --engine ray --workers 2
      goalmem bulk eval longmemeval longmemeval_s.json --engine ray --workers 8 --json figures.json
      goalmem bulk eval locomo locomo10.json --mode ask --engine ray --save answers.jsonl
    """
    from goalmem_lab.evals.locomo_data import CATEGORIES, NUMBERED
    from goalmem_lab.evals.parallel import measure
    from goalmem_lab.evals.selection import Selection, read_categories, split_names
    from goalmem_lab.evals.ways import Way

    kinds = split_names(categories)
    if benchmark == "locomo":
        kinds = read_categories(kinds, CATEGORIES.values(), NUMBERED)
    selection = Selection(limit, kinds, sample, seed)
    figures = options.measured(
        lambda tick: measure(
            benchmark, path, engine=engine_of(engine, workers, address), selection=selection, state=state, save=save,
            progress=tick, mode=mode, without=tuple(without or ()), way=Way(goals), cache=cache,
        )
    )  # fmt: skip
    report(f"{benchmark}, {mode}", figures, out)
