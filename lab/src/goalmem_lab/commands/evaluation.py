"""`goalmem eval`: commands that measure on a benchmark's data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from goalmem.cli.outcome import CommandGroup
from goalmem.errors import InputError
from goalmem_lab.commands import eval_options as options
from goalmem_lab.commands.eval_answers import register as add_eval_answers
from goalmem_lab.commands.eval_graph import register as add_eval_graph
from goalmem_lab.commands.eval_rules import register as add_eval_rules
from goalmem_lab.commands.figures import print_fit, print_markdown, print_table, report, write_figures

evals = typer.Typer(
    cls=CommandGroup,
    help="Measure on a benchmark's data.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    add_eval_answers(evals)
    add_eval_rules(evals)
    add_eval_graph(evals)
    app.add_typer(evals, name="eval")


@evals.command()
def longmemeval(
    path: options.PathArgument,
    mode: Annotated[
        Literal["search", "ask"], typer.Option(help="Sessions that a search finds, or questions answered.")
    ] = "search",
    scope: Annotated[
        Literal["haystack", "pool"], typer.Option(help="The question's own sessions, or all as one memory.")
    ] = "haystack",
    without: options.Without = None,
    weights: options.WeightsIn = None,
    folds: options.Folds = None,
    limit: options.Limit = None,
    categories: options.Categories = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    goals: options.WithGoals = "on",
    reasoner: options.By = "local",
    reader: options.From = "memory",
    backend: options.BackendName = None,
    depth: options.Depth = None,
    breadth: options.Breadth = None,
    threshold: options.Threshold = None,
    judge: options.Judge = False,
    save: options.Save = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure which evidence sessions a search finds, or what is answered (LongMemEval).

    With --folds both scopes are measured: with the weights that were set by hand, with weights fitted to all questions,
    and with weights fitted to the other parts of the questions. To remember a haystack of 48 sessions takes seconds: unless
    --limit or --sample says how many, 50 questions are asked.

    \b
    Examples:
      goalmem eval longmemeval longmemeval_s.json
      goalmem eval longmemeval data/longmemeval --scope pool --json pool.json
      goalmem eval longmemeval longmemeval_s.json --without lexical --without context
      goalmem eval longmemeval longmemeval_s.json --folds 5
      goalmem eval longmemeval longmemeval_s.json --mode ask --sample 100 --goals both --save answers.jsonl
    """
    if folds is not None:
        if without or weights or mode == "ask":
            raise InputError(
                "Weights are fitted to all signals, for searching.",
                "Leave out --without, --weights and --mode, or --folds.",
            )
        from goalmem_lab.evals.folds import cross_validate

        fitted = options.measured(
            lambda tick: cross_validate(path, folds=folds, limit=limit, state=state, cache=cache, progress=tick)
        )
        write_figures(fitted, out)
        print_fit(fitted)
        return
    from goalmem_lab.evals.longmemeval import evaluate
    from goalmem_lab.evals.selection import Selection, split_names
    from goalmem_lab.evals.ways import Way
    from goalmem_lab.evals.weight_fit import read_weights

    chosen = read_weights(weights) if weights else None
    selection = Selection(limit, split_names(categories), sample, seed)
    way = Way(goals, reasoner, reader, backend, depth, breadth, threshold, judge)
    figures = options.measured(
        lambda tick: evaluate(
            path, mode=mode, scope=scope, without=without or (), weights=chosen, selection=selection, state=state,
            cache=cache, save=save, way=way, progress=tick,
        )
    )  # fmt: skip
    report(f"LongMemEval, {scope}" + (", ask" if mode == "ask" else ""), figures, out)


@evals.command()
def locomo(
    path: options.PathArgument,
    mode: Annotated[
        options.Mode, typer.Option(help="Turns that a search finds, that reasoning ranks first, or questions answered.")
    ] = "search",
    without: options.Without = None,
    weights: options.WeightsIn = None,
    limit: options.Limit = None,
    categories: options.Categories = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    goals: options.WithGoals = "on",
    reasoner: options.By = "local",
    reader: options.From = "memory",
    backend: options.BackendName = None,
    depth: options.Depth = None,
    breadth: options.Breadth = None,
    threshold: options.Threshold = None,
    judge: options.Judge = False,
    edges: Annotated[
        bool, typer.Option("--edges", help="Walk over the edges of what was said where nothing else answers.")
    ] = False,
    save: options.Save = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure what is found, or answered, in long conversations (LoCoMo).

    \b
    Examples:
      goalmem eval locomo locomo10.json --mode search
      goalmem eval locomo locomo10.json --mode search --without time
      goalmem eval locomo locomo10.json --mode recall --categories multi-hop --save found.jsonl
      goalmem eval locomo locomo10.json --mode ask --limit 100 --json ask.json
      goalmem eval locomo locomo10.json --mode ask --goals both --save answers.jsonl
    """
    from goalmem_lab.evals.locomo import evaluate
    from goalmem_lab.evals.locomo_data import CATEGORIES, NUMBERED
    from goalmem_lab.evals.selection import Selection, read_categories, split_names
    from goalmem_lab.evals.ways import Way
    from goalmem_lab.evals.weight_fit import read_weights

    chosen = read_weights(weights) if weights else None
    kinds = read_categories(split_names(categories), CATEGORIES.values(), NUMBERED)
    selection = Selection(limit, kinds, sample, seed)
    way = Way(goals, reasoner, reader, backend, depth, breadth, threshold, judge, edges)
    figures = options.measured(
        lambda tick: evaluate(
            path, mode=mode, without=without or (), weights=chosen, selection=selection, state=state, cache=cache,
            save=save, way=way, progress=tick,
        )
    )  # fmt: skip
    report(f"LoCoMo, {mode}", figures, out)


@evals.command()
def ablation(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="LongMemEval, LoCoMo, or both.")],
    signals: Annotated[
        list[str] | None, typer.Option("--signal", metavar="SIGNAL", help="Only this one; may be repeated.")
    ] = None,
    added: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="PART", help="Add this part of Retaining instead; may be repeated."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the differences here (.svg, .png or .pdf).")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    limit: options.Limit = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure what each signal of a search is worth: every one switched off in turn, or parts of Retaining added.

    LongMemEval is measured in both scopes. The first row is the full system; the others are differences to it, in points
    of a hundred.

    \b
    Examples:
      goalmem eval ablation longmemeval_s.json
      goalmem eval ablation longmemeval_s.json locomo10.json --picture ablation.svg --json ablation.json
      goalmem eval ablation locomo10.json --signal time --signal phrase --markdown
      goalmem eval ablation locomo10.json --with anchoring --with enriched-text
    """
    from goalmem_lab.evals.ablation import ablate, table
    from goalmem_lab.evals.picture import check_picture, draw

    if picture is not None:
        check_picture(picture)
    figures = options.measured(
        lambda tick: ablate(
            paths, signals=signals, added=added or (), limit=limit, state=state, cache=cache, progress=tick
        )
    )
    write_figures(figures, out)
    if picture is not None:
        draw(figures, picture)
    columns, rows = table(figures)
    if markdown:
        print_markdown(columns, rows)
    else:
        for benchmark in dict.fromkeys(column.partition(": ")[0] for column in columns[1:]):
            # A table each: together they are wider than a terminal.
            places = [n for n, column in enumerate(columns) if not n or column.startswith(f"{benchmark}: ")]
            measures = [columns[n].rpartition(": ")[2] for n in places]
            title = f"What a search loses without a signal: {benchmark}"
            print_table(title, measures, [[row[n] for n in places] for row in rows], whole=1)


@evals.command()
def stories(
    count: Annotated[int, typer.Option("--count", min=1, help="How many stories.")] = 200,
    seed: options.Seed = 0,
    plain: Annotated[bool, typer.Option("--plain", help="Told with the commonest verbs only.")] = False,
    save: options.Save = None,
    out: options.JsonOut = None,
) -> None:
    """Measure on generated stories of people who move, take, hand over and drop things.

    \b
    Examples:
      goalmem eval stories
      goalmem eval stories --count 1000 --seed 7 --save answers.jsonl
    """
    from goalmem_lab.evals.stories import evaluate

    figures = options.measured(lambda tick: evaluate(count, seed=seed, held_out=not plain, progress=tick, save=save))
    report("Stories", figures, out)


@evals.command()
def fit(
    path: options.PathArgument,
    weights: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the weights are written, as JSON.")],
    folds: options.Folds = None,
    limit: options.Limit = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Fit the weights of the signals to LongMemEval's labels.

    With --folds they are cross-validated, too.

    \b
    Examples:
      goalmem eval fit longmemeval_s.json --out weights.json
      goalmem eval fit longmemeval_s.json --out weights.json --folds 5 && goalmem eval locomo locomo10.json --weights weights.json
    """
    from goalmem_lab.evals.folds import cross_validate
    from goalmem_lab.evals.weight_fit import write_weights

    fitted = options.measured(
        lambda tick: cross_validate(path, folds=folds, limit=limit, state=state, cache=cache, progress=tick)
    )
    write_weights({name: w["fitted"] for name, w in fitted["weights"].items()}, weights)
    write_figures(fitted, out)
    print_fit(fitted)
