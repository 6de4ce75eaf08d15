"""Ray Data maps the work over processes and machines (https://docs.ray.io/en/latest/data/data.html; extra `ray`).

Each task is a block of a dataset, mapped by a pool of actors that hold the models. An actor that dies is started again and its task
given to another, without end: what bounds that is a task's own (`goalmem.integrations.bulk.engine.MOST_STARTS`).
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from typing import Any, TextIO, cast

from goalmem import errors
from goalmem.errors import GoalmemError, InputError
from goalmem.integrations.bulk.engine import MakeWorker

log = logging.getLogger(__name__)

PACKAGES = ("ray", "pyarrow")
OBJECT_STORE = 80 * 2**20
"""Bytes of shared memory: a task and its outcome are a few hundred bytes, and Ray takes no less than 75 MiB."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
"""Disables telemetry, hiding of accelerators and its warning, and logs of Ray's processes on the terminal."""
ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false"}
"""A worker has one core; limits the threads of the embedder and the parser."""
CLIENT = "ray://"
REACH_SECONDS = 10.0
"""For a connection to a cluster's address."""
STDERR = 2
THREADS = "ray_"
"""Prefix of the names of Ray's threads in this process."""
NODE_LABEL = "ray.io/node-id"
"""A label that every node of a cluster has (Ray, Use labels to control scheduling)."""


class RayEngine:
    """Workers of Ray Data: in processes of a Ray that is started for the work, or on an existing cluster."""

    def __init__(self, workers: int, *, address: str | None = None) -> None:
        """`address` of a cluster (`auto`, `host:port`); by default Ray is started on this machine, for this work alone.

        An existing connection of this process to Ray is used. Raises InputError if Ray is not installed.
        """
        if workers < 1:
            raise InputError(f"{workers} workers do no work.", "Take at least one.")
        os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
        if missing := [name for name in PACKAGES if find_spec(name) is None]:
            raise InputError(
                f"The Ray engine needs a package that is not installed ({missing[0]}).",
                "Install it: pip install 'goalmem[ray]'.",
            )
        self.workers = workers
        self.threads = 1
        self._address = address

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        """See `Engine.run`. Raises InputError when the cluster cannot be reached. Workers for which it has no core wait for one."""
        if not tasks:
            return
        if here and self._address is not None and self._address.startswith(CLIENT):
            raise InputError(
                "Through a Ray client, nothing runs on this machine, where the file is.",
                "Use a PostgreSQL store, or run the command on a machine of the cluster.",
            )
        with connected(self._address, self.workers):
            yield from _mapped(make, tasks, min(self.workers, len(tasks)), here=here)


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[None]:
    """Connect to Ray or start it, and disconnect or stop it afterwards. Raises InputError if it cannot be used."""
    import ray

    if ray.is_initialized():
        yield
        return
    own: dict[str, Any] = {} if address else _own(workers)
    try:
        _require_reachable(address or "local")
        with _stderr_closed():
            ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"Ray at {address or 'this machine'} cannot be used: {' '.join(str(error).split())}.",
            "Check --address and that the cluster runs.",
        ) from error
    try:
        with redirect_stdout(cast("TextIO", _FilteredStdout(sys.stdout))):
            yield
    finally:
        ray.shutdown()


def _require_reachable(address: str) -> None:
    """Raise OSError if nothing listens at `host:port`: Ray would retry for minutes."""
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS).close()


@contextmanager
def _stderr_closed() -> Iterator[None]:
    """Suppress what Ray's native library prints at startup."""
    sys.stderr.flush()
    kept, nothing = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, STDERR)
    try:
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)
        os.close(nothing)


class _FilteredStdout:
    """Standard output without messages of Ray's threads about dead workers, which are logged."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread().name.startswith(THREADS):
            if text.strip():
                log.info(text.strip())
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _own(workers: int) -> dict[str, Any]:
    """Options for starting a small local Ray without its dashboard."""
    return {
        "num_cpus": workers,
        "num_gpus": 0,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE,
    }


def _mapped(make: MakeWorker, tasks: Sequence[str], workers: int, *, here: bool) -> Iterator[str]:
    import ray
    from ray.data import ActorPoolStrategy

    _silence_ray()
    place = {NODE_LABEL: ray.get_runtime_context().get_node_id()} if here else None
    outcomes = ray.data.from_items([{"task": task} for task in tasks], override_num_blocks=len(tasks)).map_batches(
        Mapper,
        fn_constructor_args=(make,),
        # Tasks differ in size, so no task waits for another's worker.
        compute=ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=1),
        batch_size=None,
        num_cpus=1,
        label_selector=place,
    )
    for row in outcomes.iter_rows():
        if row["failed"]:
            raise failure_in(row["outcome"])
        yield row["outcome"]


def _silence_ray() -> None:
    """Disable Ray's progress bars and logs."""
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").handlers = [
        handler for handler in logging.getLogger("ray.data").handlers if not isinstance(handler, logging.StreamHandler)
    ]


class Mapper:
    """A worker in an actor of Ray. Errors of ours travel as values: Ray would wrap them in its own."""

    def __init__(self, make: MakeWorker) -> None:
        os.environ.update(ONE_THREAD)
        self._make = make
        self._worker: Any = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Do the tasks of a block."""
        outcomes: list[str] = []
        failed: list[bool] = []
        for task in batch["task"]:
            try:
                # Not before: where it fails to be made, Ray would try again and again.
                self._worker = self._worker or self._make()
                outcomes.append(self._worker(str(task)))
                failed.append(False)
            except GoalmemError as error:
                made, arguments = error.__reduce__()[:2]
                outcomes.append(json.dumps([made.__name__, arguments]))
                failed.append(True)
        return {"outcome": outcomes, "failed": failed}


def failure_in(text: str) -> GoalmemError:
    """The error that a worker raised."""
    name, arguments = json.loads(text)
    kind: type[GoalmemError] = getattr(errors, name)
    return kind(*arguments)
