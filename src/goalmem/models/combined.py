"""Several embedders as one: their vectors side by side, so that a dot product is a weighted mean of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.models.protocol import Embedder, queries_of

__all__ = ["Combined"]


class Combined:
    """`QueryEmbedder` of which the cosine is the weighted mean of its parts' cosines."""

    def __init__(self, parts: Sequence[tuple[Embedder, float]]) -> None:
        """Embedders and their weights, above 0; only the weights' ratio counts. Raises InputError otherwise."""
        if not parts or not all(weight > 0 for _, weight in parts):
            raise InputError("An embedder is combined of none, or with a weight of 0.", "Give each a weight above 0.")
        whole = sum(weight for _, weight in parts)
        self._parts = [(embedder, weight / whole) for embedder, weight in parts]

    @property
    def parts(self) -> tuple[Embedder, ...]:
        """The embedders that it is made of."""
        return tuple(embedder for embedder, _ in self._parts)

    @property
    def name(self) -> str:
        """The parts' names with their shares: vectors of other shares are others."""
        return " + ".join(f"{share:.3g} {embedder.name}" for embedder, share in self._parts)

    @property
    def dimension(self) -> int:
        """The parts' dimensions together."""
        return sum(embedder.dimension for embedder, _ in self._parts)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), dimension). Raises what the parts raise."""
        return self._side_by_side(texts, lambda embedder: embedder.embed)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, each part embedding them its way."""
        return self._side_by_side(texts, queries_of)

    def _side_by_side(
        self, texts: Sequence[str], way: Callable[[Embedder], Callable[[Sequence[str]], NDArray[np.float32]]]
    ) -> NDArray[np.float32]:
        # A part of unit length scaled by the root of its share adds its share of the squared length, which is 1 in all.
        return np.concatenate(
            [way(embedder)(texts) * np.float32(share**0.5) for embedder, share in self._parts], axis=1
        )
