"""Commands of `goalmem eval` that look at answers: dialogues, sweep, calibrate, errors."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from goalmem.errors import InputError
from goalmem_lab.commands import eval_options as options
from goalmem_lab.commands.figures import print_markdown, print_table, report, write_figures

Pictures: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--picture", metavar="OUT", help="Draw it here (.svg, .png or .pdf); may be repeated."),
]
Runs: TypeAlias = Annotated[list[Path], typer.Argument(metavar="RUN...", help="What --save wrote.")]


def register(evals: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (dialogues, lives, plain, statements, spans, certainty, sweep, calibrate, errors):
        evals.command()(command)


def dialogues(
    path: options.PathArgument,
    limit: options.Limit = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    goals: options.WithGoals = "on",
    reasoner: options.By = "local",
    depth: options.Depth = None,
    breadth: options.Breadth = None,
    threshold: options.Threshold = None,
    save: options.Save = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure what is answered in short dialogues (FriendsQA, Molweni).

    \b
    Examples:
      goalmem eval dialogues friendsqa_test.json --sample 200
      goalmem eval dialogues friendsqa_test.json --threshold 0 --save friends.jsonl && goalmem eval calibrate friends.jsonl
    """
    from goalmem_lab.evals.asked_run import Run
    from goalmem_lab.evals.dialogues_ask import evaluate
    from goalmem_lab.evals.memories import Memories
    from goalmem_lab.evals.selection import Selection
    from goalmem_lab.evals.ways import Way

    way = Way(goals, reasoner, depth=depth, breadth=breadth, threshold=threshold)
    with Memories(None, cache, way=way) as memories:
        selection = Selection(limit, sample=sample, seed=seed)
        figures = options.measured(lambda tick: evaluate(path, memories, Run(selection, tick, state, save)))
    report(f"Dialogues, {path.stem}", figures, out)


Lives: TypeAlias = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with train/ and statements/.")]


def lives(
    folder: Lives,
    limit: options.Limit = None,
    categories: options.Categories = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    goals: options.WithGoals = "on",
    reasoner: options.By = "local",
    backend: options.BackendName = None,
    save: options.Save = None,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure what is answered in lives that neither reader nor judge was trained on.

    \b
    Examples:
      goalmem eval lives lab/lives --sample 200
      goalmem eval lives lab/lives --goals both --backend function --categories multi-hop,counting,listing,temporal
    """
    from goalmem_lab.evals.asked_run import Run
    from goalmem_lab.evals.lives_ask import evaluate
    from goalmem_lab.evals.memories import Memories
    from goalmem_lab.evals.selection import Selection, split_names
    from goalmem_lab.evals.ways import Way

    selection = Selection(limit, split_names(categories), sample, seed)
    with Memories(None, cache, way=Way(goals, reasoner, backend=backend)) as memories:
        figures = options.measured(lambda tick: evaluate(folder, memories, Run(selection, tick, state, save)))
    report(f"Lives, {folder.name}", figures, out)


def plain(
    path: options.PathArgument,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit what decides if a later message gives a value anew, or else certainty.")
    ] = False,
    out: options.JsonOut = None,
) -> None:
    """Measure what is answered in a few plain messages, also where a later one changes the value.

    \b
    Examples:
      goalmem eval plain lab/plain/test.jsonl
      goalmem eval plain lab/plain/changes.jsonl --fit
    """
    from goalmem_lab.evals import plain as cases

    work = cases.fit if fit else cases.evaluate
    report(f"Plain messages, {path.stem}", options.measured(lambda tick: work(path, partial(tick, "Cases"))), out)


def statements(
    folder: Lives,
    model: Annotated[Path | None, typer.Option(help="A judge to measure, instead of the bundled one.")] = None,
    out: options.JsonOut = None,
) -> None:
    """Measure how well the judge tells what conversations say from what they do not.

    \b
    Examples:
      goalmem eval statements lab/lives
      goalmem eval statements lab/lives --model judge.onnx
    """
    from goalmem_lab.evals.lives import statement_figures

    report(f"Statements, {folder.name}", options.measured(lambda tick: statement_figures(folder, model)), out)


def spans(
    folder: Lives,
    model: Annotated[Path | None, typer.Option(help="A reader to measure, instead of the bundled one.")] = None,
    out: options.JsonOut = None,
) -> None:
    """Measure how well the reader reads answers out of the turns of lives that hold them.

    \b
    Examples:
      goalmem eval spans lab/lives
      goalmem eval spans lab/lives --model reader.onnx
    """
    from goalmem_lab.evals.lives import span_figures

    report(f"Spans, {folder.name}", options.measured(lambda tick: span_figures(folder, model)), out)


def certainty(folder: Lives, out: options.JsonOut = None) -> None:
    """Fit what an answer is worth, to conversations that reader and judge were not trained on: before it is judged, and judged.

    The weights are those of `goalmem.sources.certainty.answer_ranking`. With them: what each threshold does, cross-validated by conversation.

    \b
    Examples:
      goalmem eval certainty lab/lives --json weights.json
    """
    from goalmem_lab.evals.lives import fit_certainty

    report("Certainty", options.measured(lambda tick: fit_certainty(folder, partial(tick, "Lives"))), out)


def sweep(
    path: options.PathArgument,
    depths: Annotated[str, typer.Option(metavar="NUMBERS", help="Values of D_max, with commas between.")] = "1,2,3,4",
    breadths: Annotated[str, typer.Option(metavar="NUMBERS", help="Values of B_max.")] = "1,2,3",
    reasoner: options.By = "local",
    pictures: Pictures = None,
    limit: options.Limit = None,
    categories: options.Categories = None,
    sample: options.Sample = None,
    seed: options.Seed = 0,
    out: options.JsonOut = None,
    state: options.State = None,
    cache: options.Cache = None,
) -> None:
    """Measure answers at each depth and each breadth of reasoning, and draw them.

    PATH is LoCoMo, LongMemEval, or a folder of lives, of which those are asked that nothing was trained on. The same questions are
    asked at each D_max with each B_max.

    \b
    Examples:
      goalmem eval sweep lab/lives --categories multi-hop,counting,listing,temporal --sample 100 --picture sweep.svg
      goalmem eval sweep locomo10.json --categories 1,3 --picture sweep.svg --picture sweep.png
      goalmem eval sweep locomo10.json --sample 100 --depths 1,3 --breadths 2
    """
    from goalmem_lab.evals.locomo_data import NUMBERED
    from goalmem_lab.evals.picture import check_picture
    from goalmem_lab.evals.selection import Selection, split_names
    from goalmem_lab.evals.sweep import draw, table
    from goalmem_lab.evals.sweep import sweep as measure

    for picture in pictures or ():
        check_picture(picture)
    kinds = frozenset(NUMBERED.get(name, name) for name in split_names(categories))
    figures = options.measured(
        lambda tick: measure(
            path, depths=_numbers(depths), breadths=_numbers(breadths), reasoner=reasoner,
            selection=Selection(limit, kinds, sample, seed), progress=tick, state=state, cache=cache,
        )
    )  # fmt: skip
    write_figures(figures, out)
    for picture in pictures or ():
        draw(figures, picture)
    print_table("Token F1 by depth and breadth", *table(figures))


def calibrate(
    runs: Runs,
    pictures: Pictures = None,
    out: options.JsonOut = None,
) -> None:
    """Measure how well confidences hold as probabilities.

    \b
    Examples:
      goalmem eval calibrate friends.jsonl longmemeval.jsonl locomo.jsonl --picture reliability.svg
    """
    from goalmem_lab.evals.calibration import calibrate as measure
    from goalmem_lab.evals.calibration import draw, tables
    from goalmem_lab.evals.picture import check_picture

    for picture in pictures or ():
        check_picture(picture)
    figures = measure(runs)
    write_figures(figures, out)
    for picture in pictures or ():
        draw(figures, picture)
    for title, columns, rows in tables(figures):
        print_table(title, columns, rows)


def errors(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="What --save wrote.")],
    categories: Annotated[
        str | None, typer.Option("--category", metavar="NAMES", help="Only these kinds, with commas between.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many questions.")] = 50,
) -> None:
    """Sort the questions that failed by where they failed, as Markdown: a first sorting, to be looked through.

    \b
    Examples:
      goalmem eval errors answers.jsonl --category 1 --count 50 > errors.md
    """
    from goalmem_lab.evals.calibration import once
    from goalmem_lab.evals.failures import failures_of, summary, table
    from goalmem_lab.evals.locomo_data import NUMBERED
    from goalmem_lab.evals.runs import read_run
    from goalmem_lab.evals.selection import read_categories, split_names

    rows = once(read_run(run))
    kinds = read_categories(split_names(categories), {r["category"] for r in rows}, NUMBERED)
    failures = failures_of(rows, kinds, count)
    print_markdown(*summary(failures))
    typer.echo()
    print_markdown(*table(failures))


def _numbers(given: str) -> list[int]:
    try:
        found = [int(part) for part in given.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found:
        raise InputError(f"{given!r} is no list of numbers.", "Write it like 1,2,3.")
    return found
