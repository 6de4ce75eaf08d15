"""The learned reader's weights: four logistic models over named features, as one JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from goalmem.errors import ModelError
from goalmem.models.weights import require_hash

__all__ = ["FILE", "FORMAT", "Linear", "Weights", "bundled_weights", "read_weights"]

FILE = "learned.json"
FORMAT = 1
WEIGHTS_SHA256 = "e74b4b2b9e336f61fd9cd690a77cb802d691cc053981edcf02d6dcbc8316d3a4"
"""Of the bundled weights, which data/LEARNED.md describes."""
MODELS = ("property", "kind", "role", "polarity")


@dataclass(frozen=True, slots=True)
class Linear:
    """A logistic model: the log-odds of yes are the bias and the weights of the features present."""

    bias: float
    weights: Mapping[str, float]

    def log_odds(self, features: Collection[str]) -> float:
        """Log-odds of yes; features that were not in training count nothing."""
        return self.bias + math.fsum(self.weights[f] for f in features if f in self.weights)


@dataclass(frozen=True, slots=True)
class Weights:
    """All that was learned."""

    property: Linear
    """Yes: the candidate is a property."""
    kind: Linear
    """Yes: the sentence is a rule."""
    role: Linear
    """Yes: the property is the head of its rule."""
    polarity: Linear
    """Yes: the property is denied."""
    known: frozenset[str]
    """Words that were properties in training."""
    made: Mapping[str, str | int]
    """How the weights were made: seed, examples, versions."""

    def to_json(self) -> str:
        """As `read_weights` takes it."""
        models = {name: self._model(name) for name in MODELS}
        return json.dumps({"format": FORMAT, "made": dict(self.made), "known": sorted(self.known), **models}, indent=0)

    def _model(self, name: str) -> dict[str, object]:
        model: Linear = getattr(self, name)
        return {"bias": model.bias, "weights": dict(sorted(model.weights.items()))}


def read_weights(path: Path) -> Weights:
    """The weights in a file, or in a folder as `FILE`. Raises ModelError when there are none that can be used."""
    file = path / FILE if path.is_dir() else path
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(
            f"The learned reader's weights {file} cannot be read: {error.strerror or error}.",
            "Name the folder that `goalmem train rules` wrote, or none for those that ship with goalmem.",
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"The file {file} holds no weights of the learned reader: {error}.",
            "Make them again: goalmem train rules.",
        ) from error


@cache
def bundled_weights() -> Weights:
    """The weights that ship with goalmem. Raises ModelError when they are missing or altered."""
    with resources.as_file(resources.files("goalmem.rules") / "data" / FILE) as path:
        require_hash(path, WEIGHTS_SHA256)
        return read_weights(path)


def _parsed(text: str) -> Weights:
    document = json.loads(text)
    if document["format"] != FORMAT:
        raise ValueError(f"format {document['format']}, not {FORMAT}")
    models = {name: _linear(document[name]) for name in MODELS}
    return Weights(**models, known=frozenset(document["known"]), made=document["made"])


def _linear(document: Mapping[str, object]) -> Linear:
    bias, weights = document["bias"], document["weights"]
    if not isinstance(bias, int | float) or not isinstance(weights, dict):
        raise ValueError("a model has a bias and weights")
    numbers = {str(name): float(weight) for name, weight in weights.items()}
    if not all(map(math.isfinite, (bias, *numbers.values()))):
        raise ValueError("a weight is no finite number")
    return Linear(float(bias), numbers)
