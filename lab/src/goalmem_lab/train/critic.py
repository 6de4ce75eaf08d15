"""The recipe of the local critic: `goalmem train critic` learns from questions and answers over a graph alone."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from goalmem.errors import InputError
from goalmem.graph.local_model import LocalModel
from goalmem.graph.protocol import INVERSE, Graph, Hop
from goalmem.graph.retriever import Vectors
from goalmem_lab.train.critic_fit import Fit, Fitting, fit
from goalmem_lab.train.critic_labels import Asked, Chain, Labelled, label, sampled

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


class TrainingState:
    """Files of one run in a folder; `mark` tells runs of other data or settings apart. Raises InputError."""

    def __init__(self, folder: Path, mark: str) -> None:
        self._labels = folder / f"state-{mark}.labels.jsonl"
        self._fitting = folder / f"state-{mark}.fitting.npz"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._known = _read(self._labels)
            # Half a line that a kill left is dropped, so that lines stay in the order of the questions.
            self._labels.write_text("".join(f"{json.dumps(each)}\n" for each in self._known), encoding="utf-8")
            self._file = self._labels.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"{folder} cannot keep the state of the training: {error.strerror or error}.", "Name another folder."
            ) from error

    def labels(self) -> list[Labelled | None]:
        """Those of the first questions that were done, in order."""
        return [_labelled(value) for value in self._known]

    def keep_label(self, labelled: Labelled | None) -> None:
        """Keep what the next question is labelled with."""
        self._file.write(json.dumps(_value(labelled)) + "\n")
        self._file.flush()

    def fitting(self) -> Fitting | None:
        """The weights after the last epoch that was done; None before the first, or where they are damaged."""
        try:
            with np.load(self._fitting, allow_pickle=False) as kept:
                return Fitting(
                    kept["table"], kept["squares"], kept["general"], kept["general_squares"], int(kept["epoch"])
                )
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            return None

    def keep_fitting(self, at: Fitting) -> None:
        """Keep the weights, whole or not at all."""
        with io.BytesIO() as file:
            np.savez(
                file,
                epoch=np.int64(at.epoch),
                table=at.table,
                squares=at.squares,
                general=at.general,
                general_squares=at.general_squares,
            )
            beside = self._fitting.with_name(f"{self._fitting.name}.{os.getpid()}")
            beside.write_bytes(file.getvalue())
        os.replace(beside, self._fitting)

    def close(self, *, complete: bool) -> None:
        """Close the files; of a run that is complete nothing is kept."""
        self._file.close()
        if complete:
            self._labels.unlink(missing_ok=True)
            self._fitting.unlink(missing_ok=True)


def _read(path: Path) -> list[Any]:
    found: list[Any] = []
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                break
    return found


def _value(labelled: Labelled | None) -> Any:
    if labelled is None:
        return None
    return {
        "masked": labelled.masked,
        "chains": [[_names(chain.hops), chain.f1] for chain in labelled.chains],
        "onward": [[_names(before), _names(after)] for before, after in labelled.onward.items()],
        "others": _names(labelled.others),
    }


def _labelled(value: Any) -> Labelled | None:
    if value is None:
        return None
    return Labelled(
        value["masked"],
        tuple(Chain(_hops(names), f1) for names, f1 in value["chains"]),
        {_hops(before): _hops(after) for before, after in value["onward"]},
        _hops(value["others"]),
    )


def _names(hops: tuple[Hop, ...]) -> list[str]:
    # The mark always stands in front, so that a relation whose own name begins with it is told apart.
    return [f"{INVERSE if hop.inverse else '.'}{hop.relation}" for hop in hops]


def _hops(names: list[str]) -> tuple[Hop, ...]:
    return tuple(Hop(name[1:], inverse=name[0] == INVERSE) for name in names)
