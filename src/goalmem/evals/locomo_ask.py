"""LoCoMo, answered: token F1, abstention, evidence and proofs.

`abstention.adversarial`: share of the questions that cannot be answered on which the answer was "I don't know".
`abstention.answered`: share of the others that were answered. `evidence_recall`: mean share of a question's evidence
turns that an answer cites, over the answered ones of categories 1 to 4. `verified`: share of all proofs, those of
abstentions included, that `verify` accepts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from goalmem.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation, Question, read_locomo
from goalmem.evals.progress import Finished, Tick, ignore
from goalmem.evals.token_f1 import f1_of_answer
from goalmem.memory import Memory

__all__ = ["evaluate"]

Result = Mapping[str, Any]


def evaluate(
    path: Path, *, limit: int | None = None, progress: Tick | None = None, state: Path | None = None
) -> dict[str, Any]:
    """Ask every question (or the first `limit`) of its own conversation, and check every proof.

    `state`: folder that keeps finished questions of an interrupted run. Raises FormatError for bad data.
    """
    tick = progress or ignore
    conversations = read_locomo(path)
    asked = [(c, q) for c in conversations for q in c.questions][:limit]
    finished = Finished("locomo-ask", ["ask"], [path], state)
    complete = False
    try:
        for conversation in conversations:
            questions = [q for c, q in asked if c is conversation]
            if any(finished.get(key_of(conversation, q)) is None for q in questions):
                ask_all(conversation, questions, finished, tick)
        complete = True
    finally:
        finished.close(complete=complete)
    pairs = [(q, finished.get(key_of(c, q)) or {}) for c, q in asked]
    return figures_of(pairs)


def key_of(conversation: Conversation, question: Question) -> str:
    """Names a question within the run."""
    return f"{conversation.id}/{question.number}"


def ask_all(conversation: Conversation, questions: Sequence[Question], finished: Finished, tick: Tick) -> None:
    """Remember one conversation and ask those of its questions that are not finished."""
    with Memory() as memory:
        began = time.perf_counter()
        for number, session in enumerate(conversation.sessions, 1):
            memory.add(session.messages, session=session.name, at=session.at)
            tick(f"sessions of {conversation.id}", number, len(conversation.sessions))
        spent = time.perf_counter() - began
        for number, question in enumerate(questions, 1):
            key = key_of(conversation, question)
            if finished.get(key) is None:
                share = {"ingest": spent} if number == 1 else {}
                finished.keep(key, {**share, **ask(memory, question)})
            tick(f"questions of {conversation.id}", number, len(questions))


def ask(memory: Memory, question: Question) -> dict[str, Any]:
    """One question's answer, its score, and whether its proof holds."""
    answer = memory.ask(question.text)
    cited = [memory.turn(t).external_id for t in answer.citations]
    return {
        "question": question.text,
        "answer": answer.text,
        "gold": question.answer,
        "category": question.category,
        "known": answer.known,
        "confidence": answer.confidence,
        "f1": f1_of_answer(answer.text, question.answer, question.category) if answer.known else 0.0,
        "cited": cited,
        "verified": memory.verify(answer.proof).ok,
        "stage": answer.missing[0].stage if answer.missing else "",
        "seconds": answer.seconds,
    }


def figures_of(pairs: Sequence[tuple[Question, Result]]) -> dict[str, Any]:
    """The run's figures from the results of its questions."""
    answerable = [(q, r) for q, r in pairs if q.category != ADVERSARIAL]
    adversarial = [r for q, r in pairs if q.category == ADVERSARIAL]
    seconds = [r["seconds"] for _, r in pairs]
    return {
        **scores_of(answerable),
        "by_category": {n: scores_of([p for p in pairs if p[0].category == c]) for c, n in CATEGORIES.items()},
        "abstention": {
            "adversarial": share([not r["known"] for r in adversarial]),
            "answered": share([r["known"] for _, r in answerable]),
        },
        "evidence_recall": share(
            [
                len(set(q.evidence) & set(r["cited"])) / len(q.evidence)
                for q, r in answerable
                if q.evidence and r["known"]
            ]
        ),
        "verified": share([r["verified"] for _, r in pairs]),
        "seconds_ingest": round(sum(r.get("ingest", 0.0) for _, r in pairs), 3),
        "seconds_p50": round(median(seconds), 4) if seconds else None,
    }


def scores_of(pairs: Sequence[tuple[Question, Result]]) -> dict[str, Any]:
    """Token F1 over all, and over those answered; of adversarial questions an abstention scores 1, as in LoCoMo."""
    scores = [float(not r["known"]) if q.category == ADVERSARIAL else r["f1"] for q, r in pairs]
    return {
        "questions": len(pairs),
        "f1": share(scores),
        "f1_answered": share([s for s, (_, r) in zip(scores, pairs, strict=True) if r["known"]]),
        "answered": share([r["known"] for _, r in pairs]),
    }


def share(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return round(fmean(values), 4) if values else None
