"""Jobs as they run: in the background, a few at once, taken up again after a restart."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from goalmem.errors import GoalmemError
from goalmem.graph.imports import GraphReport
from goalmem.memory import Memory
from goalmem.serve import job_files
from goalmem.serve.jobs import Job, JobState, JobStore
from goalmem.serve.logs import log, where_raised
from goalmem.serve.refusals import BusyError, StoppingError
from goalmem.serve.workers import Lane, LaneName, Width, Workers

__all__ = ["Runner"]

T = TypeVar("T")

AT_ONCE = 4
"""Jobs under way: each holds a file open, and they share the store's one writer."""
PAUSE = 1.0
"""Seconds to wait where no place was left among what waits."""
DEFECT = ("The server has a defect.", "Report it with the id of the job; the log has more.")


class Runner:
    """Runs jobs. For one event loop."""

    def __init__(self, memory: Memory, jobs: JobStore, workers: Workers) -> None:
        self._memory = memory
        self._jobs = jobs
        self._workers = workers
        self._places = Lane(Width(AT_ONCE, 2**31))
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.importing = threading.Lock()
        """Held while a graph is imported; who removes the job, and then takes this, knows that nothing more of it comes."""
        self._stopping = False

    def take_up(self) -> None:
        """Go on with every job that is not finished."""
        for job in self._jobs.unfinished():
            self.start(job)

    def start(self, job: Job) -> None:
        """Run a job in the background, unless it runs already."""
        if self._stopping or job.id in self._tasks:
            return
        task = asyncio.create_task(self._run(job))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    async def cancel(self, id_: str) -> None:
        """End a job after the step that it is in."""
        task = self._tasks.get(id_)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def stop(self) -> None:
        """End every job after the step that it is in; the next process takes them up."""
        self._stopping = True
        self._places.stop()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _run(self, job: Job) -> None:
        try:
            await self._places.enter(job.caller)
        except StoppingError:
            return
        try:
            await self._carried_out(job)
        except (StoppingError, asyncio.CancelledError):
            log(logging.INFO, "job interrupted", job=job.id)
        except GoalmemError as error:
            log(logging.WARNING, "job failed", job=job.id, error=type(error).__name__)
            self._failed(job, error.problem, error.remedy)
        except Exception as error:  # noqa: BLE001 - a defect: told to the log, and to the caller without its words
            log(logging.ERROR, "job failed", job=job.id, **where_raised(error))
            self._failed(job, *DEFECT)
        finally:
            self._places.leave(0.0)

    async def _carried_out(self, job: Job) -> None:
        if job.options.format == "graph":
            await self._imported(job)
            return
        file, longest = self._jobs.file(job.id), self._memory.settings.max_message_characters
        if job.total is None:
            self._jobs.note(job.id, state=JobState.CHECKING)
            total = 0
            counting = job_files.counted(job, file, longest)
            while (found := await self._step(LaneName.LOADING, job, counting)) is not None:
                total = found
            self._jobs.note(job.id, total=total)
        self._jobs.note(job.id, state=JobState.RUNNING)
        done, new = job.done, job.new
        storing = job_files.stored(self._memory, job, file)
        while (progress := await self._step(LaneName.WRITING, job, storing)) is not None:
            done, new = done + progress.messages, new + progress.new
            self._jobs.note(job.id, done=done, new=new)
        if self._jobs.there(job.id):
            self._jobs.finish(job.id)
            log(logging.INFO, "job done", job=job.id, messages=done, new=new)

    async def _imported(self, job: Job) -> None:
        """A graph goes in at once, beside other writes: it has a lock and pieces of its own."""
        self._jobs.note(job.id, state=JobState.RUNNING)
        wanted = partial(self._wanted, job)

        def work() -> GraphReport:
            with self.importing:
                return job_files.imported(self._memory, job, self._jobs.file(job.id), wanted)

        report = await self._workers.run(LaneName.LOADING, f"job {job.caller}", work)
        self._jobs.note(job.id, total=report.entries, done=report.entries, new=report.triples)
        self._jobs.finish(job.id)

    def _wanted(self, job: Job) -> bool:
        return not self._stopping and self._jobs.there(job.id)

    async def _step(self, lane: LaneName, job: Job, steps: Iterator[T]) -> T | None:
        """The next step, done in a thread; None at the end. Waits for a place as long as it takes."""

        def advance() -> T | None:
            # It may have been removed, with all that was to be remembered of it, while this step waited.
            return next(steps, None) if self._jobs.there(job.id) else None

        while True:
            try:
                return await self._workers.run(lane, f"job {job.caller}", advance)
            except BusyError:
                await asyncio.sleep(PAUSE)

    def _failed(self, job: Job, problem: str, remedy: str) -> None:
        self._jobs.note(job.id, state=JobState.FAILED, problem=problem, remedy=remedy)
