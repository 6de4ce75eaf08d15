"""What need not be done twice within one run: the same session lies in many haystacks."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.lang.en import English
from spacy.tokens import Doc

from goalmem.extract import Analyzer
from goalmem.models.protocol import Embedder

__all__ = ["CachingEmbedder", "NoAnalysis"]


class CachingEmbedder:
    """An embedder that remembers every text's vector, so a text is embedded once a run."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
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
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if new:
                self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
            vectors = [self._vectors[text] for text in texts]
        return np.array(vectors, dtype=np.float32).reshape(len(vectors), self.dimension)


class NoAnalysis(Analyzer):
    """Reads nothing out of any text. Search looks at words, vectors, speakers and dates; facts are made for `ask`."""

    def __init__(self) -> None:
        super().__init__()
        self._vocab = English().vocab

    def docs(self, texts: Sequence[str], names: Collection[str] = ()) -> list[Doc]:
        """An empty document a text."""
        del names
        return [Doc(self._vocab) for _ in texts]
