"""ETags: what a space was when it was read, so that what changes it may ask that it still is."""

from __future__ import annotations

from collections.abc import Mapping

from goalmem.serve.refusals import PreconditionError
from goalmem.store import Store

__all__ = ["matches", "require_match", "space_etag"]


def space_etag(store: Store, space: str) -> str:
    """Another one after each change of a space's turns, rules or imported graph."""
    epoch, seq = store.version(space)
    return f'"{epoch}-{seq}-{store.rules_version(space)}-{store.graphs.version(space)}"'


def matches(header: str | None, etag: str) -> bool:
    """Whether a header of ETags names this one."""
    if header is None:
        return False
    named = [part.strip().removeprefix("W/") for part in header.split(",")]
    return etag in named or "*" in named


def require_match(headers: Mapping[str, str], store: Store, space: str) -> None:
    """Raises PreconditionError when `If-Match` names another state than the space is in."""
    named = headers.get("if-match")
    if named is not None and not matches(named, space_etag(store, space)):
        raise PreconditionError
