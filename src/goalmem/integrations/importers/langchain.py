"""LangChain's messages as JSON: `messages_to_dict`, `dumps`, `model_dump`, or the formats of chat histories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.portions import moment, portions, said, timed
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample, text_of
from goalmem.io.chat_messages import NOT_SAID
from goalmem.io.conversation import MESSAGES_AT_ONCE

ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system",
         "developer": "system", "tool": "tool", "function": "tool", "chat": "assistant"}  # fmt: skip
LISTS = ("conversations", "sessions", "threads")
MESSAGES = ("messages", "history", "chat_history")
SESSIONS = ("session_id", "SessionId", "sessionId", "thread_id", "conversation_id", "id", "title", "name")
TIMES = ("created_at", "create_time", "timestamp", "at", "date")
TITLES = ("title", "name")
REMEDY = "Write messages with messages_to_dict or dumps of langchain-core"


class LangChain:
    """Reads JSON or JSON lines: messages, lists of messages, or sessions with `messages`."""

    name = "langchain"
    title = "LangChain"

    def recognises(self, sample: Sample) -> bool:
        """Its messages say their type as LangChain does."""
        return any(_is_theirs(value) for value in sample.values)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Read session by session; single messages form one session, or one per session that they name."""
        for name in export.names:
            if name.lower().endswith((".json", ".jsonl", ".ndjson")) or len(export.names) == 1:
                with export.open(name) as stream:
                    yield from _Sessions(PurePosixPath(name).stem, reading).read(
                        elements(stream, export.label(name), reading, LISTS)
                    )


def _is_theirs(value: object, depth: int = 2) -> bool:
    if isinstance(value, list):
        return depth > 0 and any(_is_theirs(inner, depth - 1) for inner in value)
    if not isinstance(value, Mapping):
        return False
    fields = _fields(value)
    if fields is not None:
        return bool({"data", "lc", "message"} & value.keys()) or str(value.get("type")) in ROLES
    return depth > 0 and _is_theirs(_messages_in(value), depth - 1)


class _Sessions:
    """Reads values in order and collects single messages to portions."""

    def __init__(self, stem: str, reading: Reading) -> None:
        self.stem = stem
        self.reading = reading
        self.unnamed = 0
        self.loose: dict[str, list[dict[str, Any]]] = {}
        self.places: dict[str, int] = {}

    def read(self, values: Iterator[tuple[Place, Any]]) -> Iterator[Chat]:
        waiting, first = 0, Place(self.stem)
        for place, value in values:
            if isinstance(value, list):
                yield from self.session(place, {}, value)
            elif isinstance(value, Mapping) and (held := _messages_in(value)) is not None:
                yield from self.session(place, value, held)
            elif (message := self.message(place, value)) is not None:
                first = first if waiting else place
                session = text_of(value, *SESSIONS[:5]) or self.stem
                self.loose.setdefault(session, []).append(self.numbered(session, message))
                waiting += 1
            if waiting >= MESSAGES_AT_ONCE:
                yield from self.flush(first)
                waiting = 0
        yield from self.flush(first)

    def numbered(self, session: str, message: dict[str, Any]) -> dict[str, Any]:
        """Messages with their position in the session as default id, since portions are read independently."""
        place = self.places.get(session, 0)
        self.places[session] = place + 1
        return message if "id" in message else {**message, "id": f"m{place}"}

    def flush(self, place: Place) -> Iterator[Chat]:
        for session, messages in self.loose.items():
            yield from portions(session, "", messages, messages[0].get("at"), place)
        self.loose = {}

    def session(self, place: Place, about: Mapping[str, Any], raw: list[Any]) -> Iterator[Chat]:
        self.unnamed += not about
        unnamed = self.stem if self.unnamed == 1 else f"{self.stem}-{self.unnamed}"
        key = text_of(about, *SESSIONS) or unnamed
        messages = [m for each in raw if (m := self.message(place, each)) is not None]
        time = next((about[name] for name in TIMES if about.get(name)), None)
        at = timed(time, place, self.reading, "Write it like 2024-05-01T14:03:00")
        title = text_of(about, *TITLES)
        yield from portions(key, title if title != key else "", messages, at, place)

    def message(self, place: Place, value: object) -> dict[str, Any] | None:
        """A message; None if it has no content or is invalid."""
        fields = _fields(value)
        if fields is None:
            self.reading.reject(place, f"{str(value)[:40]!r} is not a message of LangChain", REMEDY)
            return None
        kind = str(fields.get("type")).casefold().removesuffix("chunk").removesuffix("message")
        role = ROLES.get(str(fields.get("role")) if kind == "chat" else kind, ROLES.get(kind, ""))
        if not role:
            self.reading.passed_over[kind] += 1
            return None
        if role in ("tool", "system") and not self.reading.options.tools:
            self.reading.passed_over[role] += 1
            return None
        try:
            return self.worded(fields, role)
        except ValueError as error:
            self.reading.reject(place, str(error), REMEDY)
            return None

    def worded(self, fields: Mapping[str, Any], role: str) -> dict[str, Any] | None:
        """The message in OpenAI's form. Raises ValueError when its content or time cannot be read."""
        content = fields.get("content")
        if content is not None and not isinstance(content, str | list):
            raise ValueError(f"the content is of type {type(content).__name__}, not text or a list of blocks")
        text = "\n".join(_texts(content)).strip()
        self.reading.passed_over.update(_unread(content) if text else ())
        if not text:
            self.reading.passed_over["tool" if fields.get("tool_calls") or content else "empty"] += 1
            return None
        extra = fields.get("additional_kwargs")
        time = next((f[k] for f in (fields, extra) if isinstance(f, Mapping) for k in TIMES if f.get(k)), None)
        own = text_of(fields, "name") or (self.reading.options.name if role == "user" else "")
        return said(role, text, name=own, id=text_of(fields, "id"), at=moment(time, self.reading.options))


def _texts(content: object) -> Iterator[str]:
    """The text of a message, or of those of its blocks that have some."""
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield block
        elif isinstance(block, Mapping):
            yield text_of(block, "text")


def _unread(content: object) -> Iterator[str]:
    """Types of blocks without text, such as pictures, sound and files."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping) and not text_of(block, "text") and block.get("type") not in (*NOT_SAID, "text"):
            yield str(block.get("type"))


def _messages_in(value: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a session; None if the value is not a session."""
    state = value.get("values")
    for held in (value, state if isinstance(state, Mapping) else {}):
        for key in MESSAGES:
            if isinstance(held.get(key), list):
                return list(held[key])
    return None


def _fields(value: object) -> Mapping[str, Any] | None:
    """The fields of a message in any of LangChain's forms, with its `type`; None if it is not a message."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("message")
    if isinstance(inner, str):  # a row of SQLChatMessageHistory
        try:
            inner = json.loads(inner)
        except (ValueError, RecursionError):
            return None
    if isinstance(inner, Mapping):
        return _fields(inner)
    if value.get("type") == "constructor" and isinstance(value.get("kwargs"), Mapping):
        path = value.get("id")
        kind = str(path[-1]) if isinstance(path, list) and path else ""
        return {**value["kwargs"], "type": kind}
    if isinstance(value.get("data"), Mapping) and isinstance(value.get("type"), str):
        return {**value["data"], "type": value["type"]}
    if "content" in value and isinstance(value.get("type", value.get("role")), str):
        return {**value, "type": value.get("type", value.get("role"))}
    return None
