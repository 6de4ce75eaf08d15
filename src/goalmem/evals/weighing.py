"""Fit what answers read out of passages are worth (`sources.weighing`), to dialogues with questions.

Each question is asked of a memory of dialogues, and what its passages offer is kept with the clues and whether it is
right. Two logistic regressions are fitted: which offer is right, and what the best one is worth. It is worth nothing where the
question cannot be answered, half where it can, and all where the best one answers it: that tells both apart better than
either alone.
Questions of a dialogue that was not told, and questions about another speaker than the one meant, are not answered.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.evals.dialogues_ask import TOGETHER, dialogues_of, told_as
from goalmem.evals.fitting import check_fitting
from goalmem.evals.memories import Memories
from goalmem.evals.progress import Tick, ignore
from goalmem.evals.scoring_rules import auroc
from goalmem.evals.token_f1 import token_f1
from goalmem.memory import Memory
from goalmem.sources.answer_ranking import FLOOR, Clue
from goalmem.sources.passages import Offer
from goalmem.train.chance import chance
from goalmem.train.documents import Document, Question

__all__ = ["Trial", "fit_weights", "trials_of"]

RIGHT_F1 = 0.5
"""Token F1 from which an offer counts as right."""
SWAPPED = 0.6
"""Share of the questions that name one speaker which are asked about another one as well."""
RIDGE = 0.1
"""Pull of the weights towards 0, as a quadratic penalty in units of one example's log-likelihood."""
FOLDS = 5
LATER = datetime(2021, 1, 1, tzinfo=UTC)
"""When questions are asked: after all dialogues are told."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trial:
    """A question with what the passages offered, and whether each offer is right."""

    group: int
    """Number of the memory: no memory is in two folds."""
    answerable: bool
    own: tuple[tuple[Clue, bool], ...]
    others: tuple[Clue, ...]


def fit_weights(path: Path, memories: Memories, *, seed: int = 0, progress: Tick | None = None) -> dict[str, Any]:
    """Fit both models to a published file, and cross-validate them.

    Raises NotFoundError, FormatError for bad data, ModelError without scipy.
    """
    check_fitting()
    trials = list(trials_of(path, memories, seed=seed, tick=progress or ignore))
    preference, bias = _preference(trials)
    confidence, confidence_bias = _confidence(trials, preference, bias)
    held = np.zeros(len(trials))
    for fold in range(FOLDS):
        inside = [t for t in trials if t.group % FOLDS != fold]
        found = _preference(inside)
        sure = _confidence(inside, *found)
        for number, trial in enumerate(trials):
            if trial.group % FOLDS == fold:
                held[number] = _sureness(trial, found, sure)
    answerable = np.array([t.answerable for t in trials])
    return {
        "questions": len(trials),
        "answerable": int(answerable.sum()),
        "preference": [round(float(w), 2) for w in preference],
        "preference_bias": round(bias, 2),
        "confidence": [round(float(w), 2) for w in confidence],
        "confidence_bias": round(confidence_bias, 2),
        "auroc_answerable": auroc(held, answerable),
    }


def trials_of(path: Path, memories: Memories, *, seed: int, tick: Tick) -> Iterator[Trial]:
    """Every question of the file, and some asked about somebody else."""
    dialogues = dialogues_of(path)
    rng = chance(seed)
    starts = range(0, len(dialogues) - TOGETHER, TOGETHER + 1)
    for number, first in enumerate(starts):
        tick("memories", number, len(starts))
        told, other = dialogues[first : first + TOGETHER], dialogues[first + TOGETHER]
        with memories.filled(told_as(told), keep=False) as filled:
            for dialogue in (*told, other):
                for question in dialogue.questions:
                    golds = golds_of(dialogue, question) if dialogue is not other else []
                    yield _trial(number, offers_of(filled.memory, question.text), golds)
                    if dialogue is not other and (asked := about_another(question.text, dialogue, rng)):
                        yield _trial(number, offers_of(filled.memory, asked), [])
    tick("memories", len(starts), len(starts))


def offers_of(memory: Memory, question: str) -> list[Offer]:
    """What the passages of a memory offer as an answer."""
    return memory._asking.offers(question, space="default", at=LATER)


def golds_of(dialogue: Document, question: Question) -> list[str]:
    """The spans that answer a question."""
    return list(dict.fromkeys(dialogue.lines[m.line].text[m.start : m.end] for m in question.answers))


def about_another(question: str, dialogue: Document, rng: random.Random) -> str | None:
    """The question with the one speaker whom it names replaced by another of the dialogue; None where it names none.

    Only a share of the questions is taken.
    """
    speakers = {line.speaker.split()[0] for line in dialogue.lines if line.speaker and "," not in line.speaker}
    named = sorted(s for s in speakers if re.search(rf"\b{re.escape(s)}\b", question))
    rest = sorted(speakers - set(named))
    if len(named) != 1 or not rest or rng.random() >= SWAPPED:
        return None
    return re.sub(rf"\b{re.escape(named[0])}\b", rng.choice(rest), question)


def _trial(group: int, offers: Sequence[Offer], golds: Sequence[str]) -> Trial:
    own = tuple(
        (o.clue, max((token_f1(o.proposal.value.text, g) for g in golds), default=0.0) >= RIGHT_F1)
        for o in offers
        if o.proposal is not None
    )
    return Trial(group, bool(golds), own, tuple(o.clue for o in offers if o.proposal is None))


def _preference(trials: Sequence[Trial]) -> tuple[Numbers, float]:
    pairs = [pair for trial in trials for pair in trial.own]
    return logistic(np.array([clue.measured for clue, _ in pairs]), np.array([right for _, right in pairs]))


def _confidence(trials: Sequence[Trial], weights: Numbers, bias: float) -> tuple[Numbers, float]:
    usable = [t for t in trials if t.own]
    clues = np.array([_clues(t, weights, bias) for t in usable])
    return logistic(clues, np.array([_worth(t, weights) for t in usable]))


def _worth(trial: Trial, weights: Numbers) -> float:
    """0 where nothing answers, 1/2 where something does, 1 where the best offer does."""
    best = max(trial.own, key=lambda offer: float(np.dot(weights, offer[0].measured)))
    return (trial.answerable + (trial.answerable and best[1])) / 2


def _sureness(trial: Trial, preference: tuple[Numbers, float], confidence: tuple[Numbers, float]) -> float:
    """Log-odds that the question is answered; of nothing offered, very low."""
    return float(np.dot(confidence[0], _clues(trial, *preference)) + confidence[1]) if trial.own else -99.0


def _clues(trial: Trial, weights: Numbers, bias: float) -> tuple[float, float, float]:
    """What `sources.weighing.confidence` looks at, under these weights."""
    liked = [float(np.dot(weights, clue.measured)) + bias for clue, _ in trial.own]
    rivals = [float(np.dot(weights, clue.measured)) + bias for clue in trial.others]
    best = int(np.argmax(liked))
    told = max((clue.sentence for clue in trial.others), default=0.0)
    return liked[best], liked[best] - max([*rivals, FLOOR]), trial.own[best][0].sentence - told


def logistic(values: Numbers, right: Numbers | NDArray[np.bool_]) -> tuple[Numbers, float]:
    """Weights and bias of a logistic regression, by maximum likelihood with a small ridge on the weights.

    `right` may lie between 0 and 1.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    x = np.hstack([values, np.ones((len(values), 1))])
    pull = np.array([RIDGE] * values.shape[1] + [0.0])

    def loss(w: Numbers) -> tuple[float, Numbers]:
        """Negative log-likelihood with the ridge, and its gradient."""
        odds = x @ w
        value = float(np.logaddexp(0, odds).sum() - (odds * right).sum() + (pull * w * w).sum() / 2)
        return value, x.T @ (expit(odds) - right) + pull * w

    found = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])
