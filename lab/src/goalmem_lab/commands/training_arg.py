"""The commands that make a tuned critic: train collect, train arg."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from goalmem.cli.outcome import note
from goalmem.cli.output import console
from goalmem.errors import InputError
from goalmem_lab.commands.eval_options import measured, watched
from goalmem_lab.commands.graph_critics import critic_named
from goalmem_lab.commands.packages import require_packages, require_run


def register(trains: typer.Typer) -> None:
    """Add the commands of this module."""
    trains.command()(collect)
    trains.command()(arg)


def collect(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Questions on --kb in MetaQA's layout; else JSONL or Parquet in RoG's, each with its graph.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="SAMPLES", help="Where the samples go, as JSON lines.")],
    kb: Annotated[
        Path | None, typer.Option("--kb", metavar="KB", help="The graph that all questions are about.")
    ] = None,
    critic: Annotated[
        Literal["answers", "local", "chat", "tuned"],
        typer.Option("--critic", help="Who rates: the answers alone, the local critic, a chat model, a tuned one."),
    ] = "answers",
    critic_model: Annotated[
        Path | None,
        typer.Option("--critic-model", metavar="DIR", help="Folder by `train critic` (local) or `train arg` (tuned)."),
    ] = None,
    layout: Annotated[
        Literal["prompt", "messages", "alpaca"], typer.Option("--layout", help="What the trainer reads.")
    ] = "prompt",
    questions: Annotated[
        int | None, typer.Option("--questions", min=1, help="Of so many at most; alike ones are passed over.")
    ] = None,
    paths: Annotated[int, typer.Option("--paths", min=1, max=100, help="Shortest paths of a question, at most.")] = 3,
    depth: Annotated[int, typer.Option("--depth", min=1, max=8, help="Hops of a path, at most.")] = 3,
    candidates: Annotated[
        int, typer.Option("--candidates", min=2, max=50, help="Relations and entities at a hop (K).")
    ] = 5,
    contrasts: Annotated[
        int, typer.Option("--contrasts", min=0, max=50, help="Walks with a wrong relation, for each path.")
    ] = 1,
    transcripts: Annotated[
        bool, typer.Option("--transcripts-only", help="Whole paths alone, without the single decisions.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same samples.")] = 7,
) -> None:
    """Collect text with reflection tokens to train a tuned critic on, from questions and answers (ArG, Algorithm 2).

    A run that was stopped, also by a kill, goes on when the same command is given again.

    \b
    Examples:
      goalmem train collect 1-hop/qa_train.txt 2-hop/qa_train.txt --kb kb.txt --out samples.jsonl --questions 1000
      goalmem train collect webqsp-train.jsonl --out samples.jsonl --critic chat --layout messages
    """
    from goalmem.graph.retriever import Vectors
    from goalmem.models.registry import DEFAULT, make_embedder
    from goalmem_lab.evals.arg_samples import Wanted, collected
    from goalmem_lab.train.arg_collect import Shape
    from goalmem_lab.train.arg_records import Layout

    vectors = Vectors(make_embedder(DEFAULT))
    named = None if critic == "answers" else critic_named(critic, critic_model, vectors)
    if named is None and critic_model is not None:
        raise InputError("--critic answers takes no --critic-model.", "Leave it out, or name another critic.")
    shape = Shape(paths, depth, candidates, contrasts, not transcripts, seed)
    wanted = Wanted(files, kb, questions, shape)
    done = measured(lambda tick: collected(wanted, vectors, named, out, Layout(layout), tick))
    note(f"{done['samples']} samples of {done['questions']} questions are in {out}.")


def arg(
    data: Annotated[
        list[Path],
        typer.Argument(metavar="SAMPLES...", help="Samples by `train collect`, JSONL in any of its layouts."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the model, which is made.")],
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="DIR", help="A causal language model to go on from; else one is made from scratch."
        ),
    ] = None,
    size: Annotated[Literal["tiny", "small"], typer.Option("--size", help="Of a model from scratch.")] = "tiny",
    lora: Annotated[
        int | None,
        typer.Option(
            "--lora", min=1, max=1024, metavar="RANK", help="Train low-rank adapters, not all weights (needs peft)."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", min=1, max=1000, help="Times that each sample is seen.")] = 3,
    batch: Annotated[int, typer.Option("--batch", min=1, max=4096, help="Samples a step.")] = 16,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate", min=0, help="Highest learning rate.", show_default="1e-5; 2e-4 with --lora, 2e-3 from scratch"
        ),
    ] = None,
    bf16: Annotated[bool, typer.Option("--bf16", help="Calculate in 16 bits.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same model on the same machine.")] = 7,
    max_minutes: Annotated[
        float | None, typer.Option("--max-minutes", min=0.01, help="Training ends after so long in any case.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that was stopped in --out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train a language model to walk a knowledge graph and to reflect on it (ArG), for --critic tuned.

    Needs goalmem-lab[train]. Its vocabulary is extended with the reflection tokens. The run's state is kept in DIR every minute;
    --resume goes on from it. DIR gets the model, arg.json, and the learning curve (curve.json, and curve.svg with matplotlib).

    \b
    Examples:
      goalmem train arg samples.jsonl --out critic
      goalmem train arg samples.jsonl --out critic --from Llama-3-8B --lora 16 --bf16
      goalmem eval metaqa --kb kb.txt 1-hop/qa_dev.txt --critic tuned --critic-model critic
    """
    require_packages("torch", "transformers", *(("peft",) if lora is not None else ()))
    require_run(out, "arg.json", "a trained critic", checkpoint, "a causal language model", resume=resume)
    from goalmem_lab.train.arg_fit import Progress, Schedule
    from goalmem_lab.train.arg_network import Size
    from goalmem_lab.train.arg_recipe import Recipe, rate_of, train_arg
    from goalmem_lab.train.rules import require_folder

    require_folder(out)
    highest = rate_of(checkpoint, lora) if rate is None else rate
    schedule = Schedule(rate=highest, batch=batch, epochs=epochs, seed=seed, bf16=bf16)
    recipe = Recipe(out, tuple(data), checkpoint, Size(size), lora, max_minutes, schedule)

    def told(_stage: str, at: Progress) -> str:
        right = "" if at.reflections is None else f", reflections {100 * at.reflections:.1f} %"
        return f"Epoch {at.epoch}, loss {at.loss:.3f}{right}"

    with watched(told, "Add --resume to go on.") as watch:
        figures = train_arg(recipe, watch)
    if as_json:
        typer.echo(json.dumps(figures, indent=2))
        return
    console().print(", ".join(f"{key} {value}" for key, value in figures.items()))
    note(f"The model is in {out}.")
