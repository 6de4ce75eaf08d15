"""Runs jobs in the background, a few at a time, and resumes them after a restart.

Files are read and stored in small pieces, so that other work can run in between: each piece is a step of an iterator
that a thread advances. A resumed job reads the file from the beginning and skips the messages counted as done; messages
stored but not yet counted are added again, which adds nothing.
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
from goalmem.io.chat_messages import InputMessage, parse_when
from goalmem.io.dates import read_moment
from goalmem.io.documents import DOCUMENT_REMEDY, open_document
from goalmem.io.documents.addition import DocumentOptions
from goalmem.io.documents.addition import portions as document_portions
from goalmem.io.portable import GraphPortion, RulePortion, portions
from goalmem.maintenance.memory_turns import document_space, store_messages
from goalmem.memory import Memory
from goalmem.serve.jobs import FileJob, JobOptions, JobState, JobStore
from goalmem.serve.lists import store_of
from goalmem.serve.logs import log, where_raised
from goalmem.serve.problems import OF_STORE
from goalmem.serve.refusals import BusyError, StoppingError
from goalmem.serve.workers import Lane, LaneName, LaneWidth, Workers

T = TypeVar("T")

AT_ONCE, AT_ONCE_OF_CALLER = 4, 2
"""Jobs under way, and those of one caller: each holds a file open, and they share the store's one writer."""
PAUSE = 1.0
"""Seconds to wait if the queue is full."""
DEFECT = ("The server has a defect.", "Report it with the id of the job; the log has more.")


class Runner:
    """Runs jobs. For one event loop."""

    def __init__(self, memory: Memory, jobs: JobStore, workers: Workers) -> None:
        self._memory = memory
        self._jobs = jobs
        self._workers = workers
        self._places = Lane(LaneWidth(AT_ONCE, 2**31, AT_ONCE_OF_CALLER))
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.importing = threading.Lock()
        """Held while a graph is imported. Removing the job and then acquiring this guarantees that the import has
        stopped.
        """
        self._stopping = False

    def take_up(self) -> None:
        """Go on with every job that is not finished."""
        for job in self._jobs.unfinished():
            self.start(job)

    def start(self, job: FileJob) -> None:
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

    async def _run(self, job: FileJob) -> None:
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

    async def _carried_out(self, job: FileJob) -> None:
        if job.options.format == "graph":
            await self._imported(job)
            return
        file = self._jobs.file(job.id)
        if job.total is None:
            self._jobs.note(job.id, state=JobState.CHECKING)
            total = 0
            counting = counted(job, file, UploadLimits.of(self._memory))
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

    async def _imported(self, job: FileJob) -> None:
        """Imported in one call, concurrently with other writes: it has its own lock and transactions."""
        self._jobs.note(job.id, state=JobState.RUNNING)
        wanted = partial(self._wanted, job)

        def work() -> GraphReport:
            with self.importing:
                return imported(self._memory, job, self._jobs.file(job.id), wanted)

        report = await self._workers.run(LaneName.LOADING, f"job {job.caller}", work)
        self._jobs.note(job.id, total=report.entries, done=report.entries, new=report.triples)
        self._jobs.finish(job.id)

    def _wanted(self, job: FileJob) -> bool:
        return not self._stopping and self._jobs.there(job.id)

    async def _step(self, lane: LaneName, job: FileJob, steps: Iterator[T]) -> T | None:
        """The next step, done in a thread; None at the end. Waits for a place as long as it takes."""

        def advance() -> T | None:
            # The job may have been removed, together with its turns, while this step waited.
            return next(steps, None) if self._jobs.there(job.id) else None

        while True:
            try:
                about = job.space if lane is LaneName.WRITING else ""
                return await self._workers.run(lane, f"job {job.caller}", advance, about)
            except BusyError:
                await asyncio.sleep(PAUSE)

    def _told(self, job: FileJob, error: GoalmemError) -> tuple[str, str]:
        """The problem and its remedy, without paths of the server: the file has the sender's name for it."""
        if isinstance(error, StoreError | ModelError):
            return OF_STORE
        file = self._jobs.file(job.id)
        told = [text.replace(str(file), job.options.name) for text in (error.problem, error.remedy)]
        return told[0].replace(file.name, job.options.name), told[1].replace(file.name, job.options.name)

    def _failed(self, job: FileJob, problem: str, remedy: str) -> None:
        self._jobs.note(job.id, state=JobState.FAILED, problem=problem, remedy=remedy)


PIECE = 32
"""Messages per transaction: half a second on two cores."""
COUNTED = 500
"""Messages counted in one step."""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Limits of a memory."""

    characters: int
    """Characters of a message."""
    bytes: int
    """Bytes of a document."""
    captions: bool
    """True if pictures without a caption are captioned by the chat model."""
    analysed: int
    """Characters of a document that are analysed; 0: all."""

    @classmethod
    def of(cls, memory: Memory) -> UploadLimits:
        """Limits in the settings."""
        settings = memory.settings
        return cls(
            settings.max_message_characters,
            settings.max_file_mb * 2**20,
            settings.captions,
            settings.file_analysis_characters,
        )


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """Consecutive messages of one session."""

    session: str
    at: datetime | None
    messages: tuple[tuple[int, InputMessage], ...]
    """Messages with their place in the portion of the conversation, which is part of their identity, as when a file
    is added in one call.
    """


@dataclass(frozen=True, slots=True)
class Progress:
    """Result of one step."""

    messages: int
    new: int


def counted(job: FileJob, file: Path, limits: UploadLimits) -> Iterator[int]:
    """Read through a file without storing anything; yields the number of messages so far.

    Raises FormatError or InputError at the first thing that cannot be stored.
    """
    total = told = 0
    for piece in pieces(job.options, job.created, file, limits):
        total += len(piece.messages) if isinstance(piece, MessagePiece) else 0
        if total - told >= COUNTED:
            told = total
            yield total
    yield total


def stored(memory: Memory, job: FileJob, file: Path) -> Iterator[Progress]:
    """Store a file piece by piece, after what is already done; yields the result of each step once it is on disk."""
    passed = 0
    said: dict[str, set[str]] = {}
    for piece in pieces(job.options, job.created, file, UploadLimits.of(memory)):
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


def imported(memory: Memory, job: FileJob, file: Path, wanted: Callable[[], bool]) -> GraphReport:
    """Import a graph while `wanted` is true. Raises StoppingError when it no longer is."""

    def progress(*_: object) -> None:
        if not wanted():
            raise StoppingError

    return memory.import_graph(
        file, space=job.space, format=job.options.triples, name=job.options.name, progress=progress
    )


def pieces(
    options: JobOptions, now: datetime, file: Path, limits: UploadLimits
) -> Iterator[MessagePiece | RulePortion | GraphPortion]:
    """The pieces of a file. Messages without a date count as said `now`.

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
    reading = Options(options.name, skip_bad=options.skip_bad, day_first=options.day_first)
    with file.open("rb") as stream:
        for conversation in read_chat(stream, reading):
            sessions.add(conversation.session)
            if options.session is not None and len(sessions) > 1:
                raise InputError(f"{options.name} holds several sessions.", "Leave out `session`: they have names.")
            yield from _parsed(options, now, conversation, limits)


def _of_document(options: JobOptions, now: datetime, file: Path, limits: UploadLimits) -> Iterator[MessagePiece]:
    """The pieces of a document."""
    given = read_moment(options.at) if options.at is not None else None
    at = parse_when(given, options.name) if given is not None else now
    opened = open_document(file, kind=options.document, name=options.name, longest=limits.bytes)
    if opened is None:
        raise FormatError(f"{options.name} is not a readable document.", f"{DOCUMENT_REMEDY}, or use format=chat.")
    told = DocumentOptions(options.session, at, options.author or "", options.noted, limits.characters, limits.analysed)
    for portion in document_portions(opened, told):
        yield MessagePiece(portion.session, None, portion.messages)


def _parsed(
    options: JobOptions, now: datetime, conversation: Conversation, limits: UploadLimits
) -> Iterator[MessagePiece]:
    """The messages of a conversation, checked."""
    given = read_moment(options.at) if options.at is not None else None
    told = conversation.moment(given)
    at = parse_when(told, options.name) if told is not None else None
    session = options.session or conversation.session
    messages = conversation.parsed(
        options.name, session, at, now=now, longest=limits.characters, captions=limits.captions
    )
    yield from _cut(session, at, tuple(enumerate(messages)))


def _cut(session: str, at: datetime | None, messages: tuple[tuple[int, InputMessage], ...]) -> Iterator[MessagePiece]:
    for first in range(0, len(messages), PIECE):
        yield MessagePiece(session, at, messages[first : first + PIECE])
