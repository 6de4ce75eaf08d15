"""Where failed questions failed: a first sorting of a saved run, for somebody to go on from.

Each failed question gets the first of these that holds:

- `gold error`: no evidence is named, or the evidence says nothing of the gold answer and needs no calendar for it
- `decomposition`: the goal only quotes the question: its form was not understood
- `retrieval`: some of the evidence is not among what was found
- `unification`: all evidence was found, and some of it never entered the proof
- `aggregation`: all evidence entered the proof, and the answer made of it is wrong
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goalmem_lab.evals.calibration import is_right
from goalmem_lab.evals.runs import Row

CAUSES = ("gold error", "decomposition", "retrieval", "unification", "aggregation")
COMPUTED = re.compile(r"\d|\b(?:yes|no)\b", re.IGNORECASE)
"""Gold answers that are worked out of what was said (a date, a count, a yes), and need not stand in it."""
WORD = re.compile(r"\w+")
LONGEST = 90
"""Characters of a text in the table."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that was not answered right."""

    row: Row
    cause: str
    recall: float | None
    """Share of the evidence among what was found; None where no evidence is named."""
    understood: bool
    bound: bool
    """Whether some evidence entered the proof, or as far as it came."""
    gold_suspect: bool


def failures_of(rows: Sequence[Row], categories: Collection[str], count: int | None = None) -> list[Failure]:
    """The first `count` questions of some categories (all when empty) that could be answered and were not, in order."""
    failed = [
        r for r in rows if r["answerable"] and not is_right(r) and (not categories or r["category"] in categories)
    ]
    return [_sorted_in(row) for row in failed[:count]]


def _sorted_in(row: Row) -> Failure:
    evidence, found, bound = (set(row.get(name) or ()) for name in ("evidence", "found", "bound"))
    understood = is_understood(row)
    suspect = is_suspect(row)
    recall = len(evidence & found) / len(evidence) if evidence else None
    held = (suspect, not understood, recall is None or recall < 1, not evidence <= bound, True)
    return Failure(row, CAUSES[held.index(True)], recall, understood, bool(evidence & bound), suspect)


def is_understood(row: Row) -> bool:
    """False where the goal is the question itself: a question whose form is not known becomes such a goal."""
    goal, asked = (WORD.findall(str(row.get(name, "")).casefold()) for name in ("goal", "question"))
    quoted = any(goal[at : at + len(asked)] == asked for at in range(len(goal) - len(asked) + 1))
    return bool(goal) and not quoted


def is_suspect(row: Row) -> bool:
    """True where the gold answer has little to do with the evidence that is named for it."""
    if not row.get("evidence"):
        return True
    return row.get("gold_said") == 0 and not COMPUTED.search(str(row.get("gold", "")))


def summary(failures: Sequence[Failure]) -> tuple[list[str], list[list[str]]]:
    """How many of each cause."""
    counts = Counter(f.cause for f in failures)
    whole = max(1, len(failures))
    return ["cause", "questions", "share"], [[c, str(counts[c]), f"{counts[c] / whole:.2f}"] for c in CAUSES]


def table(failures: Sequence[Failure]) -> tuple[list[str], list[list[str]]]:
    """A row a question."""
    columns = ["id", "question", "gold", "answer", "evidence found", "understood", "bound", "gold suspect", "cause"]
    return columns, [
        [
            _cell(f.row["id"]),
            _cell(f.row["question"]),
            _cell(f.row.get("gold", "")),
            _cell(f.row.get("answer", "")),
            "" if f.recall is None else f"{f.recall:.2f}",
            *("yes" if held else "no" for held in (f.understood, f.bound, f.gold_suspect)),
            f.cause,
        ]
        for f in failures
    ]


def _cell(text: object) -> str:
    """Text as a cell of Markdown: one line, no bars, no markup, not too long."""
    line = " ".join(str(text).split())
    short = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return re.sub(r"([|\\`*_<>\[\]])", r"\\\1", short)
