"""Trained networks: loads the output of `goalmem train evr` and runs it on inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from goalmem.errors import InputError, ModelError
from goalmem.rules.evr.buffers import RULE_PATTERN, NetworkRole, Variant, part_of, parts
from goalmem.rules.evr.language import joined_findings, rule_by_rule
from goalmem.rules.evr.t5 import T5
from goalmem.rules.evr.tokens import END, PAD, VOCABULARY, PlaceholderNames, spelled, tokens

CONFIG, FORMAT = "evr.json", "goalmem-evr-2"
ENTRY_POINTS = "goalmem.networks"


class OutputGenerator(Protocol):
    """Generates an output for each input."""

    def written(self, texts: Sequence[str]) -> list[str]:
        """The output for each input."""


@dataclass(frozen=True)
class Reasoner:
    """Trained networks, and the buffers that they are used to."""

    writers: Mapping[NetworkRole, OutputGenerator]
    variant: Variant
    facts_each: int
    rules_each: int
    one_by_one: bool = False
    """True if the rules of a buffer are read one by one and the outputs are joined."""

    @classmethod
    def load(cls, folder: Path) -> Reasoner:
        """Load the output of `goalmem train evr` to run in NumPy. Raises InputError if it cannot be read."""
        config = read_config(folder)
        if not config["placeholders"]:
            raise no_model(folder, "its networks go on from a checkpoint, which only `goalmem eval ruletaker` runs")
        variant = Variant(config["variant"])
        writers = {part: EvrNetwork(T5.load(folder / f"{part.value}.npz")) for part in parts(variant)}
        one = bool(config.get("one_by_one", False))
        return cls(writers, variant, config["fact_buffer"], config["rule_buffer"], one_by_one=one)

    def written(self, texts: Sequence[tuple[int, str]]) -> list[str]:
        """The outputs for inputs of a pattern; each network processes all its inputs in one batch."""
        if not self.one_by_one:
            return self._written(texts)
        split = [rule_by_rule(text) if pattern == RULE_PATTERN else [text] for pattern, text in texts]
        single = [(pattern, text) for (pattern, _), parts_ in zip(texts, split, strict=True) for text in parts_]
        made = iter(self._written(single))
        return [joined_findings([next(made) for _ in parts_]) for parts_ in split]

    def _written(self, texts: Sequence[tuple[int, str]]) -> list[str]:
        found: dict[int, str] = {}
        for part, writer in self.writers.items():
            own = [n for n, (pattern, _) in enumerate(texts) if part_of(self.variant, pattern) is part]
            found.update(zip(own, writer.written([texts[n][1] for n in own]), strict=True))
        return [found[n] for n in range(len(texts))]


def trained_folder(named: str) -> Path:
    """The configured folder of trained networks, or else that of an installed distribution.

    A distribution offers one by an entry point of the group `goalmem.networks` with the name `evr`: a function that returns the
    folder. Raises ModelError if there is none.
    """
    if named:
        return Path(named)
    for point in entry_points(group=ENTRY_POINTS, name="evr"):
        return Path(point.load()())
    raise ModelError(
        "No networks of EVR are set.",
        "Install goalmem-lab, which has some, or train your own with `goalmem train evr --out evr1`, and set GOALMEM_EVR_MODEL=evr1.",
    )


def read_config(folder: Path) -> dict[str, Any]:
    """Read `evr.json` of a folder, restricted to the known keys. Raises InputError."""
    try:
        config: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        known = config["format"] == FORMAT
        Variant(config["variant"])
        sizes = (config["fact_buffer"], config["rule_buffer"])
        known = known and all(isinstance(n, int) and n > 0 for n in sizes) and isinstance(config["placeholders"], bool)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise no_model(folder, f"{type(error).__name__}: {error}") from error
    if not known:
        raise no_model(folder, f"its format is {config['format']!r}, not {FORMAT!r}, or its buffers have no size")
    return config


def no_model(folder: Path, reason: str) -> InputError:
    """The error for a folder without trained networks."""
    return InputError(f"{folder} holds no trained EVR ({reason}).", "Name a folder that `goalmem train evr` wrote.")


LONGEST = 400
"""Tokens that a network may write."""
AT_ONCE = 128
"""Inputs that are read together."""
MOST_KEPT = 100_000
"""Inputs whose outputs are kept."""
IDS = {token: n for n, token in enumerate(VOCABULARY)}


class TextCodec(Protocol):
    """Turns text into a network's tokens and back."""

    def read(self, text: str) -> tuple[list[int], PlaceholderNames]:
        """Encode an input; returns its ids and the meaning of its placeholders."""

    def target(self, text: str, names: PlaceholderNames) -> list[int]:
        """Encode the expected output for training."""

    def text(self, ids: Sequence[int], names: PlaceholderNames) -> str:
        """Decode ids."""

    def save(self, folder: Path) -> None:
        """Save the encoding beside the network."""


class Placeholders:
    """Encoding of `tokens.py`: names are replaced by placeholders."""

    def read(self, text: str) -> tuple[list[int], PlaceholderNames]:
        """Encode an input; returns its ids and the meaning of its placeholders."""
        names = PlaceholderNames()
        return [*(IDS[t] for t in tokens(text, names)), IDS[END]], names

    def target(self, text: str, names: PlaceholderNames) -> list[int]:
        """Encode the expected output for training."""
        return [*(IDS[t] for t in tokens(text, names, new=False)), IDS[END]]

    def text(self, ids: Sequence[int], names: PlaceholderNames) -> str:
        """Decode ids."""
        found = [VOCABULARY[n] for n in ids if n < len(VOCABULARY)]
        return spelled([t for t in found if t not in (PAD, END)], names)

    def save(self, folder: Path) -> None:
        """Nothing: the vocabulary is fixed."""


class Generator(Protocol):
    """Writes ids for ids."""

    def generated(self, batch: Sequence[Sequence[int]], most: int) -> list[tuple[int, ...]]:
        """The ids that are written for each row of ids, at most so many, without padding and end."""


@dataclass
class EvrNetwork:
    """A model with its encoding. Outputs depend only on inputs, so they are cached."""

    generator: Generator
    coding: TextCodec = field(default_factory=Placeholders)
    _written: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def written(self, texts: Sequence[str]) -> list[str]:
        """The greedy output for each input."""
        read = [self.coding.read(text) for text in texts]
        keys = [tuple(ids) for ids, _ in read]
        if len(self._written) > MOST_KEPT:
            self._written = {}
        kept = self._written  # another thread may begin a new one
        new = sorted({key for key in keys if key not in kept}, key=len)
        for start in range(0, len(new), AT_ONCE):
            batch = new[start : start + AT_ONCE]
            kept.update(zip(batch, self.generator.generated(batch, LONGEST), strict=True))
        return [self.coding.text(kept[key], names) for key, (_, names) in zip(keys, read, strict=True)]
