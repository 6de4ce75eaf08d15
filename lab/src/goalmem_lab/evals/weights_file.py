"""Weights of signals as a JSON object, signal -> number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from goalmem.errors import FormatError, InputError
from goalmem.retrieve.weights import Weights
from goalmem_lab.train.datasets import read_json

__all__ = ["DIGITS", "read_weights", "write_weights"]

DIGITS = 4
"""After the point: finer differences change no ranking that is measured."""


def read_weights(path: Path) -> Weights:
    """The weights in a file; signals that it leaves out keep the weight that ships. Raises FormatError."""
    document = read_json(path)
    known = Weights().as_dict()
    if not isinstance(document, dict):
        raise FormatError(f"{path.name} is no JSON object of weights.", "Write one with `goalmem eval fit`.")
    for name, value in document.items():
        if name not in known:
            raise FormatError(f"{path.name} weighs {name!r}, which is no signal.", f"Signals are: {', '.join(known)}.")
        # A comparison that NaN fails, too.
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise FormatError(f"The weight of {name!r} in {path.name} is {value!r}.", "Give a number, 0 or more.")
    return replace(Weights(), **{name: float(value) for name, value in document.items()})


def write_weights(weights: Mapping[str, float], path: Path) -> None:
    """Write weights as `read_weights` reads them. Raises InputError when the file cannot be written."""
    rounded = {name: round(value, DIGITS) for name, value in weights.items()}
    try:
        path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.", "Choose another place.") from error
