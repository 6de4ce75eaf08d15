"""What a worker does with a partition: read it, derive what there is to derive, and store it, with the models it holds.

Exactly once: each call of `Memory.add` is one transaction, and a turn has the same id on every machine. What a worker had stored
before it was killed, whether it could say so or not, is found there by the next one, and passed over before any model is asked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from goalmem.errors import FormatError, InputError, NotFoundError
from goalmem.integrations.bulk.job import Job, LeftOut
from goalmem.integrations.bulk.lines import EPOCH
from goalmem.integrations.bulk.partitions import Portion, partition_file, portions_in, without
from goalmem.integrations.bulk.starts import begin, worker_name
from goalmem.io.chat_messages import Message, parse_messages
from goalmem.maintenance.memory_turns import turn_identity
from goalmem.maintenance.open_store import open_with_embedder
from goalmem.memory import Memory
from goalmem.settings import Settings

__all__ = ["IngestWork", "Outcome", "open_memory", "store_portions"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a partition."""

    partition: int
    messages: int
    """That are in the store now."""
    new: int
    """How many of them were not there when they were added; without those of a worker that was killed."""
    began: float
    """When its worker began it, Unix seconds."""
    seconds: float
    cpu_seconds: float
    """Processor time of the worker, all its threads."""
    starts: int
    """Workers that began it: more than one where some were killed."""
    worker: str
    """Host and process that finished it."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class IngestWork:
    """Makes workers that store partitions. Travels to the process where they work."""

    store: str
    settings: Settings = field(repr=False)
    folder: str
    files: tuple[str, ...]
    """Names of the input files, for messages."""
    at: datetime | None = None
    """When it was said, for what gives no time; None: when it is stored."""
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
        """Store the partition of this number; what came of it, as JSON."""
        number, job = int(task), Job(Path(self._work.folder))
        starts = begin(job.started / str(number))
        at, began, cpu = time.time(), time.perf_counter(), time.process_time()
        left_out: list[LeftOut] = []
        messages = new = 0
        for stored, added in store_portions(
            self._memory, portions_in(partition_file(job.folder, number)), self._work, left_out
        ):
            messages, new = messages + stored, new + added
        spent = time.perf_counter() - began, time.process_time() - cpu
        return json.dumps(asdict(Outcome(number, messages, new, at, *spent, starts, worker_name(), tuple(left_out))))

    def close(self) -> None:
        """Release the store."""
        self._memory.close()


def store_portions(
    memory: Memory, portions: Iterator[Portion], work: IngestWork, left_out: list[LeftOut]
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
                LeftOut(work.files[portion.origins[n][0]], portion.origins[n][1], problem)
                for n, problem in sorted(bad.items())
            ]
            rest = without(portion, set(bad))
            yield _added(memory, rest, work) if rest.messages else (0, 0)


def _added(memory: Memory, portion: Portion, work: IngestWork) -> tuple[int, int]:
    dated = all("at" in message for message in portion.messages)
    at = portion.at or (None if dated else work.at)
    receipt = memory.add(portion.messages, space=portion.space, session=portion.session, at=at)
    return len(receipt.turns), receipt.new


def clashes(memory: Memory, portion: Portion) -> dict[int, str]:
    """Messages, by place, whose id is known in their session with other content, and what is wrong with each."""
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


def _changed(memory: Memory, portion: Portion, message: Message) -> bool:
    """Whether the store holds something else under the id of a message."""
    turn_id = turn_identity(portion.space, portion.session, f"id:{message.external_id}")
    try:
        held = memory.turn(turn_id, space=portion.space)
    except NotFoundError:
        return False
    return (held.text, held.caption, held.speaker) != (message.text, message.caption, message.speaker)


def _where(portion: Portion, place: int, work: IngestWork) -> str:
    file, line = portion.origins[place]
    return f"{work.files[file]}, line {line}"


def open_memory(store: str, settings: Settings, threads: int = 1) -> Memory:
    """The store, with its embedder on so many threads: by default one, as a worker has one core. Raises as `Memory`."""
    from goalmem.models.combined import Combined
    from goalmem.models.e5 import E5
    from goalmem.models.minilm import MiniLM
    from goalmem.models.registry import embedder_named

    held, embedder = open_with_embedder(store, settings)
    held.close()
    if isinstance(embedder, MiniLM | E5 | Combined):
        embedder = embedder_named(embedder.name, threads=threads) or embedder
    return Memory(store, settings=settings, embedder=embedder)
