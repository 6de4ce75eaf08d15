"""Figures for Prometheus. Labels name calls and outcomes; what is remembered, asked, and who, is in none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from goalmem.serve.jobs import JobStore
    from goalmem.serve.workers import Workers

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 120)
"""Seconds: a search takes hundredths, a question up to some seconds, what waits longer."""


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
        """Tell of lanes and jobs, too, as they are when asked for."""
        self.registry.register(Watched(workers, jobs))

    def text(self) -> bytes:
        """All figures, as Prometheus reads them."""
        return generate_latest(self.registry)


class Watched(Collector):
    """What is looked up when it is asked for."""

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
