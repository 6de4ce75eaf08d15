"""How fast a search is over many turns in one space: `python benchmarks/search.py [--turns 100000]`.

The turns are recombined from a few thousand embedded sentences, and their vectors are perturbed copies, so that building takes
a minute and not an hour; words, speakers, sessions and dates vary as in a real memory. What is measured is the public path: text in,
turns out, query embedding included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.models.minilm import MiniLM
from goalmem.records import Extraction, Turn
from goalmem.retrieve.search import Searcher
from goalmem.retrieve.words import encode_terms
from goalmem.store import Batch, NewTurn, Store, open_store

SPACE = "bench"
SEED = 7
TEMPLATES = 600
SESSION_TURNS = 20
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
    options.add_argument("--json", type=Path, help="write the figures here, too")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder) / "bench.goalmem", given.turns, given.queries)
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(path: Path, turns: int, queries: int) -> dict[str, object]:
    """Figures of a store of so many turns; times in milliseconds unless said."""
    model = MiniLM()
    store = open_store(path, model=model.name, dimension=model.dimension)
    began = time.perf_counter()
    build(store, model, turns)
    seconds_build = time.perf_counter() - began
    searcher = Searcher(store, model)
    began = time.perf_counter()
    searcher.search("Where did it all begin?", space=SPACE)
    seconds_first = time.perf_counter() - began
    spent = []
    for question in questions(queries):
        began = time.perf_counter()
        hits = searcher.search(question, space=SPACE, k=10)
        spent.append(1000 * (time.perf_counter() - began))
        assert len(hits) == min(10, turns)
    size = path.stat().st_size
    store.close()
    return {
        "turns": turns,
        "search_p50_ms": round(float(np.percentile(spent, 50)), 1),
        "search_p95_ms": round(float(np.percentile(spent, 95)), 1),
        "first_search_s": round(seconds_first, 2),
        "build_s": round(seconds_build, 1),
        "resident_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "file_mb": round(size / 2**20),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {sys.version.split()[0]}",
    }


def build(store: Store, model: MiniLM, turns: int) -> None:
    """Fill the space `SPACE`, a session a transaction."""
    chance = np.random.default_rng(SEED)
    sentences = [sentence(chance) for _ in range(TEMPLATES)]
    vectors = model.embed(sentences)
    at = datetime(2022, 1, 1, 9, tzinfo=UTC)
    for first in range(0, turns, SESSION_TURNS):
        session = f"session {first}"
        at += timedelta(hours=int(chance.integers(1, 9)))
        speakers = [one_of(chance, PEOPLE), one_of(chance, PEOPLE)]
        rows = [
            new_turn(session, n, speakers[n % 2], at, chance, vectors) for n in range(min(SESSION_TURNS, turns - first))
        ]
        store.add(Batch(SPACE, session, at, rows))


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
    vectors: NDArray[np.float32],
) -> NewTurn:
    """A reply and one to three sentences, each with a vector near that of a sentence that was embedded."""
    chosen = chance.integers(len(vectors), size=int(chance.integers(1, 4)))
    # The words are new ones each time; only the vectors are borrowed.
    told = (sentence(chance) for _ in chosen)
    text = " ".join([one_of(chance, REPLIES), *told, f"That was number {chance.integers(10**6)}."])
    near = vectors[chosen] + chance.normal(0, NOISE, (len(chosen), vectors.shape[1]))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    turn = Turn(f"{session}/{position}", SPACE, session, position, speaker, "user", text, at)
    return NewTurn(turn, position, turn.id, Extraction(turn.id), near.astype("<f2").tobytes(), encode_terms(text))


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
