"""JSON values to sessions: OpenAI messages, LongMemEval and LoCoMo, each known by its keys."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from typing import Any

from goalmem.io.conversation import MESSAGES_AT_ONCE, Conversation, Options, chat_message, is_message, moment_under
from goalmem.io.json_values import Value

MESSAGE_LISTS = ("messages", "turns", "conversation", "dialogue")
SESSION_LISTS = ("conversations", "sessions", "chats")
SESSION_KEYS = ("session", "session_id", "conversation_id", "thread_id", "id", "title")
LOOSE_SESSION_KEYS = ("session", "session_id", "conversation_id", "thread_id")
"""Keys that name the session of a message on its own line (`id` is the message's)."""
SESSION_TIME_KEYS = ("at", "date", "session_date", "created_at", "create_time", "timestamp", "started_at")
LOCOMO_SESSION = re.compile(r"session_(\d+)\Z")
KNOWN = "Pass OpenAI messages (JSON or JSONL), a LoCoMo or LongMemEval file, or a transcript"


def conversations(values: Iterable[Value], options: Options) -> Iterator[Conversation]:
    """The sessions of a JSON or JSONL file, whatever known layout its values have."""
    return _Layouts(options).read(values)


def portions(
    session: str, messages: list[dict[str, Any]], at: datetime | None, line: int, *, after: int = 0
) -> Iterator[Conversation]:
    """A session in portions of MESSAGES_AT_ONCE; `after` of its messages were handed on before.

    What is added in one call is told apart by its place in the call. From the second portion on the place in the
    session becomes part of an id, so that adding the file again still adds nothing.
    """
    for start in range(0, len(messages), MESSAGES_AT_ONCE):
        place = after + start
        portion = messages[start : start + MESSAGES_AT_ONCE]
        if place:
            portion = [m if "id" in m else m | {"id": _identity(m, place + n)} for n, m in enumerate(portion)]
        yield Conversation(session, tuple(portion), at, line)


def _identity(message: Mapping[str, Any], place: int) -> str:
    said = "\x1f".join(str(message.get(key, "")) for key in ("name", "role", "content", "caption", "at"))
    return f"{place}-{hashlib.blake2b(said.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


class _Layouts:
    """Reads values in order and remembers the session's name across them."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.unnamed = 0
        self.samples = 0
        self.seen: set[str] = set()
        self.loose: dict[str, list[dict[str, Any]]] = {}
        self.handed_on: Counter[str] = Counter()

    def read(self, values: Iterable[Value]) -> Iterator[Conversation]:
        waiting, first = 0, 1
        for line, value in values:
            if not is_message(value):
                yield from self.any_of(line, value)
                continue
            first = first if waiting else line
            waiting += self.keep_loose(line, value)
            if waiting >= MESSAGES_AT_ONCE:
                yield from self.flush(first)
                waiting = 0
        yield from self.flush(first)

    def keep_loose(self, line: int, value: Mapping[str, Any]) -> int:
        """Keep a single message until a portion is full; returns the number kept."""
        messages = self.messages([value], line)
        session = next((str(value[key]) for key in LOOSE_SESSION_KEYS if value.get(key)), self.options.stem)
        self.loose.setdefault(session, []).extend(messages)
        return len(messages)

    def flush(self, line: int) -> Iterator[Conversation]:
        for session, messages in self.loose.items():
            yield from portions(session, messages, None, line, after=self.handed_on[session])
            self.handed_on[session] += len(messages)
        self.loose = {}

    def any_of(self, line: int, value: object) -> Iterator[Conversation]:
        """The sessions of one value."""
        if isinstance(value, list):
            yield from self.of_list(line, value)
        elif not isinstance(value, Mapping):
            self.reject(line, f"{str(value)[:40]!r} is not a message or conversation", KNOWN)
        elif "goalmem" in value:
            self.options.refuse(line, "this is an export of goalmem", "Read it with `goalmem import`")
        elif isinstance(value.get("haystack_sessions"), list):
            yield from self.long_mem_eval(line, value)
        elif (sample := _locomo(value)) is not None:
            yield from self.locomo(line, value, sample)
        elif (key := next((k for k in MESSAGE_LISTS if isinstance(value.get(k), list)), None)) is not None:
            yield from self.session(line, value, value[key])
        elif (key := next((k for k in SESSION_LISTS if isinstance(value.get(k), list)), None)) is not None:
            yield from self.of_list(line, value[key])
        else:
            self.reject(line, f"an object with the keys {', '.join(map(repr, value))[:80]} is no conversation", KNOWN)

    def of_list(self, line: int, values: list[Any]) -> Iterator[Conversation]:
        """A list of messages is a session; any other is a list of sessions."""
        if values and all(map(is_message, values)):
            yield from self.session(line, {}, values)
        else:
            for value in values:
                yield from self.any_of(line, [value] if is_message(value) else value)

    def session(self, line: int, about: Mapping[str, Any], raw: list[Any]) -> Iterator[Conversation]:
        """One conversation: a list of messages, or a dict with a name and a date."""
        named = next((str(about[key]) for key in SESSION_KEYS if about.get(key)), None)
        yield from portions(named or self.next_name(), self.messages(raw, line), self.moment(about, line), line)

    def next_name(self) -> str:
        """`chat`, `chat-2`, `chat-3` … for the sessions of `chat.json` that have no name."""
        self.unnamed += 1
        return self.options.stem if self.unnamed == 1 else f"{self.options.stem}-{self.unnamed}"

    def moment(self, about: Mapping[str, Any], line: int) -> datetime | None:
        try:
            return moment_under(about, SESSION_TIME_KEYS, day_first=self.options.day_first)
        except ValueError as error:
            self.reject(line, str(error), "Write it like 2024-05-01T14:03:00")
            return None

    def messages(self, raw: Iterable[Any], line: int) -> list[dict[str, Any]]:
        """The valid messages."""
        good = []
        for place, message in enumerate(raw):
            try:
                good.append(chat_message(message, day_first=self.options.day_first))
            except ValueError as error:
                self.reject(line, f"message {place} of the conversation here: {error}", "Correct or remove it")
        return good

    def long_mem_eval(self, line: int, entry: Mapping[str, Any]) -> Iterator[Conversation]:
        """The haystack of one question. A session that several haystacks share is taken with its first date."""
        dates, ids = entry.get("haystack_dates") or [], entry.get("haystack_session_ids") or []
        for messages, date, session in zip_longest(entry["haystack_sessions"], dates, ids):
            if session is not None and session in self.seen:
                continue
            self.seen.add(session)
            if isinstance(messages, list):
                yield from self.session(line, {"session_id": session, "date": date}, messages)

    def locomo(self, line: int, value: Mapping[str, Any], sample: Mapping[str, Any]) -> Iterator[Conversation]:
        """One LoCoMo sample: `session_1`, `session_1_date_time` and so on."""
        self.samples += 1
        prefix = str(value.get("sample_id") or (f"sample-{self.samples}" if self.samples > 1 else ""))
        numbers = sorted(int(found[1]) for key in sample if (found := LOCOMO_SESSION.match(key)))
        for number in numbers:
            session = f"session_{number}"
            about = {
                "session": f"{prefix}/{session}" if prefix else session,
                "date": sample.get(f"{session}_date_time"),
            }
            yield from self.session(line, about, sample[session] or [])

    def reject(self, line: int, problem: str, remedy: str) -> None:
        self.options.reject(line, problem, remedy)


def _locomo(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The part of a LoCoMo sample that holds its sessions, or None."""
    conversation = value.get("conversation")
    held = conversation if isinstance(conversation, Mapping) else value
    return held if any(LOCOMO_SESSION.match(str(key)) for key in held) else None
