"""The files of jobs, read and remembered in small pieces, so that other work comes between.

Each piece is a step of an iterator that a thread advances: it is stored when the step is done. A job that is taken up again
reads the file from its beginning and leaves out the messages that were counted as done; what was stored and not counted
is added again, and adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from goalmem.errors import InputError
from goalmem.graph.imports import GraphReport, import_graph, source_of
from goalmem.io import Conversation, Options, read_chat
from goalmem.io.chat_messages import Message, check_name, parse_messages, parse_when
from goalmem.io.dates import read_moment
from goalmem.io.portable import GraphPortion, RulePortion, portions
from goalmem.memory import Memory
from goalmem.serve.jobs import Job, JobOptions
from goalmem.serve.refusals import StoppingError
from goalmem.serve.stores import store_of

__all__ = ["counted", "imported", "stored"]

PIECE = 32
"""Messages stored at once: half a second on two cores."""
COUNTED = 500
"""Messages counted in one step."""


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


def counted(job: Job, file: Path, longest: int) -> Iterator[int]:
    """Read a file through, storing nothing; yields how many messages there are up to here.

    Raises FormatError or InputError at the first thing that cannot be stored.
    """
    total = told = 0
    for piece in _pieces(job, file, longest):
        total += len(piece.messages) if isinstance(piece, Piece) else 0
        if total - told >= COUNTED:
            told = total
            yield total
    yield total


def stored(memory: Memory, job: Job, file: Path) -> Iterator[Progress]:
    """Remember a file piece by piece, behind what is done of it already; yields what each step did, when it is on disk."""
    passed = 0
    for piece in _pieces(job, file, memory.settings.max_message_characters):
        if isinstance(piece, RulePortion):
            store_of(memory).add_rules(job.space, piece.rules)
            continue
        if isinstance(piece, GraphPortion):
            import_graph(store_of(memory).graphs, job.space, source_of(piece.entries, piece.name))
            continue
        passed += len(piece.messages)
        if passed <= job.done:
            continue
        _, new = memory._store_messages(piece.messages, job.space, piece.session, piece.at)
        yield Progress(len(piece.messages), new)


def imported(memory: Memory, job: Job, file: Path, wanted: Callable[[], bool]) -> GraphReport:
    """Import a graph, as long as it is wanted. Raises StoppingError when it is not any more."""

    def progress(*_: object) -> None:
        if not wanted():
            raise StoppingError

    return memory.import_graph(
        file, space=job.space, format=job.options.triples, name=job.options.name, progress=progress
    )


def _pieces(job: Job, file: Path, longest: int) -> Iterator[Piece | RulePortion | GraphPortion]:
    if job.options.format == "export":
        for portion in portions(file):
            if isinstance(portion, RulePortion | GraphPortion):
                yield portion
            else:
                yield from _cut(portion.session, portion.at, portion.messages)
        return
    sessions: set[str] = set()
    with file.open("rb") as stream:
        options = _reading(job.options)
        for conversation in read_chat(stream, options):
            sessions.add(conversation.session)
            if job.options.session is not None and len(sessions) > 1:
                raise InputError(f"{options.name} holds several sessions.", "Leave out `session`: they have names.")
            yield from _parsed(job, conversation, longest)


def _parsed(job: Job, conversation: Conversation, longest: int) -> Iterator[Piece]:
    """The messages of a conversation, checked. Without a date, they count as said when the job was made."""
    given = read_moment(job.options.at) if job.options.at is not None else None
    told = conversation.at or (None if conversation.dated else given)
    at = parse_when(told, job.options.name) if told is not None else None
    session = job.options.session or conversation.session
    try:
        check_name(session, "The session")
        messages = parse_messages(conversation.messages, at=at or job.created, timed=at is not None, longest=longest)
    except InputError as error:
        where = f"{job.options.name}, in the conversation that begins on line {conversation.line}"
        raise InputError(f"{where}: {error.problem}", error.remedy) from error
    yield from _cut(session, at, tuple(enumerate(messages)))


def _cut(session: str, at: datetime | None, messages: tuple[tuple[int, Message], ...]) -> Iterator[Piece]:
    for first in range(0, len(messages), PIECE):
        yield Piece(session, at, messages[first : first + PIECE])


def _reading(options: JobOptions) -> Options:
    return Options(options.name, skip_bad=options.skip_bad, day_first=options.day_first)
