"""One request to a server, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

__all__ = ["Call", "got", "listed", "nothing", "posted"]

PAGE = 500
"""Items asked for at once where a list comes in pages."""

T = TypeVar("T")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """One request."""

    method: str
    path: str
    read: Callable[[Any, str], T]
    """What the answer means. The second argument names the space."""
    space: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None
    writes: bool = False
    """Whether it carries an idempotency key."""
    repeats: bool = True
    """Whether it may be sent again where its answer was lost: it reads, or it is done once for its key."""
    placed: bool = False
    """Whether what it returns names its space, which the server leaves out."""
    listed: bool = False
    """Whether the answer is a page of a list; the call is sent for each."""


def nothing(row: object, space: str) -> None:
    """An answer that says nothing more than that it is done."""
    del row, space


def posted(
    path: str,
    body: Body,
    read: Callable[[Any, str], T],
    space: str | None,
    *,
    writes: bool = False,
    placed: bool = False,
) -> Call[T]:
    """A call that sends a document; what is None is left out, so that the server's default holds."""
    sent = {name: value for name, value in body.items() if value is not None}
    return Call(method="POST", path=path, read=read, space=space, body=sent, writes=writes, placed=placed)


def got(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> Call[T]:
    """A call that reads; what is None is left out."""
    asked = {name: value for name, value in query.items() if value is not None}
    return Call(method="GET", path=path, read=read, space=space, query=asked, placed=placed)


def listed(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> Call[list[T]]:
    """A call for a list, which comes in pages; `read` is of an item."""

    def page(document: Any, space: str) -> list[T]:
        return [read(row, space) for row in document["items"]]

    return replace(got(path, page, space, placed=placed, limit=str(PAGE), **query), listed=True)
