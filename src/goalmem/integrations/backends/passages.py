"""What a backend returned, as passages: what can be read is kept, what cannot is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from goalmem.errors import InputError
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.io.chat_messages import ROLE_ALIASES, ROLES, UNSTORABLE, parse_when
from goalmem.io.dates import read_moment

TEXT = ("text", "content", "page_content", "memory", "document")
SPEAKER = ("speaker", "name", "author", "actor_id")
TIME = ("at", "timestamp", "date", "datetime", "said_at", "created_at", "time")
SESSION = ("session", "session_id", "conversation_id", "thread_id", "run_id")
"""Names under which other systems' records hold these, the likeliest first."""
LONGEST_ID = 512


@dataclass(frozen=True, slots=True)
class Read:
    """The passages that could be read, and what was wrong with the others."""

    passages: tuple[Passage, ...]
    problem: str = ""
    """The first thing wrong, or nothing."""


def passages_of(returned: object, k: int) -> Read:
    """What a search returned, at most `k` passages, the first of those with the same id."""
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        return Read((), f"it returned {_kind(returned)} where a list of passages is wanted")
    kept: dict[object, Passage] = {}
    problem = ""
    for item in islice(returned, k):
        passage = passage_of(item)
        if passage is None:
            problem = problem or f"it returned {_kind(item)} among the passages"
        elif passage.text.strip():
            kept.setdefault(passage.id if passage.id is not None else (passage.speaker, passage.text), passage)
    return Read(tuple(kept.values()), problem)


def passage_of(item: Any) -> Passage | None:
    """A passage from a Passage, a text, a mapping, or one of these with a score; None for anything else."""
    if isinstance(item, tuple) and len(item) == 2 and _is_number(item[1]):
        scored = passage_of(item[0])
        return replace(scored, score=float(item[1])) if scored else None
    if isinstance(item, str):
        return Passage(item)
    if isinstance(item, Mapping):
        return _from_mapping(item)
    return _checked(item) if isinstance(item, Passage) else None


def _checked(item: Any) -> Passage | None:
    """A passage with what its fields should hold: they come from somebody else's code."""
    if not isinstance(item.text, str):
        return None
    return Passage(
        item.text,
        _id(item.id),
        _name(item.speaker),
        _moment(item.at),
        _name(item.session),
        _role(item.role),
        float(item.score) if _is_number(item.score) else 0.0,
        item.metadata if isinstance(item.metadata, Mapping) else {},
    )


def recorded(text: object, id: object, metadata: object, score: object = None) -> Passage | None:
    """A passage from what a system keeps of one: its text, id and metadata; None where the text is no text."""
    return _from_mapping({"text": text, "id": id, "metadata": metadata, "score": score})


def _from_mapping(item: Mapping[Any, Any]) -> Passage | None:
    text = _first(item, TEXT)
    if not isinstance(text, str):
        return None
    about = item.get("metadata")
    metadata = about if isinstance(about, Mapping) else {}
    fields = {**metadata, **item}
    return Passage(
        text,
        _id(item.get("id")),
        _name(_first(fields, SPEAKER)),
        next((moment for name in TIME if (moment := _moment(fields.get(name))) is not None), None),
        _name(_first(fields, SESSION)),
        _role(fields.get("role")),
        float(item["score"]) if _is_number(item.get("score")) else 0.0,
        metadata,
    )


def _first(item: Mapping[Any, Any], names: Iterable[str]) -> object:
    return next((item[name] for name in names if item.get(name) not in (None, "")), None)


def _id(given: object) -> str | None:
    """Texts, whole numbers and UUIDs name a passage; anything else may read otherwise tomorrow."""
    if isinstance(given, bool) or not isinstance(given, str | int | UUID):
        return None
    text = str(given)
    return text if text.strip() and len(text) <= LONGEST_ID else None


def _name(given: object) -> str:
    return UNSTORABLE.sub("\ufffd", given).strip()[:LONGEST_ID] if isinstance(given, str) else ""


def _role(given: object) -> str:
    role = ROLE_ALIASES.get(given, given) if isinstance(given, str) else "user"
    return role if role in ROLES else "user"


def _moment(given: object) -> datetime | None:
    """When, in any way in which it is commonly written; None for what is no time."""
    moment = read_moment(given)
    if moment is None:
        return None
    try:
        return parse_when(moment, "The passage")
    except InputError:
        return None


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _kind(thing: object) -> str:
    return "nothing" if thing is None else f"a {type(thing).__name__}"


def metadata_of(passage: Passage) -> dict[str, str]:
    """What another system is given to keep beside the text of a passage; `recorded` reads it back."""
    at = passage.at.isoformat() if passage.at else ""
    fields = {"speaker": passage.speaker, "at": at, "session": passage.session, "role": passage.role}
    return {name: value for name, value in fields.items() if value}


def known_of(passage: Passage) -> dict[str, str]:
    """The same with the turn that the passage is of, so that goalmem knows it again where the system gives it an id of its own."""
    return metadata_of(passage) | {TURN: str(passage.metadata.get(TURN) or passage.id)}


def spoken(passage: Passage) -> str:
    """The text as another system is given it: a named speaker stands in front, so that a search finds who said it."""
    named = passage.speaker and passage.speaker != passage.role
    return f"{passage.speaker}: {passage.text}" if named else passage.text


def written_down(passage: Passage) -> str:
    """The passage as a line of a transcript (`[2024-05-08T18:00:00+00:00] Maya: …`), for a system that keeps texts and nothing
    beside them: read as a passage, it has its speaker and time again.
    """
    line = f"{passage.speaker or passage.role}: {passage.text}"
    return f"[{passage.at.isoformat()}] {line}" if passage.at else line


def has_ended(expired: object, invalid: object, now: datetime) -> bool:
    """Whether a fact is known to be true no longer.

    `expired`: when the system learned that it is superseded, if it is. `invalid`: from when on it is not true, as a moment or in
    text, without a zone as UTC; what is no moment says nothing.
    """
    until = read_moment(invalid)
    if until is not None and until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return bool(expired) or (until is not None and until <= now)
