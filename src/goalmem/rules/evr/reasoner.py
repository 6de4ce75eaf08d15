"""Trained networks: loaded from what `goalmem train evr` wrote, asked for what an input calls for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from goalmem.errors import InputError, ModelError
from goalmem.rules.evr.buffers import RULE_PATTERN, Part, Variant, part_of, parts
from goalmem.rules.evr.language import joined_findings, rule_by_rule
from goalmem.rules.evr.network import Network
from goalmem.rules.evr.t5 import T5

__all__ = ["CONFIG", "FORMAT", "Reasoner", "Writer", "read_config", "trained_folder"]

CONFIG, FORMAT = "evr.json", "goalmem-evr-2"


class Writer(Protocol):
    """What writes what an input calls for."""

    def written(self, texts: Sequence[str]) -> list[str]:
        """What is written for each input."""
        ...


@dataclass(frozen=True)
class Reasoner:
    """Trained networks, and the buffers that they are used to."""

    writers: Mapping[Part, Writer]
    variant: Variant
    facts_each: int
    rules_each: int
    one_by_one: bool = False
    """Whether the rules of a buffer are read each by itself; what is written of them is joined."""

    @classmethod
    def load(cls, folder: Path) -> Reasoner:
        """What `goalmem train evr` wrote, to be run in NumPy. Raises InputError where it cannot be read."""
        config = read_config(folder)
        if not config["placeholders"]:
            raise no_model(folder, "its networks go on from a checkpoint, which only `goalmem eval ruletaker` runs")
        variant = Variant(config["variant"])
        writers = {part: Network(T5.load(folder / f"{part.value}.npz")) for part in parts(variant)}
        one = bool(config.get("one_by_one", False))
        return cls(writers, variant, config["fact_buffer"], config["rule_buffer"], one_by_one=one)

    def written(self, texts: Sequence[tuple[int, str]]) -> list[str]:
        """What the networks write for inputs of a pattern, each network all of its own at once."""
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
    """The folder of trained networks that the settings name. Raises ModelError where they name none."""
    if not named:
        raise ModelError(
            "No networks of EVR are set.",
            "Train some with `goalmem train evr --out evr1`, and set GOALMEM_EVR_MODEL=evr1.",
        )
    return Path(named)


def read_config(folder: Path) -> dict[str, Any]:
    """What `evr.json` of a folder says, with the keys that are used. Raises InputError."""
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
