"""Figures of answered questions: token F1, abstention, evidence, proofs, cost, and what goals gain over no goals.

`abstention.adversarial` (LongMemEval: `.unanswerable`): share of the questions without an answer on which it was "I don't know". `abstention.answered`: share of
the others that were answered. `evidence_recall`: mean share of a question's evidence that an answer cites, over the answered ones
that have one. `verified`: share of all proofs, those of abstentions included, that `verify` accepts; `verified_answered`: of those
of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from goalmem_lab.evals.paired import paired_difference
from goalmem_lab.evals.runs import Row


def figures_of(
    rows: Sequence[Row], categories: Iterable[str], *, by: str = "by_category", open_kind: str = "adversarial"
) -> dict[str, Any]:
    """A run's figures. Where each question was asked with goals and without, those with goals, compared with the others.

    `open_kind`: the benchmark's word for questions without an answer.
    """
    arms = {goals: [r for r in rows if r["goals"] is goals] for goals in (True, False)}
    both = bool(arms[True]) and bool(arms[False])
    chief = arms[True] or arms[False]

    def part(kept: Callable[[Row], bool]) -> dict[str, Any]:
        scores = scores_of([r for r in chief if kept(r)])
        return scores | (compared(*([r for r in arms[goals] if kept(r)] for goals in (True, False))) if both else {})

    figures = {
        **part(lambda r: bool(r["answerable"])),
        by: {name: part(partial(_is_of, name)) for name in categories},
        **whole_of(chief, open_kind),
    }
    if both:
        figures["without_goals"] = scores_of([r for r in arms[False] if r["answerable"]]) | whole_of(
            arms[False], open_kind
        )
    return figures


def scores_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Token F1 over all, and over those answered; of what cannot be answered an abstention scores 1, as in LoCoMo."""
    scores = {
        "questions": len(rows),
        "f1": share([r["score"] for r in rows]),
        "f1_answered": share([r["score"] for r in rows if r["known"]]),
        "answered": share([r["known"] for r in rows]),
    }
    for name in ("contains", "judged"):
        if any(name in r for r in rows):
            scores[name] = share([r[name] for r in rows if r.get(name) is not None])
    return scores


def compared(with_goals: Sequence[Row], without: Sequence[Row]) -> dict[str, Any]:
    """The mean difference of the scores of the same questions, with its bootstrap interval."""
    other = {r["id"]: r["score"] for r in without}
    pairs = [(r["score"], other[r["id"]]) for r in with_goals if r["id"] in other]
    difference = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    return {
        "f1_without": share([b for _, b in pairs]),
        "gain": round(difference.mean, 4) if difference else None,
        "gain_low": round(difference.low, 4) if difference else None,
        "gain_high": round(difference.high, 4) if difference else None,
    }


def _is_of(category: str, row: Row) -> bool:
    return bool(row["category"] == category)


def whole_of(rows: Sequence[Row], open_kind: str) -> dict[str, Any]:
    """What is told of a run as a whole."""
    answerable = [r for r in rows if r["answerable"]]
    cited = [_cited(r) for r in answerable if r["evidence"] and r["known"]]
    seconds = [r["seconds"] for r in rows]
    return {
        "abstention": {
            open_kind: share([not r["known"] for r in rows if not r["answerable"]]),
            "answered": share([r["known"] for r in answerable]),
        },
        "evidence_recall": share(cited),
        "verified": share([r["verified"] for r in rows if r["verified"] is not None]),
        "verified_answered": share([r["verified"] for r in rows if r["known"] and r["verified"] is not None]),
        "calls": share([r["calls"] for r in rows]),
        "cached": share([r["cached"] for r in rows]),
        "tokens": share([r["tokens"] for r in rows]),
        "money": round(sum(r["money"] for r in rows), 4),
        **({"replies": counted} if (counted := replies_of(rows)) else {}),
        "realised_depth": distribution([r["depth"] for r in rows]),
        "realised_breadth": distribution([r["breadth"] for r in rows]),
        "seconds_ingest": round(sum(r.get("ingest", 0.0) for r in rows), 3),
        "seconds_p50": _quantile(seconds, 0.5),
        "seconds_p95": _quantile(seconds, 0.95),
    }


def replies_of(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """A chat model's replies by the call's task: how many, how many no check accepted, and calls without an accepted reply."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for task, of_row in row.get("replies", {}).items():
            counts.setdefault(task, Counter()).update(of_row)
    return {task: dict(counted) for task, counted in sorted(counts.items())}


def distribution(counts: Sequence[int]) -> dict[str, int]:
    """How many questions came to each number."""
    return {str(number): many for number, many in sorted(Counter(counts).items())}


def share(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return round(fmean(values), 4) if values else None


def _cited(row: Row) -> float:
    return len(set(row["evidence"]) & set(row["cited"])) / len(set(row["evidence"]))


def _quantile(seconds: Sequence[float], part: float) -> float | None:
    return round(float(np.quantile(seconds, part)), 4) if seconds else None
