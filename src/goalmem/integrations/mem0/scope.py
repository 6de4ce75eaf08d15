"""mem0's user, agent and run ids as a space and a session of goalmem.

A user is a space by the same name, so that `goalmem ask --space maya` finds what was added with `user_id="maya"`; an
agent without a user, and a run without either, have spaces of their own. Inside a space every pair of agent and run is
a session. Ids hold no white space (mem0's own rule), which keeps both mappings unambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goalmem.errors import GoalmemError, InputError, NotFoundError


class ValidationError(InputError):
    """An invalid argument; has the attributes of mem0's `ValidationError` and is a ValueError."""

    def __init__(self, message: str, error_code: str, details: Mapping[str, Any], suggestion: str) -> None:
        super().__init__(message, suggestion)
        self.message = message
        self.error_code = error_code
        self.details = dict(details)
        self.suggestion = suggestion
        self.debug_info: dict[str, Any] = {}

    def __reduce__(self) -> tuple[type[ValidationError], tuple[object, ...]]:
        return type(self), (self.message, self.error_code, self.details, self.suggestion)


class MemoryNotFoundError(NotFoundError, ValueError):
    """There is no memory of that id: mem0's `update` and `delete` raise ValueError then."""


class UnsupportedError(GoalmemError, NotImplementedError):
    """A feature of mem0 that is not supported."""


ENTITIES = ("user_id", "agent_id", "run_id")
"""Owners of a memory; at least one is required."""
_USER, _AGENT, _RUN = "user:", "agent:", "run:"
_DEFAULT_SESSION = "default"


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """The owner of a memory."""

    user: str | None = None
    agent: str | None = None
    run: str | None = None

    @property
    def space(self) -> str:
        """The space that its memories are in."""
        if self.user is not None:
            return f"{_USER}{self.user}" if self.user.startswith((_USER, _AGENT, _RUN)) else self.user
        return f"{_AGENT}{self.agent}" if self.agent is not None else f"{_RUN}{self.run}"

    @property
    def session(self) -> str:
        """The session of that space."""
        named = [f"{mark}{name}" for mark, name in ((_AGENT, self.agent), (_RUN, self.run)) if name is not None]
        return " ".join(named) or _DEFAULT_SESSION

    @property
    def ids(self) -> dict[str, str]:
        """The ids that are given, by mem0's names."""
        given = dict(zip(ENTITIES, (self.user, self.agent, self.run), strict=True))
        return {name: value for name, value in given.items() if value is not None}


def scope_of(user_id: object = None, agent_id: object = None, run_id: object = None) -> MemoryScope:
    """The scope of these ids. Raises ValidationError if none is given, InputError if one is invalid."""
    ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
    scope = MemoryScope(*(entity_id(value, name) for name, value in ids.items()))
    if not scope.ids:
        raise ValidationError(
            "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.",
            "VALIDATION_001",
            {"provided_ids": ids},
            'Say whose memory it is, e.g. user_id="maya".',
        )
    return scope


def entity_id(value: object, name: str) -> str | None:
    """An id as text without white space around it; None for None. Raises InputError."""
    if value is None:
        return None
    text = (value if isinstance(value, str) else str(value)).strip()
    remedy = "Provide a valid identifier without spaces."
    if not text:
        raise InputError(f"Invalid {name}: cannot be empty or whitespace-only.", remedy)
    if any(character.isspace() for character in text):
        raise InputError(f"Invalid {name}: cannot contain whitespace.", remedy)
    return text


def owner_of(space: str) -> Mapping[str, str]:
    """The owner of a space, for turns added without mem0; empty if no id can name it."""
    if any(character.isspace() for character in space):
        return {}
    for mark, name in ((_USER, "user_id"), (_AGENT, "agent_id"), (_RUN, "run_id")):
        if space.startswith(mark) and len(space) > len(mark):
            return {name: space.removeprefix(mark)}
    return {"user_id": space}
