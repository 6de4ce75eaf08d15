"""Commands that measure: demo and eval."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from goalmem.cli.figures import Figures, print_fit, print_markdown, print_table, report, write_figures
from goalmem.cli.options import settings_for
from goalmem.cli.outcome import Exit, Group, interruptible
from goalmem.cli.output import console, progress
from goalmem.errors import InputError

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = ["register"]

evals = typer.Typer(
    cls=Group, help="Measure on a benchmark's data.", no_args_is_help=True, rich_markup_mode=None, add_completion=False
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(demo)
    app.add_typer(evals, name="eval")


def demo(
    store: Annotated[
        str, typer.Option("--store", "-s", help="Where to remember; default: only in memory.")
    ] = ":memory:",
    proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="Show the proof of every answer.")] = True,
) -> None:
    """Remember a conversation of two friends and answer questions about it.

    Exits with 1 when an answer is wrong or its proof does not hold.

    \b
    Examples:
      goalmem demo
      goalmem demo --store demo.goalmem && goalmem ask "Who is Greta?" --store demo.goalmem
    """
    from goalmem.demo import show
    from goalmem.memory import Memory

    settings = settings_for(store, None)
    with interruptible("Run it again to start over."), Memory(settings.store, settings=settings) as memory:
        passed = show(memory, console(), proofs=proofs)
    if not passed:
        raise typer.Exit(Exit.NO)


class Scope(StrEnum):
    """Which sessions a LongMemEval question is asked of."""

    HAYSTACK = "haystack"
    POOL = "pool"


class Mode(StrEnum):
    """What of LoCoMo is measured."""

    SEARCH = "search"
    ASK = "ask"


PathArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="PATH", help="The benchmark's file or folder.")]
Limit: TypeAlias = Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")]
JsonOut: TypeAlias = Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the figures here, too.")]
State: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where finished work is kept, to go on from; default: .goalmem/eval."),
]
Cache: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where encodings are kept [GOALMEM_CACHE; default: the user's cache]."),
]
Without: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="SIGNAL", help="Switch a signal off; may be repeated.")
]
WeightsIn: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Weights of the signals, as `eval fit` writes them.")
]
Folds: TypeAlias = Annotated[
    int | None,
    typer.Option(min=2, max=100, help="Fit the weights, and cross-validate them over N parts of the questions."),
]


@evals.command()
def longmemeval(
    path: PathArgument,
    scope: Annotated[Scope, typer.Option(help="The question's own sessions, or all as one memory.")] = Scope.HAYSTACK,
    without: Without = None,
    weights: WeightsIn = None,
    folds: Folds = None,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
    cache: Cache = None,
) -> None:
    """Measure which evidence sessions a search finds (LongMemEval).

    With --folds both scopes are measured: with the weights that were set by hand, with weights fitted to all questions,
    and with weights fitted to the other parts of the questions.

    \b
    Examples:
      goalmem eval longmemeval longmemeval_s.json
      goalmem eval longmemeval data/longmemeval --scope pool --json pool.json
      goalmem eval longmemeval longmemeval_s.json --without lexical --without context
      goalmem eval longmemeval longmemeval_s.json --folds 5
    """
    if folds is not None:
        if without or weights:
            raise InputError("Weights are fitted to all signals.", "Leave out --without and --weights, or --folds.")
        from goalmem.evals.folds import cross_validate

        fitted = _measured(
            lambda tick: cross_validate(path, folds=folds, limit=limit, state=state, cache=cache, progress=tick)
        )
        write_figures(fitted, out)
        print_fit(fitted)
        return
    from goalmem.evals.longmemeval import evaluate
    from goalmem.evals.weights_file import read_weights

    chosen = read_weights(weights) if weights else None
    figures = _measured(
        lambda tick: evaluate(
            path, scope=scope.value, without=without or (), weights=chosen, limit=limit, state=state, cache=cache,
            progress=tick,
        )
    )  # fmt: skip
    report(f"LongMemEval, {scope.value}", figures, out)


@evals.command()
def locomo(
    path: PathArgument,
    mode: Annotated[Mode, typer.Option(help="Turns found, or questions answered.")] = Mode.SEARCH,
    without: Without = None,
    weights: WeightsIn = None,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
    cache: Cache = None,
) -> None:
    """Measure what is found, or answered, in long conversations (LoCoMo).

    \b
    Examples:
      goalmem eval locomo locomo10.json --mode search
      goalmem eval locomo locomo10.json --mode search --without time
      goalmem eval locomo locomo10.json --mode ask --limit 100 --json ask.json
    """
    from goalmem.evals.locomo import evaluate
    from goalmem.evals.weights_file import read_weights

    chosen = read_weights(weights) if weights else None
    figures = _measured(
        lambda tick: evaluate(
            path, mode=mode.value, without=without or (), weights=chosen, limit=limit, state=state, cache=cache,
            progress=tick,
        )
    )  # fmt: skip
    report(f"LoCoMo, {mode.value}", figures, out)


@evals.command()
def ablation(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="LongMemEval, LoCoMo, or both.")],
    signals: Annotated[
        list[str] | None, typer.Option("--signal", metavar="SIGNAL", help="Only this one; may be repeated.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the differences here (.svg, .png or .pdf).")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
    cache: Cache = None,
) -> None:
    """Measure what each signal of a search is worth: every one switched off in turn.

    LongMemEval is measured in both scopes. The first row is the full system; the others are differences to it, in points
    of a hundred.

    \b
    Examples:
      goalmem eval ablation longmemeval_s.json
      goalmem eval ablation longmemeval_s.json locomo10.json --picture ablation.svg --json ablation.json
      goalmem eval ablation locomo10.json --signal time --signal phrase --markdown
    """
    from goalmem.evals.ablation import ablate, table
    from goalmem.evals.picture import check_picture, draw

    if picture is not None:
        check_picture(picture)
    figures = _measured(
        lambda tick: ablate(paths, signals=signals, limit=limit, state=state, cache=cache, progress=tick)
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
def fit(
    path: PathArgument,
    weights: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the weights are written, as JSON.")],
    folds: Folds = None,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
    cache: Cache = None,
) -> None:
    """Fit the weights of the signals to LongMemEval's labels.

    With --folds they are cross-validated, too.

    \b
    Examples:
      goalmem eval fit longmemeval_s.json --out weights.json
      goalmem eval fit longmemeval_s.json --out weights.json --folds 5 && goalmem eval locomo locomo10.json --weights weights.json
    """
    from goalmem.evals.folds import cross_validate
    from goalmem.evals.weights_file import write_weights

    fitted = _measured(
        lambda tick: cross_validate(path, folds=folds, limit=limit, state=state, cache=cache, progress=tick)
    )
    write_weights({name: w["fitted"] for name, w in fitted["weights"].items()}, weights)
    write_figures(fitted, out)
    print_fit(fitted)


Tick: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def _measured(work: Callable[[Tick], Figures]) -> Figures:
    """Run a benchmark with a progress bar for each of its parts."""
    with interruptible("Run the same command again to go on."), progress() as bars:
        tasks: dict[str, TaskID] = {}

        def tick(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        return work(tick)
