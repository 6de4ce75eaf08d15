"""What is left when processes and servers are killed under load, and when a move is interrupted."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from benchmarks.postgres_server import PostgresServer
from benchmarks.postgres_turns import DIMENSION, MODEL, Made, batches, space_name

from goalmem.store import Store, open_store
from goalmem.store.transfer import move as move_store

Figures = dict[str, object]
LONGEST = 1.5
"""Seconds from the first acknowledged call of a process to its kill, at most."""
CALM = 1.0
"""Seconds of load between two restarts of the server."""
ADDER = "import sys; from benchmarks.postgres_faults import add_and_tell; add_and_tell(sys.argv[1], int(sys.argv[2]))"
MOVER = "import sys; from benchmarks.postgres_faults import move_and_tell; move_and_tell(*sys.argv[1:3])"


def opened(url: str) -> Store:
    """The store, for made-up vectors; calls wait for a server that is being restarted."""
    return open_store(url, model=MODEL, dimension=DIMENSION, busy_timeout=120)


def add_and_tell(url: str, space: int) -> None:
    """The process that is killed: add without pause, and print the ids of each call once it returned."""
    store = opened(url)
    for batch in batches(Made.new(), space, 10**6):
        print(*store.add(batch), flush=True)


@contextmanager
def adder(url: str, space: int) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A process that adds, and the ids that it acknowledged so far; killed at the end."""
    child = subprocess.Popen(
        [sys.executable, "-c", ADDER, url, str(space)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
    )
    told: list[str] = []

    def listen() -> None:
        assert child.stdout is not None
        for line in child.stdout:
            # A line that was cut off by the kill was never told whole.
            told.extend(line.split() if line.endswith("\n") else [])

    listening = threading.Thread(target=listen)
    listening.start()
    try:
        yield child, told
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        listening.join()


def faults(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """Kill processes that add, then restart and kill the server under load; count what was acknowledged and is gone."""
    opened(url).close()
    chance = np.random.default_rng(3)
    spaces = iter(range(20_000_000, 30_000_000))
    told: dict[int, list[str]] = {}
    for _ in range(given.rounds):
        space = next(spaces)
        with adder(url, space) as (_, told[space]):
            wait_for(told[space])
            time.sleep(float(chance.uniform(0, LONGEST)))
    restarts, recovered = 0, []
    if server is not None:
        space = next(spaces)
        with adder(url, space) as (_, told[space]):
            wait_for(told[space])
            for number in range(given.restarts):
                time.sleep(CALM)
                (server.kill if number % 2 else server.restart)()
                restarts += 1
                before, began = len(told[space]), time.perf_counter()
                while len(told[space]) == before:
                    time.sleep(0.05)
                recovered.append(time.perf_counter() - began)
    lost, parts, problems = checked(url, told)
    return {
        "processes_killed": given.rounds,
        "server_restarted_or_killed": restarts,
        "adds_again_after_s": [round(seconds, 1) for seconds in recovered],
        "acknowledged": sum(map(len, told.values())),
        "lost": lost,
        "calls_stored_in_part": parts,
        "problems": problems,
    }


def wait_for(told: list[str]) -> None:
    """Until the first call was acknowledged."""
    while not told:
        time.sleep(0.01)


def checked(url: str, told: dict[int, list[str]]) -> tuple[int, int, int]:
    """Acknowledged turns that are gone, sessions that are not whole, and problems of the store."""
    store = opened(url)
    lost = sum(len(ids) - len(store.turns(space_name(space), ids)) for space, ids in told.items())
    parts = sum(size % 50 != 0 for space in told for _, _, size in store.sessions(space_name(space)))
    problems = len(store.check())
    store.close()
    return lost, parts, problems


def move_and_tell(source: str, target: str) -> None:
    """The process that is killed: move, and print how far it is."""
    move_store(source, target, on_progress=lambda done, total: print(done, total, flush=True))


def move(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """Move a store of so many turns from a file to the server and back, each way killed twice."""
    with tempfile.TemporaryDirectory() as folder:
        first, last = str(Path(folder) / "first.goalmem"), str(Path(folder) / "last.goalmem")
        store, made = opened(first), Made.new()
        for space in range(given.spaces):
            for batch in batches(made, space, given.turns // given.spaces):
                store.add(batch)
        store.close()
        figures: Figures = {"turns": given.turns, "spaces": given.spaces}
        target = f"{url}{'&' if '?' in url else '?'}goalmem_schema=moved"
        held: set[tuple[str, int]] = set()
        for name, source, end in (("there", first, target), ("back", target, last)):
            began = time.perf_counter()
            for share in (0.2, 0.4):
                killed_at(source, end, share)
            moved = move_store(source, end)
            held.add((moved.checksum, moved.turns))
            figures[name] = {
                "seconds": round(time.perf_counter() - began, 1),
                "checksum": moved.checksum,
                "turns": moved.turns,
            }
        return figures | {"equal": len(held) == 1}


def killed_at(source: str, target: str, share: float) -> None:
    """Begin a move and kill it when so much of the turns was copied."""
    child = subprocess.Popen(
        [sys.executable, "-c", MOVER, source, target], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
    )
    assert child.stdout is not None
    for line in child.stdout:
        done, total = map(int, line.split())
        if done >= share * total / 2:
            break
    child.kill()
    child.wait()
    child.stdout.close()
