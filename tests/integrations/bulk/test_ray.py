"""Two workers of Ray do what one process does, also when one of them is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalmem.integrations.bulk import Ingest, ingest
from goalmem.integrations.bulk.ray_engine import RayEngine, connected
from goalmem_lab.evals.locomo import evaluate
from goalmem_lab.evals.parallel import measure

from .benchmarks import locomo_file, timeless
from .telling import held, messages, turns_in, write

pytest.importorskip("ray")
pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    # Ray's own: it sets what it has itself deprecated, and shuts down without closing its sockets.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    """One Ray for all tests here: it takes seconds to start."""
    made = RayEngine(2)
    with connected(None, 2):
        yield made


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def kill_one(store: Path, work: Path, killed: list[int], over: threading.Event) -> None:
    """Kill a worker that has begun a partition, once something is stored and not all."""
    while not over.is_set():
        started = [path for path in work.glob("*/started/*") if path.stat().st_size]
        if started and turns_in(store):
            done = "".join(path.read_text() for path in work.glob("*/done.jsonl"))
            going = [path for path in started if f'"partition": {path.name},' not in done]
            if going:
                killed.append(int(going[0].read_text().split(":")[1]))
                os.kill(killed[0], signal.SIGKILL)
                return
        time.sleep(0.02)


def test_two_workers_one_of_them_killed_fill_the_store_as_one_process_does(engine: RayEngine, tmp_path: Path) -> None:
    chat = write(tmp_path / "chat.jsonl", messages(spaces=6, sessions=3))
    work, store = tmp_path / "work", tmp_path / "ray.goalmem"
    killed: list[int] = []
    ingest(alone := Ingest([chat], "alone.goalmem"))
    ingest(Ingest([write(tmp_path / "none.jsonl", [])], str(store)))
    over = threading.Event()
    killer = threading.Thread(target=kill_one, args=(store, work, killed, over))
    killer.start()
    try:
        report = ingest(Ingest([chat], str(store), work=work), engine=engine)
    finally:
        over.set()
        killer.join()
    assert len(killed) == 1
    assert (report.messages, report.workers, report.left_out) == (72, 2, ())
    assert report.restarted >= 1
    assert held(store) == held(alone.store)
    assert list(work.iterdir()) == []


@pytest.mark.thorough
def test_a_benchmark_has_the_figures_of_one_process(engine: RayEngine, tmp_path: Path) -> None:
    path = locomo_file(tmp_path / "locomo.json")
    alone = evaluate(path, state=tmp_path / "a", cache=tmp_path / "cache-a")
    parted = measure("locomo", path, engine=engine, state=tmp_path / "b", cache=tmp_path / "cache-b", mode="search")
    assert timeless(parted) == timeless(alone)
    assert parted["questions"] == 6
