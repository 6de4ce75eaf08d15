"""What stands on each line of a JSONL file for bulk work: a message with its space and session, or a whole conversation.

    {"space": "maya", "session": "monday", "role": "user", "name": "Maya", "content": "…", "at": "2024-05-01T14:03", "id": "m-1"}
    {"space": "maya", "session": "tuesday", "at": "2024-05-02", "messages": [{"role": "user", "content": "…"}, …]}

Each line stands for itself, so that files can be cut and joined anywhere. Other layouts that `goalmem add` knows by their keys (LoCoMo,
LongMemEval) may stand on a line, too.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from goalmem.errors import InputError
from goalmem.io.chat_messages import check_name, parse_messages
from goalmem.io.conversation import Options
from goalmem.io.json_values import rows
from goalmem.io.layouts import LOOSE_SESSION_KEYS, SESSION_KEYS, conversations
from goalmem.io.messages import chat_message, is_message
from goalmem.io.text import Line, lines

__all__ = ["EPOCH", "SPACE_KEY", "Call", "Reading", "calls_in", "stems_of"]

SPACE_KEY = "space"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a time that is not given while a message is checked."""


@dataclass(frozen=True, slots=True)
class Call:
    """Messages of one session that stand on one line, all of them good."""

    space: str
    session: str
    at: datetime | None
    messages: tuple[dict[str, Any], ...]
    line: int
    whole: str = ""
    """Of a conversation, what tells it from the others of the job: its messages are counted from its own first. Empty for a
    message by itself, which follows those of its session that stand before it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read."""

    options: Options
    stem: str
    """Names sessions that have no name of their own."""
    space: str
    """Of lines that name none."""
    longest: int
    """Characters of a message at most."""


def calls_in(stream: BinaryIO, reading: Reading) -> Iterator[Call]:
    """What stands on each line of a file, one after the other.

    Raises FormatError, naming the line, at the first that cannot be used (with `skip_bad`: tells `on_skip` and goes on).
    """
    # Closed here, while the stream is open: what is left of it would be closed later, and the stream with it.
    with closing(cast("Generator[Line, None, None]", lines(stream, reading.options))) as text:
        for line, value in rows(text, reading.options):
            space = _space(line, value, reading)
            if space is None:
                continue
            if is_message(value):
                yield from _loose(line, value, space, reading)
            else:
                yield from _whole(line, value, space, reading)


def stems_of(files: Sequence[Path]) -> list[str]:
    """The name of each file without its ending; with its folder, where two files have the same name."""
    names = [path.stem for path in files]
    return [path.stem if names.count(path.stem) == 1 else str(path.with_suffix("")) for path in files]


def _space(line: int, value: object, reading: Reading) -> str | None:
    named = value.get(SPACE_KEY) if isinstance(value, Mapping) else None
    try:
        return check_name(reading.space if named is None else named, "the space")
    except InputError as error:
        reading.options.reject(line, _clause(error), error.remedy.rstrip("."))
        return None


def _loose(line: int, value: Mapping[str, Any], space: str, reading: Reading) -> Iterator[Call]:
    session = next((str(value[key]) for key in LOOSE_SESSION_KEYS if value.get(key)), reading.stem)
    try:
        message = chat_message(value, day_first=reading.options.day_first)
    except ValueError as error:
        reading.options.reject(line, str(error), "Correct or remove it")
        return
    if good := _good([message], session, None, line, reading):
        yield Call(space, session, None, good, line)


def _whole(line: int, value: object, space: str, reading: Reading) -> Iterator[Call]:
    """The sessions of a value that is no single message. Two without a name are told apart by their lines."""
    nameless = isinstance(value, Mapping) and not any(value.get(key) for key in SESSION_KEYS)
    named = {**value, "session": f"{reading.stem}-{line}"} if nameless and isinstance(value, Mapping) else value
    for number, found in enumerate(conversations([(line, named)], reading.options)):
        if good := _good(found.messages, found.session, found.at, line, reading):
            yield Call(space, found.session, found.at, good, line, f"{reading.stem}:{line}:{number}")


def _good(
    messages: Sequence[dict[str, Any]], session: str, at: datetime | None, line: int, reading: Reading
) -> tuple[dict[str, Any], ...]:
    """Those messages that can be stored; one that only calls tools says nothing and is left out."""
    kept = []
    try:
        check_name(session, "the session")
    except InputError as error:
        reading.options.reject(line, _clause(error), error.remedy.rstrip("."))
        return ()
    for message in messages:
        try:
            if parse_messages([message], at=at or EPOCH, timed=at is not None, longest=reading.longest):
                kept.append(message)
        except InputError as error:
            reading.options.reject(line, _clause(error), error.remedy.rstrip("."))
    return tuple(kept)


def _clause(error: InputError) -> str:
    return error.problem.rstrip(".")
