"""What evals print and write: tables on the screen, JSON in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from goalmem.cli.output import console
from goalmem.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table


Figures: TypeAlias = Mapping[str, Any]


def report(title: str, figures: Figures, out: Path | None) -> None:
    """The table on the screen and, where asked for, the JSON file."""
    write_figures(figures, out)
    console().print(_table(title, figures))


def write_figures(figures: Figures, out: Path | None) -> None:
    """The JSON file, where asked for."""
    if out is not None:
        try:
            from goalmem.schema.rows import plain

            out.write_text(json.dumps(figures, indent=2, ensure_ascii=False, default=plain) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{out} cannot be written: {error.strerror}.", "Choose another place.") from error


def print_fit(fitted: Figures) -> None:
    """What was measured with which weights, and the weights."""
    from goalmem_lab.evals.folds import tables

    for title, columns, rows in tables(fitted):
        print_table(title, columns, rows)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, whole: int = 0) -> None:
    """A table; its first `whole` rows stand apart from the others."""
    from rich.table import Table

    shown = Table(title=title)
    for number, column in enumerate(columns):
        shown.add_column(column, justify="right" if number else "left")
    for number, row in enumerate(rows, 1):
        shown.add_row(*row, end_section=number == whole)
    console().print(shown)


def print_markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as Markdown, numbers to the right."""
    lines = [columns, ["---", *("---:" for _ in columns[1:])], *rows]
    typer.echo("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _table(title: str, figures: Figures) -> Table:
    """One row for all questions and one for each kind; what belongs to the run alone stands below."""
    from rich.table import Table

    kinds = {name: part for key, value in figures.items() if key.startswith("by_") for name, part in value.items()}
    columns = list(dict.fromkeys(k for part in kinds.values() for k in part))
    # Of what is compared with, the file has all figures; the table has the differences.
    whole = {k: v for k, v in figures.items() if not k.startswith("by_") and k != "without_goals"}
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
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{k} {_figure(v)}" for k, v in value.items()) + ")"
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
