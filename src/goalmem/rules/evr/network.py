"""A network of EVR with its coding: text to placeholders, ids and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from goalmem.rules.evr.tokens import END, PAD, VOCABULARY, Names, spelled, tokens

__all__ = ["Coding", "Generator", "Network", "Placeholders"]

LONGEST = 400
"""Tokens that a network may write."""
AT_ONCE = 128
"""Inputs that are read together."""
MOST_KEPT = 100_000
"""Inputs whose outputs are kept."""
IDS = {token: n for n, token in enumerate(VOCABULARY)}


class Coding(Protocol):
    """Turns text into a network's tokens and back."""

    def read(self, text: str) -> tuple[list[int], Names]:
        """The ids of an input, and what they stand for."""
        ...

    def target(self, text: str, names: Names) -> list[int]:
        """The ids of what shall be written."""
        ...

    def text(self, ids: Sequence[int], names: Names) -> str:
        """What ids say."""
        ...

    def save(self, folder: Path) -> None:
        """Writes what is needed beside the network."""
        ...


class Placeholders:
    """Of `tokens.py`: the network sees no name."""

    def read(self, text: str) -> tuple[list[int], Names]:
        """The ids of an input, and what they stand for."""
        names = Names()
        return [*(IDS[t] for t in tokens(text, names)), IDS[END]], names

    def target(self, text: str, names: Names) -> list[int]:
        """The ids of what shall be written."""
        return [*(IDS[t] for t in tokens(text, names, new=False)), IDS[END]]

    def text(self, ids: Sequence[int], names: Names) -> str:
        """What ids say."""
        found = [VOCABULARY[n] for n in ids if n < len(VOCABULARY)]
        return spelled([t for t in found if t not in (PAD, END)], names)

    def save(self, folder: Path) -> None:
        """Nothing: the vocabulary is fixed."""


class Generator(Protocol):
    """Writes ids for ids."""

    def generated(self, batch: Sequence[Sequence[int]], most: int) -> list[tuple[int, ...]]:
        """The ids that are written for each row of ids, at most so many, without padding and end."""
        ...


@dataclass
class Network:
    """A model with its coding. What it writes depends on what it reads alone, so outputs are kept."""

    generator: Generator
    coding: Coding = field(default_factory=Placeholders)
    _written: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def written(self, texts: Sequence[str]) -> list[str]:
        """What the network writes for each input, greedily."""
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
