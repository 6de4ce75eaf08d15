"""LongMemEval, answered: every question asked of its haystack, or of all sessions as one memory.

`contains`: share of the answers that hold the gold answer, word by word: gold answers here are seldom as short as a span. Where a gold answer
names another one as acceptable, either is right. A
haystack is remembered anew for each question, since its sessions have other dates in each; what was parsed and embedded stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from goalmem_lab.evals.answer_figures import figures_of
from goalmem_lab.evals.asked_run import Case, Run, Visit, run
from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.longmemeval_data import Dataset, Dated, Question, in_order
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.question_run import Asked
from goalmem_lab.evals.token_f1 import contains, token_f1

_ALSO = re.compile(r"(?P<one>.+?)\. (?P<other>.+?)(?: \([^()]*\))? is also acceptable\.?", re.DOTALL)
FEW = 50
"""Questions asked unless said otherwise: a haystack of 48 sessions takes seconds to remember (docs/evals.md)."""
OPEN = "_abs"
"""Ends the ids of questions that cannot be answered."""


def evaluate(
    dataset: Dataset,
    files: Sequence[Path],
    memories: Memories,
    how: Run,
    *,
    scope: str = "haystack",
) -> dict[str, Any]:
    """Ask the questions as of their dates, and check every proof; of haystacks a sample of `FEW`, unless one is chosen.

    Questions whose gold answer the file does not give are left out. Raises InputError when a file cannot be written.
    """
    selection = how.selection
    if scope == "haystack" and selection.limit is selection.sample is None:
        selection = replace(selection, sample=FEW)
    judgeable = [q for q in dataset.questions if q.answer]
    chosen = selection.choose(judgeable, key=lambda q: q.id, group=lambda q: q.type, category=lambda q: q.type)
    rows = run(f"longmemeval-ask-{scope}", _visits(dataset, chosen, scope), files, memories, how)
    types = dict.fromkeys(q.type for q in chosen)
    return {"scope": scope, **figures_of(rows, types, by="by_type", open_kind="unanswerable")}


def _visits(dataset: Dataset, questions: Sequence[Question], scope: str) -> list[Visit]:
    if scope == "haystack":
        return [
            Visit("a haystack", partial(_told, q.haystack), [_case(q)], keep=False, by_session=True) for q in questions
        ]
    return [Visit("the pool", partial(_told, dataset.pool), [_case(q) for q in questions], by_session=True)]


def _told(sessions: Sequence[Dated]) -> list[Told]:
    return [dated.told for dated in in_order(sessions)]


def _case(question: Question) -> Case:
    asked = Asked(
        benchmark="longmemeval",
        id=question.id,
        category=question.type,
        text=question.text,
        gold=question.answer,
        answerable=not question.id.endswith(OPEN),
        evidence=tuple(sorted(question.evidence)),
        at=question.at,
    )
    golds = acceptable(question.answer)
    return Case(asked, partial(_best_f1, golds), partial(_holds_one, golds))


def acceptable(gold: str) -> tuple[str, ...]:
    """The answers that a gold answer allows: those of `6 days. 7 days (including the last day) is also acceptable.` are two."""
    found = _ALSO.fullmatch(gold.strip())
    return (found["one"], found["other"]) if found is not None else (gold,)


def _best_f1(golds: Sequence[str], said: str) -> float:
    return max(token_f1(said, gold) for gold in golds)


def _holds_one(golds: Sequence[str], said: str) -> bool:
    return any(contains(said, gold) for gold in golds)
