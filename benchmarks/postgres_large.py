"""One large space of a PostgreSQL store: what building its indices takes, and how many of the nearest they find, and how fast."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

import numpy as np
from benchmarks.postgres_server import PostgresServer
from benchmarks.postgres_turns import DIMENSION, MODEL, SEED, Vectors, batches, space_name, vectors_from
from benchmarks.search import percentile, questions
from numpy.typing import NDArray

from goalmem.retrieve.search import Searcher
from goalmem.store import open_store
from goalmem.store.postgres import PostgresStore, search
from goalmem.store.postgres.search import INDEXED, index_name
from goalmem.store.postgres.text import key_of
from goalmem.store.protocol import TurnFilter

Figures = dict[str, object]
NEAREST = 20
EFFORTS = (40, 100, 200, 400, 800, 1000)
"""Of which pgvector takes 40 by default."""
OTHERS, OTHER_TURNS = 100, 500
"""Spaces that share the large one's partition, and turns of each."""
SCORED = 20_000
"""Turns whose vectors are compared at a time."""
WARM = 20
"""Queries before the clock runs."""


class MadeQueries:
    """An embedder of vectors that were made before, so that what is timed is the store and the search, not a model."""

    name, dimension = MODEL, DIMENSION

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector for each text, the same for the same text."""
        seeds = (int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") for text in texts)
        return np.concatenate([self._vectors.asked(np.random.default_rng(seed), 1) for seed in seeds])


@dataclass(frozen=True)
class Held:
    """Every turn of a space, to compare with all of them."""

    numbers: NDArray[np.int64]
    vectors: NDArray[np.float16]
    at: NDArray[np.float64]
    speakers: NDArray[np.str_]
    sessions: NDArray[np.str_]

    @classmethod
    def of(cls, store: PostgresStore, space: str) -> Held:
        """Read them."""
        rows = [(row.seq, row.vector, row.at, row.speaker, row.session) for row in store.index_rows(space)]
        numbers, vectors, at, speakers, sessions = zip(*rows, strict=True)
        return cls(
            np.array(numbers),
            np.frombuffer(b"".join(vectors), "<f2").reshape(len(rows), -1),
            np.array(at),
            np.array(speakers),
            np.array(sessions),
        )

    def conditions(self) -> dict[str, tuple[TurnFilter, NDArray[np.bool_]]]:
        """Conditions by name, each with the turns that meet it."""
        half, first = np.quantile(self.at, 0.5), self.at.min()
        span = self.at.max() - first
        named = {
            "no condition": TurnFilter(),
            "one of two speakers": TurnFilter(speakers=["Maya"]),
            "a twentieth of the time": TurnFilter(after=float(half), before=float(half + span / 20)),
            "a hundredth of the time": TurnFilter(after=float(half), before=float(half + span / 100)),
            "a ten-thousandth of the time": TurnFilter(after=float(half), before=float(half + span / 10_000)),
            "five sessions": TurnFilter(sessions=[str(name) for name in np.unique(self.sessions)[1000:1005]]),
        }
        meeting = {name: (within, self._meeting(within)) for name, within in named.items()}
        return {name: (within, met) for name, (within, met) in meeting.items() if met.any()}

    def _meeting(self, within: TurnFilter) -> NDArray[np.bool_]:
        met = np.ones(len(self.numbers), dtype=np.bool_)
        if within.speakers is not None:
            met &= np.isin(self.speakers, list(within.speakers))
        if within.sessions is not None:
            met &= np.isin(self.sessions, list(within.sessions))
        if within.after is not None:
            met &= self.at >= within.after
        if within.before is not None:
            met &= self.at < within.before
        return met

    def nearest(self, wanted: NDArray[np.float32], met: NDArray[np.bool_]) -> list[set[int]]:
        """Numbers of the nearest turns that meet a condition, by comparing with all."""
        places = np.flatnonzero(met)
        best = np.full((len(wanted), NEAREST), -np.inf, dtype=np.float32)
        numbers = np.full((len(wanted), NEAREST), -1, dtype=np.int64)
        for first in range(0, len(places), SCORED):
            some = places[first : first + SCORED]
            scores = np.concatenate([best, wanted @ self.vectors[some].astype(np.float32).T], axis=1)
            of = np.concatenate([numbers, np.broadcast_to(self.numbers[some], (len(wanted), len(some)))], axis=1)
            top = np.argpartition(-scores, NEAREST, axis=1)[:, :NEAREST] if len(some) > 0 else scores
            best, numbers = np.take_along_axis(scores, top, 1), np.take_along_axis(of, top, 1)
        return [set(row) - {-1} for row in numbers.tolist()]


def large(url: str, server: PostgresServer | None, given: argparse.Namespace) -> Figures:
    """One space of so many turns: how long its indices take to build, and how many of the nearest 20 they find."""
    store = open_store(url, model=MODEL, dimension=DIMENSION, busy_timeout=120)
    assert isinstance(store, PostgresStore)
    made, number = vectors_from(given.vectors), 10_000_000
    space = space_name(number)
    filled = fill(store, made, number, given.turns)
    for other in range(number + 1, number + 1 + OTHERS):
        fill(store, made, other, OTHER_TURNS)
    began = time.perf_counter()
    store.index_space(space)
    built = time.perf_counter() - began
    figures = measured(store, space, made, given.queries)
    store.close()
    return {"turns": given.turns, "fill_s": filled, "index_s": round(built, 1)} | figures


def fill(store: PostgresStore, made: Vectors, number: int, turns: int) -> float:
    """Fill a space, unless it is there; seconds taken."""
    began = time.perf_counter()
    if store.version(space_name(number)) == (0, 0):
        for batch in batches(made, number, turns):
            store.add(batch)
    return round(time.perf_counter() - began, 1)


def measured(store: PostgresStore, space: str, made: Vectors, queries: int) -> Figures:
    """Recall and times of searches."""
    wanted = made.asked(np.random.default_rng(SEED + 2), queries)
    held = Held.of(store, space)
    conditions = held.conditions()
    exact = {name: held.nearest(wanted, met) for name, (_, met) in conditions.items()}
    searcher = Searcher(store, MadeQueries(made))
    searched = [timed(partial(searcher.search, question, space=space)) for question in questions(WARM + queries // 4)]
    return {
        "efforts": {effort: found_with(store, space, wanted, exact["no condition"], effort) for effort in EFFORTS},
        "conditions": {
            name: {"turns": int(met.sum())} | found(store, space, wanted, exact[name], within)
            for name, (within, met) in conditions.items()
        },
        "search_p50_ms": percentile(searched[WARM:], 50),
        "search_p95_ms": percentile(searched[WARM:], 95),
        "index_mb": index_sizes(store, space),
        "database_mb": round(store.stats(space).bytes / 2**20),
    }


def found_with(
    store: PostgresStore, space: str, wanted: NDArray[np.float32], exact: Sequence[set[int]], effort: int
) -> Figures:
    """What the index finds when the walk through it keeps so many candidates."""
    with effort_of(effort):
        return found(store, space, wanted, exact, TurnFilter())


@contextmanager
def effort_of(effort: int) -> Iterator[None]:
    """Search with another effort than the store's own, however large the space is."""
    own = search.EFFORT, search.EFFORT_FOR
    search.EFFORT, search.EFFORT_FOR = effort, sys.maxsize
    try:
        yield
    finally:
        search.EFFORT, search.EFFORT_FOR = own


def found(
    store: PostgresStore, space: str, wanted: NDArray[np.float32], exact: Sequence[set[int]], within: TurnFilter
) -> Figures:
    """How many of the nearest are found, and in what time."""
    sent = [vector.astype("<f2").tobytes() for vector in wanted]
    for vector in sent[:WARM]:
        store.nearest(space, vector, NEAREST, within)
    shares, spent = [], []
    for vector, best in zip(sent, exact, strict=True):
        began = time.perf_counter()
        numbers = store.nearest(space, vector, NEAREST, within)
        spent.append(1000 * (time.perf_counter() - began))
        if best:
            shares.append(len(best & set(numbers)) / len(best))
    return {
        "recall_20": round(float(np.mean(shares)), 4),
        "least": round(float(np.min(shares)), 2),
        "p50_ms": percentile(spent, 50),
        "p95_ms": percentile(spent, 95),
    }


def index_sizes(store: PostgresStore, space: str) -> Mapping[str, int]:
    """MB of each index of the space's own."""
    with store.connections.owning() as connection:
        return {
            table: round(int(str(row[0])) / 2**20)
            for table in INDEXED
            for row in connection.execute(
                "SELECT pg_relation_size(to_regclass(%s))",
                (f"{store.connections.schema}.{index_name(table, key_of(space))}",),
            )
        }


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that some work takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)
