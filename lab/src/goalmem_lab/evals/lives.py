"""Conversations of the laboratory (docs/judge.md): how well their statements are judged, and what certainty is fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.models.span_reader import MiniLMReader
from goalmem.sources.certainty.answer_ranking import (
    FLOOR,
    CertaintyFeatures,
    OfferFeatures,
    QuestionFeatures,
    log_odds,
    recency,
)
from goalmem.sources.evidence_store import BEFORE
from goalmem.sources.passages.answer_words import nested
from goalmem.sources.passages.effort import FOR_ONE
from goalmem.sources.passages.over_time import said_at
from goalmem.sources.passages.span_values import Proposal
from goalmem_lab.train.calibrate import logistic
from goalmem_lab.train.cases import Case, Kind
from goalmem_lab.train.distractors import Tempting
from goalmem_lab.train.documents import Document, Question
from goalmem_lab.train.judge_measure import judged_well
from goalmem_lab.train.lives import Life, claims_of, document_of, is_held_out, read_lives
from goalmem_lab.train.measure import auroc, measured
from goalmem_lab.train.offers import Inquired, inquired, is_right, last_moment, remembered

OPEN = frozenset({"unanswerable", "false-premise"})
"""Types of questions that have no answer."""
WIDE = 16
"""Readings that are judged, so that other weights may choose among them."""
CLUE_SIGNS = (1, 1, 1, 1, 1, -1, 0)
"""Which way the clues of `OfferFeatures.measured` may speak; of the judge's odds and the leads for, of a question's parts against an answer."""
RECALLS = 15
GIVEN: Mapping[int, float] = {RECALLS: 1.0}
"""The weight of certainty that is set and not fitted, by the place of its feature: that of questions for what the assistant said, of which the
lives have few (11 held out, whose fit is 2)."""
RIDGE = 1.0
FEWEST = 40
THRESHOLDS = tuple(round(0.14 + 0.02 * step, 2) for step in range(36))
Progress = Callable[[int, int], None]
Numbers = NDArray[np.float64]
Row = tuple[tuple[float, ...], bool]
"""The clues of a candidate's certainty, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that are offered as an answer, with what bears on whether they are."""

    proposal: Proposal
    features: OfferFeatures
    entailed: float
    """The judge's probability that the turn says so."""
    right: bool
    said: datetime


@dataclass(frozen=True, slots=True)
class Trial:
    """A question of a life with what passages offer."""

    life: str
    form: QuestionFeatures
    answerable: bool
    own: tuple[Candidate, ...]
    others: tuple[OfferFeatures, ...]
    """What is told of somebody else."""


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
    """Weights of what is read (`sources.certainty.answer_ranking`), fitted to the lives that reader and judge were not trained on.

    With them how well right readings are told from wrong ones, and what thresholds do, cross-validated by life. Raises InputError
    when there is too little to fit to.
    """
    held = [life for life in read_lives(folder) if is_held_out(life)]
    found: list[Trial] = []
    for done, life in enumerate(held, 1):
        found += trials(life)
        progress(done, len(held))
    return {"lives": len(held), **fitted(found)}


def trials(life: Life) -> Iterator[Trial]:
    """What passages offer for each question of a life."""
    with remembered(life) as (memory, _):
        for asked in life.content["questions"]:
            yield _trial(life, asked, inquired(memory, asked, last_moment(life)))


def _trial(life: Life, asked: Mapping[str, Any], found: Inquired | None) -> Trial:
    answerable = asked["type"] not in OPEN
    if found is None:
        return Trial(life.name, QuestionFeatures.of(str(asked["question"])), answerable, (), ())
    passages = found.passages
    offered, others = passages.judged.likeliest(found.question, found.variable, found.turns)
    verdicts = passages.judged.judge.verdicts(found.question, offered[:WIDE])
    turns = passages.memory.turn
    own = (
        Candidate(proposal, features, verdict.entailed, is_right(asked["answers"], proposal), said_at(proposal, turns))
        for (_, proposal, features), verdict in zip(offered, verdicts, strict=False)
    )
    return Trial(life.name, passages.judged.form_of(found.question), answerable, tuple(own), tuple(others))


def fitted(tried: Sequence[Trial]) -> dict[str, object]:
    """Both logistic regressions, with what they do to the questions of lives that they were not fitted to."""
    offered = [candidate for trial in tried for candidate in trial.own]
    if len(offered) < FEWEST or len({candidate.right for candidate in offered}) < 2:
        raise InputError(
            f"{len(offered)} readings are too few to fit weights to.", "Name a folder with more lives (docs/judge.md)."
        )
    liking = _logistic([c.features.measured for c in offered], [c.right for c in offered], CLUE_SIGNS, {})
    rows = [_rows(trial, liking) for trial in tried]
    lives = [trial.life for trial in tried]
    scores: list[list[float]] = [[] for _ in tried]
    for life in dict.fromkeys(lives):
        others = [place for place, own in enumerate(lives) if own != life]
        weights = _of([rows[place] for place in others])
        for place, row in enumerate(rows):
            if lives[place] == life:
                scores[place] = [_chance(weights, clues) for clues, _ in row]
    right = [
        score for each, row in zip(scores, rows, strict=True) for score, (_, r) in zip(each, row, strict=True) if r
    ]
    wrong = [s for each, row in zip(scores, rows, strict=True) for s, (_, r) in zip(each, row, strict=True) if not r]
    *preference, preference_bias = (round(float(w), 3) for w in liking)
    *certainty, certainty_bias = (float(w) for w in _of(rows))
    likeliest = [
        max(zip(each, (r for _, r in row), strict=True), default=(0.0, False))
        for each, row in zip(scores, rows, strict=True)
    ]
    more = _of_likeliest([best for best in likeliest if best[0] > 0])
    return {
        "preference": preference,
        "preference_bias": preference_bias,
        "certainty": [round(weight, 3) for weight in certainty],
        "certainty_bias": round(certainty_bias + more, 3),
        "of_likeliest": round(more, 3),
        "questions": len(tried),
        "readings": len(right) + len(wrong),
        "right": len(right),
        "auroc": round(auroc(right, wrong), 3),
        "thresholds": _thresholds(tried, [(_moved(score, more), right) for score, right in likeliest]),
    }


def _rows(trial: Trial, liking: Numbers) -> list[Row]:
    """The likeliest candidates of a question with the clues of their certainty, under weights of preference."""

    def liked(features: OfferFeatures) -> float:
        return float(np.dot(liking, [*features.measured, 1.0]))

    own = sorted(trial.own, key=lambda c: -liked(c.features))
    others = max(map(liked, trial.others), default=FLOOR)
    recent = recency([c.said for c in own[: FOR_ONE.judged]])
    found = []
    for one, late in zip(own[: FOR_ONE.judged], recent, strict=True):
        rivals = (liked(c.features) for c in own if c is not one and not nested(c.proposal, one.proposal))
        clues = CertaintyFeatures(
            trial.form, one.features, liked(one.features), others, next(rivals, FLOOR), one.entailed, late
        ).of_many
        found.append((clues, one.right))
    return found


def _of_likeliest(best: Sequence[tuple[float, bool]]) -> float:
    """How much higher the log-odds of the likeliest reading of a question are than its score says (Platt, 1999, without a slope)."""
    ones, right = np.ones((len(best), 1)), np.array([right for _, right in best], dtype=float)
    return float(logistic(ones, right, np.array([1e-6]), offset=np.array([log_odds(score) for score, _ in best]))[0])


def _moved(score: float, more: float) -> float:
    """A probability with so much more log-odds."""
    return float(1 / (1 + np.exp(-log_odds(score) - more))) if score > 0 else 0.0


def _thresholds(tried: Sequence[Trial], likeliest: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """What thresholds do: how many are answered, how many of these rightly, and the share left open of what has no answer."""
    found = []
    for least in THRESHOLDS:
        told = [right for score, right in likeliest if score >= least]
        silent_ = [s < least for (s, _), trial in zip(likeliest, tried, strict=True) if not trial.answerable]
        precision, left = sum(told) / max(1, len(told)), sum(silent_) / max(1, len(silent_))
        found.append({"least": least, "answers": len(told), "right": round(precision, 3), "open": round(left, 3)})
    return found


def _of(rows: Sequence[Sequence[Row]]) -> Numbers:
    clues = [clues for row in rows for clues, _ in row]
    right = [right for row in rows for _, right in row]
    return _logistic(clues, right, (1, *CLUE_SIGNS, 1, 1, 0, -1, -1, 1, 0, 1), GIVEN)


def _chance(weights: Numbers, clues: Sequence[float]) -> float:
    return float(1 / (1 + np.exp(-np.dot(weights, [*clues, 1.0]))))


def _logistic(
    values: Sequence[Sequence[float]], right: Sequence[bool], signs: Sequence[int], given: Mapping[int, float]
) -> Numbers:
    """Weights and bias of a logistic regression with a ridge on all but the bias.

    Of each clue `signs` says whether more of it may only speak for an answer (1), only against it (-1), or either (0). One whose weight
    comes out the other way is left out, the worst first: on a few hundred right answers that is chance, and elsewhere it misleads.
    `given`: weights that are not fitted.
    """
    clues = np.array([[*row, 1.0] for row in values])
    wanted = np.array(right, dtype=float)
    told = np.array([*signs, 0])
    ridge = np.full(clues.shape[1], RIDGE)
    ridge[-1] = 1e-6
    known = np.zeros(clues.shape[1])
    known[list(given)] = list(given.values())
    kept = np.array([place not in given for place in range(clues.shape[1])])
    while True:
        weights = known.copy()
        weights[kept] = logistic(clues[:, kept], wanted, ridge[kept], offset=clues @ known)
        wrong = weights * told * clues.std(axis=0)
        if wrong.min() >= 0:
            return weights
        kept[wrong.argmin()] = False
