"""What need not be done twice: the same session lies in many haystacks, and is measured in many runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.lang.en import English
from spacy.tokens import Doc

from goalmem.language import Analyzer
from goalmem.models.protocol import Embedder, queries_of
from goalmem_lab.evals.encoding_cache import EncodingCache

MOST_DOCS = 20_000
"""Parsed turns held in memory, some 20 KB each."""


class CachingEmbedder:
    """A `QueryEmbedder` that remembers every text's vector, so a text is embedded once a run.

    With a cache on disk a passage is embedded once in all, and its vector has the precision of a store, float16.
    """

    def __init__(self, embedder: Embedder, kept: EncodingCache | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self._passages: dict[str, NDArray[np.float32]] = {}
        self._queries: dict[str, NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the embedder behind: the vectors are the same."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors, shape (len(texts), dimension); only texts not seen before reach the embedder behind."""
        if self._kept is None:
            return self._vectors(texts, self._passages, self._embedder.embed)
        found = self._kept.vectors(self.name, texts)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            made = dict(zip(new, self._embedder.embed(new).astype(np.float16), strict=True))
            self._kept.keep_vectors(self.name, made)
            found |= made
        return self._stacked([found[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of queries, shape (len(texts), dimension), remembered apart from those of passages."""
        return self._vectors(texts, self._queries, queries_of(self._embedder))

    def _vectors(
        self,
        texts: Sequence[str],
        held: dict[str, NDArray[np.float32]],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in held]
            if new:
                held.update(zip(new, embed(new), strict=True))
            vectors = [held[text] for text in texts]
        return self._stacked(vectors)

    def _stacked(self, vectors: Sequence[NDArray[np.floating]]) -> NDArray[np.float32]:
        return np.array(vectors, dtype=np.float32).reshape(len(vectors), self.dimension)


class KeepingAnalyzer(Analyzer):
    """Remembers what it parsed: a session lies in many haystacks, on another day in each, and its words stay the same."""

    def _remember(self, parsed: dict[tuple[str, tuple[tuple[int, str], ...]], Doc]) -> None:
        self._recent |= parsed
        while len(self._recent) > MOST_DOCS:
            del self._recent[next(iter(self._recent))]


class NoAnalysis(Analyzer):
    """Reads nothing out of any text. Search looks at words, vectors, speakers and dates; facts are made for `ask`."""

    def __init__(self) -> None:
        super().__init__()
        self._vocab = English().vocab

    def docs(self, texts: Sequence[str], names: Collection[str] = ()) -> list[Doc]:
        """An empty document a text."""
        del names
        return [Doc(self._vocab) for _ in texts]
