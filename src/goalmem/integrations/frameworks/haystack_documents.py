"""Turns as Haystack documents, and Haystack's filters over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from haystack import Document
from haystack.utils.filters import document_matches_filter

from goalmem.integrations.frameworks.tools import MemoryLike, placed
from goalmem.records import Turn

__all__ = ["document_of", "found"]

MOST_LOOKED = 1_000
"""Turns that are looked through for those that a filter lets pass; a server gives no more."""
WIDER = 4
"""Times as many are looked through, where too few pass."""
NAMES = {"session": "sessions", "speaker": "speakers", "role": "roles"}
"""What of a document a search can be told to keep to, and how."""
MOMENTS = {">=": "after", ">": "after", "<": "before"}
"""The same of its time; `after` includes the moment, so that of `>` it leaves one too many, which the filter drops."""


def document_of(turn: Turn, score: float | None = None) -> Document:
    """A turn as a document; when it was said, in UTC, only where somebody told."""
    meta = {"session": turn.session, "speaker": turn.speaker, "role": turn.role, "position": turn.position}
    if turn.dated:
        meta["at"] = turn.at.astimezone(UTC).isoformat()
    return Document(id=turn.id, content=turn.content, meta=meta, score=score)


def found(
    memory: MemoryLike,
    query: str,
    filters: Mapping[str, Any] | None,
    top_k: int,
    space: str | None,
    speaker: str | None = None,
) -> list[Document]:
    """The `top_k` turns that say most about a query of `speaker` and pass the filters, best first."""
    told = dict(_told(filters)) if filters else {}
    looked = top_k
    while top_k > 0:
        hits = memory.search(query, k=looked, **placed(space, speaker), **told)
        documents = [document_of(hit.turn, hit.score) for hit in hits]
        passing = [d for d in documents if not filters or document_matches_filter(dict(filters), d)]
        if len(passing) >= top_k or len(hits) < looked or looked >= MOST_LOOKED:
            return passing[:top_k]
        looked = min(looked * WIDER, MOST_LOOKED)
    return []


def _told(filters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a search can be told of a filter: conditions that all must hold. The filter itself is applied to what it finds."""
    conditions: Sequence[Any] = filters.get("conditions", ()) if filters.get("operator") == "AND" else (filters,)
    for condition in conditions:
        if not isinstance(condition, Mapping):
            continue
        name, operator, value = (condition.get(part) for part in ("field", "operator", "value"))
        field = str(name).removeprefix("meta.")
        named = [value] if operator == "==" else value if operator == "in" else None
        if field in NAMES and isinstance(named, list) and named and all(isinstance(n, str) and n for n in named):
            yield NAMES[field], named
        elif field == "at" and operator in MOMENTS and isinstance(value, str | datetime):
            yield MOMENTS[operator], value
