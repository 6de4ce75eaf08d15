"""WordLlama: one vector a word piece, averaged; no network is run. Very fast, and close to matching words.

Word-piece vectors of a large language model, distilled to 256 dimensions (the package's l2_supercat). Weights and tokenizer
are read from the files of the package `wordllama` (extra `static`) and checked against pinned hashes. Its own loader is not
used: it looks for the tokenizer in another folder than the package's, does not find it and goes to the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.models.process import PerProcess
from goalmem.models.vectors import mean_of_windows, unit
from goalmem.models.weights import missing_package, package_folder, require_hash

if TYPE_CHECKING:
    from tokenizers import Tokenizer


MODEL_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
MODEL_FILE = "weights/l2_supercat_256.safetensors"
TENSOR = "embedding.weight"
TOKENIZER_SHA256 = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
TOKENIZER_FILE = "tokenizers/l2_supercat_tokenizer_config.json"
DIMENSION = 256
EMPTY = 1
"""The piece `<s>`: represents a text without pieces."""
CHUNK = 256
"""Texts averaged per batch: limits the memory for the vectors of their pieces."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    pieces: NDArray[np.float32]
    """A vector a word piece, shape (vocabulary, dimension)."""
    tokenizer: Tokenizer


class Static:
    """`QueryEmbedder` over the weights in `wordllama`. Loads on first use; one instance serves any number of threads.

    Every piece of a text counts the same; of a text of more than 6,400 characters four evenly spread slices are read.
    """

    def __init__(self, *, dimension: int = DIMENSION) -> None:
        """`dimension`: the first so many of 256; those of 64 and 128 were trained to do alone."""
        self._dimension = dimension
        self._loaded = PerProcess(partial(_load, dimension))

    @property
    def name(self) -> str:
        """Model, dimension and the first digits of the weights' hash."""
        return f"wordllama-l2-supercat-{self._dimension}-{MODEL_SHA256[:8]}"

    @property
    def dimension(self) -> int:
        """256, or the fewer that were asked for."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), dimension).

        Raises ModelError when `wordllama` is missing or its files are altered.
        """
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        return mean_of_windows(texts, partial(_mean, self._loaded.get()), chunk=CHUNK)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`: the model makes no difference."""
        return self.embed(texts)


def _load(dimension: int) -> _Loaded:
    folder = package_folder("wordllama", "static")
    weights, words = folder / MODEL_FILE, folder / TOKENIZER_FILE
    require_hash(weights, MODEL_SHA256)
    require_hash(words, TOKENIZER_SHA256)
    try:
        import tokenizers
        from safetensors.numpy import load_file
    except ImportError as error:
        raise missing_package(error.name, "static") from error
    tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return _Loaded(load_file(str(weights))[TENSOR][:, :dimension].astype(np.float32), tokenizer)


def _mean(loaded: _Loaded, texts: list[str]) -> NDArray[np.float32]:
    found = [e.ids or [EMPTY] for e in loaded.tokenizer.encode_batch(texts, add_special_tokens=False)]
    starts = np.cumsum([0, *map(len, found[:-1])])
    pieces = loaded.pieces[np.concatenate(found)]
    # A mean and a sum point the same way.
    return unit(np.add.reduceat(pieces, starts, axis=0))
