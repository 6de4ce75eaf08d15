"""What an embedding model can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are."""

    @property
    def name(self) -> str:
        """Identifies the model and its weights; stored with the vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), dimension). Any text is accepted; long ones are cut at the model's limit."""
        ...
