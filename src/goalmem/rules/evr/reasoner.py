"""Trained networks: loaded from what `goalmem train evr` wrote, asked for what an input calls for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from goalmem.errors import InputError, ModelError
from goalmem.rules.evr.buffers import Part, Variant, part_of, parts
from goalmem.rules.evr.network import Network
from goalmem.rules.evr.t5 import T5

__all__ = ["CONFIG", "FORMAT", "Reasoner", "Writer", "read_config", "trained_folder"]

CONFIG, FORMAT = "evr.json", "goalmem-evr-2"
NAMINGS = 3
"""Ways to name its words in which each step is proposed: what fits the theory in any of them is taken."""
SHIPPED = ("goalmem_lab", "data/evr1")
"""The distribution that ships trained networks, and where they are in it."""


class Writer(Protocol):
    """What writes what an input calls for."""

    def written(self, texts: Sequence[str], naming: int = 0) -> list[str]:
        """What is written for each input. Where words stand as placeholders, each `naming` gives them others."""
        ...


@dataclass(frozen=True)
class Reasoner:
    """Trained networks, and the buffers that they are used to."""

    writers: Mapping[Part, Writer]
    variant: Variant
    facts_each: int
    rules_each: int
    namings: int = NAMINGS

    @classmethod
    def load(cls, folder: Path) -> Reasoner:
        """What `goalmem train evr` wrote, to be run in NumPy. Raises InputError where it cannot be read."""
        config = read_config(folder)
        if not config["placeholders"]:
            raise no_model(folder, "its networks go on from a checkpoint, which only `goalmem eval ruletaker` runs")
        variant = Variant(config["variant"])
        writers = {part: Network(T5.load(folder / f"{part.value}.npz")) for part in parts(variant)}
        return cls(writers, variant, config["fact_buffer"], config["rule_buffer"])

    def written(self, texts: Sequence[tuple[int, str]], naming: int = 0) -> list[str]:
        """What the networks write for inputs of a pattern, each network all of its own at once."""
        found: dict[int, str] = {}
        for part, writer in self.writers.items():
            own = [n for n, (pattern, _) in enumerate(texts) if part_of(self.variant, pattern) is part]
            found.update(zip(own, writer.written([texts[n][1] for n in own], naming), strict=True))
        return [found[n] for n in range(len(texts))]

    def proposed(self, texts: Sequence[tuple[int, str]]) -> list[list[str]]:
        """All that the networks write for each input, with its words named in several ways, each text once.

        The logic does not depend on what things are called, and what is proposed is checked: so all may be taken that fit.
        """
        ways = [self.written(texts, naming) for naming in range(self.namings)]
        return [list(dict.fromkeys(each)) for each in zip(*ways, strict=True)]


def trained_folder(named: str) -> Path:
    """The folder of trained networks: the one that is named, else the one that goalmem-lab ships. Raises ModelError."""
    if named:
        return Path(named)
    package, place = SHIPPED
    spec = find_spec(package)
    for parent in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(parent) / place / CONFIG).exists():
            return Path(parent) / place
    raise ModelError(
        "No networks of EVR are installed.",
        "Install goalmem-lab, which has them; or train some with `goalmem train evr --out evr1` and set GOALMEM_EVR_MODEL=evr1.",
    )


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
