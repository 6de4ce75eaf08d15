"""Uploads to a server, which processes files in the background."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import repeat
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from goalmem.client.call import ServerCall, got, listed, nothing, posted, quoted, removed, uploaded
from goalmem.errors import FormatError, InputError, ReadOnlyStoreError, ServiceError
from goalmem.io.chat_messages import noted
from goalmem.schema import rows

if TYPE_CHECKING:
    from goalmem.graph.imports import GraphReport
    from goalmem.io.triples_files import GraphFormatName


@dataclass(frozen=True, slots=True)
class Job:
    """A file that the server remembers in the background."""

    id: str
    state: str
    """`done` or `failed` at its end."""
    total: int
    """Total number of items; 0 until known."""
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
    """The contents of a file that was not stored."""

    sessions: int
    messages: int
    """As far as the file was read, as `sessions`."""
    whole: bool
    """True if the file was read to its end."""
    items: list[PreviewSession]
    """Its first conversations."""


def export(*, space: str | None = None) -> ServerCall[None]:
    """Everything of a space, as lines of JSON."""
    return got("/v1/export", nothing, space)


def import_(*, space: str | None = None) -> ServerCall[Job]:
    """A file that `export` wrote, to be remembered in the background."""
    return uploaded("/v1/uploads", _job, space, {"format": "export"})


def add_file(
    query: Mapping[str, str | None],
    metadata: Mapping[str, Any] | None,
    tags: Sequence[str] | None,
    *,
    prune: bool,
    space: str | None,
) -> ServerCall[Job]:
    """A document, to be remembered in the background."""
    about = noted({"metadata": metadata, "tags": tags}, "The file")
    more = {"metadata": json.dumps(about) if about else None, "prune": "true" if prune else None}
    return uploaded("/v1/uploads", _job, space, {"format": "document", **query, **more})


def preview(
    *, space: str | None = None, session: str | None = None, at: str | None = None, name: str, format: str
) -> ServerCall[Preview]:
    """The contents of a file, without storing them."""
    query = {"format": format, "name": name, "session": session, "at": at}
    return uploaded("/v1/uploads/preview", partial(rows.record, Preview), space, query, writes=False)


def demo(*, space: str | None = None) -> ServerCall[Job]:
    """A made-up conversation with rules and a graph, to be remembered in the background."""
    return posted("/v1/demo", {}, _job, space, writes=True)


def import_graph(
    *, space: str | None = None, format: GraphFormatName | None = None, name: str
) -> ServerCall[GraphReport]:
    """Triples of a small file, to be added to the graph of a space."""
    return uploaded("/v1/graph/triples", partial(_graph_report, name), space, {"name": name, "format": format})


def upload_graph(*, space: str | None = None, format: GraphFormatName | None = None, name: str) -> ServerCall[Job]:
    """Triples of a large file, to be added in the background."""
    return uploaded("/v1/uploads", _job, space, {"format": "graph", "name": name, "triples": format})


def job(job: str, *, space: str | None = None) -> ServerCall[Job]:
    """Progress of the server with a file."""
    return got(f"/v1/jobs/{quoted(job)}", _job, space)


def jobs(*, space: str | None = None) -> ServerCall[list[Job]]:
    """Files that the server was given, the newest first."""
    return listed("/v1/jobs", _job, space)


def resume_job(job: str, *, space: str | None = None) -> ServerCall[Job]:
    """Take up a job that failed where it stopped."""
    return posted(f"/v1/jobs/{quoted(job)}/resume", {}, _job, space, writes=True)


def remove_job(job: str, *, space: str | None = None) -> ServerCall[None]:
    """End a job and remove its file; what it stored is kept."""
    return removed(f"/v1/jobs/{quoted(job)}", nothing, space)


def _job(row: Mapping[str, Any], space: str) -> Job:
    return rows.record(Job, {**row, "total": row["total"] or 0}, space)


def _graph_report(source: str, row: Mapping[str, Any], space: str) -> GraphReport:
    from goalmem.graph.imports import GraphReport

    return rows.record(GraphReport, {"source": source, **row}, space)


MOST_AT_ONCE = 4 * 2**20
"""Maximum bytes of triples in one request: half of a server's default limit."""
PART = 2**18
"""Bytes per chunk."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between the first looks at a job; then as the last."""


class JoinedExports:
    """The exports of several spaces as one file, which is there whole or not at all."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._lines: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self._rest = b""
        self._start = 0
        self._format = 1
        self._turns = 0
        self._counted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()

    def begin(self) -> None:
        """The export of a space begins, perhaps for the second time."""
        self._lines.seek(self._start)
        self._lines.truncate()
        self._rest, self._counted = b"", 0

    def feed(self, part: bytes) -> None:
        """Some more bytes of it."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            self._take(line)

    def end(self) -> None:
        """It came whole."""
        if self._rest:
            self._take(self._rest)
        self._start = self._lines.tell()
        self._turns += self._counted

    def finish(self) -> int:
        """Write the file; the number of turns in it. Raises ReadOnlyStoreError."""
        part = self._target.with_name(self._target.name + ".part")
        self._lines.seek(0)
        try:
            with part.open("wb") as out:
                out.write(json.dumps({"goalmem": self._format}).encode() + b"\n")
                shutil.copyfileobj(self._lines, out)
                out.flush()
                os.fsync(out.fileno())
            part.replace(self._target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise ReadOnlyStoreError(
                f"The export could not be written to {self._target}: {error}.", "Choose another place."
            ) from error
        return self._turns

    def _take(self, line: bytes) -> None:
        """A header says the format; of the rest, only a turn has a role: others are rules and graphs."""
        try:
            row = json.loads(line)
            header = row.get("goalmem")
            turn = "role" in row
        except (ValueError, AttributeError, TypeError):
            raise ServiceError("The server's export contains an invalid line.", "Export again.") from None
        if header is not None:
            self._format = max(self._format, int(header))
            return
        self._counted += turn
        self._lines.write(line + b"\n")


def readable(origin: Path) -> Path:
    """A file that can be read. Raises FormatError."""
    try:
        with origin.open("rb"):
            return origin
    except OSError as error:
        raise FormatError(f"{origin} cannot be read: {error}.", "Check the path.") from error


def graph_file(graph: object) -> Path:
    """The graph in a file. Raises InputError if it is not a graph, FormatError if it cannot be read."""
    if not isinstance(graph, str | PathLike):
        raise InputError(
            f"A server takes a graph as a file, not as a {type(graph).__name__}.",
            "Write it to one: a triple a line, as subject|relation|object.",
        )
    return readable(Path(graph))


def is_large(origin: Path) -> bool:
    """True if a file should be processed in the background."""
    return origin.stat().st_size > MOST_AT_ONCE


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """A file in parts."""
    while part := file.read(PART):
        yield part


def pauses() -> Iterator[float]:
    """Seconds to wait between looks at a job, without end."""
    yield from PAUSES
    yield from repeat(PAUSES[-1])


def is_done(job: Job) -> bool:
    """True if a job is done. Raises FormatError where it failed."""
    if job.state == "failed":
        raise FormatError(job.problem, job.remedy or "What was stored is kept; import the rest again.")
    return job.state == "done"
