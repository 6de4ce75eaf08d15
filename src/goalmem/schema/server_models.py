"""What only a server answers: problems, whether it runs, its jobs and keys, and files as they would be remembered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, RootModel

from goalmem.schema.models import Items, Page, Result


class Problem(Result):
    """An error: what was wrong, with what, and what to do (RFC 9457)."""

    model_config = ConfigDict(
        defer_build=True,
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:goalmem:problem:not-found",
                    "title": "Not found",
                    "status": 404,
                    "detail": "There is no turn 't1' in the space 'default'.",
                    "remedy": "Take turn ids from add, search or a proof.",
                    "instance": "0f1e2d3c4b5a6978",
                }
            ]
        },
    )

    type: Annotated[str, Field(description="`urn:goalmem:problem:` and the kind of error.")]
    title: str
    status: int
    detail: Annotated[str, Field(description="What was wrong, with what.")]
    remedy: Annotated[str, Field(description="What to do.")]
    instance: Annotated[str, Field(description="Id of the request, as the server's log has it.")]


class Health(Result):
    """The process runs."""

    status: Literal["ok"]


class Ready(Result):
    """Calls are served."""

    ready: Literal[True]
    warm: Annotated[bool, Field(description="Whether the models are loaded; a call that needs them before waits.")]


class Job(Result):
    """A file that was uploaded, and how far it is remembered."""

    id: str
    space: str
    state: Literal["queued", "checking", "running", "done", "failed"]
    format: str
    name: str
    bytes: int
    total: Annotated[int | None, Field(description="Messages in the file; null until they were counted.")]
    done: Annotated[int, Field(description="Messages that are remembered.")]
    new: Annotated[int, Field(description="How many of them were new.")]
    problem: str
    remedy: str
    created: datetime
    changed: datetime


class Jobs(Page[Job]):
    """Jobs, the newest first."""


class PreviewMessage(Result):
    """A message of a file, as it would be remembered."""

    speaker: str
    role: str
    text: str
    at: datetime


class PreviewSession(Result):
    """A conversation of a file."""

    session: str
    messages: Annotated[int, Field(description="As far as the file was read.")]
    first: Annotated[list[PreviewMessage], Field(description="Its first messages.")]


class Preview(Result):
    """What a file holds; nothing of it is stored."""

    sessions: Annotated[int, Field(description="As far as the file was read.")]
    messages: Annotated[int, Field(description="As far as the file was read.")]
    whole: Annotated[bool, Field(description="Whether the file was read to its end.")]
    items: Annotated[list[PreviewSession], Field(description="Its first conversations.")]


class Purged(Result):
    """What had expired and is gone."""

    turns: int


class Key(Result):
    """A key, without its secret."""

    id: str
    name: str
    scope: Literal["read", "write", "admin"]
    spaces: list[str]
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    valid: bool


class Keys(Items[Key]):
    """Every key that was ever made, oldest first."""


class NewKey(Result):
    """A key with its text, which is shown once and kept nowhere."""

    key: Key
    text: Annotated[str, Field(description="`gm_<id>_<secret>`.")]


class Line(Result):
    """One line of an export: the header, a turn or a rule."""

    model_config = ConfigDict(defer_build=True, extra="allow")


class Text(RootModel[str]):
    """Plain text."""
