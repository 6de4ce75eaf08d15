"""An embedder that is quick and told apart from others of its kind by what it gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import ModelError


class Spelling:
    """Counts letters, begun elsewhere for each name: two of them give different vectors."""

    def __init__(
        self, name: str, dimension: int, *, fails_after: int | None = None, gives: float | None = None
    ) -> None:
        self.name = name
        self.dimension = dimension
        self._left = fails_after
        self._gives = gives
        self._shift = sum(name.encode())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._left is not None:
            self._left -= len(texts)
            if self._left < 0:
                raise ModelError("The endpoint is down.", "Start it.")
        vectors = np.full((len(texts), self.dimension), 0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for byte in text.encode():
                vectors[row, (byte * 7 + self._shift) % self.dimension] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors if self._gives is None else np.full_like(vectors, self._gives)
