"""The service: the memory, its worker threads, authentication, and the ledger."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from goalmem.memory import Memory
from goalmem.models.minilm import usable_cores
from goalmem.serve.auth import OWNER, Buckets, Caller, KeyRing
from goalmem.serve.idempotency import Acknowledgements
from goalmem.serve.job_runner import Runner
from goalmem.serve.jobs import JobStore
from goalmem.serve.ledger import Ledger
from goalmem.serve.lists import Cursors, store_of
from goalmem.serve.logs import log, where_raised
from goalmem.serve.refusals import AllowedHosts, TooLongError, UnauthorizedError
from goalmem.serve.workers import Lane, LaneName, LaneWidth, Workers, lanes
from goalmem.settings import Settings

T = TypeVar("T")

LARGE_AT_ONCE = 16
"""Maximum number of requests with long bodies in memory, from their first long part to the response."""
OF_CALLER = 4
"""Maximum per caller, of these and of files: stalled bodies do not block other callers."""
PURGE_SECONDS = 60.0
"""Seconds between removals of expired turns; a call does it in its own space immediately."""
FILES_AT_ONCE = 16
"""Maximum number of concurrent uploads, each with a buffer."""


class Service:
    """The service of one memory in one process; the caller closes memory and ledger.

    Made before the event loop runs; `begin` and `end` run in it.
    """

    def __init__(self, memory: Memory, ledger: Ledger, settings: Settings) -> None:
        self.memory = memory
        self.settings = settings
        self.ledger = ledger
        self.keys = KeyRing(ledger)
        self.cursors = Cursors(ledger.secret)
        self.acknowledged = Acknowledgements(ledger)
        memory._parts.removal = self._removal
        self.jobs = JobStore(ledger)
        self.hosts = AllowedHosts(settings.serve_host, settings.serve_hosts.split(","))
        self.buckets = Buckets(settings.serve_rate, settings.serve_burst)
        self.metrics = Metrics()
        readers = settings.serve_workers or max(2, usable_cores())
        self.workers = Workers(lanes(readers, settings.serve_waiting))
        self.large = Lane(LaneWidth(LARGE_AT_ONCE, settings.serve_waiting, OF_CALLER))
        self.receiving = Lane(LaneWidth(FILES_AT_ONCE, settings.serve_waiting, OF_CALLER))
        self.metrics.watch(self.workers, self.jobs)
        self.runner = Runner(memory, self.jobs, self.workers)
        self._followed: dict[str, tuple[object, ...]] = {}
        """Space -> its state when its answers were last compared with what it holds."""
        self.warm = False
        """Set when the models are loaded; calls that need them wait for it."""
        self.stopping = False
        self._warming: asyncio.Task[None] | None = None
        self._purging: asyncio.Task[None] | None = None

    async def begin(self, also: Callable[[], object]) -> None:
        """Take up what an earlier process left, load the models in the background, and do `also` what takes a while."""
        await asyncio.to_thread(self.acknowledged.take_up)
        await asyncio.to_thread(self.jobs.clean)
        self.runner.take_up()
        self._warming = asyncio.create_task(self._warm(also))
        self._purging = asyncio.create_task(self._purge())

    def stop(self) -> None:
        """Accept no more work; reject what waits, finish what has begun."""
        self.stopping = True
        self.workers.stop()
        self.large.stop()
        self.receiving.stop()

    async def end(self) -> None:
        """Wait for running work."""
        self.stop()
        await self.runner.stop()
        for task in (self._warming, self._purging):
            if task is not None:
                task.cancel()
        await asyncio.to_thread(self.workers.close)
        self.memory._parts.removal = nullcontext  # the memory may outlive the ledger

    async def run(self, lane: LaneName, caller: Caller, work: Callable[[Memory], T], space: str = "") -> T:
        """Run `work` on the memory in a thread; with a `space`, exclusively in the lane for that space.

        Raises TooLongError after the time a request may take: the work is cancelled then, as when its task is.
        """
        seconds = self.settings.serve_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self.workers.run(lane, caller.id, partial(work, self.memory), space)
        except TimeoutError:
            raise TooLongError(seconds) from None

    def caller(self, presented: str | None) -> Caller:
        """Authenticate a key. Without keys in use, it is the owner. Raises UnauthorizedError, TooManyError."""
        if presented is None:
            if self.keys.used():
                raise UnauthorizedError
            return OWNER
        key = self.keys.opened_by(presented)
        self.buckets.take(key.id, key.rate)
        return key.caller

    async def _purge(self) -> None:
        """Remove expired turns periodically, even without requests."""
        while True:
            try:
                await asyncio.to_thread(self.purge_all)
            except Exception as error:  # noqa: BLE001 - calls about the space will say what is wrong
                log(logging.ERROR, "what has expired was not removed", **where_raised(error))
            await asyncio.sleep(PURGE_SECONDS)

    def purge_all(self) -> None:
        """Remove what has expired from every space, and answers that are kept no longer."""
        for space in store_of(self.memory).spaces():
            if not self.stopping:
                self.memory.purge(space=space)
        self.acknowledged.clean()
        for space in self.acknowledged.spaces():
            if not self.stopping:
                self._follow_removals(space)

    def _follow_removals(self, space: str) -> None:
        """Remove the answers about a space from which another process removed what they name."""
        state = store_of(self.memory).state(space)
        if self._followed.get(space) != state:
            if not self.holds(space, self.acknowledged.named(space)):
                self.forget_answers(space)
            self._followed[space] = state

    def holds(self, space: str, ids: Collection[str]) -> bool:
        """True if every turn and rule of these is still in the space."""
        store, turns = store_of(self.memory), {id_ for id_ in ids if not id_.startswith("rule-")}
        rules = {rule.id for rule in store.rules(space)} if len(turns) < len(ids) else set()
        return len(store.turns(space, turns)) == len(turns) and rules >= set(ids) - turns

    def forget_answers(self, space: str) -> None:
        """Remove what was answered about a space."""
        self.acknowledged.end_removal(self.acknowledged.expect_removal(space))

    @contextmanager
    def _removal(self, space: str) -> Iterator[None]:
        """What a space says is removed inside; what was answered about it goes, too, at the latest when the server is started again."""
        store = store_of(self.memory)
        before, removal = store.state(space), self.acknowledged.expect_removal(space)
        try:
            yield
        finally:
            self.acknowledged.end_removal(removal, removed=store.state(space) != before)

    async def _warm(self, also: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(_load_models, self.memory)
            self.warm = True
            await asyncio.to_thread(also)
        except Exception as error:  # noqa: BLE001 - calls that need a model will say what is wrong with it
            log(logging.ERROR, "models not loaded", **where_raised(error))


def _load_models(memory: Memory) -> None:
    """Load everything that the first question needs."""
    memory._parts.embedder.embed(["Load the model."])
    memory._parts.analyzer.docs(["Load the model."])


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 120)
"""Histogram buckets in seconds: a search takes hundredths, a question up to some seconds, waiting longer."""


class Metrics:
    """The figures of one server, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "goalmem_http_requests_total", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "goalmem_http_request_seconds",
            "Time until an answer was sent whole.",
            ("method", "route"),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.open = Gauge("goalmem_http_requests_open", "Requests being served.", registry=self.registry)
        self.refused = Counter(
            "goalmem_http_refused_total", "Requests refused, by the kind of problem.", ("kind",), registry=self.registry
        )
        self.turns = Counter("goalmem_turns_added_total", "Turns that were new.", registry=self.registry)
        self.answers = Counter(
            "goalmem_answers_total", "Questions answered, by status.", ("status",), registry=self.registry
        )

    def watch(self, workers: Workers, jobs: JobStore) -> None:
        """Collect gauges of lanes and jobs, too."""
        self.registry.register(GaugeCollector(workers, jobs))

    def text(self) -> bytes:
        """All figures, as Prometheus reads them."""
        return generate_latest(self.registry)


class GaugeCollector(Collector):
    """Gauges read at the time of collection."""

    def __init__(self, workers: Workers, jobs: JobStore) -> None:
        self._workers = workers
        self._jobs = jobs

    def collect(self) -> Iterable[Metric]:
        """Lanes and jobs."""
        running = GaugeMetricFamily("goalmem_work_running", "Pieces of work under way.", labels=["lane"])
        waiting = GaugeMetricFamily("goalmem_work_waiting", "Pieces of work that wait for a thread.", labels=["lane"])
        for name, lane in self._workers.lanes.items():
            running.add_metric([name.value], lane.running)
            waiting.add_metric([name.value], lane.waiting)
        jobs = GaugeMetricFamily("goalmem_jobs", "Upload jobs, by state.", labels=["state"])
        for state, count in self._jobs.counts().items():
            jobs.add_metric([state], count)
        return (running, waiting, jobs)
