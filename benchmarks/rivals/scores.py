"""From what was found to the figures of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from goalmem_lab.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation
from goalmem_lab.evals.longmemeval_data import Question

Figures = dict[str, float]
"""Name of a measure -> its value."""
Found = Mapping[str, Sequence[str]]
"""Id of a question -> what was found, best first."""

SESSION_DEPTHS = (5, 10)
TURN_DEPTHS = (5, 10, 20)
MULTI_HOP = "multi-hop"
MILLISECONDS = 1000


def sessions(questions: Sequence[Question], found: Found) -> Figures:
    """any@k: share of the questions with some evidence session among the first k; all@k: with every one."""
    asked = [(q.evidence, found[q.id]) for q in questions if q.evidence and q.id in found]
    figures: Figures = {}
    for k in SESSION_DEPTHS:
        figures[f"any@{k}"] = fmean(bool(evidence & set(names[:k])) for evidence, names in asked)
        figures[f"all@{k}"] = fmean(evidence <= set(names[:k]) for evidence, names in asked)
    return figures


def conversations(samples: Sequence[Conversation], found: Found) -> Figures:
    """recall@k: mean share of a question's evidence turns among the first k, over categories 1 to 4."""
    asked = [
        (CATEGORIES[question.category], set(question.evidence), found[key])
        for sample in samples
        for question in sample.questions
        if question.evidence and question.category != ADVERSARIAL and (key := f"{sample.id}/{question.number}") in found
    ]
    figures = {
        f"recall@{k}": fmean(len(evidence & set(turns[:k])) / len(evidence) for _, evidence, turns in asked)
        for k in TURN_DEPTHS
    }
    deepest = TURN_DEPTHS[-1]
    hops = [
        len(evidence & set(turns[:deepest])) / len(evidence) for kind, evidence, turns in asked if kind == MULTI_HOP
    ]
    if hops:
        figures[f"{MULTI_HOP} recall@{deepest}"] = fmean(hops)
    return figures


def speeds(measured: Mapping[str, Mapping[str, Any]]) -> Figures:
    """What the stages `speed`, `store` and `search` measured, as far as they ran."""
    figures: Figures = {}
    if speed := measured.get("speed"):
        figures["ingest turns/s"] = speed["turns"] / speed["seconds"]
    if search := measured.get("search"):
        figures["search p50 ms"] = median(search["seconds"]) * MILLISECONDS
        figures["resident MB"] = search["resident_mb"]
    if store := measured.get("store"):
        figures["disk MB"] = store["disk_mb"]
    return figures
