"""What maps a function over tasks, and the engine that needs nothing: this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Protocol, TypeAlias

__all__ = ["Engine", "LocalEngine", "MakeWorker", "Worker"]


class Worker(Protocol):
    """Does tasks, with what it holds open for them. Both a task and what comes of it are text, so that any engine can carry them."""

    def __call__(self, task: str) -> str:
        """Do a task; what came of it."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


MakeWorker: TypeAlias = Callable[[], Worker]
"""Makes a worker in the process where it works. Can be pickled."""


class Engine(Protocol):
    """Maps tasks over workers.

    A task may be done twice, as when the process that did it died before it could say so: tasks must bear that.
    """

    @property
    def workers(self) -> int:
        """How many work at once."""
        ...

    @property
    def threads(self) -> int:
        """Threads of each worker's embedder; its parser takes one more, and waits for it."""
        ...

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        """What came of each task, as they are done, in any order.

        `here`: only this machine can do them. Raises the GoalmemError that a worker raised; what was done stays.
        """
        ...


class LocalEngine:
    """One worker, in this process."""

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
