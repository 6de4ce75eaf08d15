"""Converts the messages passed to `add` to turns: validation, documented repairs, identity."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from goalmem.errors import InputError, shown
from goalmem.io.message_keys import refuse_unknown_keys
from goalmem.records import DOCUMENT, Turn, TurnVersion, aware
from goalmem.store.metadata import TAGS, UNSTORABLE, parse_metadata, parse_tags

When: TypeAlias = datetime | str | int | float


ROLES = ("user", "assistant", "system", "tool", DOCUMENT)
ROLE_ALIASES = {"human": "user", "ai": "assistant", "developer": "system", "function": "tool"}
FIRST_YEAR, LAST_YEAR = 1000, 3000
"""Calendar arithmetic ("a hundred years ago") stays inside datetime's range with room to spare."""
LONGEST_NAME = 512
MOST = 2**53
"""The largest number of things: JSON and the stores hold it exactly."""
LONGEST_TTL = 500 * 366 * 86_400


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A valid message without its position in a session."""

    role: str
    speaker: str
    text: str
    caption: str
    external_id: str
    at: datetime
    content_hash: str
    repaired: bool
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None
    pictures: tuple[str, ...] = ()
    """URLs of pictures that need a caption."""
    versions: tuple[TurnVersion, ...] = ()
    """Earlier versions from another store, oldest first."""

    @property
    def first_hash(self) -> str:
        """The content hash that it is known by: of the message as it was first added."""
        return self.versions[0].content_hash if self.versions else self.content_hash


def parse_messages(
    messages: object, *, at: datetime, timed: bool, longest: int, captions: bool = False, what: str = "The message"
) -> list[InputMessage]:
    """Check every message; the first bad one is refused, and with it the call.

    `at` is the time of messages that give none; `timed` says whether a caller gave it (then it is part of identity).
    Messages that carry only tool calls hold nothing to remember and are left out. With `captions`, pictures without one are kept for
    a model to caption. `what` names a single message in errors.
    """
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    if isinstance(messages, Mapping):
        if only_calls_tools(messages):
            return []
        return [parse_message(messages, what, at=at, timed=timed, longest=longest, captions=captions)]
    if not isinstance(messages, Sequence) or isinstance(messages, bytes):
        raise InputError(
            f"Messages must be a list of dicts, not {type(messages).__name__}.",
            'Pass [{"role": "user", "content": "…"}].',
        )
    parsed = [
        parse_message(raw, f"Message {place}", at=at, timed=timed, longest=longest, captions=captions)
        for place, raw in enumerate(messages)
        if not only_calls_tools(raw)
    ]
    refuse_clashing_ids(parsed)
    return parsed


def parse_message(
    raw: object, where: str, *, at: datetime, timed: bool, longest: int, captions: bool = False
) -> InputMessage:
    """Parse an OpenAI chat message with optional `name`, `id`, `at`, `caption`, `metadata`, `tags`, `ttl` and
    `expires_at`; `where` names it in errors.
    """
    if not isinstance(raw, Mapping):
        raise InputError(
            f"{where} is {shown(raw)}, not a dict.", 'Pass {"role": "user", "content": "…"} for each message.'
        )
    refuse_unknown_keys(raw, where)
    given_role = raw.get("role", "user")
    role = ROLE_ALIASES.get(given_role, given_role) if isinstance(given_role, str) else given_role
    if role not in ROLES:
        raise InputError(f"{where} has the unknown role {shown(given_role)}.", f"Use one of: {', '.join(ROLES)}.")
    text, caption, pictures = content_of(raw, where, captions=captions)
    if not text.strip() and not caption.strip() and not pictures:
        raise InputError(f"{where} is empty.", "Leave it out, or give it content (or a caption for a picture).")
    if len(text) + len(caption) > longest:
        raise InputError(
            f"{where} has {len(text) + len(caption):,} characters; the limit is {longest:,}.",
            "Split it into several messages, or raise GOALMEM_MAX_MESSAGE_CHARACTERS.",
        )
    external_id = raw.get("id")
    if external_id is not None and (isinstance(external_id, bool) or not isinstance(external_id, str | int)):
        raise InputError(f"{where} has an id of type {type(external_id).__name__}.", "Use a string or an integer.")
    own_time = raw.get("at") is not None
    when = parse_when(raw["at"], where) if own_time else at
    speaker = raw.get("name") or role
    if not isinstance(speaker, str):
        raise InputError(f"{where} has a name of type {type(speaker).__name__}.", "Use a string.")
    fields = [speaker, text, caption, "" if external_id is None else str(external_id)]
    clean = [UNSTORABLE.sub("�", f) for f in fields]
    speaker, text, caption, identity = clean
    check_name(speaker, f"{where}: the name")
    # The same pictures are the same message, whatever a model says that they show.
    seen = caption + "".join(f"\x1e{hashlib.sha256(one.encode()).hexdigest()}" for one in pictures)
    digest = _digest(speaker, role, text, seen, when if own_time or timed else None)
    return InputMessage(
        role,
        speaker,
        text,
        caption,
        identity,
        when,
        digest,
        clean != fields,
        noted(raw, where),
        expiry_of(raw, where),
        pictures,
    )


def noted(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The metadata of a message, with its tags under `tags`. Raises InputError."""
    metadata = parse_metadata(raw.get("metadata"), where)
    if raw.get("tags") is None:
        return metadata
    if TAGS in metadata:
        raise InputError(f"{where} has tags beside its metadata and in it.", "Give them once.")
    return parse_metadata(metadata | {TAGS: parse_tags(raw["tags"], where)}, where)


def expiry_of(given: Mapping[str, Any], where: str) -> datetime | None:
    """The moment that `expires_at` names, or `ttl` counts to from now; None for never. Raises InputError."""
    ttl, at = given.get("ttl"), given.get("expires_at")
    if ttl is not None and at is not None:
        raise InputError(f"{where} has both a ttl and expires_at.", "Give one of them.")
    if at is not None:
        return parse_when(at, f"{where}: expires_at")
    if ttl is None:
        return None
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_TTL:
        raise InputError(
            f"{where} has the ttl {shown(ttl)}.", "Give seconds, or a timedelta: more than 0, at most 500 years."
        )
    return datetime.now(UTC) + timedelta(seconds=seconds)


def digest_of(turn: Turn, *, timed: bool) -> str:
    """The content hash of the message that became this turn, by whether the message or its call gave its time."""
    return _digest(turn.speaker, turn.role, turn.text, turn.caption, turn.at if timed else None)


def _digest(speaker: str, role: str, text: str, caption: str, at: datetime | None) -> str:
    stamp = at.isoformat() if at is not None else ""
    return hashlib.sha256("\x1f".join((speaker, role, text, caption, stamp)).encode()).hexdigest()


def content_of(raw: Mapping[str, Any], where: str, *, captions: bool) -> tuple[str, str, tuple[str, ...]]:
    """The text, the caption, and the pictures that need one; content parts are joined.

    Raises InputError for a part that holds no text, such as sound, or a picture of which neither its part nor the message has a
    caption, unless a model gives one (`captions`).
    """
    content, caption = raw.get("content"), raw.get("caption") or ""
    if not isinstance(caption, str):
        raise InputError(f"{where} has a caption of type {type(caption).__name__}.", "Use a string.")
    pictures: tuple[str, ...] = ()
    if isinstance(content, list):
        parts = content_in(content, where)
        pictures = parts.pictures if not caption else ()
        unsaid = parts.other or ("picture" if pictures and not captions else "")
        if unsaid and not caption:
            raise InputError(
                f"{where} has a content part that holds no text ({unsaid}).",
                "Say what it shows or says (`caption`), or leave it out. Pictures can be captioned by the chat model: "
                "set GOALMEM_CAPTIONS=true.",
            )
        content, caption = parts.text, caption or "; ".join(parts.captions)
    if content is None and (caption or pictures):
        content = ""
    if not isinstance(content, str):
        had = "no content" if content is None else f"content of type {type(content).__name__}"
        raise InputError(f"{where} has {had}.", "Use a string or a list of parts.")
    return content, caption, pictures


def only_calls_tools(raw: object) -> bool:
    """True for an assistant message that has no words, only calls of tools."""
    return (
        isinstance(raw, Mapping)
        and (not raw.get("content") or only_tools(raw["content"]))
        and bool(raw.get("tool_calls") or raw.get("function_call") or raw.get("content"))
    )


def refuse_clashing_ids(messages: Sequence[InputMessage]) -> None:
    """The same id twice in a call must mean the same message."""
    seen: dict[str, str] = {}
    for message in messages:
        if message.external_id and seen.setdefault(message.external_id, message.content_hash) != message.content_hash:
            raise InputError(
                f"Two messages of the call have the id {message.external_id!r} and different content.",
                "Give each message an id of its own.",
            )


def parse_when(value: object, where: str) -> datetime:
    """A datetime, ISO 8601 text or Unix seconds, as an aware datetime; without a zone it is taken as UTC."""
    remedy = "Use a datetime, ISO 8601 text such as 2024-05-01T14:03:00+02:00, or Unix seconds."
    if isinstance(value, bool) or not isinstance(value, datetime | str | int | float):
        raise InputError(f"{where} has a time of type {type(value).__name__}.", remedy)
    try:
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
        else:
            if not math.isfinite(value):
                raise ValueError("not finite")
            moment = datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"{where} has a time that cannot be read: {shown(value)}.", remedy) from error
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise InputError(f"{where} has the year {moment.year}.", f"Use a year from {FIRST_YEAR} to {LAST_YEAR}.")
    return aware(moment)


def check_name(name: object, what: str) -> str:
    """A space, session or speaker: some visible text, not too long, storable."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{what} is {shown(name)}.", "Use a string with at least one visible character.")
    if len(name) > LONGEST_NAME or UNSTORABLE.search(name):
        raise InputError(
            f"{what} is longer than {LONGEST_NAME} characters or holds characters that cannot be stored.",
            "Use a shorter, plain name.",
        )
    return name


def check_text(text: object, what: str) -> str:
    """Validate a non-empty text; characters that cannot be stored are replaced."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{what} is {shown(text)}.", "Pass some text.")
    return UNSTORABLE.sub("\ufffd", text)


def check_id(given: object, what: str) -> str:
    """The id of a turn or a rule. Raises InputError for what is no text."""
    if not isinstance(given, str):
        raise InputError(f"{what} is {shown(given)}.", "Use the text that goalmem gave.")
    return given


def check_count(count: object, what: str) -> int:
    """A number of things; more than there can be is that many. Raises InputError for anything else."""
    if isinstance(count, int) and not isinstance(count, bool) and count >= 1:
        return min(count, MOST)
    raise InputError(f"{what} is {shown(count)}.", "Give a whole number, 1 or more.")


TEXT_KEYS = ("text", "refusal")
CAPTION_KEYS = ("caption", "blip_caption", "alt", "alt_text")
"""Keys of a picture's description."""
NOT_SAID = frozenset(
    "tool_use tool_call tool_calls tool_result function_call function_call_output server_tool_use web_search_tool_result "
    "mcp_tool_use mcp_tool_result code_execution_tool_result thinking redacted_thinking reasoning reasoning_content non_standard".split()
)
"""Types of parts without speech: tool calls with results, and a model's reasoning. Omitted, like messages with only
tool calls.
"""
PICTURES = frozenset({"image_url", "input_image", "image"})
LONGEST_PICTURE = 30_000_000
"""Maximum characters of a picture in a `data:` URL; 20 MB."""


@dataclass(frozen=True, slots=True)
class Content:
    """The text and pictures of a message."""

    text: str
    captions: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    """Addresses (`https:`, `data:`) of pictures without a caption."""
    other: str = ""
    """Type of the first part that is neither text nor a picture with a URL; empty if there is none."""


def content_in(parts: Sequence[object], where: str) -> Content:
    """Parse the parts of a message; texts are joined by line breaks. Raises InputError for an invalid part."""
    texts: list[str] = []
    captions: list[str] = []
    pictures: list[str] = []
    other = ""
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, Mapping):
            raise InputError(f"{where} has a content part that is neither text nor typed.", "See OpenAI's format.")
        elif (said := _first(part, TEXT_KEYS)) is not None:
            texts.append(said)
        elif (shown := _first(part, CAPTION_KEYS)) is not None:
            captions.append(shown)
        elif "type" not in part:
            raise InputError(f"{where} has a content part that is neither text nor typed.", "See OpenAI's format.")
        elif part["type"] not in NOT_SAID:
            address = _address(part) if part["type"] in PICTURES else ""
            pictures += [address] if address else []
            other = other or ("" if address else str(part["type"]))
    return Content("\n".join(texts), tuple(captions), tuple(pictures), other)


def only_tools(content: object) -> bool:
    """True if content has only parts without speech."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, Mapping) and part.get("type") in NOT_SAID and "text" not in part for part in content)
    )


def _first(part: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), None)


def _address(part: Mapping[str, Any]) -> str:
    """URL of a picture, or its `data:` URL; empty if the part has neither."""
    held = next((part[key] for key in ("image_url", "source", "url") if part.get(key)), part)
    if isinstance(held, Mapping):
        data = next((held[key] for key in ("data", "base64") if isinstance(held.get(key), str)), None)
        kind = next((held[key] for key in ("media_type", "mime_type") if isinstance(held.get(key), str)), "image/png")
        held = f"data:{kind};base64,{data}" if data else held.get("url")
    known = isinstance(held, str) and held.startswith(("https://", "http://", "data:image/"))
    return str(held) if known and len(str(held)) <= LONGEST_PICTURE else ""
