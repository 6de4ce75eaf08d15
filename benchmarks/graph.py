"""How fast graphs are imported and walked: generated triples, any number of them.

    python benchmarks/graph.py --triples 10000000 --folder /tmp

The graph is scale-free, as knowledge graphs are: objects are drawn from a Zipf-like distribution, so that some nodes
have very many neighbours, and one is a hub with a tenth of all nodes. Printed as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.entity_linking import Linker
from goalmem.graph.imports import import_graph
from goalmem.graph.protocol import Graph
from goalmem.graph.stored import StoredGraph
from goalmem.io.triples_files import graph_file
from goalmem.store import open_store

RELATIONS = 40
SHARE_OF_NODES = 5
"""Triples a node."""
HUB_SHARE = 10
"""One node in so many is in the hub."""
SYLLABLES = "ba ce di fo gu ha ki lo mu ne po ra si to vu wa xe yi zo qua bri cla dre fro gla".split()
BLOCK = 200_000
WALKS = 200
MOST_TAILS = 1000
"""Tails followed of a hop: what a search looks at of a hub."""


def main() -> None:
    """Generate, import, walk, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, required=True, help="where the file and the store go")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    source = chosen.folder / f"synthetic-{chosen.triples}-{chosen.seed}.txt"
    if not source.exists():
        write(source, chosen.triples, chosen.seed)
    place = chosen.folder / f"synthetic-{chosen.triples}-{chosen.seed}.goalmem"
    with closing(open_store(place, model="none", dimension=1)) as store:
        started, cpu = time.perf_counter(), time.process_time()
        report = import_graph(store.graphs, "default", graph_file(source), progress=tell)
        figures: dict[str, object] = {
            "triples": report.entries,
            "new": report.triples,
            "import_seconds": round(time.perf_counter() - started, 1),
            "import_cpu_seconds": round(time.process_time() - cpu, 1),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "store_mb": place.stat().st_size // 2**20,
        }
        graph = StoredGraph(store.graphs, "default")
        rng = np.random.default_rng(chosen.seed)
        starts = rng.integers(0, graph.size().entities, WALKS)
        figures["two_hops_ms"] = spread(lambda i: two_hops(graph, int(starts[i])), WALKS)
        hub = graph.node("Hub")
        if hub is not None:
            figures["hub_hops_ms"] = spread(lambda _: len(graph.hops(np.array([hub]))), 20)
            figures["hub_two_hops_ms"] = spread(lambda _: two_hops(graph, hub), 5)
        linker = Linker(graph)
        linker.link("words are loaded before anything is timed")
        labels = graph.labels(starts.astype(np.int64))
        figures["link_ms"] = spread(lambda i: len(linker.link(f"what is {labels[i].lower()} related to")), WALKS)
        print(json.dumps(figures | {"load": os.getloadavg()[0]}, indent=2))


def write(path: Path, count: int, seed: int) -> None:
    """A file of so many `s|r|o` lines."""
    rng = np.random.default_rng(seed)
    many = max(count // SHARE_OF_NODES, 10)
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as out:
        for subjects, objects in blocks(rng, count, many):
            relations = rng.integers(0, RELATIONS, len(subjects))
            out.writelines(
                f"{name(s)}|relation {r}|{name(o)}\n"
                for s, r, o in zip(subjects.tolist(), relations.tolist(), objects.tolist(), strict=True)
            )
            members = subjects[subjects % HUB_SHARE == 0]
            out.writelines(f"{name(s)}|member_of|Hub\n" for s in members.tolist()[: len(members) // SHARE_OF_NODES])
    part.replace(path)


def blocks(rng: np.random.Generator, count: int, many: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Subjects and objects, so many at a time."""
    for first in range(0, count, BLOCK):
        size = min(BLOCK, count - first)
        # The cube of a uniform number: low nodes are drawn far more often than high ones.
        yield rng.integers(0, many, size), (many * rng.random(size) ** 3).astype(np.int64)


def name(number: int) -> str:
    """A name of two made-up words, different for each number."""
    words, base = [], len(SYLLABLES)
    for _ in range(6):
        number, digit = divmod(number, base)
        words.append(SYLLABLES[digit])
    return ("".join(words[:3]) + " " + "".join(words[3:])).title() + (f" {number}" if number else "")


def two_hops(graph: Graph, start: int) -> int:
    """Everything two hops away, over every relation there and back, a hub cut short; how many edges were met."""
    nodes, met = np.array([start], dtype=np.int64), 0
    for _ in range(2):
        reached = []
        for hop in graph.hops(nodes):
            _, tails = graph.edges(nodes, hop, limit=MOST_TAILS)
            reached.append(tails)
            met += len(tails)
        nodes = np.unique(np.concatenate(reached))[:MOST_TAILS] if reached else nodes[:0]
    return met


def spread(work: Callable[[int], int], times: int) -> dict[str, float]:
    """Milliseconds of each call: median, 95th percentile and most, and the median of processor time alone."""
    taken, busy = [], []
    for place in range(times):
        started, cpu = time.perf_counter(), time.process_time()
        work(place)
        busy.append(1000 * (time.process_time() - cpu))
        taken.append(1000 * (time.perf_counter() - started))
    p50, p95 = (round(float(np.quantile(taken, q)), 2) for q in (0.5, 0.95))
    return {"p50": p50, "p95": p95, "max": round(max(taken), 2), "cpu_p50": round(float(np.median(busy)), 2)}


def tell(doing: str, done: int, total: int) -> None:
    """Progress, on one line."""
    sys.stderr.write(f"\r{doing} {done:,}{f' of {total:,}' if total else ''}      ")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
