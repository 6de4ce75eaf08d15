"""Parses the messages that `add` receives."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goalmem.integrations.mem0.scope import ValidationError
from goalmem.io.chat_messages import ROLE_ALIASES, ROLES
from goalmem.store.metadata import UNSTORABLE

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A parsed message."""

    role: str
    """As given; any word will do, as for mem0."""
    text: str
    actor: str | None
    """The name that the message carries."""

    @property
    def fields(self) -> dict[str, str]:
        """The speaker as fields of a memory."""
        return {"role": self.role, **({"actor_id": self.actor} if self.actor else {})}

    @property
    def message(self) -> dict[str, str]:
        """It as goalmem takes it: who says it is the name, or else the role."""
        role = ROLE_ALIASES.get(self.role, self.role)
        if role in ROLES:
            return {"role": role, "content": self.text, **({"name": self.actor} if self.actor else {})}
        return {"role": "user", "content": self.text, "name": self.actor or self.role}


def parse(messages: object) -> list[ParsedMessage]:
    """The messages that say something; system messages, and those without a role or text, are left out, as mem0 does.

    Raises ValidationError for what is no message.
    """
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    elif not isinstance(messages, list):
        raise _invalid("messages must be str, dict, or list[dict]", messages)
    said = [one for place, raw in enumerate(messages) if (one := _parse_one(raw, place)) is not None]
    return [one for one in said if one.text.strip()]


def as_one(said: Sequence[ParsedMessage]) -> ParsedMessage:
    """A conversation as one text, a line a message."""
    return ParsedMessage("assistant", "\n".join(f"{one.actor or one.role}: {one.text}" for one in said), None)


def _parse_one(raw: object, place: int) -> ParsedMessage | None:
    if not isinstance(raw, Mapping):
        raise _invalid(f"message {place} must be a dict", raw)
    role, content, name = raw.get("role"), raw.get("content"), raw.get("name")
    if role is None or content is None:
        log.warning("Left out message %d: it has no role or no content.", place)
        return None
    if not isinstance(role, str) or not role.strip() or not isinstance(name, str | None):
        raise _invalid(f"message {place}: role and name must be strings", role if name is None else name)
    if role == "system":
        return None
    return ParsedMessage(_storable(role), _storable(_text(content, place)), _storable(name) if name else None)


def _text(content: object, place: int) -> str:
    """The text of a message; text parts are joined, pictures ignored."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        texts = [text for part in parts if isinstance(text := part.get("text"), str)]
        if len(parts) < len(content):
            log.warning("Left out of message %d what is no text: %d parts.", place, len(content) - len(parts))
        return " ".join(texts)
    if isinstance(content, Mapping) and content.get("type") == "image_url":
        log.warning("Left out message %d: it is a picture.", place)
        return ""
    raise _invalid(f"message {place}: content must be text or a list of parts", content)


def _storable(text: str) -> str:
    return UNSTORABLE.sub("\ufffd", text)


def _invalid(problem: str, given: Any) -> ValidationError:
    return ValidationError(
        f"{problem}, not {type(given).__name__}.",
        "VALIDATION_003",
        {"provided_type": type(given).__name__, "valid_types": ["str", "dict", "list[dict]"]},
        "Convert your input to a string, dictionary, or list of dictionaries.",
    )
