"""Texts as windows, and their vectors as one of unit length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import checkpoint

T = TypeVar("T")

MAX_WINDOWS = 4
"""Longer texts are embedded as up to this many windows and averaged, so that their end counts too. Four windows hold
about 4,000 characters, the 99th percentile of an assistant's turns in LongMemEval.
"""
WINDOW_CHARACTERS = 1_600
"""Slice for a text of more than MAX_WINDOWS windows; English runs at 4 to 5 characters a piece, so a slice fills one."""


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length 1; a row of zeros stays."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengthened: NDArray[np.float32] = vectors / np.maximum(norms, np.finfo(np.float32).tiny)
    return lengthened


def clean(text: str) -> str:
    """`text` without lone surrogates, which cannot cross into a tokenizer; no word holds one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def slices(text: str) -> list[str]:
    """Evenly spread slices of a very long text, its beginning and its end included: its cost stays bounded."""
    starts = np.linspace(0, len(text) - WINDOW_CHARACTERS, MAX_WINDOWS).astype(int)
    return [text[start : start + WINDOW_CHARACTERS] for start in starts]


def spread(windows: Sequence[T]) -> list[T]:
    """At most MAX_WINDOWS of them, evenly spread, the first and the last included."""
    if len(windows) <= MAX_WINDOWS:
        return list(windows)
    return [windows[place] for place in np.linspace(0, len(windows) - 1, MAX_WINDOWS).astype(int)]


def like_lengths(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Places of rows in batches of like length, so that little is padded: at most `most` pieces a batch, padding included."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def mean_by_owner(vectors: NDArray[np.float32], owners: NDArray[np.int64], count: int) -> NDArray[np.float32]:
    """Mean direction of the windows of each of `count` texts; `owners[i]` is the text that window i belongs to."""
    summed = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    np.add.at(summed, owners, vectors)
    return unit(summed)


def mean_of_windows(
    texts: Sequence[str], embed: Callable[[list[str]], NDArray[np.float32]], *, chunk: int | None = None
) -> NDArray[np.float32]:
    """Vectors of texts of any length from `embed`, which returns unit vectors of texts of limited length, at most
    `chunk` per call.
    """
    limit = MAX_WINDOWS * WINDOW_CHARACTERS
    parts = [slices(text) if len(text) > limit else [text] for text in map(clean, texts)]
    every = [part for of_text in parts for part in of_text]
    size, made = chunk or len(every), []
    for first in range(0, len(every), size):
        checkpoint()
        made.append(embed(every[first : first + size]))
    vectors = np.concatenate(made)
    if len(vectors) == len(texts):
        return vectors
    return mean_by_owner(vectors, np.repeat(np.arange(len(texts)), [len(of_text) for of_text in parts]), len(texts))
