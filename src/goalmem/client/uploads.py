"""Files as requests to a server, which it remembers in the background: what each sends, and what it makes of the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from goalmem.client.call import Call, got, nothing, posted
from goalmem.io.chat_messages import noted
from goalmem.schema import rows

if TYPE_CHECKING:
    from goalmem.graph.imports import GraphReport
    from goalmem.io.documents import DocumentKind
    from goalmem.io.graph_inputs import GraphFormatName


@dataclass(frozen=True, slots=True)
class Job:
    """A file that the server remembers in the background."""

    id: str
    state: str
    """`done` or `failed` at its end."""
    total: int
    """What it holds; 0 until that was counted."""
    new: int
    """Turns, or triples, that were new."""
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class PreviewMessage:
    """A message of a file, as it would be remembered."""

    speaker: str
    role: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PreviewSession:
    """A conversation of a file."""

    session: str
    messages: int
    """As far as the file was read."""
    first: list[PreviewMessage]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file holds; nothing of it is stored."""

    sessions: int
    messages: int
    """As far as the file was read, as `sessions`."""
    whole: bool
    """Whether the file was read to its end."""
    items: list[PreviewSession]
    """Its first conversations."""


def export(*, space: str | None = None) -> Call[None]:
    """Everything of a space, as lines of JSON."""
    return got("/v1/export", nothing, space)


def import_(*, space: str | None = None) -> Call[Job]:
    """A file that `export` wrote, to be remembered in the background."""
    return Call(method="POST", path="/v1/uploads", read=_job, space=space, query={"format": "export"}, writes=True)


def add_file(
    *,
    space: str | None = None,
    session: str | None = None,
    at: str | None = None,
    name: str,
    format: DocumentKind | None = None,
    author: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: Sequence[str] | None = None,
    prune: bool = False,
) -> Call[Job]:
    """A document, to be remembered in the background."""
    about = noted({"metadata": metadata, "tags": tags}, "The file")
    given = {"session": session, "at": at, "document": format, "author": author}
    query = {"format": "document", "name": name} | {key: value for key, value in given.items() if value is not None}
    query |= {"metadata": json.dumps(about)} if about else {}
    query |= {"prune": "true"} if prune else {}
    return Call(method="POST", path="/v1/uploads", read=_job, space=space, query=query, writes=True)


def preview(
    *, space: str | None = None, session: str | None = None, at: str | None = None, name: str, format: str
) -> Call[Preview]:
    """What a file holds, before it is remembered."""
    given = {"format": format, "name": name, "session": session, "at": at}
    query = {key: value for key, value in given.items() if value is not None}
    return Call(method="POST", path="/v1/uploads/preview", read=partial(rows.record, Preview), space=space, query=query)


def demo(*, space: str | None = None) -> Call[Job]:
    """A made-up conversation with rules and a graph, to be remembered in the background."""
    return posted("/v1/demo", {}, _job, space, writes=True)


def import_graph(*, space: str | None = None, format: GraphFormatName | None = None, name: str) -> Call[GraphReport]:
    """Triples of a small file, to be added to the graph of a space."""
    query = {"name": name} | ({"format": format} if format is not None else {})
    read = partial(_graph_report, name)
    return Call(method="POST", path="/v1/graph/triples", read=read, space=space, query=query, writes=True)


def upload_graph(*, space: str | None = None, format: GraphFormatName | None = None, name: str) -> Call[Job]:
    """Triples of a large file, to be added in the background."""
    query = {"format": "graph", "name": name} | ({"triples": format} if format is not None else {})
    return Call(method="POST", path="/v1/uploads", read=_job, space=space, query=query, writes=True)


def job(job: str, *, space: str | None = None) -> Call[Job]:
    """How far the server is with a file."""
    return got(f"/v1/jobs/{quote(job, safe='')}", _job, space)


def _job(row: Mapping[str, Any], space: str) -> Job:
    return rows.record(Job, {**row, "total": row["total"] or 0}, space)


def _graph_report(source: str, row: Mapping[str, Any], space: str) -> GraphReport:
    from goalmem.graph.imports import GraphReport

    return rows.record(GraphReport, {"source": source, **row}, space)
