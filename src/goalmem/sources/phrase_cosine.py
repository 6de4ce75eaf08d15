"""Cosines of phrases, which only rank: they never make two words the same (`logic.unify`, condition 1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goalmem.models.protocol import Embedder


@dataclass
class PhraseCosine:
    """Cosines of phrases; each phrase is embedded once."""

    embedder: Embedder
    most: int = 50_000
    _vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def learn(self, phrases: Iterable[str]) -> None:
        """Embed new phrases in one batch."""
        new = sorted({p for p in phrases if p and p not in self._vectors})
        if len(self._vectors) + len(new) > self.most:
            self._vectors = {}
        if new:
            self._vectors = {**self._vectors, **dict(zip(new, self.embedder.embed(new), strict=True))}

    def __call__(self, a: str, b: str) -> float:
        """Cosine of two phrases' vectors."""
        if not a or not b:
            return 0.0
        self.learn((a, b))
        vectors = self._vectors
        if a not in vectors or b not in vectors:
            return float(np.dot(*self.embedder.embed([a, b])))
        return float(vectors[a] @ vectors[b])


def no_cosine(_a: str, _b: str) -> float:
    """Return 0: no similarity without embeddings."""
    return 0.0
