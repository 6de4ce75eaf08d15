"""`goalmem bulk`: many conversations remembered by several workers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from goalmem.cli.options import AsJson, Space, Store, moment, settings_for
from goalmem.cli.outcome import CommandGroup, interruptible, note
from goalmem.cli.output import bar, counted, write_json
from goalmem.errors import InputError

if TYPE_CHECKING:
    from goalmem.integrations.bulk import Engine, Report


bulk = typer.Typer(
    name="bulk",
    cls=CommandGroup,
    help="Work on many conversations with several workers.\n\n\b\nExamples:\n  goalmem bulk ingest messages.jsonl"
    "\n  goalmem bulk ingest dump/*.jsonl --engine ray --workers 8",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


EngineName: TypeAlias = Literal["local", "ray"]
Engines: TypeAlias = Annotated[
    EngineName, typer.Option("--engine", help="One worker in this process, or several of Ray Data.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--workers", min=1, metavar="N", help="Workers of Ray, a core each; default: 2.")
]
Address: TypeAlias = Annotated[
    str | None,
    typer.Option("--address", metavar="HOST:PORT", help="A Ray cluster that runs; default: one started for the work."),
]

DEFAULT_WORKERS = 2


@bulk.command()
def ingest(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSONL: a message or a conversation a line.")],
    store: Store = None,
    space: Space = None,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    at: Annotated[str | None, typer.Option(metavar="DATE", help="When it was said, for what gives no time.")] = None,
    day_first: Annotated[bool, typer.Option("--day-first", help="Read 03/04/2024 as 3 April.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines and messages that cannot be used, and list them.")
    ] = False,
    partitions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Parts that spaces are spread over; default: 256.")
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the job is kept while it lasts; default: .goalmem/bulk."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Remember many conversations, of many spaces.

    A line names its space and session: {"space": "maya", "session": "monday", "role": "user", "content": "..."}; those that name
    no space are of --space. All files are read before anything is stored. Spaces are worked on side by side, each in its order.
    Repeat the command after an interruption: it goes on.

    \b
    Examples:
      goalmem bulk ingest messages.jsonl --store memory.goalmem
      goalmem bulk ingest dump/*.jsonl --engine ray --workers 8 --store postgresql://goalmem@db.example/memories
      goalmem bulk ingest dump/*.jsonl --engine ray --workers 64 --address auto --work /shared/goalmem
    """
    from goalmem.integrations.bulk.ingest import PARTITIONS, Ingest
    from goalmem.integrations.bulk.ingest import ingest as ingest_files

    settings = settings_for(store, space)
    job = Ingest(files, settings.store, settings.space, moment(at), skip_bad, day_first, partitions or PARTITIONS, work)
    with interruptible("What was stored is kept; run the same command again to go on."), bar("messages") as told:
        done = ingest_files(job, engine=engine_of(engine, workers, address), settings=settings, progress=told)
    print_report(done, settings.store, as_json=as_json)


def engine_of(name: EngineName, workers: int | None, address: str | None) -> Engine:
    """The engine that the options name. Raises InputError where they contradict each other."""
    from goalmem.integrations.bulk.engine import LocalEngine

    if name == "local":
        if address is not None or (workers or 1) > 1:
            raise InputError("Without Ray there is one worker, in this process.", "Add --engine ray.")
        return LocalEngine()
    from goalmem.integrations.bulk.ray_engine import RayEngine

    return RayEngine(workers or DEFAULT_WORKERS, address=address)


def print_report(done: Report, store: str, *, as_json: bool) -> None:
    """Print the result of a job; skipped parts go to stderr, line by line."""
    for left in done.left_out:
        note(f"{left.file}, line {left.line}, left out: {left.problem}.")
    if done.undated:
        note(
            f"Without a time, taken as said when stored: {counted(done.undated, 'message')}. Pass --at DATE to say when."
        )
    if done.restarted:
        note(f"Begun again, since a worker was lost: {counted(done.restarted, 'partition')}.")
    if as_json:
        figures = {"per_second": round(done.per_second, 2), "per_core_second": round(done.per_core_second, 2)}
        write_json({"store": store} | asdict(done) | figures)
        return
    there, left_out = done.messages - done.new, len(done.left_out)
    typer.echo(f"{counted(done.messages, 'message')} stored, {done.new} new, {there} there before, {left_out} left out")
    if done.added:
        rates = f"{done.per_second:.1f} messages/s, {done.per_core_second:.1f} for each second of a core"
        parts, workers = counted(done.partitions, "partition"), counted(done.workers, "worker")
        typer.echo(f"{parts} by {workers} in {done.seconds:.1f} s: {rates}")
