"""What another memory system has to offer: passages that say most about a query."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from goalmem.errors import BackendError

__all__ = ["TURN", "Adding", "Backend", "Lookup", "Passage", "adding_of", "lookup_of", "package"]

TURN = "goalmem_turn"
"""Metadata under which the id is kept that goalmem gave a message, where the other system gives it an id of its own."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that another system remembers: a message, a note, or a part of a document."""

    text: str
    id: str | None = None
    """The other system's own id, by which proofs cite it; without one, a hash of what it says."""
    speaker: str = ""
    """Who says it. Empty: `Name: ` in front of the words tells, else nobody is named."""
    at: datetime | None = None
    """When it was said or written; without a zone it is taken as UTC. None: nobody told, and no date is taken from it."""
    session: str = ""
    """The conversation or document that it is of."""
    role: str = "user"
    """`user`, `assistant`, `system` or `tool`."""
    score: float = 0.0
    """The other system's; only the order of what it returned counts."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What else came with it. Not read, but for `TURN`."""


class Backend(Protocol):
    """Another memory system. `search` is all that it must have; `get` and `add` are used where they are there."""

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """At most `k` passages that say most about the query, best first."""


class Lookup(Protocol):
    """Finds a passage again, for verification."""

    def __call__(self, id: str, /) -> Passage | None:
        """The passage as it is now; None where there is none of that id."""


class Adding(Protocol):
    """Hands on what is to be remembered."""

    def __call__(self, passages: Sequence[Passage], /) -> None:
        """Remember the passages, each with an id, a speaker and a time. One whose id is known is not added twice."""


def lookup_of(backend: Backend) -> Lookup | None:
    """The backend's `get`, where it has one."""
    return _method(backend, "get")


def adding_of(backend: Backend) -> Adding | None:
    """The backend's `add`, where it has one."""
    return _method(backend, "add")


def _method(backend: Backend, name: str) -> Callable[..., Any] | None:
    method = getattr(backend, name, None)
    return method if callable(method) else None


ALONE = {"a-mem": "a-mem>=0.2.6,<0.3", "cognee": "cognee>=1.6,<1.7"}
"""Systems without an extra, as they need an `openai` (through litellm) that goalmem's extra `chat` does not: what to install."""


def package(module: str, extra: str) -> Any:
    """Import a module of another system's package. Raises BackendError with the command to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BackendError(
            f"The package of {module.partition('.')[0]} is not installed (no module {error.name!r}).",
            f"Install it with `pip install '{ALONE.get(extra, f'goalmem[{extra}]')}'`.",
        ) from error
