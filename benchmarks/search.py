"""How fast a search is over many turns in one space, and what it holds: `python benchmarks/search.py [--turns 100000]`.

The turns are recombined from some hundred analysed sentences, and their vectors are perturbed copies, so that building takes
a minute and not an hour; words, speakers, sessions and dates vary as in a real memory. A process of its own builds them, so that
the memory measured is that of opening and searching. What is timed is the public path: text in, turns out, query embedding
included. A million turns take a quarter of an hour to build and 3 GB of disk: keep them with `--store PATH`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem import Memory
from goalmem.language import Analyzer, Extractor
from goalmem.language.terms import encode_terms
from goalmem.models.minilm import MiniLM
from goalmem.records import Extraction, Turn
from goalmem.retrieve.enrich import turn_features
from goalmem.retrieve.passages import NUMBERS as PERSONAL
from goalmem.retrieve.search import Searcher
from goalmem.retrieve.vectors import VectorColumn
from goalmem.store import Batch, NewTurn, Store, open_store

SPACE = "bench"
SEED = 7
TEMPLATES = 600
SESSION_TURNS = 20
SCANNED = 100_000
"""Vectors of the comparison of scans."""
NOISE = 0.02
"""Standard deviation of what is added to each coordinate of a copied vector: copies differ as paraphrases do."""

PEOPLE = ("Maya", "Leo", "Ines", "Tomas", "Priya", "Noor", "Erik", "Wanda", "Kofi", "Lena")
VERBS = (
    "bought",
    "sold",
    "painted",
    "repaired",
    "lost",
    "found",
    "borrowed",
    "cooked",
    "planted",
    "photographed",
    "returned",
)
THINGS = (
    "bicycle", "guitar", "kitchen table", "tent", "camera", "lamp", "novel", "tomato plant", "raincoat", "piano", "telescope",
    "sourdough loaf", "motorbike", "violin", "aquarium", "armchair", "map of the harbour", "kite", "typewriter", "sewing machine",
)  # fmt: skip
PLACES = (
    "Porto",
    "the harbour",
    "the library",
    "Oslo",
    "grandmother's village",
    "the night market",
    "Lisbon",
    "the office",
)
REASONS = (
    "because the old one broke", "for my sister's birthday", "before the move", "after the concert", "on a rainy afternoon",
    "with the money from the summer job", "although nobody asked me to", "to surprise the neighbours", "and it took all day",
)  # fmt: skip
REPLIES = (
    "Wow, how did that go?",
    "Really? Tell me more.",
    "I would have done the same.",
    "No way, that sounds great!",
)
QUESTIONS = (
    "What did {person} buy in {place}?", "Who {verb} a {thing}?", "When was {person} in {place}?",
    "Why did {person} do something with a {thing} last month?", "Which {thing} did I talk about on 3 May 2023?",
)  # fmt: skip


def main() -> None:
    """Build, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=100_000)
    options.add_argument("--queries", type=int, default=100)
    options.add_argument("--store", type=Path, help="build here, or measure what was built here before")
    options.add_argument("--json", type=Path, help="write the figures here, too")
    options.add_argument("--ask", type=int, default=0, metavar="N", help="answer N questions, too")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.store or Path(folder) / "bench.goalmem"
        seconds = built(path, given.turns)
        figures = measure(path, given.turns, given.queries) | {"build_s": seconds}
        if given.ask:
            figures |= answering(path, given.ask)
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def built(path: Path, turns: int) -> float | None:
    """Build the store in a process of its own unless it is there; seconds taken."""
    if path.exists():
        return None
    began = time.perf_counter()
    child = multiprocessing.get_context("spawn").Process(target=build_file, args=(path, turns))
    child.start()
    child.join()
    if child.exitcode:
        raise SystemExit(f"Building {path} failed; see above.")
    return round(time.perf_counter() - began, 1)


def measure(path: Path, turns: int, queries: int) -> dict[str, object]:
    """Figures of a store of so many turns: times in milliseconds unless said, memory in MB (resident)."""
    memory = {"imports": resident()}
    model = MiniLM()
    model.embed(["Load the model."])
    memory["model"] = resident()
    store = open_store(path, model=model.name, dimension=model.dimension)
    if (held := store.stats(SPACE).turns) != turns:
        raise SystemExit(f"{path} holds {held} turns, not {turns}: give another --store or --turns.")
    analyzer = Analyzer()
    searcher = Searcher(store, model, parse=lambda text, names: analyzer.docs([text], names)[0])
    first = timed(lambda: searcher.search("Where did it all begin?", space=SPACE))
    memory["opened"] = resident()
    asked = list(questions(queries))
    spent = [timed(partial(searcher.search, question, space=SPACE, k=10)) for question in asked]
    memory["searched"] = resident()
    memory["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    again = [timed(partial(searcher.search, question, space=SPACE, k=10)) for question in asked]
    store.close()
    return {
        "turns": turns,
        "search_p50_ms": percentile(spent, 50),
        "search_p95_ms": percentile(spent, 95),
        "first_search_s": round(first / 1000, 2),
        "asked_again_p50_ms": percentile(again, 50),
        "memory_mb": memory,
        "scan": scans(),
        "file_mb": round(path.stat().st_size / 2**20),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {sys.version.split()[0]}",
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def answering(path: Path, count: int) -> dict[str, object]:
    """How long questions take to be answered with a proof, and the share of proofs that hold when checked again."""
    with Memory(path) as memory:
        memory.ask("Where did it all begin?", space=SPACE)
        answers = [memory.ask(question, space=SPACE) for question in questions(count)]
        held = [memory.verify(answer).ok for answer in answers]
    spent = [1000 * answer.seconds for answer in answers]
    return {
        "ask_p50_ms": percentile(spent, 50),
        "ask_p95_ms": percentile(spent, 95),
        "answered": sum(answer.known for answer in answers),
        "proofs_hold": sum(held) / len(held),
    }


def scans() -> dict[str, float]:
    """Scans of vectors in float32, in 8 bits and of their signs, in turns, so that other work on the machine slows all alike."""
    chance = np.random.default_rng(SEED)
    wide = chance.standard_normal((SCANNED, 384), dtype=np.float32)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    column = VectorColumn(384)
    column.append(wide.astype("<f2").tobytes())
    vectors, query = column.view(), wide[0]
    ways = (lambda: np.einsum("ij,j->i", wide, query), lambda: vectors.dots(query), lambda: vectors.estimates(query))
    rounds = [[timed(way) for way in ways] for _ in range(15)]
    float32, int8, signs = (percentile(times, 50) for times in zip(*rounds, strict=True))
    return {
        "vectors": SCANNED,
        "float32_ms": float32,
        "int8_ms": int8,
        "signs_ms": signs,
        "ratio": round(float32 / int8, 1),
        "ratio_signs": round(float32 / signs, 1),
    }


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that some work takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def percentile(times: Sequence[float], percent: float) -> float:
    """A percentile of some milliseconds, rounded."""
    return round(float(np.percentile(times, percent)), 2)


def resident() -> int:
    """Megabytes that this process holds in memory now; where the system does not tell, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return pages * resource.getpagesize() // 2**20


def build_file(path: Path, turns: int) -> None:
    """Build a new store; what is not whole does not stay."""
    model = MiniLM()
    partly = path.with_suffix(".part")
    store = open_store(partly, model=model.name, dimension=model.dimension)
    build(store, model, turns)
    store.close()
    partly.rename(path)


def build(store: Store, model: MiniLM, turns: int) -> None:
    """Fill the space `SPACE`, a session a transaction."""
    chance = np.random.default_rng(SEED)
    sentences = [sentence(chance) for _ in range(TEMPLATES)]
    borrowed = Borrowed(model.embed(sentences), features_of(sentences))
    at = datetime(2022, 1, 1, 9, tzinfo=UTC)
    for first in range(0, turns, SESSION_TURNS):
        session = f"session {first}"
        at += timedelta(hours=int(chance.integers(1, 9)))
        speakers = [one_of(chance, PEOPLE), one_of(chance, PEOPLE)]
        rows = [
            new_turn(session, n, speakers[n % 2], at, chance, borrowed)
            for n in range(min(SESSION_TURNS, turns - first))
        ]
        store.add(Batch(SPACE, session, at, rows))


@dataclass(frozen=True)
class Borrowed:
    """What turns borrow of the sentences that were analysed."""

    vectors: NDArray[np.float32]
    features: list[bytes]


def features_of(sentences: Sequence[str]) -> list[bytes]:
    """What language analysis tells a search of each sentence."""
    extractor = Extractor(Analyzer())
    turns = [
        Turn(str(n), SPACE, "analysed", n, PEOPLE[0], "user", text, datetime(2022, 1, 1, tzinfo=UTC))
        for n, text in enumerate(sentences)
    ]
    return [turn_features(extraction) for extraction in extractor.extract(turns)]


def one_of(chance: np.random.Generator, values: Sequence[str]) -> str:
    """Any of the values."""
    return values[int(chance.integers(len(values)))]


def sentence(chance: np.random.Generator) -> str:
    """One of some hundred thousand."""
    return (
        f"{one_of(chance, PEOPLE)} and I {one_of(chance, VERBS)} a {one_of(chance, THINGS)} "
        f"in {one_of(chance, PLACES)} {one_of(chance, REASONS)}."
    )


def new_turn(
    session: str,
    position: int,
    speaker: str,
    at: datetime,
    chance: np.random.Generator,
    borrowed: Borrowed,
) -> NewTurn:
    """A reply and one to three sentences, each with a vector near that of a sentence that was embedded."""
    vectors = borrowed.vectors
    chosen = chance.integers(len(vectors), size=int(chance.integers(1, 4)))
    # The words are new ones each time; only vectors and features are borrowed.
    told = (sentence(chance) for _ in chosen)
    text = " ".join([one_of(chance, REPLIES), *told, f"That was number {chance.integers(10**6)}."])
    near = vectors[chosen] + chance.normal(0, NOISE, (len(chosen), vectors.shape[1]))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    turn = Turn(f"{session}/{position}", SPACE, session, position, speaker, "user", text, at)
    features = PERSONAL[: len(chosen)].astype("<u8").tobytes() + b"".join(borrowed.features[n] for n in chosen)
    vector = near.astype("<f2").tobytes()
    return NewTurn(turn, position, turn.id, Extraction(turn.id), vector, encode_terms(text), features)


def questions(count: int) -> Iterator[str]:
    """Questions of several kinds, each new to the searcher."""
    chance = np.random.default_rng(SEED + 1)
    for number in range(count):
        yield QUESTIONS[number % len(QUESTIONS)].format(
            person=one_of(chance, PEOPLE),
            place=one_of(chance, PLACES),
            verb=one_of(chance, VERBS),
            thing=one_of(chance, THINGS),
        )


if __name__ == "__main__":
    main()
