"""Dialogues with questions (FriendsQA, Molweni), remembered and asked.

Some dialogues make one memory, a session each. The questions of one more dialogue, which is not told, are asked of it, too: they
cannot be answered, though they are about the same people. Gold answers are spans; the best of several counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError
from goalmem_lab.evals.answer_figures import figures_of
from goalmem_lab.evals.asked_run import Case, Run, Visit, chosen_visits, run
from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.question_run import Asked
from goalmem_lab.evals.token_f1 import contains, token_f1
from goalmem_lab.train.corpora import TEST, TRAINING, read_corpus
from goalmem_lab.train.documents import Document, Question

TOGETHER = 4
"""Dialogues of one memory: about a hundred turns."""
FIRST_DAY = datetime(2020, 1, 1, 12, tzinfo=UTC)
"""The dialogues have no dates; they are told on days one after another."""
KINDS = ("told", "unanswerable")


def evaluate(path: Path, memories: Memories, how: Run) -> dict[str, Any]:
    """Ask the questions of a published file, and check every proof.

    Raises NotFoundError, FormatError for bad data, InputError when a file cannot be written.
    """
    visits = chosen_visits(_visits(dialogues_of(path), path.stem), how.selection)
    rows = run("dialogues-ask", visits, [path], memories, how)
    return figures_of(rows, KINDS, by="by_kind", open_kind="unanswerable")


def dialogues_of(path: Path) -> list[Document]:
    """The dialogues of a published file. Raises NotFoundError, FormatError."""
    corpora = {corpus.file: corpus for corpus in (*TRAINING, TEST)}
    if path.name not in corpora:
        raise FormatError(f"{path.name} is no file of dialogues.", f"Name one of {', '.join(corpora)}.")
    dialogues = [d for d in read_corpus(path.parent, corpora[path.name]) if d.dialogue]
    if len(dialogues) <= TOGETHER:
        raise FormatError(f"{path.name} holds {len(dialogues)} dialogues.", f"More than {TOGETHER} are needed.")
    return dialogues


def _visits(dialogues: Sequence[Document], name: str) -> list[Visit]:
    visits = []
    for first in range(0, len(dialogues) - TOGETHER, TOGETHER + 1):
        told, other = dialogues[first : first + TOGETHER], dialogues[first + TOGETHER]
        cases = [
            case
            for place, dialogue in enumerate([*told, other], first)
            for case in _cases(dialogue, f"{name}/{place}", told=dialogue is not other)
        ]
        visits.append(Visit("dialogues", partial(told_as, told), cases, keep=False))
    return visits


def told_as(dialogues: Sequence[Document]) -> list[Told]:
    """Dialogues as sessions, told on days one after another."""
    sessions = []
    for day, dialogue in enumerate(dialogues):
        lines = [(line.speaker, line.text.removeprefix(f"{line.speaker}: ")) for line in dialogue.lines]
        messages = [{"role": "user", "name": name, "content": text} for name, text in lines if text.strip()]
        sessions.append(Told(f"dialogue {day}", FIRST_DAY + timedelta(days=day), messages))
    return sessions


def _cases(dialogue: Document, name: str, *, told: bool) -> list[Case]:
    return [_case(dialogue, q, f"{name}/{number}", told=told) for number, q in enumerate(dialogue.questions)]


def _case(dialogue: Document, question: Question, name: str, *, told: bool) -> Case:
    golds = list(dict.fromkeys(dialogue.lines[m.line].text[m.start : m.end] for m in question.answers))
    answerable = told and bool(golds)
    asked = Asked(
        benchmark=dialogue.corpus,
        id=name,
        category=KINDS[0] if answerable else KINDS[1],
        text=question.text,
        gold=" / ".join(golds),
        answerable=answerable,
        evidence=(),
    )

    def best(said: str) -> float:
        return max((token_f1(said, gold) for gold in golds), default=0.0)

    return Case(asked, best, lambda said: any(contains(said, gold) for gold in golds))
