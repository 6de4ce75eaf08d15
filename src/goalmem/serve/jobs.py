"""Records of jobs: files that were uploaded, and how far they are remembered. They survive the process."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from goalmem.errors import ConflictError, NotFoundError
from goalmem.io.documents import DocumentKind
from goalmem.io.triples_files import GraphFormatName
from goalmem.serve.auth import Caller
from goalmem.serve.ledger import Ledger
from goalmem.serve.lists import ListPage, Position, cut


class JobState(StrEnum):
    """Where a job is. One that is queued, checking or running when the process ends is taken up by the next."""

    QUEUED = "queued"
    CHECKING = "checking"
    """The file is being validated; nothing of it is stored yet."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """`problem` says why; what was stored remains, and the job can be resumed."""


UNFINISHED = (JobState.QUEUED, JobState.CHECKING, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a file is to be read."""

    format: str = "chat"
    """`chat` (any layout of conversations that `goalmem add` reads), `document`, `export` (what export wrote) or `graph` (triples)."""
    name: str = "upload"
    """What problems call the file; its stem names sessions without a name."""
    session: str | None = None
    at: str | None = None
    day_first: bool = False
    skip_bad: bool = False
    triples: GraphFormatName | None = None
    """How a graph is written; None: told by its name and content."""
    document: DocumentKind | None = None
    """What a document is; None: told by its name and content."""
    author: str | None = None
    """Who says "I" in a document that does not say who wrote it."""
    noted: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of every piece of a document."""
    prune: bool = False
    """Forget what an earlier version of a document said and this one does not."""


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to remember."""

    seq: int
    id: str
    caller: str
    space: str
    options: JobOptions
    state: JobState
    bytes: int
    """Bytes of the file."""
    total: int | None
    """Messages in it, of a graph triples, names and kinds; None until they were counted."""
    done: int
    """Messages remembered so far."""
    new: int
    """New messages among them."""
    problem: str
    remedy: str
    created: datetime
    changed: datetime

    @property
    def row(self) -> Mapping[str, Any]:
        """Plain data for JSON."""
        hidden = ("seq", "caller", "options")
        told = {n: getattr(self, n) for n in self.__slots__ if n not in hidden}
        return told | {"format": self.options.format, "name": self.options.name}


ABANDONED = 600.0
"""Seconds without writes after which an unclaimed file is deleted."""
COLUMNS = "seq, id, caller, space, options, state, bytes, total, done, new, problem, remedy, created, changed"


class JobStore:
    """The jobs of a server. Blocks for as long as a disk takes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def add(self, caller: Caller, space: str, options: JobOptions, size: int, part: Path) -> FileJob:
        """A new job over a file that is whole and on the disk; the file is taken over."""
        id_ = "job-" + secrets.token_hex(8)
        now = time.time()
        part.replace(self.file(id_))
        with self._ledger.writing() as connection:
            connection.execute(
                "INSERT INTO job (id, caller, space, options, state, bytes, created, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id_, caller.id, space, json.dumps(_written(options)), JobState.QUEUED, size, now, now),
            )
        return self.find(id_)

    def file(self, id_: str) -> Path:
        """Path of a job's file."""
        return self._ledger.uploads / f"{id_}.data"

    def find(self, id_: str) -> FileJob:
        """Find a job. Raises NotFoundError."""
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM job WHERE id = ?", (id_,))
        if not rows:
            raise NotFoundError(f"There is no job {id_!r}.", "See GET /v1/jobs.")
        return _job(rows[0])

    def there(self, id_: str) -> bool:
        """True if the job exists."""
        return bool(self._ledger.rows("SELECT 1 FROM job WHERE id = ?", (id_,)))

    def seen(self, caller: Caller, id_: str) -> FileJob:
        """A job that the caller may see. Jobs of other spaces are reported as missing."""
        job = self.find(id_)
        if not caller.sees(job.space):
            raise NotFoundError(f"There is no job {id_!r}.", "See GET /v1/jobs.")
        return job

    def page(self, space: str, after: Position | None, limit: int) -> ListPage:
        """Jobs of a space, the newest first."""
        rows = self._ledger.rows(
            f"SELECT {COLUMNS} FROM job WHERE space = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
            (space, after[0] if after else 2**62, limit + 1),
        )
        return cut(list(map(_job, rows)), lambda job: [job.seq], limit)

    def unfinished(self, caller: str | None = None) -> list[FileJob]:
        """Unfinished jobs of one caller or of all, oldest first."""
        marks = ", ".join("?" * len(UNFINISHED))
        rows = self._ledger.rows(f"SELECT {COLUMNS} FROM job WHERE state IN ({marks}) ORDER BY seq", UNFINISHED)
        return [job for job in map(_job, rows) if caller is None or job.caller == caller]

    def note(self, id_: str, **changes: object) -> None:
        """Record the progress of a job, unless it was removed."""
        names = ", ".join(f"{name} = ?" for name in changes)
        with self._ledger.writing() as connection:
            connection.execute(
                f"UPDATE job SET {names}, changed = ? WHERE id = ?", (*changes.values(), time.time(), id_)
            )

    def finish(self, id_: str) -> None:
        """A job is done: its file goes."""
        self.note(id_, state=JobState.DONE)
        self.file(id_).unlink(missing_ok=True)

    def resume(self, id_: str) -> FileJob:
        """Resume a failed job. Raises ConflictError if it has not failed."""
        job = self.find(id_)
        if job.state is JobState.DONE:
            raise ConflictError(f"The job {id_!r} is done.", "Nothing is left to do.")
        if job.state is JobState.FAILED:
            self.note(id_, state=JobState.QUEUED, problem="", remedy="")
        return self.find(id_)

    def remove(self, id_: str) -> None:
        """Remove a job and its file. What it stored is kept."""
        with self._ledger.writing() as connection:
            self._ledger.remove(connection, "job WHERE id = ?", id_)
        self.file(id_).unlink(missing_ok=True)

    def remove_all(self, space: str, format: str | None = None) -> list[str]:
        """Remove every job of a space, or every one over files of a format; their ids."""
        held = map(_job, self._ledger.rows(f"SELECT {COLUMNS} FROM job WHERE space = ?", (space,)))
        ids = [job.id for job in held if format in (None, job.options.format)]
        for id_ in ids:
            self.remove(id_)
        return ids

    def clean(self) -> None:
        """Remove files of no job: of uploads that were cut off, or removed just before the process ended.

        What was written to a moment ago may be another process's, which is still receiving it.
        """
        since = time.time() - ABANDONED
        held = {f"{id_}.data" for (id_,) in self._ledger.rows("SELECT id FROM job WHERE state != 'done'")}
        for file in self._ledger.uploads.iterdir():
            with suppress(FileNotFoundError):  # another process cleans, too
                if file.name not in held and file.stat().st_mtime < since:
                    file.unlink()

    def counts(self) -> dict[str, int]:
        """Number of jobs by state."""
        held = dict.fromkeys((state.value for state in JobState), 0)
        return held | dict(self._ledger.rows("SELECT state, count(*) FROM job GROUP BY state"))


def _written(options: JobOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in options.__slots__}


def _job(row: Sequence[Any]) -> FileJob:
    seq, id_, caller, space, options, state, size, total, done, new, problem, remedy, created, changed = row
    return FileJob(
        seq, id_, caller, space, JobOptions(**json.loads(options)), JobState(state), size, total, done, new, problem, remedy,
        datetime.fromtimestamp(created, UTC), datetime.fromtimestamp(changed, UTC),
    )  # fmt: skip
