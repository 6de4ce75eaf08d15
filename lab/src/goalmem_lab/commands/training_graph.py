"""The commands about graphs: train critic, train graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.outcome import note
from goalmem.errors import InputError
from goalmem_lab.commands.eval_options import measured

if TYPE_CHECKING:
    from goalmem_lab.evals.progress import Tick


def register(trains: typer.Typer) -> None:
    """Add the commands of this module."""
    trains.command()(critic)
    trains.command()(graph)


def critic(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Questions with [topic], a tab, answers with | between."),
    ],
    kb: Annotated[Path, typer.Option("--kb", metavar="KB", help="The graph that they are about.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the model, which is made.")],
    depth: Annotated[int, typer.Option("--depth", min=1, max=4, help="Hops that questions take at most.")] = 3,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="Learn from so many at most; alike ones are passed over.")
    ] = 12_000,
    epochs: Annotated[int, typer.Option("--epochs", min=1, max=100, help="Times that each question is seen.")] = 8,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same model.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Train the local critic from questions and answers alone.

    Takes a minute or two and needs nothing but goalmem itself. A run that was stopped, also by a kill, goes on when the same
    command is given again.

    \b
    Examples:
      goalmem train critic --kb kb.txt 1-hop/qa_train.txt 2-hop/qa_train.txt 3-hop/qa_train.txt --out critic
      goalmem eval metaqa --kb kb.txt 3-hop/qa_dev.txt --critic-model critic
    """
    from goalmem.graph.local_model import write_model
    from goalmem.graph.retriever import Vectors
    from goalmem.models.registry import DEFAULT, make_embedder
    from goalmem_lab.evals.kgqa import graph_of, questions_of
    from goalmem_lab.evals.kgqa_folds import asked_of
    from goalmem_lab.train.critic import Recipe, train_critic
    from goalmem_lab.train.critic_fit import Fit
    from goalmem_lab.train.rules import require_folder

    require_folder(out)
    asked = [question for path in files for question in questions_of(path)]
    graph = graph_of(kb)
    recipe = Recipe(questions, depth, Fit(epochs=epochs, seed=seed))
    vectors = Vectors(make_embedder(DEFAULT))

    def work(tick: Tick) -> dict[str, object]:
        model, told = train_critic(graph, asked_of(graph, asked), vectors, recipe, tick=tick, state=out)
        return {**told, "model": str(write_model(model, out))}

    figures = measured(work)
    if as_json:
        typer.echo(json.dumps(figures, indent=2))
    note(f"The model, from {figures['labelled']} questions, is {figures['model']}.")


def graph(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for kb.txt and N-hop/qa.txt, which is made.")],
    hops: Annotated[int, typer.Option("--hops", min=1, max=4, help="Hops that questions take at most.")] = 3,
    questions: Annotated[int, typer.Option("--questions", min=1, help="Of each number of hops.")] = 1_500,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same files.")] = 7,
) -> None:
    """Generate a graph with questions, to train a critic on before it sees another graph.

    \b
    Examples:
      goalmem train graph world
      goalmem train collect world/1-hop/qa.txt world/2-hop/qa.txt world/3-hop/qa.txt --kb world/kb.txt --out world.jsonl
    """
    from goalmem_lab.train.graph_world import written

    if (out / "kb.txt").exists():
        raise InputError(f"{out} holds a graph.", "Name another folder.")
    files = written(out, range(1, hops + 1), questions, seed)
    note(f"A graph and {len(files)} files of {questions} questions each are in {out}.")
