"""Conversations of the laboratory (docs/judge.md): how well their statements are judged, and what certainty is fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.engine.events import silent
from goalmem.errors import InputError
from goalmem.memory import Memory
from goalmem.messages import parse_when
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.models.span_reader import MiniLMReader
from goalmem.reasoners.asked import passage_question
from goalmem.sources.passages import BEFORE, READ
from goalmem.train.cases import Case, Kind
from goalmem.train.documents import Document, Question
from goalmem.train.judge_measure import judged_well
from goalmem.train.lives import Life, claims_of, document_of, is_held_out, read_lives
from goalmem.train.measure import auroc, measured
from goalmem.train.tempting import Tempting
from goalmem.train.token_overlap import best_f1

__all__ = ["Reading", "fit_certainty", "gathered", "span_figures", "statement_figures"]

RIGHT = 0.67
"""Token F1 with an accepted answer from which a reading is right."""
RIDGE = 1.0
FEWEST = 40
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """One candidate for an answer, with what bears on it."""

    life: str
    question: str
    clues: tuple[float, ...]
    right: bool


def statement_figures(folder: Path, model: Path | None = None) -> dict[str, float | None]:
    """How well the bundled judge, or the one in `model`, judges the statements of all lives in `folder`."""
    claims = [claim for life in read_lives(folder) for claim in claims_of(life)]
    return judged_well(MiniLMJudge(model), claims).rounded()


def span_figures(folder: Path, model: Path | None = None) -> dict[str, float | None]:
    """How well the bundled reader, or the one in `model`, reads answers in the turns of all lives in `folder` that hold them.

    Of each question with a span the turn that holds it, behind the one before it; beside it the line of the same life that shares most
    words with the question and does not hold its answer. Of a question without an answer the turn that its author cites for it.
    """
    reader = MiniLMReader(model)
    documents = [document_of(life) for life in read_lives(folder)]
    return measured(
        reader, [case for document in documents for case in _cases(document, Tempting([document]))]
    ).rounded()


def _cases(document: Document, tempting: Tempting) -> Iterator[Case]:
    for question in document.questions:
        place = question.answers[0].line if question.answers else question.near
        kind = Kind.ANSWER if question.answers else Kind.UNANSWERABLE
        yield _case(document, question, place, kind)
        for other in tempting.lines(document, question.text)[:1] if question.answers else ():
            yield _case(document, Question(question.text), other, Kind.WITHOUT)


def _case(document: Document, question: Question, place: int, kind: Kind) -> Case:
    before = document.lines[place - 1].text[-BEFORE:] + "\n" if place else ""
    spans = tuple((len(before) + m.start, len(before) + m.end) for m in question.answers if m.line == place)
    return Case(document.corpus, kind, question.text, before + document.lines[place].text, spans)


def fit_certainty(folder: Path, progress: Progress = lambda done, all_: None) -> dict[str, object]:
    """Weights of what is read, fitted to the lives that the judge was not trained on.

    With them the area under the curve of right readings against wrong ones, cross-validated by life. Raises InputError when there is too
    little to fit to.
    """
    held = [life for life in read_lives(folder) if is_held_out(life)]
    found: list[Reading] = []
    for done, life in enumerate(held, 1):
        found += gathered(life)
        progress(done, len(held))
    return {"lives": len(held), **fitted(found)}


def gathered(life: Life) -> Iterator[Reading]:
    """What passages offer for each question of a life."""
    with Memory() as memory:
        for session in life.content["sessions"]:
            memory.add(session["messages"], session=session["session"], at=session["at"])
        for asked in life.content["questions"]:
            yield from _read(memory, life, asked)


def _read(memory: Memory, life: Life, asked: dict[str, object]) -> Iterator[Reading]:
    asking = memory._asking
    question, at = str(asked["question"]), parse_when(str(asked["asked_at"]), "The question")
    asker = asking.asker("default", str(asked.get("asker") or ""))
    inquiry = asking.inquiry(question, "default", at, silent, asker=asker)
    atom, passages = inquiry.goals[-1].atoms[0], inquiry.passages
    answers = asked["answers"]
    accepted = [str(a) for a in answers] if isinstance(answers, list) else []
    reading = passage_question(atom)
    if passages is not None and reading is not None:
        for proposal, _, clues in passages.weighed(*reading, inquiry.ranking.turns(READ)):
            words = max(best_f1(text, accepted) for text in (proposal.value.text, proposal.span)) if accepted else 0.0
            yield Reading(life.name, question, clues, words >= RIGHT)


def fitted(readings: Sequence[Reading]) -> dict[str, object]:
    """Logistic regression of being right on the clues."""
    if len(readings) < FEWEST or len({r.right for r in readings}) < 2:
        raise InputError(
            f"{len(readings)} readings are too few to fit weights to.", "Name a folder with more lives (docs/judge.md)."
        )
    clues = np.array([[*r.clues, 1.0] for r in readings])
    right = np.array([r.right for r in readings], dtype=float)
    lives = np.array([r.life for r in readings])
    scores = np.zeros(len(right))
    for life in dict.fromkeys(r.life for r in readings):
        scores[lives == life] = clues[lives == life] @ _logistic(clues[lives != life], right[lives != life])
    *weights, bias = (round(float(w), 3) for w in _logistic(clues, right))
    held = right > 0
    return {
        "weights": weights,
        "bias": bias,
        "readings": len(readings),
        "right": int(held.sum()),
        "auroc": round(auroc(scores[held].tolist(), scores[~held].tolist()), 3),
    }


def _logistic(clues: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Newton's method, with a ridge on all but the bias."""
    weights = np.zeros(clues.shape[1])
    ridge = np.full(clues.shape[1], RIDGE)
    ridge[-1] = 1e-6
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(clues @ weights, -60, 60)))
        slope = clues.T @ (chance - right) + ridge * weights
        curve = (clues * (chance * (1 - chance))[:, None]).T @ clues + np.diag(ridge)
        move = np.linalg.solve(curve, slope)
        weights -= move
        if np.abs(move).max() < 1e-8:
            break
    return weights
