"""Lives of the laboratory, remembered and asked: those that neither reader nor judge was trained on.

Token F1 is that with the best of the accepted answers; of a list, the mean over its items of the best part of the answer. Questions
without an answer and those with a false premise are to be left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from goalmem.io.chat_messages import parse_when
from goalmem_lab.evals.answer_figures import figures_of
from goalmem_lab.evals.asked_run import Case, Run, Visit, chosen_visits, run
from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.lives import OPEN
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.question_run import Asked, Score
from goalmem_lab.evals.token_f1 import token_f1
from goalmem_lab.train.lives import Life, is_held_out, read_lives


def evaluate(folder: Path, memories: Memories, how: Run) -> dict[str, Any]:
    """Ask the questions of the lives in a folder, and check every proof.

    Raises NotFoundError, FormatError for bad data, InputError when a file cannot be written.
    """
    visits = [_visit(life) for life in read_lives(folder) if is_held_out(life)]
    kinds = dict.fromkeys(case.asked.category for visit in visits for case in visit.cases)
    chosen = chosen_visits(visits, how.selection)
    rows = run("lives-ask", chosen, files_of(folder), memories, how)
    return figures_of(rows, sorted(kinds), by="by_kind", open_kind="open")


def files_of(folder: Path) -> list[Path]:
    """The files that hold lives."""
    return sorted((folder / "train").glob("*.json"))


def _visit(life: Life) -> Visit:
    return Visit(life.name, partial(_told, life), [_case(life, asked) for asked in life.content["questions"]])


def _told(life: Life) -> list[Told]:
    told = []
    for session in life.content["sessions"]:
        name = session["session"]
        messages = [{**message, "id": f"{name}:{place}"} for place, message in enumerate(session["messages"])]
        told.append(Told(name, parse_when(session["at"], "The session"), messages))
    return told


def _case(life: Life, asked: Mapping[str, Any]) -> Case:
    golds, items = list(asked["answers"]), [list(item) for item in asked.get("list") or ()]
    question = Asked(
        benchmark="lives",
        id=f"{life.name}/{asked['id']}",
        category=asked["type"],
        text=asked["question"],
        gold=" / ".join(golds) or ", ".join(item[0] for item in items),
        answerable=asked["type"] not in OPEN,
        evidence=tuple(dict.fromkeys(evidence["turn"] for evidence in asked.get("evidence") or [])),
        at=parse_when(asked["asked_at"], "The question"),
        asker=asked.get("asker") or "",
    )
    return Case(question, _score(golds, items))


def _score(golds: list[str], items: list[list[str]]) -> Score:
    def score(said: str) -> float:
        parts = said.split(",")
        if items:
            best = [max(token_f1(part, name) for part in parts for name in item) for item in items]
            return sum(best) / max(len(items), len(parts))
        return max((token_f1(said, gold) for gold in golds), default=0.0)

    return score
