"""LoCoMo, answered: every question asked of its own conversation (`answer_figures` says what is measured)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from goalmem_lab.evals.answer_figures import figures_of
from goalmem_lab.evals.asked_run import Case, Run, Visit, run
from goalmem_lab.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation, Question, chosen, key_of, read_locomo
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.question_run import Asked
from goalmem_lab.evals.token_f1 import f1_of_answer


def evaluate(path: Path, memories: Memories, how: Run) -> dict[str, Any]:
    """Ask the questions, and check every proof.

    Raises FormatError for bad data, InputError when a file cannot be written.
    """
    asked = chosen(read_locomo(path), how.selection)
    visits = [
        _visit(conversation, [q for c, q in asked if c is conversation])
        for conversation in {id(c): c for c, _ in asked}.values()
    ]
    rows = run("locomo-ask", visits, [path], memories, how)
    return figures_of(rows, CATEGORIES.values())


def _visit(conversation: Conversation, questions: Sequence[Question]) -> Visit:
    texts = {m["id"]: m["content"] for session in conversation.sessions for m in session.messages}
    cases = [_case(conversation, q, " ".join(texts[turn] for turn in q.evidence)) for q in questions]
    return Visit(conversation.id, lambda: conversation.sessions, cases)


def _case(conversation: Conversation, question: Question, evidence_text: str) -> Case:
    asked = Asked(
        benchmark="locomo",
        id=key_of(conversation, question),
        category=CATEGORIES[question.category],
        text=question.text,
        gold=question.answer,
        answerable=question.category != ADVERSARIAL,
        evidence=question.evidence,
        evidence_text=evidence_text,
    )
    return Case(asked, partial(f1_of_answer, gold=question.answer, category=question.category))
