"""Many conversations remembered: files cut into partitions, partitions stored by the workers of an engine.

Exactly once: each call of `Memory.add` is one transaction, and a turn has the same id on every machine. What a worker had stored
before it was killed, whether it could say so or not, is found there by the next one, and passed over before any model is asked.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, InputError, NotFoundError, StoreError
from goalmem.integrations.bulk.engine import Engine, LocalEngine, begin, worker_name
from goalmem.integrations.bulk.job import BulkJob, JobPlan, SkippedLine, Source, opened
from goalmem.integrations.bulk.partitions import EPOCH, MessagePortion, partition_file, portions_in, without
from goalmem.io.chat_messages import InputMessage, parse_messages
from goalmem.maintenance.memory_turns import turn_identity
from goalmem.maintenance.open_store import open_with_embedder
from goalmem.memory import Memory
from goalmem.settings import Settings, load_settings
from goalmem.store.location import is_postgres, locate

PARTITIONS = 256
"""By default: some ten for each of two dozen workers, so that the last ones end at nearly the same time."""

Progress = Callable[[int, int], None]
"""Called with how many messages are stored, and of how many."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """Input files and target of a job. Files are JSONL (goalmem.integrations.bulk.partitions)."""

    files: Sequence[str | os.PathLike[str]]
    store: str
    space: str = "default"
    """Space of lines that do not name one."""
    at: datetime | None = None
    """Time of messages without one; None: the time of storing."""
    skip_bad: bool = False
    """Leave out lines and messages that cannot be used, and report them, instead of refusing the job."""
    day_first: bool = False
    partitions: int = PARTITIONS
    work: Path | None = None
    """Folder of the job while it lasts; every worker must reach it. Default: .goalmem/bulk."""


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a job."""

    messages: int
    """Messages in the store: all of the files, except `left_out` and those with only tool calls."""
    new: int
    """New messages. A message stored by a worker that was killed does not count as new."""
    partitions: int
    resumed: int
    """Partitions that an earlier run of the same job had done."""
    restarted: int
    """Partitions begun again in this run, since their worker was lost."""
    workers: int
    seconds: float
    starting: float
    """Seconds before the first worker started, without the loading of models."""
    cpu_seconds: float
    """Processor time of the workers that reported, in this run."""
    added: int
    """Messages that were new in this run."""
    undated: int
    left_out: tuple[SkippedLine, ...]

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
    """Store the messages of files, with the workers of an engine (default: one, in this process).

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
    report = _run(kept, plan, work, engine, progress or (lambda done, total: None))
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
    """Identity of a store, which differs from that of an earlier store at the same place; creates the store if
    needed.
    """
    with closing(open_with_embedder(store, settings)[0]) as held:
        return repr((store, held.meta()["created"].isoformat()))


def _run(kept: BulkJob, plan: JobPlan, work: IngestWork, engine: Engine, progress: Progress) -> Report:
    done = kept.done()
    kept.restart()
    outcomes: list[Mapping[str, Any]] = list(done.values())
    # Largest partitions first, for balanced load at the end.
    left = sorted(set(plan.by_partition) - set(done), key=lambda number: (-plan.by_partition[number], number))
    count = sum(plan.by_partition[number] for number in done)
    progress(count, plan.messages)
    at, began = time.time(), time.perf_counter()
    fresh: list[Mapping[str, Any]] = []
    # A file is written on its own machine only: other machines would not see each other's locks.
    for text in engine.run(work, [str(number) for number in left], here=not is_postgres(work.store)):
        outcome: Mapping[str, Any] = json.loads(text)
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
        left_out=plan.left_out + tuple(SkippedLine(**entry) for o in outcomes for entry in o["left_out"]),
    )


def _check(plan: JobPlan, outcomes: Sequence[Mapping[str, Any]]) -> None:
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


@dataclass(frozen=True, slots=True)
class PartitionOutcome:
    """Result for a partition."""

    partition: int
    messages: int
    """Messages that are now in the store."""
    new: int
    """New messages, without those of a worker that was killed."""
    began: float
    """When its worker began it, Unix seconds."""
    seconds: float
    cpu_seconds: float
    """Processor time of the worker, all its threads."""
    starts: int
    """Workers that began it: more than one where some were killed."""
    worker: str
    """Host and process that finished it."""
    left_out: tuple[SkippedLine, ...] = ()


@dataclass(frozen=True)
class IngestWork:
    """Makes workers that store partitions. Travels to the process where they work."""

    store: str
    settings: Settings = field(repr=False)
    folder: str
    files: tuple[str, ...]
    """Names of the input files, for messages."""
    at: datetime | None = None
    """Time of messages without one; None: the time of storing."""
    skip_bad: bool = False
    threads: int = 1

    def __call__(self) -> Ingester:
        """A worker, its memory opened."""
        return Ingester(self)


class Ingester:
    """A `Worker` that stores partitions, one after the other."""

    def __init__(self, work: IngestWork) -> None:
        self._work = work
        self._memory = open_memory(work.store, work.settings, work.threads)

    def __call__(self, task: str) -> str:
        """Store the partition with this number; returns the result as JSON."""
        number, job = int(task), BulkJob(Path(self._work.folder))
        starts = begin(job.started / str(number))
        at, began, cpu = time.time(), time.perf_counter(), time.process_time()
        left_out: list[SkippedLine] = []
        messages = new = 0
        for stored, added in store_portions(
            self._memory, portions_in(partition_file(job.folder, number)), self._work, left_out
        ):
            messages, new = messages + stored, new + added
        spent = time.perf_counter() - began, time.process_time() - cpu
        return json.dumps(
            asdict(PartitionOutcome(number, messages, new, at, *spent, starts, worker_name(), tuple(left_out)))
        )

    def close(self) -> None:
        """Release the store."""
        self._memory.close()


def store_portions(
    memory: Memory, portions: Iterator[MessagePortion], work: IngestWork, left_out: list[SkippedLine]
) -> Iterator[tuple[int, int]]:
    """Add portions in order; of each, how many messages are stored now and how many of them were new.

    Raises FormatError with file and line for a message id that is known with other content, unless bad ones are skipped: then they
    are told in `left_out`. StoreError as `Memory.add`.
    """
    for portion in portions:
        try:
            yield _added(memory, portion, work)
        except InputError as error:
            bad = clashes(memory, portion)
            if not bad:
                raise FormatError(f"{_where(portion, 0, work)}: {error.problem}", error.remedy) from error
            first = min(bad)
            if not work.skip_bad:
                remedy = "Correct it, forget the turn, or leave it out with --skip-bad."
                raise FormatError(f"{_where(portion, first, work)}: {bad[first]}.", remedy) from error
            left_out += [
                SkippedLine(work.files[portion.origins[n][0]], portion.origins[n][1], problem)
                for n, problem in sorted(bad.items())
            ]
            rest = without(portion, set(bad))
            yield _added(memory, rest, work) if rest.messages else (0, 0)


def _added(memory: Memory, portion: MessagePortion, work: IngestWork) -> tuple[int, int]:
    dated = all("at" in message for message in portion.messages)
    at = portion.at or (None if dated else work.at)
    receipt = memory.add(portion.messages, space=portion.space, session=portion.session, at=at)
    return len(receipt.turns), receipt.new


def clashes(memory: Memory, portion: MessagePortion) -> dict[int, str]:
    """Positions of messages whose id has other content in their session, with the problem."""
    found: dict[int, str] = {}
    first: dict[str, str] = {}
    for place, raw in enumerate(portion.messages):
        (message,) = parse_messages(
            [raw], at=portion.at or EPOCH, timed=False, longest=memory.settings.max_message_characters
        )
        if not message.external_id:
            continue
        same = first.setdefault(message.external_id, message.content_hash) == message.content_hash
        if not same or _changed(memory, portion, message):
            found[place] = f"the message id {message.external_id!r} is known in its session with other content"
    return found


def _changed(memory: Memory, portion: MessagePortion, message: InputMessage) -> bool:
    """True if the store holds something else under the id of a message."""
    turn_id = turn_identity(portion.space, portion.session, f"id:{message.external_id}")
    try:
        held = memory.turn(turn_id, space=portion.space)
    except NotFoundError:
        return False
    return (held.text, held.caption, held.speaker) != (message.text, message.caption, message.speaker)


def _where(portion: MessagePortion, place: int, work: IngestWork) -> str:
    file, line = portion.origins[place]
    return f"{work.files[file]}, line {line}"


def open_memory(store: str, settings: Settings, threads: int = 1) -> Memory:
    """The store, with its embedder on so many threads: by default one, as a worker has one core. Raises as `Memory`."""
    from goalmem.models.e5 import E5
    from goalmem.models.minilm import MiniLM
    from goalmem.models.registry import CombinedEmbedder, embedder_named

    held, embedder = open_with_embedder(store, settings)
    held.close()
    if isinstance(embedder, MiniLM | E5 | CombinedEmbedder):
        embedder = embedder_named(embedder.name, threads=threads) or embedder
    return Memory(store, settings=settings, embedder=embedder)
