"""Calls spread over partition files by their space, and read back session by session.

A space is never split across partitions, since the extraction of a session depends on names learnt earlier in the
space: the order within a space is that of the input, whichever worker processes it. A partition is a file, so that
memory contains neither the input nor a partition, only the locations of each session's messages.

    {"space": "maya", "session": "monday", "role": "user", "name": "Maya", "content": "…", "at": "2024-05-01T14:03", "id": "m-1"}
    {"space": "maya", "session": "tuesday", "at": "2024-05-02", "messages": [{"role": "user", "content": "…"}, …]}

Each line stands for itself, so that files can be cut and joined anywhere. Other layouts that `goalmem add` knows by their keys (LoCoMo,
LongMemEval) may stand on a line, too.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, cast

from goalmem.errors import InputError, StoreError
from goalmem.io.chat_messages import check_name, parse_messages
from goalmem.io.conversation import MESSAGES_AT_ONCE, TIME_KEYS, Options, chat_message, is_message
from goalmem.io.json_values import rows
from goalmem.io.layouts import LOOSE_SESSION_KEYS, SESSION_KEYS, conversations, portions
from goalmem.io.text import Line, lines

BUFFERED = 8 * 2**20
"""Bytes of all partitions buffered before writing: few files are open at a time, whatever the number of partitions."""

Origin = tuple[int, int]
"""Location of a message: number of the input file, and line."""


@dataclass(frozen=True, slots=True)
class MessagePortion:
    """Messages of one session that are added in one call of `Memory.add`, in one transaction."""

    space: str
    session: str
    at: datetime | None
    messages: tuple[dict[str, Any], ...]
    origins: tuple[Origin, ...]
    """Origin of each message."""


def partition_of(space: str, count: int) -> int:
    """The partition of a space, the same on every machine."""
    return int.from_bytes(blake2b(space.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") % count


def partition_file(folder: Path, number: int) -> Path:
    """Path of a partition."""
    return folder / f"part-{number:05}.jsonl"


class PartitionWriter:
    """Writes calls into the partitions of a folder. Call `close` when all are in."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count
        self._waiting: dict[int, list[bytes]] = {}
        self._bytes = 0
        self.messages: dict[int, int] = {}
        """Messages of each partition that has any."""

    def write(self, call: LineMessages, file: int) -> None:
        """Take in a call from input file number `file`."""
        number = partition_of(call.space, self._count)
        about = {"space": call.space, "session": call.session, "whole": call.whole, "from": [file, call.line]}
        if call.at is not None:
            about["at"] = call.at.isoformat()
        for message in call.messages:
            line = json.dumps(about | {"message": message}, default=_written).encode("ascii") + b"\n"
            self._waiting.setdefault(number, []).append(line)
            self._bytes += len(line)
        self.messages[number] = self.messages.get(number, 0) + len(call.messages)
        if self._bytes >= BUFFERED:
            self.close()

    def close(self) -> None:
        """Write buffered messages. Raises StoreError if the folder cannot be written."""
        try:
            for number, waiting in self._waiting.items():
                with partition_file(self._folder, number).open("ab") as file:
                    file.writelines(waiting)
        except OSError as error:
            raise StoreError(
                f"The work folder {self._folder} cannot be written: {error.strerror or error}.",
                "Free some space, or name another folder with --work.",
            ) from error
        self._waiting, self._bytes = {}, 0


def _written(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()


def portions_in(path: Path) -> Iterator[MessagePortion]:
    """The calls of `Memory.add` that a partition takes, sessions in the order in which they begin.

    Raises StoreError when the file is not there, or not as it was written.
    """
    try:
        with path.open("rb") as file:
            for key, places in _sessions(file).items():
                yield from _portions(file, key, places)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"The partition {path} cannot be read: {error}.",
            "Its folder must be the same on every machine, and stay until the job is done; run the command again.",
        ) from error


_Key = tuple[str, str, str]
"""Space, session, and an identity of whole conversations."""


def _sessions(file: BinaryIO) -> dict[_Key, array[int]]:
    """Lines of the file with the messages of each session."""
    found: dict[_Key, array[int]] = {}
    place = 0
    for line in file:
        record = json.loads(line)
        found.setdefault((record["space"], record["session"], record["whole"]), array("q")).append(place)
        place += len(line)
    return found


def _portions(file: BinaryIO, key: _Key, places: array[int]) -> Iterator[MessagePortion]:
    space, session, _ = key
    for start in range(0, len(places), MESSAGES_AT_ONCE):
        records = [_record(file, place) for place in places[start : start + MESSAGES_AT_ONCE]]
        at = datetime.fromisoformat(records[0]["at"]) if "at" in records[0] else None
        # Single messages that exceed one call are split as in `goalmem add`.
        (called,) = portions(session, [_message(record) for record in records], at, records[0]["from"][1], after=start)
        origins = tuple((file_, line) for file_, line in (record["from"] for record in records))
        yield MessagePortion(space, session, at, called.messages, origins)


def _record(file: BinaryIO, place: int) -> dict[str, Any]:
    file.seek(place)
    record: dict[str, Any] = json.loads(file.readline())
    return record


def _message(record: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = record["message"]
    if isinstance(message.get(TIME_KEYS[0]), str):
        message[TIME_KEYS[0]] = datetime.fromisoformat(message[TIME_KEYS[0]])
    return message


def without(portion: MessagePortion, bad: set[int]) -> MessagePortion:
    """A portion without the messages at some places."""
    kept = [n for n in range(len(portion.messages)) if n not in bad]
    return replace(
        portion,
        messages=tuple(portion.messages[n] for n in kept),
        origins=tuple(portion.origins[n] for n in kept),
    )


SPACE_KEY = "space"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a time that is not given while a message is checked."""


@dataclass(frozen=True, slots=True)
class LineMessages:
    """Valid messages of one session on one line."""

    space: str
    session: str
    at: datetime | None
    messages: tuple[dict[str, Any], ...]
    line: int
    whole: str = ""
    """Identity of a whole conversation within the job, whose messages are numbered by themselves. Empty for a single
    message, which follows the earlier ones of its session.
    """


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a file."""

    options: Options
    stem: str
    """Names sessions that have no name of their own."""
    space: str
    """Space of lines that do not name one."""
    longest: int
    """Characters of a message at most."""


def calls_in(stream: BinaryIO, reading: ReadOptions) -> Iterator[LineMessages]:
    """The calls on each line of a file.

    Raises FormatError, naming the line, at the first that cannot be used (with `skip_bad`: tells `on_skip` and goes on).
    """
    # Close it while the stream is open; otherwise it would be closed later.
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


def _space(line: int, value: object, reading: ReadOptions) -> str | None:
    named = value.get(SPACE_KEY) if isinstance(value, Mapping) else None
    try:
        return check_name(reading.space if named is None else named, "the space")
    except InputError as error:
        reading.options.reject(line, _clause(error), error.remedy.rstrip("."))
        return None


def _loose(line: int, value: Mapping[str, Any], space: str, reading: ReadOptions) -> Iterator[LineMessages]:
    session = next((str(value[key]) for key in LOOSE_SESSION_KEYS if value.get(key)), reading.stem)
    try:
        message = chat_message(value, day_first=reading.options.day_first)
    except ValueError as error:
        reading.options.reject(line, str(error), "Correct or remove it")
        return
    if good := _good([message], session, None, line, reading):
        yield LineMessages(space, session, None, good, line)


def _whole(line: int, value: object, space: str, reading: ReadOptions) -> Iterator[LineMessages]:
    """The sessions of a value that is not a single message. Unnamed sessions are distinguished by line."""
    nameless = isinstance(value, Mapping) and not any(value.get(key) for key in SESSION_KEYS)
    named = {**value, "session": f"{reading.stem}-{line}"} if nameless and isinstance(value, Mapping) else value
    for number, found in enumerate(conversations([(line, named)], reading.options)):
        if good := _good(found.messages, found.session, found.at, line, reading):
            yield LineMessages(space, found.session, found.at, good, line, f"{reading.stem}:{line}:{number}")


def _good(
    messages: Sequence[dict[str, Any]], session: str, at: datetime | None, line: int, reading: ReadOptions
) -> tuple[dict[str, Any], ...]:
    """The messages that can be stored, without those that only call tools."""
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
