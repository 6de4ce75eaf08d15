"""Vectors in 8 bits, scanned completely: a quarter of the memory and the read time of float32.

A vector consists of signed bytes and one scale, its largest coordinate over 127 (symmetric quantisation, as in Jacob et al., "Quantization
and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2018, section 2.1). Queries are encoded in the same way,
so that dot products are computed with integers. Measured on 7,678 passages of LongMemEval and LoCoMo and 456 of their questions: cosines
are off by .0005 (root mean square; .003 at most), and 99.6 % of the first 200 are the same. The store keeps half precision.

For many vectors, only the signs are scanned, an eighth of the codes: the angle between two vectors is approximately the share of
coordinates with different signs (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002, section 3). Such cosines are
off by .06 (root mean square, the same passages), so they only select the turns for exact scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import simsimd
from numpy.typing import NDArray

BLOCK_ROWS = 16_384
"""Rows of a full block. Full blocks are never copied, so a large space grows without a second copy."""
FIRST_ROWS = 64
"""Initial capacity."""
CODED_ROWS = 2_048
"""Rows encoded at a time, so that temporary arrays stay in the processor's cache."""
ESTIMATED_FROM = 50_000
"""Number of vectors from which cosines are first estimated by signs. 200,000 take a seventh of the time of their codes (measured)."""
MOST_ROUNDS = 16
"""Vectors of one owner that are compared in rounds over all owners; for more, the best is found owner by owner."""
COMPARED_OWNERS = 16_384
"""Owners processed at a time, so that temporary arrays stay in the processor's cache."""
LARGEST_CODE = 127
"""Of a signed byte; -128 is unused, so that codes are symmetric."""

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Some vectors: `codes * scales[:, None]`."""

    codes: Bytes
    """Shape (rows, dimension)."""
    scales: Floats
    """Shape (rows,)."""
    signs: NDArray[np.uint8]
    """One bit per coordinate, set if it is not negative, shape (rows, bytes)."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlocks:
    """Immutable vectors in blocks; all blocks but the last are full."""

    dimension: int
    blocks: tuple[VectorBlock, ...]

    def __len__(self) -> int:
        return sum(len(block.scales) for block in self.blocks)

    @property
    def estimated(self) -> bool:
        """True if there are so many vectors that `estimates` pay off."""
        return len(self) >= ESTIMATED_FROM

    def dots(self, query: Floats) -> Floats:
        """The dot product of every vector with a query, shape (dimension,)."""
        codes, scales = encode_int8(query[None, :])
        products = np.empty(len(self), dtype=np.float32)
        for start, block in zip(range(0, len(self), BLOCK_ROWS), self.blocks, strict=True):
            # Neither BLAS nor the library's own threads: they wait for each other, and on a busy machine a scan that is
            # bound by memory anyway takes ten times as long (measured). Nor its `out=`: simsimd 6.5 then returns
            # a None that it never counted, and Python before 3.12 crashes after some thousand calls.
            own = np.asarray(simsimd.cdist(block.codes, codes, "dot", out_dtype="float32"))[:, 0]
            np.multiply(own, block.scales * scales[0], out=products[start : start + len(own)])
        return products

    def estimates(self, query: Floats) -> Floats:
        """Approximate cosine of every vector and a query, shape (dimension,), by their signs."""
        signs = signs_of(query[None, :])
        by_difference = np.cos(np.pi / self.dimension * np.arange(self.dimension + 1)).astype(np.float32)
        cosines = np.empty(len(self), dtype=np.float32)
        for start, block in zip(range(0, len(self), BLOCK_ROWS), self.blocks, strict=True):
            own = np.asarray(simsimd.cdist(block.signs, signs, metric="hamming", dtype="bin8"))[:, 0]
            np.take(by_difference, own.astype(np.intp), out=cosines[start : start + len(own)])
        return cosines

    def dots_of(self, numbers: NDArray[np.int64], queries: Floats) -> Floats:
        """The dot products of the vectors with these numbers and some queries, shape (numbers, queries)."""
        codes, scales = encode_int8(queries)
        products = np.empty((len(numbers), len(queries)), dtype=np.float32)
        blocks, places = np.divmod(numbers, BLOCK_ROWS)
        for number in np.unique(blocks).tolist():
            block, at = self.blocks[number], np.flatnonzero(blocks == number)
            rows = places[at]
            own = np.asarray(simsimd.cdist(block.codes[rows], codes, "dot", out_dtype="float32"))
            products[at] = own * block.scales[rows, None] * scales
        return products


def best_of_each(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """The largest of each owner's values, which begin at `starts`, shape (owners,); every owner has at least one.

    Like `np.maximum.reduceat`, but four times as fast for the one to six values of a turn: round n compares each owner's n-th further
    value, or the last one again if there are fewer.
    """
    best = np.empty(len(starts), dtype=np.float32)
    for begin in range(0, len(starts), COMPARED_OWNERS):
        first = starts[begin : begin + COMPARED_OWNERS]
        end = starts[begin + COMPARED_OWNERS] if begin + COMPARED_OWNERS < len(starts) else len(values)
        last = np.append(first[1:], end) - 1
        rounds = int((last - first).max())
        own = best[begin : begin + len(first)]
        if rounds > MOST_ROUNDS:
            np.maximum.reduceat(values[:end], first, out=own)
            continue
        own[:] = values[first]
        for ahead in range(1, rounds + 1):
            np.maximum(own, values[np.minimum(first + ahead, last)], out=own)
    return best


class VectorColumn:
    """Growing `VectorBlocks`."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._full: list[VectorBlock] = []
        self._last = _empty(0, dimension)
        self._used = 0

    def append(self, vectors: bytes) -> None:
        """Add vectors, each `dimension` little-endian float16. Raises ValueError if the last is incomplete."""
        new = np.frombuffer(vectors, dtype="<f2").reshape(-1, self._dimension)
        while len(new):
            count = min(CODED_ROWS, BLOCK_ROWS - self._used, len(new))
            self._reserve(self._used + count)
            place = slice(self._used, self._used + count)
            some = new[:count].astype(np.float32)
            self._last.codes[place], self._last.scales[place] = encode_int8(some)
            self._last.signs[place] = signs_of(some)
            self._used += count
            new = new[count:]
            if self._used == BLOCK_ROWS:
                self._full.append(self._last)
                self._last, self._used = _empty(0, self._dimension), 0

    def _reserve(self, rows: int) -> None:
        held = len(self._last.scales)
        if rows > held:
            grown = _empty(min(BLOCK_ROWS, max(rows, 2 * held, FIRST_ROWS)), self._dimension)
            for name in ("codes", "scales", "signs"):
                getattr(grown, name)[: self._used] = getattr(self._last, name)[: self._used]
            self._last = grown

    def view(self) -> VectorBlocks:
        """The current contents."""
        used, last = self._used, self._last
        last = VectorBlock(last.codes[:used], last.scales[:used], last.signs[:used])
        return VectorBlocks(self._dimension, (*self._full, last) if self._used else tuple(self._full))

    def __len__(self) -> int:
        return len(self._full) * BLOCK_ROWS + self._used

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(b.codes.nbytes + b.scales.nbytes + b.signs.nbytes for b in (*self._full, self._last))


def encode_int8(vectors: Floats) -> tuple[Bytes, Floats]:
    """Codes, shape (rows, dimension), and scales, shape (rows,), of vectors."""
    scales = np.maximum(vectors.max(axis=1), -vectors.min(axis=1)) / np.float32(LARGEST_CODE)
    # A vector of zeros has no scale of its own; any will do.
    np.maximum(scales, np.finfo(np.float32).tiny, out=scales)
    codes: Bytes = np.rint(vectors / scales[:, None]).astype(np.int8)
    return codes, scales


def signs_of(vectors: Floats) -> NDArray[np.uint8]:
    """The signs of vectors, one bit per coordinate, shape (rows, bytes)."""
    return np.packbits(vectors >= 0, axis=1)


def _empty(rows: int, dimension: int) -> VectorBlock:
    codes, signs = np.empty((rows, dimension), dtype=np.int8), np.empty((rows, -(-dimension // 8)), dtype=np.uint8)
    return VectorBlock(codes, np.empty(rows, dtype=np.float32), signs)
