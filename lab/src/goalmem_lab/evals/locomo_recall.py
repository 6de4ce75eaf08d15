"""LoCoMo: do subgoals find more of the turns that a question takes?

`recall@20`: mean share of a question's evidence turns among the 20 that `Memory.recall` ranks first without subgoals: by the
question's words and by what the reader reads. `goal_recall@20`: the same with subgoals; search, reader and number of turns are
the same. `gain` is the mean of the paired differences, with its bootstrap interval.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from goalmem_lab.evals.asked_run import Run
from goalmem_lab.evals.locomo_data import (
    ADVERSARIAL,
    CATEGORIES,
    Asked,
    Conversation,
    Question,
    chosen,
    key_of,
    read_locomo,
)
from goalmem_lab.evals.memories import Filled, Memories
from goalmem_lab.evals.paired import paired_difference
from goalmem_lab.evals.progress import Finished, Tick, resumable
from goalmem_lab.evals.runs import write_run
from goalmem_lab.evals.ways import Way

TURNS = 20
"""Turns that either way may name."""


def evaluate(path: Path, memories: Memories, how: Run) -> dict[str, Any]:
    """Measure both ways on the official file.

    Questions whose evidence names no turn that is there are left out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError when a file cannot be written.
    """
    memories.check()
    asked = chosen(read_locomo(path), how.selection)
    usable = [(c, q) for c, q in asked if q.evidence]
    with resumable("locomo-recall", ["recall", memories.model, *memories.way.parts()], [path], how.state) as finished:
        _measure(usable, memories, finished, how.progress)
    rows = [finished.get(key_of(c, q)) or {} for c, q in usable]
    if how.save is not None:
        write_run(rows, how.save)
    return {**figures_of(rows), "without_evidence": len(asked) - len(usable)}


def _measure(asked: Asked, memories: Memories, finished: Finished, tick: Tick) -> None:
    done = 0
    tick("questions", done, len(asked))
    for conversation in {id(c): c for c, _ in asked}.values():
        questions = [q for c, q in asked if c is conversation]
        missing = [q for q in questions if finished.get(key_of(conversation, q)) is None]
        done += len(questions) - len(missing)
        if not missing:
            continue
        told = conversation.sessions

        def tell(number: int, name: str = conversation.id, total: int = len(told)) -> None:
            tick(f"sessions of {name}", number, total)

        with memories.filled(told, tick=tell) as filled:
            for question in missing:
                finished.keep(key_of(conversation, question), _recall(filled, memories.way, conversation, question))
                done += 1
                tick("questions", done, len(asked))
    tick("questions", len(asked), len(asked))


def _recall(filled: Filled, way: Way, conversation: Conversation, question: Question) -> dict[str, Any]:
    found: dict[bool, list[str | None]] = {}
    seconds: dict[bool, float] = {}
    for goals in (True, False):
        began = time.perf_counter()
        hits = filled.memory.recall(question.text, k=TURNS, goals=goals, reasoner=way.reasoner)
        seconds[goals] = time.perf_counter() - began
        found[goals] = [filled.turns.get(hit.turn.id, hit.turn).external_id for hit in hits]
    return {
        "benchmark": "locomo",
        "id": key_of(conversation, question),
        "category": CATEGORIES[question.category],
        "question": question.text,
        "evidence": list(question.evidence),
        "found": found[False],
        "goal_found": found[True],
        "recall": recall(question.evidence, found[False]),
        "goal_recall": recall(question.evidence, found[True]),
        "seconds": round(seconds[False], 5),
        "goal_seconds": round(seconds[True], 5),
    }


def recall(evidence: Sequence[str], found: Sequence[str | None]) -> float:
    """Share of the evidence among the turns found."""
    return len(set(evidence) & set(found)) / len(set(evidence))


def figures_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The run's figures; the whole is over categories 1 to 4."""
    answerable = [r for r in rows if r["category"] != CATEGORIES[ADVERSARIAL]]
    return {
        **_shares(answerable),
        "by_category": {name: _shares([r for r in rows if r["category"] == name]) for name in CATEGORIES.values()},
        "seconds_search_p50": _median([r["seconds"] for r in rows]),
        "seconds_recall_p50": _median([r["goal_seconds"] for r in rows]),
    }


def _shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    plain, with_goals = ([r[name] for r in rows] for name in ("recall", "goal_recall"))
    difference = paired_difference(with_goals, plain)
    return {
        "questions": len(rows),
        f"recall@{TURNS}": round(fmean(plain), 4) if rows else None,
        f"goal_recall@{TURNS}": round(fmean(with_goals), 4) if rows else None,
        "gain": round(difference.mean, 4) if difference else None,
        "gain_low": round(difference.low, 4) if difference else None,
        "gain_high": round(difference.high, 4) if difference else None,
    }


def _median(seconds: Sequence[float]) -> float | None:
    return round(median(seconds), 5) if seconds else None
