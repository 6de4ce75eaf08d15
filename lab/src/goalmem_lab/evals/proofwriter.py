"""ProofWriter: is a statement true, false or unknown in an open world?

The layout is that of Logic-LLM (Pan et al. 2023): a list of objects with `context`, `question`, `options` (`A) True`) and
`answer` (a letter). `accuracy`: share of questions answered with the right option; `by_answer` has it for each option. What a
theory neither derives nor denies is unknown.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from goalmem.errors import FormatError, GoalmemError
from goalmem.rules.terms import RuleReader
from goalmem.rules.theory import Theory
from goalmem_lab.evals.progress import Tick, ignore
from goalmem_lab.evals.runs import write_run
from goalmem_lab.train.datasets import Record, read_json

STATUS = {"true": "proved", "false": "disproved", "unknown": "unknown", "uncertain": "unknown"}
"""What an option says, and the status of an answer that says the same."""
_ASKED = re.compile(r"^.*?\b(?:true|false|unknown|uncertain)\b[^?:]*[?:]\s*", re.IGNORECASE | re.DOTALL)
_OPTION = re.compile(r"\s*\(?([A-Za-z])\s*[).:]\s*(\w+)")


@dataclass(frozen=True, slots=True)
class Problem:
    """A theory and one statement to decide."""

    id: str
    context: str
    statement: str
    answer: str
    """`true`, `false` or `unknown`."""


@dataclass(frozen=True, slots=True)
class _Decided:
    problem: Problem
    status: str
    seconds: float
    unreadable: int

    @property
    def right(self) -> bool:
        return self.status == STATUS[self.problem.answer]


def read_proofwriter(path: Path) -> list[Problem]:
    """The problems of a file. Raises FormatError with the place."""
    given = read_json(path)
    if not isinstance(given, list):
        raise FormatError(f"{path.name} is no list of problems.", "Compare it with the official file.")
    return [_problem(Record.of(value, f"{path.name}, [{number}]")) for number, value in enumerate(given)]


def _problem(record: Record) -> Problem:
    question = record.get("question", str)
    statement = _ASKED.sub("", question, count=1).strip()
    return Problem(record.text("id"), record.get("context", str), statement or question, _answer(record))


def _answer(record: Record) -> str:
    letter = record.get("answer", str).strip().casefold()
    if letter in STATUS:
        return letter
    for option in record.texts("options"):
        found = _OPTION.match(option)
        if found and found[1].casefold() == letter and found[2].casefold() in STATUS:
            return found[2].casefold()
    raise FormatError(
        f"The answer {letter!r} of {record.place} is none of its options.", "Compare it with the official file."
    )


def evaluate(
    paths: Sequence[Path],
    reader: RuleReader,
    *,
    limit: int | None = None,
    progress: Tick | None = None,
    save: Path | None = None,
) -> dict[str, Any]:
    """Measure a reader, and the rules behind it, in an open world.

    `limit`: only each file's first questions. `save`: where each question is written with its answer, as JSONL.

    Raises FormatError for bad data, InputError when a file cannot be written.
    """
    decided: list[_Decided] = []
    for path in paths:
        problems = read_proofwriter(path)[:limit]
        for number, problem in enumerate(problems, 1):
            decided.append(_decide(problem, reader))
            (progress or ignore)(path.name, number, len(problems))
    if save is not None:
        write_run([_row(d) for d in decided], save)
    kinds = sorted({d.problem.answer for d in decided})
    return {
        **_figures(decided),
        "by_answer": {kind: _figures([d for d in decided if d.problem.answer == kind]) for kind in kinds},
        "unreadable": sum(d.unreadable for d in decided),
        "seconds_per_question": fmean(d.seconds for d in decided) if decided else None,
    }


def _decide(problem: Problem, reader: RuleReader) -> _Decided:
    started = time.perf_counter()
    theory = Theory.read(problem.context, world="open", reader=reader, partial=True)
    statement = reader.read_statement(problem.statement)
    status = "unread"
    if statement is not None and statement.ground:
        try:
            status = theory.decide(statement).status
        except GoalmemError:
            status = "failed"
    return _Decided(problem, status, time.perf_counter() - started, len(theory.unread))


def _figures(decided: Sequence[_Decided]) -> dict[str, Any]:
    return {"questions": len(decided), "accuracy": fmean(d.right for d in decided) if decided else None}


def _row(decided: _Decided) -> dict[str, Any]:
    problem = decided.problem
    return {"id": problem.id, "question": problem.statement, "label": problem.answer, "answer": decided.status}
