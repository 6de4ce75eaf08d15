"""The recipe of the local critic: `goalmem train critic` learns from questions and answers over a graph alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from goalmem.graph.local_model import LocalModel
from goalmem.graph.protocol import Graph
from goalmem.graph.retriever import Vectors
from goalmem_lab.train.critic_fit import Fit, Fitting, fit
from goalmem_lab.train.critic_labels import Asked, Labelled, label, sampled
from goalmem_lab.train.critic_state import TrainingState

__all__ = ["Recipe", "train_critic"]

QUESTIONS = 12_000
"""Questions at most that are learned from; more add little and cost time."""

Tick = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What makes one set of weights another."""

    questions: int = QUESTIONS
    depth: int = 3
    fit: Fit = field(default_factory=Fit)


def train_critic(
    graph: Graph,
    asked: Iterable[Asked],
    vectors: Vectors,
    recipe: Recipe | None = None,
    *,
    tick: Tick | None = None,
    state: Path | None = None,
) -> tuple[LocalModel, dict[str, float | int]]:
    """The model that the questions and the seed give, and what came of training.

    `state`: a folder where the work that is done is kept, to go on from after a kill; it is emptied in the end.
    """
    recipe = recipe or Recipe()
    say = tick or (lambda what, done, total: None)
    chosen = sampled(asked, recipe.questions, seed=recipe.fit.seed)
    kept = TrainingState(state, _mark(chosen, recipe, vectors)) if state is not None else None
    complete = False
    try:
        labels = _labels(graph, chosen, recipe, say, kept)
        fitted, told = _fitted(labels, vectors, recipe, say, kept)
        complete = True
    finally:
        if kept is not None:
            kept.close(complete=complete)
    made: dict[str, str | int | float] = {
        "questions": len(chosen),
        "labelled": len(labels),
        "depth": recipe.depth,
        "epochs": recipe.fit.epochs,
        "seed": recipe.fit.seed,
        "embedder": vectors.embedder.name,
    }
    figures = {"questions": len(chosen), "labelled": len(labels), "log_likelihood": round(told, 4)}
    return fitted.model(graph.relations(), made), figures


def _fitted(
    labels: Sequence[Labelled], vectors: Vectors, recipe: Recipe, say: Tick, kept: TrainingState | None
) -> tuple[Fitting, float]:
    """The weights, and the mean log-likelihood of the last epoch."""
    likelihood = [0.0]

    def done(at: Fitting, told: float) -> None:
        likelihood[0] = told
        say("Fitting", at.epoch, recipe.fit.epochs)
        if kept is not None:
            kept.keep_fitting(at)

    return fit(labels, vectors, recipe.fit, kept.fitting() if kept is not None else None, done), likelihood[0]


def _labels(
    graph: Graph, chosen: Sequence[Asked], recipe: Recipe, say: Tick, kept: TrainingState | None
) -> list[Labelled]:
    found = kept.labels() if kept is not None else []
    for number, each in enumerate(chosen, 1):
        if number > len(found):
            labelled = label(graph, each, recipe.depth)
            found.append(labelled)
            if kept is not None:
                kept.keep_label(labelled)
        say("Walking to the answers", number, len(chosen))
    return [labelled for labelled in found if labelled is not None]


def _mark(chosen: Sequence[Asked], recipe: Recipe, vectors: Vectors) -> str:
    digest = hashlib.sha256(json.dumps([repr(recipe), vectors.embedder.name]).encode())
    for each in chosen:
        digest.update(f"{each.query.question}\0{each.query.span}\0{each.topic}\0".encode("utf-8", "replace"))
        digest.update(np.ascontiguousarray(each.answers).tobytes())
    return digest.hexdigest()[:16]
