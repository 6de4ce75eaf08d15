"""The weights of the local critic: a few that apply to any graph, and a table from question words to relations of one
graph.

A folder contains both as one `.npz` without pickled objects, named by its content.

A feature is an n-gram together with a context: the next hop alone, with its place in the walk, or with the hop before it;
stopping likewise, always with the hop before. The table has a fixed size whatever the graph (Weinberger et al. 2009, feature
hashing). Hashes depend on nothing but the names, so that a table means the same in every process.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError, ModelError
from goalmem.graph.critic import TOPIC
from goalmem.graph.protocol import Hop
from goalmem.language.terms import hash_term, words_of

FORMAT = 1
PREFIX, SUFFIX = "critic-", ".npz"
READABLE = 0o644
SMALLEST = 1e-3
"""Weights with a smaller absolute value are dropped."""

GENERAL: Mapping[str, float] = {
    "hop.cosine": 2.0,
    "hop.nearest": 5.0,
    "hop.next": 3.0,
    "hop.named": 1.0,
    "hop.unasked": -2.5,
    "hop.type": 1.0,
    "hop.other type": -1.0,
    "hop.back": -2.0,
    "hop.back shared": 6.0,
    "hop.again": -1.0,
    "hop.inverse": 0.0,
    "stop.at 1": 2.5,
    "stop.at 2": 2.5,
    "stop.further": 3.5,
    "stop.left": -6.0,
    "stop.missed": -1.0,
    "stop.shared": -4.0,
    "stop.unasked": -2.0,
    "stop.type": 1.5,
    "stop.asked": 1.5,
}
"""Weights of the features of `local_alignment`, set by hand: matches with the relation's name weigh most."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalModel:
    """Weights of a log-linear model of a walk's next hop."""

    general: Mapping[str, float] = field(default_factory=lambda: GENERAL)
    """By name, for features that apply to every graph."""
    relations: frozenset[str] = frozenset()
    """Relations of the training graph; the table does not apply to others."""
    table: NDArray[np.float32] | None = None
    """Shape (2**BITS,); None for a model that was not trained."""
    made: Mapping[str, str | int | float] = field(default_factory=dict)
    """How it was trained."""
    name: str = "untrained"
    """Identifies its content by hash."""

    def weights(self, names: tuple[str, ...]) -> NDArray[np.float32]:
        """The general weights in the order of the names; one that is not known is 0."""
        return np.array([self.general.get(name, 0.0) for name in names], dtype=np.float32)


def write_model(model: LocalModel, folder: Path) -> Path:
    """Write a model into a folder atomically, replacing an existing one. Raises InputError."""
    content = _packed(model)
    path = folder / f"{PREFIX}{hashlib.sha256(content).hexdigest()[:16]}{SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            file.write(content)
        os.chmod(file.name, READABLE)
        os.replace(file.name, path)
        for other in folder.glob(f"{PREFIX}*{SUFFIX}"):
            if other != path:
                other.unlink()
    except OSError as error:
        raise InputError(
            f"The model cannot be written to {folder}: {error.strerror or error}.", "Name another folder."
        ) from error
    return path


def read_model(place: Path) -> LocalModel:
    """Read the model from a folder or a file. Raises ModelError if it is missing or invalid."""
    path = _only(place) if place.is_dir() else place
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"The critic's model {path} cannot be read: {error.strerror or error}.", "Name what `train critic` wrote."
        ) from error
    digest = hashlib.sha256(content).hexdigest()[:16]
    if path.name != f"{PREFIX}{digest}{SUFFIX}":
        raise ModelError(f"{path} is not what was written under this name.", "Train the critic again, or copy it anew.")
    try:
        return _unpacked(content, digest)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, zipfile.BadZipFile) as error:
        raise ModelError(f"{path} holds no model of the local critic: {error}.", "Train one: train critic.") from error


def _only(folder: Path) -> Path:
    found = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    if len(found) != 1:
        raise ModelError(
            f"{folder} holds {len(found) or 'no'} model{'s' * (len(found) != 1)} of the local critic.",
            "Name the folder, or the file, that `goalmem train critic` wrote.",
        )
    return found[0]


def _packed(model: LocalModel) -> bytes:
    table = np.zeros(0, np.float32) if model.table is None else model.table
    kept = np.flatnonzero(np.abs(table) >= SMALLEST)
    head = {
        "format": FORMAT,
        "bits": BITS,
        "general": {name: round(float(weight), 6) for name, weight in sorted(model.general.items())},
        "relations": sorted(model.relations),
        "trained": model.table is not None,
        "made": dict(model.made),
    }
    text = np.frombuffer(json.dumps(head, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace"), np.uint8)
    with io.BytesIO() as file:
        # Its zip entries carry a fixed date: the same model, the same bytes.
        np.savez_compressed(file, head=text, places=kept.astype(np.uint32), weights=table[kept].astype(np.float16))
        return file.getvalue()


def _unpacked(content: bytes, digest: str) -> LocalModel:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        head = json.loads(arrays["head"].tobytes().decode())
        places, weights = arrays["places"].astype(np.int64), arrays["weights"].astype(np.float32)
    if head["format"] != FORMAT or head["bits"] != BITS:
        raise ValueError(f"its format is {head['format']}, not {FORMAT}")
    general = {str(name): float(weight) for name, weight in head["general"].items()}
    if not np.isfinite(weights).all() or not all(map(math.isfinite, general.values())):
        raise ValueError("a weight is not a finite number")
    if places.shape != weights.shape or places.ndim != 1 or (len(places) and places.max() >= 1 << BITS):
        raise ValueError("its table is cut")
    table = None
    if head["trained"]:
        table = np.zeros(1 << BITS, dtype=np.float32)
        table[places] = weights
    return LocalModel(general, frozenset(head["relations"]), table, head["made"], digest)


BITS = 21
"""The table has 2**21 places: some 300,000 features, as 5,000 questions over nine relations have, meet rarely in it."""
LONGEST = 3
"""Words of an n-gram."""
START, END = "^", "$"
MARK = "\x00topic\x00"
"""The topic among a question's words: no word of a text."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4)."""

Hashes = NDArray[np.uint64]
Buckets = NDArray[np.int64]


@lru_cache(4_096)
def question_words(masked: str) -> tuple[str, ...]:
    """The words of a masked question, folded; its topic is one of them, `MARK`."""
    found: list[str] = []
    for place, part in enumerate(masked.split(TOPIC)):
        found += [*([MARK] if place else []), *words_of(part)]
    return tuple(found)


@lru_cache(4_096)
def grams(masked: str) -> Hashes:
    """The distinct n-grams of a masked question, up to `LONGEST` words, as sorted hashes."""
    words = (START, *question_words(masked), END)
    found = {
        " ".join(words[at : at + size]) for size in range(1, LONGEST + 1) for at in range(len(words) - size + 1)
    } - {START, END}
    return np.array(sorted(hash_term(f"gram {gram}") for gram in found), dtype=np.uint64)


def contexts(walked: Sequence[Hop], choices: Sequence[Hop | None]) -> Hashes:
    """The contexts of each choice after a walk, shape (len(choices), 3); None is to stop."""
    place, before = len(walked), str(walked[-1]) if walked else START
    return np.array([_contexts(place, before, "" if c is None else str(c)) for c in choices], dtype=np.uint64)


@lru_cache(65_536)
def _contexts(place: int, before: str, choice: str) -> tuple[int, int, int]:
    if not choice:
        names = (f"stop {place}", f"stop after {before}", f"stop after {before} {place}")
    else:
        names = (f"hop {choice}", f"hop {choice} at {place}", f"hop {choice} after {before}")
    first, second, third = (hash_term(name) for name in names)
    return first, second, third


def buckets(found: Hashes, within: Hashes) -> Buckets:
    """The table's place of each feature, shape (choices, n-grams * contexts)."""
    crossed = (within[:, :, None] + found[None, None, :]) * _MIX
    return (crossed >> np.uint64(64 - BITS)).astype(np.int64).reshape(len(within), -1)
