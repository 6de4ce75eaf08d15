"""The recipe of the learned rule reader: `goalmem train rules` makes its weights again, and cross-validation takes them from
what a sentence was not in.

Everything is fixed by the seed: the same files and seed give the same weights, on any machine but for the last digit.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from goalmem.errors import InputError
from goalmem.language.analyzer import Analyzer
from goalmem.rules.learned.features import FILE, LearnedWeights
from goalmem_lab.train.rules_corpus import Theory, read_theories
from goalmem_lab.train.rules_examples import from_theories, from_told, nameless, properties, train
from goalmem_lab.train.rules_told import tell

SEED = 7
TEXTS = 600
"""Texts made from the seed that are learned from beside the files."""

READABLE = 0o644

Stage = Callable[[str], None]


class Apart(StrEnum):
    """What must not be both in a fold and in what its weights were trained on."""

    THEORY = "theory"
    SENTENCE = "sentence"
    """A sentence is the same whomever it names; so no theory is read by weights that any of its sentences taught."""


def read_pairs(files: Sequence[Path], metas: Sequence[Path]) -> list[Theory]:
    """The theories of all files. Raises InputError when there is not a meta file for each, and as `read_theories`."""
    if len(files) != len(metas) or not files:
        raise InputError(
            f"{len(files)} files of theories and {len(metas)} meta files were given.",
            "Give --meta once for each file, in the same order.",
        )
    return [theory for file, meta in zip(files, metas, strict=True) for theory in read_theories(file, meta)]


def train_rules(theories: Sequence[Theory], seed: int = SEED, stage: Stage | None = None) -> LearnedWeights:
    """The weights that the theories and the seed give, in about a minute. `stage` hears what is being done."""
    say = stage or (lambda name: None)
    analyzer = Analyzer()
    say("Reading the theories")
    own = from_theories(theories, analyzer, seed)
    say("Making sentences")
    told = from_told(tell(TEXTS, seed), analyzer, properties(theories))
    say("Fitting")
    return train([*own, *told], _made(theories, seed))


def require_folder(folder: Path) -> None:
    """Makes the folder where there is none. Raises InputError when nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"Nothing can be written to {folder}: {error}.", "Name another folder.") from error


def write_weights(weights: LearnedWeights, folder: Path) -> Path:
    """Writes `FILE` into a folder, whole or not at all. Raises InputError when it cannot be written."""
    require_folder(folder)
    path = folder / FILE
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, suffix=".part", delete=False) as file:
        file.write(weights.to_json())
    os.chmod(file.name, READABLE)
    os.replace(file.name, path)
    return path


@dataclass(frozen=True, slots=True)
class Folds:
    """Weights for every fold, each trained without it."""

    weights: tuple[LearnedWeights, ...]
    apart: Apart
    names: dict[str, tuple[str, ...]]
    """Whom each theory names, by its id."""

    @classmethod
    def trained(
        cls,
        theories: Sequence[Theory],
        folds: int,
        apart: Apart = Apart.SENTENCE,
        seed: int = SEED,
        stage: Stage | None = None,
    ) -> Folds:
        """Trains them, in about ten seconds a fold."""
        say = stage or (lambda name: None)
        analyzer = Analyzer()
        say("Reading the theories")
        told = from_told(tell(TEXTS, seed), analyzer, properties(theories))
        examples = from_theories(theories, analyzer, seed) if apart is Apart.SENTENCE else []
        trained = []
        for fold in range(folds):
            say(f"Fitting fold {fold + 1} of {folds}")
            own = [e for e in examples if _fold(e.key, folds) != fold]
            others = [t for t in theories if _fold(t.id, folds) != fold]
            own = own if apart is Apart.SENTENCE else from_theories(others, analyzer, seed)
            trained.append(train([*own, *told], _made(others, seed)))
        return cls(tuple(trained), apart, {t.id: _names(t) for t in theories})

    def of(self, theory_id: str) -> Callable[[str], LearnedWeights]:
        """The weights that read a sentence of a theory. Raises InputError for a theory that was not among those given."""
        if theory_id not in self.names:
            raise InputError(
                f"The theory {theory_id!r} is in none of the meta files.", "Give the meta file of its half."
            )
        names, count = self.names[theory_id], len(self.weights)
        if self.apart is Apart.THEORY:
            return lambda sentence: self.weights[_fold(theory_id, count)]
        return lambda sentence: self.weights[_fold(nameless(sentence, names), count)]


def _fold(key: str, folds: int) -> int:
    return zlib.crc32(key.encode()) % folds


def _names(theory: Theory) -> tuple[str, ...]:
    return tuple(s.name for s in theory.stated if s.name)


def _made(theories: Sequence[Theory], seed: int) -> dict[str, str | int]:
    return {"seed": seed, "theories": len(theories), "texts": TEXTS}
