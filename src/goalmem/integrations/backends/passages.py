"""Validates the passages that a backend returned, and reports invalid ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from goalmem.errors import InputError
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.io.chat_messages import ROLE_ALIASES, ROLES, parse_when
from goalmem.io.conversation import first_given
from goalmem.io.dates import read_moment
from goalmem.records import aware
from goalmem.store.metadata import UNSTORABLE

TEXT = ("text", "content", "page_content", "memory", "document")
SPEAKER = ("speaker", "name", "author", "actor_id")
TIME = ("at", "timestamp", "date", "datetime", "said_at", "created_at", "time")
SESSION = ("session", "session_id", "conversation_id", "thread_id", "run_id")
"""Names under which other systems' records hold these, the likeliest first."""
LONGEST_ID = 512


@dataclass(frozen=True, slots=True)
class PassageList:
    """The valid passages, and the problem with the others."""

    passages: tuple[Passage, ...]
    problem: str = ""
    """The first problem, or an empty string."""


def passages_of(returned: object, k: int) -> PassageList:
    """The passages of a search result, at most `k`, without duplicate ids."""
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        return PassageList((), f"it returned {_kind(returned)} where a list of passages is wanted")
    kept: dict[object, Passage] = {}
    problem = ""
    for item in islice(returned, k):
        passage = passage_of(item)
        if passage is None:
            problem = problem or f"it returned {_kind(item)} among the passages"
        elif passage.text.strip():
            kept.setdefault(passage.id if passage.id is not None else (passage.speaker, passage.text), passage)
    return PassageList(tuple(kept.values()), problem)


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
    """Validate the fields of a passage, which come from other code."""
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


def stored_passage(text: object, id: object, metadata: object, score: object = None) -> Passage | None:
    """A passage from a system's text, id and metadata; None if the text is not a string."""
    return _from_mapping({"text": text, "id": id, "metadata": metadata, "score": score})


def _from_mapping(item: Mapping[Any, Any]) -> Passage | None:
    text = first_given(item, TEXT)
    if not isinstance(text, str):
        return None
    about = item.get("metadata")
    metadata = about if isinstance(about, Mapping) else {}
    fields = {**metadata, **item}
    return Passage(
        text,
        _id(item.get("id")),
        _name(first_given(fields, SPEAKER)),
        next((moment for name in TIME if (moment := _moment(fields.get(name))) is not None), None),
        _name(first_given(fields, SESSION)),
        _role(fields.get("role")),
        float(item["score"]) if _is_number(item.get("score")) else 0.0,
        metadata,
    )


def _id(given: object) -> str | None:
    """Strings, integers and UUIDs are ids; the text form of other values may change."""
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
    """Parse a time in any common notation; None if it is not a time."""
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
    """Metadata to store in another system beside the text of a passage; `stored_passage` reads it back."""
    at = passage.at.isoformat() if passage.at else ""
    fields = {"speaker": passage.speaker, "at": at, "session": passage.session, "role": passage.role}
    return {name: value for name, value in fields.items() if value}


def known_of(passage: Passage) -> dict[str, str]:
    """The same with the turn that the passage is of, so that goalmem knows it again where the system gives it an id of its own."""
    return metadata_of(passage) | {TURN: str(passage.metadata.get(TURN) or passage.id)}


def speaker_text(passage: Passage) -> str:
    """The text for another system, prefixed with the speaker's name so that searches find it."""
    named = passage.speaker and passage.speaker != passage.role
    return f"{passage.speaker}: {passage.text}" if named else passage.text


def transcript_line(passage: Passage) -> str:
    """The passage as a line of a transcript (`[2024-05-08T18:00:00+00:00] Maya: …`), for a system without metadata:
    speaker and time can be parsed from it.
    """
    line = f"{passage.speaker or passage.role}: {passage.text}"
    return f"[{passage.at.isoformat()}] {line}" if passage.at else line


def has_ended(expired: object, invalid: object, now: datetime) -> bool:
    """True if a fact is known to be true no longer.

    `expired`: when the system learned that it is superseded, if it is. `invalid`: from when on it is not true, as a moment or in
    text, without a zone as UTC; what is no moment says nothing.
    """
    until = read_moment(invalid)
    return bool(expired) or (until is not None and aware(until) <= now)
