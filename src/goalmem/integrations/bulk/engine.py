"""Engines that map a function over tasks, the local engine, and the detection of tasks that kill workers."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeAlias

from goalmem.errors import StoreError


class Worker(Protocol):
    """Executes tasks with its open resources. Tasks and results are text, so that any engine can transport them."""

    def __call__(self, task: str) -> str:
        """Execute a task and return its result."""

    def close(self) -> None:
        """Release resources."""


MakeWorker: TypeAlias = Callable[[], Worker]
"""Makes a worker in the process where it works. Can be pickled."""


class Engine(Protocol):
    """Maps tasks over workers.

    A task may be done twice, as when the process that did it died before it could say so: tasks must bear that.
    """

    @property
    def workers(self) -> int:
        """Number of parallel workers."""

    @property
    def threads(self) -> int:
        """Threads of each worker's embedder; its parser takes one more, and waits for it."""

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        """Yield the result of each task in order of completion.

        `here`: only this machine can do them. Raises the GoalmemError that a worker raised; what was done stays.
        """


class LocalEngine:
    """A single worker in this process."""

    workers = 1

    def __init__(self, threads: int = 1) -> None:
        """`threads` of its embedder."""
        self.threads = threads

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        """See `Engine.run`. In order."""
        del here
        if tasks:
            with closing(make()) as worker:
                yield from map(worker, tasks)


MOST_STARTS = 5
"""Times that a task is begun in a run: one on which five workers died would kill a sixth."""


def worker_name() -> str:
    """Host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def begin(path: Path) -> int:
    """Note in the file at `path` that this process begins a task; how often it was begun, with this one.

    Raises StoreError after `MOST_STARTS`, or where the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(worker_name() + "\n")
        starts = len(path.read_text(encoding="utf-8").splitlines())
    except OSError as error:
        raise StoreError(
            f"The work folder {path.parent} cannot be used: {error.strerror or error}.",
            "It must be the same on every machine, and stay until the work is done.",
        ) from error
    if starts > MOST_STARTS:
        raise StoreError(
            f"{MOST_STARTS} workers died on the same work ({path}).",
            "Look for what killed them, such as a lack of memory; then run the command again.",
        )
    return starts
