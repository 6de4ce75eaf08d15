"""What serving costs: `python benchmarks/serve.py search|overhead|streams|fairness|cold [--store PATH] …`.

    search     requests a second: 16 clients search 100,000 turns, k = 10 (the store of benchmarks/search.py)
    overhead   the same search over HTTP and in the library, in turns, so that other work on the machine slows both alike
    streams    500 streams of ask at once: errors, fairness between two keys, memory of the server
    fairness   how much longer a caller waits for an answer while another asks with 40 threads
    cold       seconds from `goalmem serve` to ready, and until the models are loaded

The client is a few lines over asyncio, so that it takes little of the cores that it shares with the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import numpy as np

if __name__ == "__main__":  # a script finds its own folder only
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.search import SPACE, built, percentile, questions
from benchmarks.serving import connected, loaded, served, wait_for

from goalmem import Memory

TURNS = 100_000
CLIENTS = 16
LIFE = Path(__file__).parents[1] / "lab" / "lives" / "train" / "a-baby-tadeo.json"
CROWD, FEW = 40, 12
"""Threads of one caller, and questions of another."""


async def searching(port: int, asked: Sequence[str], clients: int) -> list[float]:
    """Search for each question, so many at a time; milliseconds of each."""
    left, spent = iter(asked), []

    async def client() -> None:
        async with connected(port) as connection:
            for question in left:
                began = time.perf_counter()
                status, found = await connection.post(f"/v1/search?space={SPACE}", {"query": question, "k": 10})
                if status != 200 or len(found["items"]) != 10:
                    raise SystemExit(f"A search failed with status {status}: {found}")
                spent.append(1000 * (time.perf_counter() - began))

    await asyncio.gather(*(client() for _ in range(clients)))
    return spent


def search(store: Path, requests: int) -> dict[str, object]:
    """Requests a second of many clients, each question new; and of a library that one thread calls, before and after."""
    asked = list(dict.fromkeys(questions(20 * requests)))[: requests + 40]
    with served(store) as server:
        asyncio.run(searching(server.port, asked[:2], 1))
        alone = asyncio.run(searching(server.port, asked[2:40], 1))
        began, before = time.perf_counter(), server.seconds()
        spent = asyncio.run(searching(server.port, asked[40:], CLIENTS))
        seconds, busy = time.perf_counter() - began, server.seconds() - before
        memory = server.peak()
    return {
        "requests": len(spent),
        "clients": CLIENTS,
        "requests_per_second": round(len(spent) / seconds, 1),
        "p50_ms": percentile(spent, 50),
        "p95_ms": percentile(spent, 95),
        "server_cpu_ms": round(1000 * busy / len(spent), 1),
        "one_client_p50_ms": percentile(alone, 50),
        "server_peak_mb": memory,
    }


def overhead(store: Path, requests: int) -> dict[str, object]:
    """What HTTP adds to a library call: the same questions both ways, in turns; questions that both were asked before.

    Processor time tells more than the clock where others use the machine, too.
    """
    with served(store) as server, Memory(store) as memory:
        asked = list(questions(requests))
        asyncio.run(in_turns(server.port, memory, asked))
        begun, under = server.seconds(), time.process_time()
        pairs = asyncio.run(in_turns(server.port, memory, asked))
        busy, own = server.seconds() - begun, time.process_time() - under
    called, sent = zip(*pairs, strict=True)
    return {
        "library_p50_ms": percentile(called, 50),
        "http_p50_ms": percentile(sent, 50),
        "overhead_p50_ms": percentile([over - direct for direct, over in pairs], 50),
        "server_cpu_ms": round(1000 * busy / requests, 2),
        "library_and_client_cpu_ms": round(1000 * own / requests, 2),
    }


async def in_turns(port: int, memory: Memory, asked: Sequence[str]) -> list[tuple[float, float]]:
    """Milliseconds of each search, in the library and over HTTP."""
    pairs = []
    async with connected(port) as connection:
        for question in asked:
            began = time.perf_counter()
            memory.search(question, space=SPACE, k=10)
            between = time.perf_counter()
            await connection.post(f"/v1/search?space={SPACE}", {"query": question, "k": 10})
            pairs.append((1000 * (between - began), 1000 * (time.perf_counter() - between)))
    return pairs


TOLD = [
    {"role": "user", "name": "Maya", "content": "I adopted a beagle last Friday. His name is Comet."},
    {"role": "user", "name": "Leo", "content": "Lovely! My sister Ines lives in Porto and has a beagle, too."},
    {"role": "user", "name": "Maya", "content": "I started a new job at a bakery on Monday."},
]
ASKED = ("What did Maya adopt?", "Where does Leo's sister live?", "Where does Maya work?", "Who has a parrot?")


def streams(count: int) -> dict[str, object]:
    """So many streams at once, of one key nearly all, of another a few: how long each waits."""
    from goalmem.serve.auth import KeyRing, Scope
    from goalmem.serve.ledger import open_ledger

    few = max(1, count // 25)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "streams.goalmem"
        with Memory(store) as memory:
            memory.add(TOLD, at="2024-05-08")
        ledger = open_ledger(str(store), "")
        keys = [KeyRing(ledger).add(name, Scope.READ, ["default"])[1] for name in ("many", "few")]
        ledger.close()

        async def stream(key: str, number: int) -> tuple[list[str], float]:
            async with connected(server.port, key) as connection:
                asked = {"question": ASKED[number % len(ASKED)]}
                events = await connection.events("/v1/ask", asked)
            return events, time.perf_counter() - began

        async def all_of_them() -> list[tuple[list[str], float]]:
            many = [asyncio.create_task(stream(keys[0], n)) for n in range(count - few)]
            await asyncio.sleep(0.2)
            return await asyncio.gather(*many, *(stream(keys[1], n) for n in range(few)))

        with served(store, rate=1000, burst=5) as server:
            asyncio.run(asked_once(server.port, keys[0]))
            before, began = server.resident(), time.perf_counter()
            done = asyncio.run(all_of_them())
            peak, after = server.peak(), server.resident()
    waits = [seconds for _, seconds in done]
    return {
        "streams": count,
        "failed": sum(events[-1] != "answer" for events, _ in done),
        "seconds": round(max(waits), 1),
        "many_p50_s": round(float(np.median(waits[:-few])), 1),
        "few_p50_s": round(float(np.median(waits[-few:])), 1),
        "memory_mb": {"before": before, "peak": peak, "after": after},
    }


async def _asked(port: int, key: str, questions: Sequence[str]) -> list[float]:
    """Ask one question after another; seconds of each."""
    spent = []
    async with connected(port, key) as connection:
        for question in questions:
            began = time.perf_counter()
            status, answer = await connection.post("/v1/ask", {"question": question})
            if status != 200:
                raise SystemExit(f"A question failed with status {status}: {answer}")
            spent.append(time.perf_counter() - began)
    return spent


async def _beside(port: int, many: str, few: str, questions: Sequence[str]) -> tuple[list[float], int]:
    """Seconds of each question of `few` while the threads of `many` ask the others without end; and how many these were."""
    answered = 0

    async def without_end(number: int) -> None:
        nonlocal answered
        async with connected(port, many) as connection:
            for question in islice(cycle(questions), number, None):
                await connection.post("/v1/ask", {"question": question})
                answered += 1

    crowd = [asyncio.create_task(without_end(n)) for n in range(CROWD)]
    try:
        await asyncio.sleep(2)
        return await _asked(port, few, questions), answered
    finally:
        for each in crowd:
            each.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)


def fairness(times: int) -> dict[str, object]:
    """How much longer a caller waits while another asks with many threads: the same questions in turns, alone and beside it."""
    from goalmem.serve.auth import KeyRing, Scope
    from goalmem.serve.ledger import open_ledger

    life = json.loads(LIFE.read_text(encoding="utf-8"))
    questions = [each["question"] for each in life["questions"]][:FEW]
    alone: list[float] = []
    beside: list[float] = []
    others = 0
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "fair.goalmem"
        with Memory(store) as memory:
            for session in life["sessions"]:
                memory.add(session["messages"], session=session["session"], at=session["at"])
        ledger = open_ledger(str(store), "")
        many, few = (KeyRing(ledger).add(name, Scope.READ, ["default"])[1] for name in ("many", "few"))
        ledger.close()
        with served(store, rate=100_000, burst=1000) as server:
            asyncio.run(_asked(server.port, few, questions))
            for _ in range(times):
                alone += asyncio.run(_asked(server.port, few, questions))
                began = time.perf_counter()
                spent, answered = asyncio.run(_beside(server.port, many, few, questions))
                beside, others = beside + spent, others + answered
                took = time.perf_counter() - began
    return {
        "alone_p50_s": round(float(np.median(alone)), 2),
        "beside_p50_s": round(float(np.median(beside)), 2),
        "times_p50": round(float(np.median(np.array(beside) / np.array(alone))), 2),
        "times_p95": round(float(np.percentile(np.array(beside) / np.array(alone), 95)), 2),
        "of_the_other_per_second": round(answered / took, 2),
    }


async def asked_once(port: int, key: str) -> None:
    """Ask each question once: what is loaded at first use is not measured."""
    async with connected(port, key) as connection:
        for question in ASKED:
            await connection.post("/v1/ask", {"question": question})


def cold(store: Path | None, times: int) -> dict[str, object]:
    """Seconds from the command to ready, and to models that are loaded: of a new process each time."""
    ready, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = store or Path(folder) / "cold.goalmem"
        for _ in range(times):
            began = time.perf_counter()
            with served(path, warm=False) as server:
                ready.append(time.perf_counter() - began)
                wait_for(partial(loaded, server.port), server.process)
                warm.append(time.perf_counter() - began)
    return {
        "ready_p50_s": round(float(np.median(ready)), 2),
        "warm_p50_s": round(float(np.median(warm)), 2),
        "times": times,
    }


def main() -> None:
    """Measure one thing, print it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["search", "overhead", "streams", "fairness", "cold"])
    options.add_argument("--store", type=Path, help="a store that benchmarks/search.py built; built anew without")
    options.add_argument("--count", type=int, help="requests, streams or starts")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.store or Path(folder) / "bench.goalmem"
        if given.what in ("search", "overhead"):
            built(path, TURNS)
        match given.what:
            case "search":
                figures = search(path, given.count or 1000)
            case "overhead":
                figures = overhead(path, given.count or 100)
            case "streams":
                figures = streams(given.count or 500)
            case "fairness":
                figures = fairness(given.count or 3)
            case _:
                figures = cold(given.store, given.count or 5)
    load = [round(one, 1) for one in os.getloadavg()]
    print(json.dumps(figures | {"load": load, "cores": os.cpu_count()}, indent=2))


if __name__ == "__main__":
    main()
