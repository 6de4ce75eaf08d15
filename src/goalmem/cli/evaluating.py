"""Commands that measure: demo and eval."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from goalmem.cli.options import settings_for
from goalmem.cli.outcome import Exit, Group, interruptible
from goalmem.cli.output import console, plain, progress
from goalmem.errors import InputError

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.table import Table

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


@evals.command()
def longmemeval(
    path: PathArgument,
    scope: Annotated[Scope, typer.Option(help="The question's own sessions, or all as one memory.")] = Scope.HAYSTACK,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
) -> None:
    """Measure which evidence sessions a search finds (LongMemEval).

    \b
    Examples:
      goalmem eval longmemeval longmemeval_s.json
      goalmem eval longmemeval data/longmemeval --scope pool --json pool.json
    """
    from goalmem.evals.longmemeval import evaluate

    figures = _measured(lambda tick: evaluate(path, scope=scope.value, limit=limit, state=state, progress=tick))
    _report(f"LongMemEval, {scope.value}", figures, out)


@evals.command()
def locomo(
    path: PathArgument,
    mode: Annotated[Mode, typer.Option(help="Turns found, or questions answered.")] = Mode.SEARCH,
    limit: Limit = None,
    out: JsonOut = None,
    state: State = None,
) -> None:
    """Measure what is found, or answered, in long conversations (LoCoMo).

    \b
    Examples:
      goalmem eval locomo locomo10.json --mode search
      goalmem eval locomo locomo10.json --mode ask --limit 100 --json ask.json
    """
    from goalmem.evals.locomo import evaluate

    figures = _measured(lambda tick: evaluate(path, mode=mode.value, limit=limit, state=state, progress=tick))
    _report(f"LoCoMo, {mode.value}", figures, out)


Figures: TypeAlias = Mapping[str, Any]
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


def _report(title: str, figures: Figures, out: Path | None) -> None:
    """The table on the screen and, where asked for, the JSON file."""
    if out is not None:
        try:
            out.write_text(json.dumps(figures, indent=2, ensure_ascii=False, default=plain) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{out} cannot be written: {error.strerror}.", "Choose another place.") from error
    console().print(_table(title, figures))


def _table(title: str, figures: Figures) -> Table:
    """One row for all questions and one for each kind; what belongs to the run alone stands below."""
    from rich.table import Table

    kinds = {name: part for key, value in figures.items() if key.startswith("by_") for name, part in value.items()}
    columns = list(dict.fromkeys(k for part in kinds.values() for k in part))
    whole = {k: v for k, v in figures.items() if not k.startswith("by_")}
    columns = [k for k in columns if k in whole] + [k for k in columns if k not in whole]
    alone = ", ".join(f"{k} {_figure(v)}" for k, v in whole.items() if k not in columns)
    table = Table(title=title, caption=alone or None)
    table.add_column("questions of kind")
    for column in columns:
        table.add_column(column, justify="right")
    for name, part in {"all": whole, **kinds}.items():
        table.add_row(name, *(_figure(part.get(column)) for column in columns), end_section=name == "all")
    return table


def _figure(value: object) -> str:
    """Shares with three digits, counts as they are."""
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
