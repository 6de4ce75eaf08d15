"""What a teacher and its students learn from, as arrays: word pieces, windows with questions, turns that a question finds, claims.

Made by `goalmem_lab.train.distil_windows`; this module needs numpy alone, so that a machine that only trains can read the file.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import FormatError

Rows = NDArray[Any]
"""Structured, of one of the types below."""
MOST_SPANS = 3
READING = np.dtype([("question", "<i4"), ("window", "<i4"), ("spans", "<i4", (MOST_SPANS, 2)), ("epoch", "<i4")])
"""A question over a window: texts and windows by number, first and last pieces of what answers it, -1 for none."""
FOUND_TURN = np.dtype(
    [
        ("asked", "<i4"),
        ("question", "<i4"),
        ("window", "<i4"),
        ("excerpt", "<i4"),
        ("answering", "<i4"),
        ("span", "<i4", (2,)),
        ("own", "<i4"),
    ]
)
"""A window of a turn that a question finds. `asked`: a number of the question; `own`: the first piece behind the turn before it."""
CLAIM = np.dtype([("statement", "<i4"), ("excerpt", "<i4"), ("label", "<i4"), ("noted", "<i4")])
"""A statement over an excerpt: texts by number, an index of `LABELS`, and 1 where it is of a note."""
START = "start/"
"""Of the names under which the file keeps the students' first weights."""


class Answering(IntEnum):
    """Whether a turn answers a question that finds it."""

    NO = 0
    MARKED = 1
    UNKNOWN = 2


@dataclass(frozen=True, slots=True)
class DistilData:
    """All that is learnt from. Texts are whole; a window holds at most 200 pieces of a passage."""

    text_pieces: NDArray[Any]
    """All texts end to end, as the bundled tokenizer cuts them; without special pieces."""
    text_lengths: NDArray[Any]
    window_pieces: NDArray[Any]
    window_lengths: NDArray[Any]
    window_words: NDArray[Any]
    """For each piece of a window the number of its word in the passage."""
    window_sentences: NDArray[Any]
    """For each piece of a window the number of its sentence in the passage."""
    corpora: Rows
    turns: Rows
    claims: Rows
    start: dict[str, NDArray[np.float32]]
    """The students' weights to begin with: `reader/`, `judge/` or `words/` and the published name."""


def save(data: DistilData, path: Path) -> None:
    """As one compressed .npz, written beside and then put in place."""
    named: dict[str, Any] = {each.name: getattr(data, each.name) for each in fields(data) if each.name != "start"}
    named |= {START + name: weights for name, weights in data.start.items()}
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        np.savez_compressed(file, **named)
    os.replace(beside, path)


def load(path: Path) -> DistilData:
    """Raises FormatError for a file that `save` did not write."""
    try:
        with np.load(path, allow_pickle=False) as held:
            arrays: dict[str, NDArray[Any]] = {name: held[name] for name in held.files}
        start = {name.removeprefix(START): arrays.pop(name) for name in list(arrays) if name.startswith(START)}
        return DistilData(**arrays, start=start)
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"{path} holds no windows to learn from ({type(error).__name__}).",
            "Name a file that `goalmem train distil` made, or leave --arrays out.",
        ) from error


def digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def readings_of(turns: Rows) -> Rows:
    """Turns that questions find as questions over windows."""
    rows = np.zeros(len(turns), dtype=READING)
    rows["question"], rows["window"] = turns["question"], turns["window"]
    rows["spans"] = -1
    rows["spans"][:, 0] = turns["span"]
    return rows


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows of one type, one after another."""
    return np.concatenate(list(parts))
