"""Relation retrieval: which of the hops that lead on from a walk a critic is shown (ArG, Algorithm 1 and section 4.2).

The query is the masked question, the walk so far, and the hypo-generator's relations; what it is matched with are the relations'
names. A query's vector is the sum of its parts' vectors, so that one text, the masked question, is embedded a question,
however many walks there are; relations are embedded once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import Hypothesis, Query, Walk
from goalmem.graph.protocol import Hop
from goalmem.graph.relation_meaning import hop_text
from goalmem.models.protocol import Embedder, queries_of

CACHED_TEXTS = 65_536
PORTION = 128
"""Texts per batch."""
WALKED = -0.25
"""Weight of the walk's own hops: after them, the rest of the question is about something else."""


def expected_hops(hypotheses: Sequence[Hypothesis], available: Sequence[Hop]) -> list[Hop]:
    """The hops that hypotheses name, in order; unknown names are skipped."""
    named: dict[str, Hop] = {hop_text(str(hop)): hop for hop in reversed(available)}
    found = (named.get(hop_text(hypothesis.text)) for hypothesis in hypotheses)
    return list(dict.fromkeys(hop for hop in found if hop is not None))


class Vectors:
    """Texts' vectors, embedded once; the oldest are forgotten. Safe from several threads: at worst a text is embedded twice."""

    def __init__(self, embedder: Embedder, limit: int = CACHED_TEXTS) -> None:
        self.embedder = embedder
        self._limit = limit
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def of(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), dimension)."""
        # Queries and passages may be embedded differently; the mark keeps their keys apart.
        keys = [f"{'?' if query else '.'}{text}" for text in texts]
        found = {key: vector for key in keys if (vector := self._kept.get(key)) is not None}
        missing = list(dict.fromkeys(key for key in keys if key not in found))
        embed = queries_of(self.embedder) if query else self.embedder.embed
        for first in range(0, len(missing), PORTION):  # keep the vectors even if the search ends early
            some = missing[first : first + PORTION]
            made = embed([key[1:] for key in some])
            found.update(zip(some, made, strict=True))
            self._keep(zip(some, made, strict=True))
        rows = [found[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self.embedder.dimension), dtype=np.float32)

    def _keep(self, made: Iterable[tuple[str, NDArray[np.float32]]]) -> None:
        self._kept.update(made)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)


class EmbeddingRetriever:
    """Chooses hops by the dot products of an embedder's vectors."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def retrieve(
        self, query: Query, walk: Walk, hypotheses: Sequence[Hypothesis], available: Sequence[Hop], k: int
    ) -> list[Hop]:
        """The best `k` of the available hops, best first, ties by name; all of them in order if there are no more."""
        if len(available) <= k:
            return list(available)
        names = [hop_text(str(hop)) for hop in available]
        scores = self._vectors.of(names) @ self._query(query, walk, hypotheses)
        order = sorted(range(len(names)), key=lambda i: (-round(float(scores[i]), 6), available[i]))
        return [available[i] for i in order[:k]]

    def _query(self, query: Query, walk: Walk, hypotheses: Sequence[Hypothesis]) -> NDArray[np.float32]:
        made: NDArray[np.float32] = self._vectors.of([query.masked], query=True)[0]
        if walk.hops:
            made = made + WALKED * self._vectors.of([hop_text(str(hop)) for hop in walk.hops]).mean(axis=0)
        if hypotheses:
            weights = np.array([hypothesis.weight for hypothesis in hypotheses], dtype=np.float32)
            made = made + weights @ self._vectors.of([hop_text(hypothesis.text) for hypothesis in hypotheses])
        return made
