"""Results of reading a file: messages of one session, and skipped parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from goalmem.errors import FormatError, InputError
from goalmem.io.chat_messages import CAPTION_KEYS, InputMessage, check_name, content_in, only_tools, parse_messages
from goalmem.io.dates import read_moment
from goalmem.io.message_keys import NOTED_KEYS, misspelt_key

MESSAGES_AT_ONCE = 500
"""Maximum messages per portion of a long session: bounds memory and the work lost by an interruption."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of one session, in order; a long session comes as several of these."""

    session: str
    messages: tuple[dict[str, Any], ...]
    """OpenAI chat messages with optional `name`, `id`, `at` (datetime) and `caption`."""
    at: datetime | None
    """When the session took place; None when the file does not say."""
    line: int
    """Line of the file where it begins, from 1."""

    @property
    def dated(self) -> bool:
        """True when the file says when every message was sent."""
        return self.at is not None or all("at" in message for message in self.messages)

    def moment(self, given: datetime | None) -> datetime | None:
        """When it took place: as the file says, else as `given`, where the file does not say of each message either."""
        return self.at or (None if self.dated else given)

    def parsed(
        self,
        name: str,
        session: str,
        at: datetime | None,
        *,
        now: datetime,
        longest: int,
        captions: bool,
        messages: Sequence[object] | None = None,
    ) -> list[InputMessage]:
        """The validated messages, or the given ones instead; without a time they count as said `now`.

        Raises InputError that says where in the file, which is called `name`, something stands that cannot be stored.
        """
        given = self.messages if messages is None else messages
        try:
            check_name(session, "The session")
            return parse_messages(given, at=at or now, timed=at is not None, longest=longest, captions=captions)
        except InputError as error:
            where = f"{name}, in the conversation that begins on line {self.line}"
            raise InputError(f"{where}: {error.problem}", error.remedy) from error


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the file that was left out on request."""

    line: int
    problem: str


def _ignore(_: Skipped) -> None:
    """For callers that do not want to hear of it."""


@dataclass(frozen=True)
class Options:
    """Options for reading a file."""

    name: str = "-"
    """Name in errors; its stem names sessions without a name of their own."""
    skip_bad: bool = False
    """Skip unreadable parts instead of refusing the file."""
    day_first: bool = False
    """Read 03/04/2024 as 3 April instead of March 4."""
    on_skip: Callable[[Skipped], None] = _ignore
    remedy: str = "Pass a chat file: JSON, JSONL or a transcript"
    """Remedy for a file that is not text."""

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        if self.name == "-":
            return "stdin"
        return self.name.replace("\\", "/").rstrip("/").rpartition("/")[2].rpartition(".")[0] or self.name

    def reject(self, line: int, problem: str, remedy: str) -> None:
        """Refuse the file at `line`, or report the part as skipped. `problem` is a clause: `is not valid JSON`."""
        if not self.skip_bad:
            self.refuse(line, problem, f"{remedy}, or leave it out with --skip-bad")
        self.on_skip(Skipped(line, problem))

    def refuse(self, line: int, problem: str, remedy: str) -> NoReturn:
        """Refuse the file at `line`, when reading cannot continue."""
        raise FormatError(f"{self.name}, line {line}: {problem}.", f"{remedy}.")


TIME_KEYS = ("at", "timestamp", "created_at", "create_time", "datetime", "date")
TEXT_KEYS = ("content", "text", "message")
SPEAKER_KEYS = ("name", "speaker", "author", "sender")
ID_KEYS = ("id", "message_id", "dia_id")
ROLES_BY_NAME = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "system": "system",
    "tool": "tool",
}
"""Speakers that are roles rather than names."""


def is_message(value: object) -> bool:
    """True for a dict with a speaker and a text."""
    if not isinstance(value, Mapping):
        return False
    says = any(key in value for key in TEXT_KEYS) or "tool_calls" in value
    return says and ("role" in value or any(isinstance(value.get(key), str) for key in SPEAKER_KEYS))


def chat_message(raw: object, *, day_first: bool = False) -> dict[str, Any]:
    """The message in OpenAI's format, with `name`, `id`, `at`, `caption` and metadata if not empty.

    Raises ValueError, with a clause that says what is wrong, when it cannot be used.
    """
    if not isinstance(raw, Mapping):
        raise ValueError(f"{str(raw)[:40]!r} is not a message")
    if (misspelt := misspelt_key(raw)) is not None:
        raise ValueError("{!r} is no key of a message; {!r} is".format(*misspelt))
    content, caption = _content(raw)
    said = bool(content.strip() if isinstance(content, str) else content) or bool(caption.strip())
    if not said and not (raw.get("tool_calls") or raw.get("function_call")):
        raise ValueError("the message is empty")
    message = said_by(first_given(raw, SPEAKER_KEYS), raw.get("role")) | {"content": content}
    if raw.get("tool_calls") and not content:
        message["tool_calls"] = raw["tool_calls"]
    if (identity := first_given(raw, ID_KEYS)) is not None:
        message["id"] = identity
    if (moment := moment_under(raw, TIME_KEYS, day_first=day_first)) is not None:
        message["at"] = moment
    if caption:
        message["caption"] = caption
    return message | {key: raw[key] for key in NOTED_KEYS if raw.get(key) is not None}


def said_by(name: object, role: object = None) -> dict[str, Any]:
    """The `role`, and the `name` where it is one: `Assistant` is a role, `Maya` is the name of a user."""
    known = ROLES_BY_NAME.get(str(name).casefold())
    if name and not known:
        return {"role": role or "user", "name": name}
    return {"role": role or known or "user"}


def moment_under(raw: Mapping[str, Any], keys: tuple[str, ...], *, day_first: bool) -> datetime | None:
    """The time under the first of these keys that is present; None if there is none.

    Raises ValueError when it cannot be read.
    """
    value = first_given(raw, keys)
    if value is None:
        return None
    moment = read_moment(value, day_first=day_first)
    if moment is None:
        raise ValueError(f"the date {str(value)[:80]!r} cannot be read")
    return moment


def first_given(raw: Mapping[str, Any], keys: Iterable[str]) -> Any:
    """What is under the first of these keys that has something."""
    return next((raw[key] for key in keys if raw.get(key) not in (None, "")), None)


def _content(raw: Mapping[str, Any]) -> tuple[str | list[Any], str]:
    """Text and caption. A list of text and picture parts is joined, texts by line breaks and captions by `; `; other
    lists are returned unchanged.
    """
    content, caption = first_given(raw, TEXT_KEYS), first_given(raw, CAPTION_KEYS)
    told = caption if isinstance(caption, str) else ""
    if isinstance(content, str) or content is None:
        return content or "", told
    parts = content if isinstance(content, list) else [content]
    try:
        found = content_in([{"type": "untyped", **p} if isinstance(p, Mapping) else p for p in parts], "")
    except InputError:
        kinds = ", ".join(sorted({type(part).__name__ for part in parts}))
        raise ValueError(f"the content is of type {kinds}, not text or a list of parts") from None
    if found.pictures or found.other or only_tools(parts):
        return parts, told
    return found.text, "; ".join((*([told] if told else []), *found.captions))
