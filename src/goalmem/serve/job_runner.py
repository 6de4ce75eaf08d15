"""Jobs as they run: in the background, a few at once, taken up again after a restart.

Files are read and remembered in small pieces, so that other work comes between: each piece is a step of an iterator that a
thread advances, and is stored when the step is done. A job that is taken up again reads the file from its beginning and leaves
out the messages that were counted as done; what was stored and not counted is added again, and adds nothing.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from goalmem.errors import FormatError, GoalmemError, InputError, ModelError, StoreError
from goalmem.graph.imports import GraphReport, import_graph, source_of
from goalmem.io import Conversation, Options, read_chat
from goalmem.io.chat_messages import Message, parse_when
from goalmem.io.dates import read_moment
from goalmem.io.documents import DOCUMENT_REMEDY, open_document
from goalmem.io.documents.addition import DocumentOptions
from goalmem.io.documents.addition import portions as document_portions
from goalmem.io.portable import GraphPortion, RulePortion, portions
from goalmem.maintenance.memory_turns import document_space, store_messages
from goalmem.memory import Memory
from goalmem.serve.jobs import Job, JobOptions, JobState, JobStore
from goalmem.serve.lists import store_of
from goalmem.serve.logs import log, where_raised
from goalmem.serve.problems import OF_STORE
from goalmem.serve.refusals import BusyError, StoppingError
from goalmem.serve.workers import Lane, LaneName, Width, Workers

T = TypeVar("T")

AT_ONCE, AT_ONCE_OF_CALLER = 4, 2
"""Jobs under way, and those of one caller: each holds a file open, and they share the store's one writer."""
PAUSE = 1.0
"""Seconds to wait where no place was left among what waits."""
DEFECT = ("The server has a defect.", "Report it with the id of the job; the log has more.")


class Runner:
    """Runs jobs. For one event loop."""

    def __init__(self, memory: Memory, jobs: JobStore, workers: Workers) -> None:
        self._memory = memory
        self._jobs = jobs
        self._workers = workers
        self._places = Lane(Width(AT_ONCE, 2**31, AT_ONCE_OF_CALLER))
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.importing = threading.Lock()
        """Held while a graph is imported; who removes the job, and then takes this, knows that nothing more of it comes."""
        self._stopping = False

    def take_up(self) -> None:
        """Go on with every job that is not finished."""
        for job in self._jobs.unfinished():
            self.start(job)

    def start(self, job: Job) -> None:
        """Run a job in the background, unless it runs already."""
        if self._stopping or job.id in self._tasks:
            return
        task = asyncio.create_task(self._run(job))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    async def cancel(self, id_: str) -> None:
        """End a job; the step that it is in is cancelled."""
        task = self._tasks.get(id_)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def stop(self) -> None:
        """End every job; the next process takes them up, and does again the step that this one was in."""
        self._stopping = True
        self._places.stop()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _run(self, job: Job) -> None:
        try:
            await self._places.enter(job.caller)
        except StoppingError:
            return
        try:
            await self._carried_out(job)
        except (StoppingError, asyncio.CancelledError):
            log(logging.INFO, "job interrupted", job=job.id)
        except GoalmemError as error:
            log(logging.WARNING, "job failed", job=job.id, error=type(error).__name__)
            self._failed(job, *self._told(job, error))
        except Exception as error:  # noqa: BLE001 - a defect: told to the log, and to the caller without its words
            log(logging.ERROR, "job failed", job=job.id, **where_raised(error))
            self._failed(job, *DEFECT)
        finally:
            self._places.leave(0.0, job.caller)

    async def _carried_out(self, job: Job) -> None:
        if job.options.format == "graph":
            await self._imported(job)
            return
        file = self._jobs.file(job.id)
        if job.total is None:
            self._jobs.note(job.id, state=JobState.CHECKING)
            total = 0
            counting = counted(job, file, Limits.of(self._memory))
            while (found := await self._step(LaneName.LOADING, job, counting)) is not None:
                total = found
            self._jobs.note(job.id, total=total)
        self._jobs.note(job.id, state=JobState.RUNNING)
        done, new = job.done, job.new
        storing = stored(self._memory, job, file)
        while (progress := await self._step(LaneName.WRITING, job, storing)) is not None:
            done, new = done + progress.messages, new + progress.new
            self._jobs.note(job.id, done=done, new=new)
        if self._jobs.there(job.id):
            self._jobs.finish(job.id)
            log(logging.INFO, "job done", job=job.id, messages=done, new=new)

    async def _imported(self, job: Job) -> None:
        """A graph goes in at once, beside other writes: it has a lock and pieces of its own."""
        self._jobs.note(job.id, state=JobState.RUNNING)
        wanted = partial(self._wanted, job)

        def work() -> GraphReport:
            with self.importing:
                return imported(self._memory, job, self._jobs.file(job.id), wanted)

        report = await self._workers.run(LaneName.LOADING, f"job {job.caller}", work)
        self._jobs.note(job.id, total=report.entries, done=report.entries, new=report.triples)
        self._jobs.finish(job.id)

    def _wanted(self, job: Job) -> bool:
        return not self._stopping and self._jobs.there(job.id)

    async def _step(self, lane: LaneName, job: Job, steps: Iterator[T]) -> T | None:
        """The next step, done in a thread; None at the end. Waits for a place as long as it takes."""

        def advance() -> T | None:
            # It may have been removed, with all that was to be remembered of it, while this step waited.
            return next(steps, None) if self._jobs.there(job.id) else None

        while True:
            try:
                about = job.space if lane is LaneName.WRITING else ""
                return await self._workers.run(lane, f"job {job.caller}", advance, about)
            except BusyError:
                await asyncio.sleep(PAUSE)

    def _told(self, job: Job, error: GoalmemError) -> tuple[str, str]:
        """What went wrong and what to do, without a path of the server: the file is called as its sender did."""
        if isinstance(error, StoreError | ModelError):
            return OF_STORE
        file = self._jobs.file(job.id)
        told = [text.replace(str(file), job.options.name) for text in (error.problem, error.remedy)]
        return told[0].replace(file.name, job.options.name), told[1].replace(file.name, job.options.name)

    def _failed(self, job: Job, problem: str, remedy: str) -> None:
        self._jobs.note(job.id, state=JobState.FAILED, problem=problem, remedy=remedy)


PIECE = 32
"""Messages stored at once: half a second on two cores."""
COUNTED = 500
"""Messages counted in one step."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a memory takes."""

    characters: int
    """Of a message."""
    bytes: int
    """Of a document."""
    captions: bool
    """Whether pictures without a caption are captioned by the chat model."""

    @classmethod
    def of(cls, memory: Memory) -> Limits:
        """Those of its settings."""
        settings = memory.settings
        return cls(settings.max_message_characters, settings.max_file_mb * 2**20, settings.captions)


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive messages of one session."""

    session: str
    at: datetime | None
    messages: tuple[tuple[int, Message], ...]
    """Each with its place in the portion of the conversation: part of its identity, as when a file is added at once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What one step did."""

    messages: int
    new: int


def counted(job: Job, file: Path, limits: Limits) -> Iterator[int]:
    """Read a file through, storing nothing; yields how many messages there are up to here.

    Raises FormatError or InputError at the first thing that cannot be stored.
    """
    total = told = 0
    for piece in pieces(job.options, job.created, file, limits):
        total += len(piece.messages) if isinstance(piece, Piece) else 0
        if total - told >= COUNTED:
            told = total
            yield total
    yield total


def stored(memory: Memory, job: Job, file: Path) -> Iterator[Progress]:
    """Remember a file piece by piece, behind what is done of it already; yields what each step did, when it is on disk."""
    passed = 0
    said: dict[str, set[str]] = {}
    for piece in pieces(job.options, job.created, file, Limits.of(memory)):
        if isinstance(piece, RulePortion):
            store_of(memory).add_rules(job.space, piece.rules)
            continue
        if isinstance(piece, GraphPortion):
            import_graph(store_of(memory).graphs, job.space, source_of(piece.entries, piece.name))
            continue
        passed += len(piece.messages)
        if job.options.prune:
            said.setdefault(piece.session, set()).update(message.external_id for _, message in piece.messages)
        if passed <= job.done:
            continue
        if job.options.format == "document":
            new = document_space(memory._parts, job.space).keep(piece.messages, piece.session)
        else:
            _, new, _ = store_messages(memory._parts, piece.messages, job.space, piece.session, piece.at)
        yield Progress(len(piece.messages), new)
    for session, ids in said.items():
        space = document_space(memory._parts, job.space)
        for turn in list(space.gone(job.options.name, session, ids)):
            space.forget(turn)


def imported(memory: Memory, job: Job, file: Path, wanted: Callable[[], bool]) -> GraphReport:
    """Import a graph, as long as it is wanted. Raises StoppingError when it is not any more."""

    def progress(*_: object) -> None:
        if not wanted():
            raise StoppingError

    return memory.import_graph(
        file, space=job.space, format=job.options.triples, name=job.options.name, progress=progress
    )


def pieces(
    options: JobOptions, now: datetime, file: Path, limits: Limits
) -> Iterator[Piece | RulePortion | GraphPortion]:
    """What a file holds, in pieces to be stored. Without a date, messages count as said `now`.

    Raises FormatError or InputError at the first thing that cannot be stored.
    """
    if options.format == "document":
        yield from _of_document(options, now, file, limits)
        return
    if options.format == "export":
        for portion in portions(file):
            if isinstance(portion, RulePortion | GraphPortion):
                yield portion
            else:
                yield from _cut(portion.session, portion.at, portion.messages)
        return
    sessions: set[str] = set()
    with file.open("rb") as stream:
        for conversation in read_chat(stream, _reading(options)):
            sessions.add(conversation.session)
            if options.session is not None and len(sessions) > 1:
                raise InputError(f"{options.name} holds several sessions.", "Leave out `session`: they have names.")
            yield from _parsed(options, now, conversation, limits)


def _of_document(options: JobOptions, now: datetime, file: Path, limits: Limits) -> Iterator[Piece]:
    """The pieces of a document."""
    given = read_moment(options.at) if options.at is not None else None
    at = parse_when(given, options.name) if given is not None else now
    opened = open_document(file, kind=options.document, name=options.name, longest=limits.bytes)
    if opened is None:
        raise FormatError(f"{options.name} is no document that can be read.", f"{DOCUMENT_REMEDY}, or use format=chat.")
    told = DocumentOptions(options.session, at, options.author or "", options.noted, limits.characters)
    for portion in document_portions(opened, told):
        yield from _cut(portion.session, None, portion.messages)


def _parsed(options: JobOptions, now: datetime, conversation: Conversation, limits: Limits) -> Iterator[Piece]:
    """The messages of a conversation, checked."""
    given = read_moment(options.at) if options.at is not None else None
    told = conversation.moment(given)
    at = parse_when(told, options.name) if told is not None else None
    session = options.session or conversation.session
    messages = conversation.parsed(
        options.name, session, at, now=now, longest=limits.characters, captions=limits.captions
    )
    yield from _cut(session, at, tuple(enumerate(messages)))


def _cut(session: str, at: datetime | None, messages: tuple[tuple[int, Message], ...]) -> Iterator[Piece]:
    for first in range(0, len(messages), PIECE):
        yield Piece(session, at, messages[first : first + PIECE])


def _reading(options: JobOptions) -> Options:
    return Options(options.name, skip_bad=options.skip_bad, day_first=options.day_first)
