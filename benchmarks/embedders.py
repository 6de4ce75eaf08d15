"""What the embedders cost and what they find, side by side in one run.

    python benchmarks/embedders.py [--choices minilm e5 …] [--longmemeval PATH] [--locomo PATH] [--markdown]

Speed: each embedder in a process of its own, in rounds, so that a change of the machine's load meets all of them; the median
of the rounds. Quality, where data is given: the vectors alone, the best passage speaking for its turn or session. The full
search is measured by `goalmem eval` under `GOALMEM_EMBEDDER`. An embedder that is not installed is left out.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from goalmem.errors import ModelError
from goalmem.io import Options, read_chat
from goalmem.models.protocol import Embedder, queries_of
from goalmem.models.registry import CHOICES, make_embedder
from goalmem.retrieve.passages import passages
from goalmem_lab.evals.locomo_data import ADVERSARIAL, read_locomo
from goalmem_lab.evals.longmemeval_data import read_longmemeval

ROUNDS = 3
TEXTS, WORDS = 300, 25
"""Passages that are timed, and words of each."""
QUERIES = 40
BATCH = 256
"""Passages embedded at once when quality is measured: bounds memory."""
WIDTH = 140
LARGEST_UNIT = 1024
"""`ru_maxrss` counts KiB on Linux."""

Vectors = NDArray[np.float32]
Row = dict[str, float]


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--choices", nargs="+", default=list(CHOICES), metavar="NAME", help="embedders to measure")
    parser.add_argument("--longmemeval", type=Path, metavar="PATH", help="also find the sessions of LongMemEval")
    parser.add_argument("--locomo", type=Path, metavar="PATH", help="also find the turns of LoCoMo")
    parser.add_argument("--texts", type=int, default=TEXTS, help="passages to time (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds (default %(default)s)")
    parser.add_argument("--markdown", action="store_true", help="print a table for a page")
    options = parser.parse_args()
    chosen = [choice for choice in options.choices if _is_there(choice)]
    rows = _speeds(chosen, options.texts, options.rounds)
    for choice in chosen:
        embedder = make_embedder(choice)
        if options.longmemeval:
            rows[choice] |= sessions_found(embedder, options.longmemeval)
        if options.locomo:
            rows[choice] |= turns_found(embedder, options.locomo)
    _print(rows, markdown=options.markdown)


def _is_there(choice: str) -> bool:
    try:
        make_embedder(choice)
    except ModelError as error:
        print(f"{choice} is left out: {error}")
        return False
    return True


# -- speed -------------------------------------------------------------------------------------------------------


def _speeds(choices: Sequence[str], texts: int, rounds: int) -> dict[str, Row]:
    """The median of every figure over the rounds, each round measuring each embedder once."""
    measured: dict[str, list[Row]] = {choice: [] for choice in choices}
    for _ in range(rounds):
        for choice in choices:
            with multiprocessing.get_context("spawn").Pool(1) as process:
                measured[choice].append(process.apply(speed, (choice, texts)))
    return {choice: {key: median(row[key] for row in rows) for key in rows[0]} for choice, rows in measured.items()}


def speed(choice: str, count: int) -> Row:
    """What one embedder costs in this process, which has used none before."""
    texts = _texts(count)
    embedder = make_embedder(choice)
    before = _resident()
    load = _seconds(lambda: embedder.embed(["word"]))
    embedding = _seconds(lambda: embedder.embed(texts))
    embed_queries = queries_of(embedder)
    query = median(_seconds(partial(embed_queries, [text])) for text in texts[:QUERIES])
    return {
        "dimensions": embedder.dimension,
        "load s": load,
        "passages/s": count / embedding,
        "query ms": query * 1e3,
        "memory MB": _resident() - before,
    }


def _texts(count: int) -> list[str]:
    """Runs of words of the bundled demo conversation; where it is too short, again from another word on."""
    file = files("goalmem.demo") / "data" / "conversation.jsonl"
    read = read_chat(io.BytesIO(file.read_bytes()), Options(name=file.name))
    words = [word for session in read for message in session.messages for word in message["content"].split()]
    starts = (number * (WORDS - 1) % len(words) for number in range(count))
    return [" ".join([*words, *words][start : start + WORDS]) for start in starts]


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _resident() -> float:
    """The most memory that this process has held so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / LARGEST_UNIT


# -- quality -----------------------------------------------------------------------------------------------------


def sessions_found(embedder: Embedder, path: Path) -> Row:
    """LongMemEval, all sessions as one memory: share of questions with any, and with all, evidence sessions found."""
    data = read_longmemeval(path)
    names = [dated.session for dated in data.pool]
    texts = [[p for _, content in dated.messages for p in passages(content)] for dated in data.pool]
    kept = [number for number, of_session in enumerate(texts) if of_session]
    scores = _best(embedder, [texts[number] for number in kept], [question.text for question in data.questions])
    row: Row = {}
    for depth in (5, 10):
        found = [
            (set(question.evidence), {names[kept[place]] for place in np.argsort(-line, kind="stable")[:depth]})
            for question, line in zip(data.questions, scores, strict=True)
            if question.evidence
        ]
        row[f"LME any@{depth}"] = fmean(bool(evidence & first) for evidence, first in found)
        row[f"LME all@{depth}"] = fmean(evidence <= first for evidence, first in found)
    return row


def turns_found(embedder: Embedder, path: Path) -> Row:
    """LoCoMo, each conversation a memory: mean share of a question's evidence turns among the first ten."""
    shares: dict[int, list[float]] = {}
    for conversation in read_locomo(path):
        messages = [message for session in conversation.sessions for message in session.messages]
        texts = [[f"{m['name']}: {p}" for p in passages(m["content"])] for m in messages]
        asked = [question for question in conversation.questions if question.evidence]
        scores = _best(embedder, texts, [question.text for question in asked])
        for question, line in zip(asked, scores, strict=True):
            first = {messages[place]["id"] for place in np.argsort(-line, kind="stable")[:10]}
            share = len(first & set(question.evidence)) / len(question.evidence)
            shares.setdefault(question.category, []).append(share)
    answerable = [share for category, found in shares.items() if category != ADVERSARIAL for share in found]
    return {"LoCoMo r@10": fmean(answerable), "multi-hop": fmean(shares.get(1, [0.0]))}


def _best(embedder: Embedder, texts: Sequence[Sequence[str]], queries: Sequence[str]) -> Vectors:
    """Dot product of each query with the best passage of each of `texts`, shape (len(queries), len(texts))."""
    vectors = _embedded(embedder, [passage for of_one in texts for passage in of_one])
    starts = np.cumsum([0, *map(len, texts[:-1])])
    best: Vectors = np.maximum.reduceat(queries_of(embedder)(queries) @ vectors.T, starts, axis=1)
    return best


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    bounds = [*range(0, len(texts), BATCH), len(texts)]
    return np.concatenate([embedder.embed(texts[first:last]) for first, last in pairwise(bounds)])


# -- the table ---------------------------------------------------------------------------------------------------


def _print(rows: dict[str, Row], *, markdown: bool) -> None:
    columns = list(dict.fromkeys(key for row in rows.values() for key in row))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    if markdown:
        print(f"Cores: {os.cpu_count()}; load: {load}\n")
        for cells in (["embedder", *columns], ["---"] * (len(columns) + 1), *_cells(rows, columns)):
            print(f"| {' | '.join(cells)} |")
        return
    table = Table("embedder", *columns, caption=f"cores: {os.cpu_count()}; load: {load}")
    for cells in _cells(rows, columns):
        table.add_row(*cells)
    Console(width=WIDTH).print(table)


def _cells(rows: dict[str, Row], columns: Sequence[str]) -> Iterable[list[str]]:
    for choice, row in rows.items():
        yield [choice, *(_shown(row.get(column)) for column in columns)]


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


if __name__ == "__main__":
    main()
