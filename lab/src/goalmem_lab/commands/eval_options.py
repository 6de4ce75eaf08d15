"""Options that several commands of `goalmem eval` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from goalmem.cli.outcome import interruptible
from goalmem.cli.output import progress, stages
from goalmem_lab.commands.figures import Figures

if TYPE_CHECKING:
    from goalmem_lab.train.states import Watch


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
Categories: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Only these kinds of questions, with commas between.")
]
Sample: TypeAlias = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only N questions, drawn evenly from the conversations or kinds.")
]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="N", help="What the sample depends on.")]
Save: TypeAlias = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a line a question here, as JSONL.")]


Mode: TypeAlias = Literal["search", "recall", "ask"]
WithGoals: TypeAlias = Annotated[
    Literal["on", "off", "both"],
    typer.Option("--goals", help="Take questions apart, ask them as they are, or compare both."),
]
By: TypeAlias = Annotated[
    Literal["local", "chat"], typer.Option("--reasoner", help="No model, or the chat model that is set.")
]
From: TypeAlias = Annotated[
    Literal["memory", "full-context"], typer.Option("--reader", help="Read what memory finds, or all that was said.")
]
BackendName: TypeAlias = Annotated[
    str | None, typer.Option("--backend", metavar="NAME", help="The memory system that finds the evidence.")
]
Depth: TypeAlias = Annotated[int | None, typer.Option(min=1, max=16, help="Levels of subgoals (D_max).")]
Breadth: TypeAlias = Annotated[int | None, typer.Option(min=1, max=16, help="Alternative steps a state (B_max).")]
Threshold: TypeAlias = Annotated[
    float | None, typer.Option(min=0, max=1, help="Confidence under which an answer is withheld.")
]
Judge: TypeAlias = Annotated[
    bool, typer.Option("--judge", help="Let the chat model that is set judge each answer, too.")
]

Tick: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


AGAIN = "Run the same command again to go on."


def measured(work: Callable[[Tick], Figures]) -> Figures:
    """Run a benchmark with a progress bar for each of its parts."""
    with interruptible(AGAIN), stages() as tick:
        return work(tick)


@contextmanager
def watched(told: Callable[[str, Any], str], again: str = AGAIN) -> Iterator[Watch[Any]]:
    """A run of training as it is shown: a bar with its stage, or with what is `told` of a stage and where in it the run is."""
    from goalmem_lab.train.states import Watch

    with interruptible(again), progress() as bars:
        task = bars.add_task("Starting", total=None)
        stages = [""]

        def stage(name: str) -> None:
            stages.append(name)
            bars.update(task, description=name, completed=0, total=None)

        def step(at: Any) -> None:
            bars.update(task, description=told(stages[-1], at), completed=at.step, total=at.steps)

        yield Watch(step, stage)
