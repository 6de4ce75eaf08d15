"""A job: its partitions on disk, and which of them are done.

The job's folder is named by a fingerprint of the store, the files and the options. So the same command resumes, and
another one never finds its leftovers. The folder is removed when the job is done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, InputError, StoreError
from goalmem.integrations.bulk.partitions import LineMessages, PartitionWriter, ReadOptions, calls_in, stems_of
from goalmem.io import open_chat
from goalmem.io.conversation import Options, Skipped

DEFAULT_FOLDER = Path(".goalmem") / "bulk"
FORMAT = "1"
"""Format version of the files in the folder; part of the fingerprint."""
PLAN, DONE, STARTED = "plan.json", "done.jsonl", "started"


@dataclass(frozen=True, slots=True)
class Source:
    """Input files and options."""

    files: tuple[Path, ...]
    space: str
    """Space of lines that do not name one."""
    partitions: int
    at: datetime | None = None
    """Time of messages without one."""
    skip_bad: bool = False
    day_first: bool = False
    longest: int = 10_000_000


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line, or a message on it, that was not stored."""

    file: str
    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The work of a job."""

    messages: int
    """Messages that can be stored."""
    by_partition: Mapping[int, int]
    """Messages of each partition that has any."""
    undated: int = 0
    """Messages without a time, in lines without one."""
    left_out: tuple[SkippedLine, ...] = ()
    read: bool = True
    """False where the files had been read before."""


class BulkJob:
    """A job on disk. One process at a time runs it; workers only read its partitions and record which they start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def done(self) -> dict[int, Mapping[str, Any]]:
        """Results of the finished partitions."""
        found: dict[int, Mapping[str, Any]] = {}
        with suppress(FileNotFoundError):
            for line in (self.folder / DONE).read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    entry = json.loads(line)
                    found[int(entry["partition"])] = entry
                except (ValueError, KeyError, TypeError):
                    continue  # truncated by a kill: the partition is repeated, which adds nothing
        return found

    def keep(self, outcome: Mapping[str, Any]) -> None:
        """Note a partition as done, durably."""
        with (self.folder / DONE).open("a", encoding="utf-8") as file:
            # Starts on a new line even after a truncated one.
            file.write("\n" + json.dumps(outcome))
            file.flush()
            os.fsync(file.fileno())

    @property
    def started(self) -> Path:
        """Folder that records the started partitions, one file each (goalmem.integrations.bulk.engine)."""
        return self.folder / STARTED

    def restart(self) -> None:
        """Start a new run: records of the last one no longer count."""
        for path in self.started.glob("*"):
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the finished job."""
        shutil.rmtree(self.folder, ignore_errors=True)


def opened(source: Source, store: str, work: Path | None) -> tuple[BulkJob, JobPlan]:
    """The job of a source and a store, its files read into partitions unless they have been.

    `store`: what tells the store from any other, and from one that was at the same place before. Raises FormatError with file and line,
    InputError for a file given twice, StoreError where the folder cannot be written; nothing was stored.
    """
    files = [path.resolve() for path in source.files]
    if twice := next((path for path in files if files.count(path) > 1), None):
        raise InputError(f"{twice} is named twice.", "Name each file once.")
    base = (work or DEFAULT_FOLDER).resolve()
    job = BulkJob(base / _mark(source, files, store))
    try:
        held = _plan_in(job.folder)
        if held is None:
            held = _planned(source, base, job.folder)
    except OSError as error:
        raise StoreError(
            f"The work folder {base} cannot be written: {error.strerror or error}.", "Name another folder with --work."
        ) from error
    return job, held


def _mark(source: Source, files: Sequence[Path], store: str) -> str:
    digest = blake2b(digest_size=8)
    how = (source.space, source.partitions, source.at, source.skip_bad, source.day_first, source.longest)
    digest.update(repr((FORMAT, store, how)).encode())
    for path in files:
        try:
            state = path.stat()
        except OSError as error:
            raise FormatError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
        digest.update(repr((str(path), state.st_size, state.st_mtime_ns)).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _plan_in(folder: Path) -> JobPlan | None:
    """The plan that a folder holds. It was given its name when it was whole."""
    try:
        held = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return JobPlan(
        held["messages"],
        {int(number): count for number, count in held["by_partition"].items()},
        held["undated"],
        tuple(SkippedLine(**entry) for entry in held["left_out"]),
        read=False,
    )


def _planned(source: Source, base: Path, folder: Path) -> JobPlan:
    """Split the files into partitions in a temporary folder, which is renamed when complete."""
    made = base / f"{folder.name}.{os.getpid()}.part"
    for left in base.glob(f"{folder.name}.*.part"):  # of a run that was killed while it read
        shutil.rmtree(left, ignore_errors=True)
    (made / STARTED).mkdir(parents=True)
    try:
        plan = _read(source, made)
        (made / PLAN).write_text(json.dumps(asdict(plan)), encoding="utf-8")
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return plan


def _read(source: Source, folder: Path) -> JobPlan:
    writer = PartitionWriter(folder, source.partitions)
    left_out: list[SkippedLine] = []
    undated = 0
    for number, (path, stem) in enumerate(zip(source.files, stems_of(source.files), strict=True)):
        for call in _calls(path, stem, source, left_out):
            writer.write(call, number)
            undated += sum("at" not in message for message in call.messages) if call.at is None else 0
    writer.close()
    messages = sum(writer.messages.values())
    return JobPlan(messages, writer.messages, undated, tuple(left_out))


def _calls(path: Path, stem: str, source: Source, left_out: list[SkippedLine]) -> Iterator[LineMessages]:
    def skipped(found: Skipped) -> None:
        left_out.append(SkippedLine(str(path), found.line, found.problem))

    options = Options(str(path), skip_bad=source.skip_bad, day_first=source.day_first, on_skip=skipped)
    with open_chat(str(path)) as (stream, _):
        yield from calls_in(stream, ReadOptions(options, stem, source.space, source.longest))
