"""The figures of a PostgreSQL store: `python benchmarks/postgres.py WHAT [options]`, with a server of its own unless --store says where.

    add     turns added a second by several processes, durably, everything derived from them made before
    build   fill spaces with made-up turns, to search in
    search  how long a search takes over many spaces, by several clients at once
    large   one large space: its own index, and how many of the nearest that finds, with and without conditions
    faults  kill processes that add, restart and kill the server, and count what was acknowledged and is gone
    move    move a store from a file to the server and back, interrupted twice each way

A server of its own keeps its data in a temporary folder, with fsync on, and is removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.postgres_faults import faults, move
from benchmarks.postgres_large import MadeQueries, large
from benchmarks.postgres_server import PostgresServer
from benchmarks.postgres_turns import DIMENSION, MODEL, SEED, SESSION_TURNS, Made, batches, space_name
from benchmarks.search import percentile, questions

from goalmem.retrieve.search import Searcher
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.store import Batch, Store, open_store

Figures = dict[str, object]
NEAREST = 20
SERVER = {
    "shared_buffers": "3GB",
    "maintenance_work_mem": "3GB",
    "max_wal_size": "4GB",
    "max_parallel_maintenance_workers": "2",
    "jit": "off",
}
"""Of the server of its own; all that has to do with durability is as PostgreSQL has it."""


def main() -> None:
    """Measure one thing and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("--store", help="postgresql://… to measure; default: a server of its own")
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--spaces", type=int, default=100)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--processes", type=int, default=4, help="that the clients are spread over")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=50, help="processes killed")
    parser.add_argument("--restarts", type=int, default=10, help="restarts of the server, every other one a kill")
    parser.add_argument(
        "--vectors", type=Path, help="of real texts, saved by numpy, to mix in place of made-up ones (large)"
    )
    parser.add_argument("--batch", type=int, default=5, help="sessions of 50 turns in a call of add")
    given = parser.parse_args()
    with reached(given.store) as (url, server):
        figures = MEASURES[given.what](url, server, given)
    print(json.dumps(figures | machine(), indent=2))


@contextmanager
def reached(url: str | None) -> Iterator[tuple[str, PostgresServer | None]]:
    """The server to measure."""
    if url:
        yield url, None
        return
    with PostgresServer(SERVER) as server:
        yield server.url(), server


def machine() -> Figures:
    """What it was measured on, and how busy that was."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {sys.version.split()[0]}",
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def opened(url: str) -> Store:
    """The store, for made-up vectors."""
    return open_store(url, model=MODEL, dimension=DIMENSION, busy_timeout=120)


def build(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """Fill the spaces; what is there already stays."""
    opened(url).close()
    began = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    children = [
        context.Process(target=fill, args=(url, range(n, given.spaces, given.writers), given.turns // given.spaces))
        for n in range(given.writers)
    ]
    finish(children)
    seconds = time.perf_counter() - began
    return {
        "turns": given.turns,
        "spaces": given.spaces,
        "build_s": round(seconds, 1),
        "turns_s": round(given.turns / seconds),
    }


def fill(url: str, spaces: range, turns: int) -> None:
    """Fill some spaces with so many turns each."""
    store, made = opened(url), Made.new()
    for number in spaces:
        if store.version(space_name(number)) == (0, 0):
            for batch in batches(made, number, turns):
                store.add(batch)
    store.close()


def finish(children: Sequence[multiprocessing.process.BaseProcess]) -> None:
    """Run processes to their ends."""
    for child in children:
        child.start()
    for child in children:
        child.join()
        if child.exitcode:
            raise SystemExit("A process failed; see above.")


def add(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """Turns a second that some processes add together, and the processor time that a turn takes."""
    opened(url).close()
    context = multiprocessing.get_context("spawn")
    ready, spent = context.Barrier(given.writers + 1), context.Queue()
    share = given.turns // given.writers
    first = int(time.time()) % 10**6 * 100
    children = [
        context.Process(target=add_batches, args=(url, first + n, share, given.batch, ready, spent))
        for n in range(given.writers)
    ]
    for child in children:
        child.start()
    ready.wait()
    began, before = time.perf_counter(), server_seconds()
    used = sum(spent.get() for _ in children)
    seconds, served = time.perf_counter() - began, server_seconds() - before
    ready.wait()
    for child in children:
        child.join()
    return {
        "turns": given.turns,
        "writers": given.writers,
        "turns_a_call": given.batch * SESSION_TURNS,
        "turns_s": round(given.turns / seconds),
        "client_cpu_us_a_turn": round(1e6 * used / given.turns),
        "server_cpu_us_a_turn": round(1e6 * served / given.turns),
    }


def add_batches(url: str, space: int, turns: int, together: int, ready: Barrier, spent: Queue[float]) -> None:
    """Add what was made before the clock runs, some sessions' worth of turns a call."""
    store, made = opened(url), Made.new()
    sessions = list(batches(made, space, turns))
    calls = [joined(sessions[n : n + together]) for n in range(0, len(sessions), together)]
    store.version(space_name(space))
    ready.wait()
    began = time.process_time()
    for call in calls:
        store.add(call)
    spent.put(time.process_time() - began)
    ready.wait()  # a server process takes its times along when its connection ends
    store.close()


def joined(sessions: Sequence[Batch]) -> Batch:
    """Some sessions as one call: their turns in the first one."""
    first = sessions[0]
    turns = [
        replace(new, turn=replace(new.turn, session=first.session)) for session in sessions for new in session.turns
    ]
    return Batch(first.space, first.session, first.session_at, turns)


def server_seconds() -> float:
    """Processor seconds that all processes called postgres have used; 0 where the system does not tell."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = stat.read_text(encoding="ascii", errors="replace")
            if "(postgres)" in text:
                ticks += sum(map(int, text.rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def search(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """Milliseconds of searches over all spaces by clients that each wait for one before they ask the next."""
    chance = np.random.default_rng(SEED + 1)
    asked = [(question, int(chance.integers(given.spaces))) for question in questions(given.queries)]
    context = multiprocessing.get_context("spawn")
    processes = min(given.processes, given.clients)
    ready, told = context.Barrier(processes), context.Queue()
    children = [
        context.Process(
            target=search_some,
            args=(url, given.spaces, asked[n::processes], given.clients // processes, ready, told),
        )
        for n in range(processes)
    ]
    for child in children:
        child.start()
    cold, alone, together, used = (
        [value for part in parts for value in part] for parts in zip(*(told.get() for _ in children), strict=True)
    )
    for child in children:
        child.join()
    return {
        "spaces": given.spaces,
        "turns_a_space": store_turns(url, space_name(0)),
        "clients": given.clients,
        "processes": processes,
        "p50_ms": percentile(together, 50),
        "p95_ms": percentile(together, 95),
        "one_client_a_process_p50_ms": percentile(alone, 50),
        "client_cpu_ms_a_search": percentile(used, 50),
        "first_in_a_space_p50_ms": percentile(cold, 50),
    }


def search_some(
    url: str,
    spaces: int,
    asked: Sequence[tuple[str, int]],
    clients: int,
    ready: Barrier,
    told: Queue[tuple[list[float], ...]],
) -> None:
    """Search each space once, then ask one after another, then as several clients."""
    store = opened(url)
    searcher = Searcher(store, MadeQueries(Made.new()), RetrievalSettings(index_bytes=8 << 30))
    first = list(zip(questions(spaces), map(space_name, range(spaces)), strict=True))
    cold = [timed(partial(searcher.rank, question, space=space)) for question, space in first]
    some = [partial(searcher.search, question, space=space_name(space)) for question, space in asked]
    ready.wait()
    used = time.process_time()
    alone = [timed(one) for one in some[: len(some) // 4]]
    used = 1000 * (time.process_time() - used) / len(alone)
    ready.wait()
    with ThreadPoolExecutor(clients) as pool:
        together = list(pool.map(timed, some))
    told.put((cold, alone, together, [used]))
    store.close()


def store_turns(url: str, space: str) -> int:
    """Turns of a space."""
    store = opened(url)
    try:
        return store.stats(space).turns
    finally:
        store.close()


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that some work takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


MEASURES: dict[str, Callable[[str, PostgresServer | None, argparse.Namespace], Figures]] = {
    "add": add,
    "build": build,
    "search": search,
    "large": large,
    "faults": faults,
    "move": move,
}

if __name__ == "__main__":
    main()
