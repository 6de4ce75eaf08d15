"""Many conversations remembered: files cut into partitions, partitions stored by the workers of an engine."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from goalmem.errors import InputError, StoreError
from goalmem.integrations.bulk.engine import Engine, LocalEngine
from goalmem.integrations.bulk.job import Job, LeftOut, Plan, Source, opened
from goalmem.integrations.bulk.work import IngestWork
from goalmem.maintenance.open_store import open_with_embedder
from goalmem.settings import Settings, load_settings
from goalmem.store.location import is_postgres, locate

__all__ = ["PARTITIONS", "Ingest", "Progress", "Report", "ingest"]

PARTITIONS = 256
"""By default: some ten for each of two dozen workers, so that the last ones end at nearly the same time."""

Progress = Callable[[int, int], None]
"""Called with how many messages are stored, and of how many."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """What is remembered, and where. Files are JSONL (goalmem.integrations.bulk.lines)."""

    files: Sequence[str | os.PathLike[str]]
    store: str
    space: str = "default"
    """Of lines that name none."""
    at: datetime | None = None
    """When it was said, for what gives no time; None: when it is stored."""
    skip_bad: bool = False
    """Leave out lines and messages that cannot be used, and report them, instead of refusing the job."""
    day_first: bool = False
    partitions: int = PARTITIONS
    work: Path | None = None
    """Folder of the job while it lasts; every worker must reach it. Default: .goalmem/bulk."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a job."""

    messages: int
    """That are in the store: all of the files, but for `left_out` and those that only call tools."""
    new: int
    """How many of them were not there when they were added. One that a killed worker stored counts as there."""
    partitions: int
    resumed: int
    """Partitions that an earlier run of the same job had done."""
    restarted: int
    """Partitions begun again in this run, since their worker was lost."""
    workers: int
    seconds: float
    starting: float
    """Of the seconds, those before the first worker began; its models it loads after that."""
    cpu_seconds: float
    """Processor time of the workers that reported, in this run."""
    added: int
    """Messages that were new in this run."""
    undated: int
    left_out: tuple[LeftOut, ...]

    @property
    def per_second(self) -> float:
        """New messages a second, in this run."""
        return self.added / self.seconds if self.seconds else 0.0

    @property
    def per_core_second(self) -> float:
        """New messages for each second of processor time: throughput per core."""
        return self.added / self.cpu_seconds if self.cpu_seconds else 0.0


def ingest(
    job: Ingest, *, engine: Engine | None = None, settings: Settings | None = None, progress: Progress | None = None
) -> Report:
    """Remember what the files hold; with an engine, by its workers (default: one, in this process).

    Nothing is stored before all files were read and found good. Called again after it was stopped, it goes on; called again after it
    was done, it finds everything there. Raises FormatError with file and line, InputError, StoreError; what was stored stays.
    """
    engine = engine or LocalEngine()
    settings = settings or load_settings()
    store = lasting(job.store)
    if not job.files or job.partitions < 1:
        raise InputError("There is nothing to ingest.", "Name a file of JSONL, and at least one partition.")
    source = Source(
        tuple(Path(file) for file in job.files), job.space, job.partitions, job.at, job.skip_bad, job.day_first,
        settings.max_message_characters,
    )  # fmt: skip
    kept, plan = opened(source, _identity(store, settings), job.work)
    work = IngestWork(
        store, settings, str(kept.folder), tuple(str(file) for file in job.files), job.at, job.skip_bad,
        engine.threads,
    )  # fmt: skip
    report = _run(kept, plan, work, engine, progress or _ignore)
    kept.remove()
    return report


def lasting(store: str) -> str:
    """The place of a store for workers whose working folder may be another. Raises InputError for one in memory."""
    if is_postgres(store):
        return store
    path = locate(store).path
    if path is None:
        raise InputError("A store in memory is gone with its worker.", "Name a file or a database.")
    return str(path)


def _identity(store: str, settings: Settings) -> str:
    """Tells a store from any other, and from one that was at its place before; makes it where there is none."""
    held, _ = open_with_embedder(store, settings)
    try:
        return repr((store, held.meta()["created"].isoformat()))
    finally:
        held.close()


def _ignore(done: int, total: int) -> None:
    """For callers that do not watch."""
    del done, total


def _run(kept: Job, plan: Plan, work: IngestWork, engine: Engine, progress: Progress) -> Report:
    done = kept.done()
    kept.restart()
    outcomes: list[Mapping[str, Any]] = list(done.values())
    # The largest first: none of them is left for the end, when the other workers have nothing to do.
    left = sorted(set(plan.by_partition) - set(done), key=lambda number: (-plan.by_partition[number], number))
    count = sum(plan.by_partition[number] for number in done)
    progress(count, plan.messages)
    at, began = time.time(), time.perf_counter()
    fresh: list[Mapping[str, Any]] = []
    for outcome in _outcomes(engine, work, left):
        kept.keep(outcome)
        fresh.append(outcome)
        count += plan.by_partition[outcome["partition"]]
        progress(count, plan.messages)
    seconds = time.perf_counter() - began
    _check(plan, outcomes + fresh)
    outcomes += fresh
    return Report(
        messages=sum(o["messages"] for o in outcomes),
        new=sum(o["new"] for o in outcomes),
        partitions=len(outcomes),
        resumed=len(done),
        restarted=sum(o["starts"] > 1 for o in fresh),
        workers=engine.workers,
        seconds=round(seconds, 3),
        starting=round(max(0.0, min((o["began"] for o in fresh), default=at) - at), 3),
        cpu_seconds=round(sum(o["cpu_seconds"] for o in fresh), 3),
        added=sum(o["new"] for o in fresh),
        undated=plan.undated,
        left_out=plan.left_out + tuple(LeftOut(**entry) for o in outcomes for entry in o["left_out"]),
    )


def _outcomes(engine: Engine, work: IngestWork, left: Sequence[int]) -> Iterator[Mapping[str, Any]]:
    """A file is written on its own machine only: other machines would not see each other's locks."""
    for text in engine.run(work, [str(number) for number in left], here=not is_postgres(work.store)):
        outcome: Mapping[str, Any] = json.loads(text)
        yield outcome


def _check(plan: Plan, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Every message that was planned is stored or reported, whatever became of workers."""
    for outcome in outcomes:
        number = outcome["partition"]
        found = outcome["messages"] + len(outcome["left_out"])
        if found != plan.by_partition.get(number):
            raise StoreError(
                f"Partition {number} has {plan.by_partition.get(number)} messages, of which {found} are accounted for.",
                "Run the command again; if it says the same, report it.",
            )
    if missing := set(plan.by_partition) - {outcome["partition"] for outcome in outcomes}:
        raise StoreError(f"{len(missing)} partitions were not reported.", "Run the command again: it goes on.")
