"""What an embedding model can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "QueryEmbedder", "queries_of"]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    This is all that an embedder must do. One whose model reads a query otherwise than a passage is a `QueryEmbedder`.
    """

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


class QueryEmbedder(Embedder, Protocol):
    """An embedder that says how a query is embedded, so that its dot product with a passage's vector is a match."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, shape (len(texts), dimension)."""
        ...


def queries_of(embedder: Embedder) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """How `embedder` embeds queries: its `embed_queries`, or `embed` where it makes no difference between the two."""
    own: Callable[[Sequence[str]], NDArray[np.float32]] | None = getattr(embedder, "embed_queries", None)
    return embedder.embed if own is None else own
