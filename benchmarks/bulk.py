"""Ingest by two workers of Ray against one process, the same work: `python benchmarks/bulk.py [--turns 10000] [--json OUT]`.

Made-up turns of several spaces are written as JSONL and ingested into a new file each time, every time in a process of its own:

    one core       one process that may use one core: what a worker of Ray is given
    one process    one process as it is: it parses on one core, and embeds on another
    two threads    the same, its embedder on two threads
    ray            workers of Ray, a core each; Ray's own start is part of it, and is told apart

All load the same models, with the same threads but where it says otherwise. In the end the stores are compared, turn by turn.
Throughput per core is turns for each second of processor time of the workers.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.search import PEOPLE, REPLIES, one_of, sentence

from goalmem.integrations.bulk import Engine, Ingest, LocalEngine, ingest
from goalmem.store import open_store
from goalmem.store.rows import turn_digest
from goalmem.store.table_store import TableStore
from goalmem.store.transfer_places import ending_of

SEED = 7
TURNS, QUICK_TURNS = 10_000, 400
SPACES, QUICK_SPACES = 100, 8
SESSION_TURNS = 20
START = datetime(2023, 1, 2, 9, tzinfo=UTC)
WAYS = ("one core", "one process", "two threads", "ray")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Libraries' own pools, which Ray sets to a worker's cores: the same for every way."""
PAGE = 1_000

Figures = dict[str, Any]


def main() -> None:
    """Measure, compare, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, default=TURNS)
    options.add_argument("--spaces", type=int, default=SPACES)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--quick", action="store_true", help=f"{QUICK_TURNS} turns only: to see that it runs")
    options.add_argument("--way", action="append", choices=WAYS, help="only this one; may be repeated")
    options.add_argument("--json", type=Path, help="write the figures here, too")
    given = options.parse_args()
    turns, spaces = (QUICK_TURNS, QUICK_SPACES) if given.quick else (given.turns, given.spaces)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "turns.jsonl", turns, spaces)
        ways = {way: measured(way, folder, given.workers) for way in given.way or WAYS}
        stores = {way: digests(folder / f"{way}.goalmem") for way in ways}
    figures = {"turns": turns, "spaces": spaces, **summary(ways), "equal": len(set(stores.values())) == 1} | machine()
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if not figures["equal"]:
        raise SystemExit("The stores differ.")


def write(path: Path, turns: int, spaces: int) -> None:
    """Turns of two or three sentences, the spaces mixed, as a log has them."""
    chance = np.random.default_rng(SEED)
    with path.open("w", encoding="utf-8") as file:
        for line in lines(chance, turns, spaces):
            file.write(json.dumps(line) + "\n")


def lines(chance: np.random.Generator, turns: int, spaces: int) -> Iterator[Mapping[str, object]]:
    """One dict a message."""
    for number in range(turns):
        place, space = divmod(number, spaces)
        session, turn = divmod(place, SESSION_TURNS)
        yield {
            "space": f"user-{space:05}",
            "session": f"session-{session:04}",
            "role": "user",
            "name": PEOPLE[(space + turn % 2) % len(PEOPLE)],
            "content": f"{one_of(chance, REPLIES)} {sentence(chance)} {sentence(chance)}",
            "at": (START + timedelta(days=session, minutes=turn)).isoformat(),
        }


def measured(way: str, folder: Path, workers: int) -> Figures:
    """One way, in a process of its own, so that no models are loaded and no threads are set before."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=run, args=(way, folder, workers, sending))
    child.start()
    sending.close()
    try:
        figures: Figures = receiving.recv()
    except EOFError:
        raise SystemExit(f"The way {way!r} failed; see above.") from None
    child.join()
    return figures


def run(way: str, folder: Path, workers: int, told: Any) -> None:
    """Ingest, and tell the figures."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1") | {"TOKENIZERS_PARALLELISM": "false"})
    if way == "one core" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    job = Ingest([folder / "turns.jsonl"], str(folder / f"{way}.goalmem"), work=folder / "work")
    report = ingest(job, engine=engine_of(way, workers))
    rates = {"per_second": round(report.per_second, 1), "per_core_second": round(report.per_core_second, 1)}
    kept = ("messages", "new", "workers", "seconds", "starting", "cpu_seconds")
    told.send({name: value for name, value in asdict(report).items() if name in kept} | rates)


def engine_of(way: str, workers: int) -> Engine:
    """What does the work."""
    if way == "ray":
        from goalmem.integrations.bulk.ray_engine import RayEngine

        return RayEngine(workers)
    return LocalEngine(threads=2 if way == "two threads" else 1)


def digests(store: Path) -> str:
    """All that is kept of each turn, by space and in order, as one checksum."""
    from hashlib import blake2b

    model, dimension = ending_of(str(store)).model()
    opened = open_store(store, model=model, dimension=dimension)
    whole = blake2b(digest_size=16)
    try:
        assert isinstance(opened, TableStore)
        rows = opened.rows
        for space in opened.spaces():
            after = 0
            while page := rows.turns(space, after, PAGE):
                whole.update(b"".join(map(turn_digest, page)))
                after = page[-1].seq
    finally:
        opened.close()
    return whole.hexdigest()


def summary(ways: Mapping[str, Figures]) -> Figures:
    """The ways, and how many times faster Ray is than each of the others: as a whole, and from when its workers began."""
    figures: Figures = {"ways": dict(ways)}
    if (ray := ways.get("ray")) is None:
        return figures
    for way, alone in ways.items():
        if way != "ray":
            figures[f"ray against {way}"] = {
                "whole": round(alone["seconds"] / ray["seconds"], 2),
                "begun": round((alone["seconds"] - alone["starting"]) / (ray["seconds"] - ray["starting"]), 2),
            }
    return figures


def machine() -> Figures:
    """What it was measured on."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {sys.version.split()[0]}",
        "load": [round(load, 1) for load in os.getloadavg()],
    }


if __name__ == "__main__":
    main()
