"""BM25 over an in-memory inverted index that grows cheaply.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that Lucene uses,
which is never negative. Statistics are those of one space: what one user says never changes another's ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings", "Segment"]

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int32]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some rows in compressed sparse form, sorted by term, then row. Never changed once made."""

    terms: Hashes
    """Distinct term hashes in order, shape (terms,)."""
    starts: NDArray[np.int64]
    """Where each term's postings begin, shape (terms + 1,)."""
    rows: Rows
    """Row of each posting."""
    counts: NDArray[np.uint16]
    """How often the term occurs in the row."""

    @classmethod
    def of(cls, tokens: Hashes, rows: Rows) -> Segment:
        """Count tokens; `rows` gives the row of each and does not decrease."""
        order = np.argsort(tokens, kind="stable")
        tokens, rows = tokens[order], rows[order]
        first = np.ones(len(tokens), dtype=bool)
        first[1:] = (tokens[1:] != tokens[:-1]) | (rows[1:] != rows[:-1])
        at = np.flatnonzero(first)
        counts = np.diff(at, append=len(tokens))
        return cls._indexed(tokens[at], rows[at], np.minimum(counts, np.iinfo(np.uint16).max).astype(np.uint16))

    @classmethod
    def _indexed(cls, terms: Hashes, rows: Rows, counts: NDArray[np.uint16]) -> Segment:
        """Index postings that are sorted by term, then row."""
        first = np.ones(len(terms), dtype=bool)
        first[1:] = terms[1:] != terms[:-1]
        at = np.flatnonzero(first)
        return cls(terms[at], np.append(at, len(terms)), rows, counts)

    def merged(self, later: Segment) -> Segment:
        """Both together; the rows of `later` lie above those of this one."""
        terms = np.concatenate([self._repeated(), later._repeated()])
        # Stable and almost linear: two sorted runs.
        order = np.argsort(terms, kind="stable")
        return Segment._indexed(
            terms[order],
            np.concatenate([self.rows, later.rows])[order],
            np.concatenate([self.counts, later.counts])[order],
        )

    def _repeated(self) -> Hashes:
        return np.repeat(self.terms, np.diff(self.starts))

    def find(self, term: int) -> tuple[Rows, NDArray[np.uint16]]:
        """Rows and counts of a term."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == len(self.terms) or int(self.terms[at]) != term:
            return self.rows[:0], self.counts[:0]
        span = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.rows[span], self.counts[span]

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.terms.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes


@dataclass(frozen=True, slots=True)
class Postings:
    """Segments of geometrically falling size: adding costs little, and a query reads few of them."""

    segments: tuple[Segment, ...] = ()

    def with_rows(self, tokens: Hashes, rows: Rows) -> Postings:
        """These postings and those of new rows, which lie above all earlier ones."""
        if not len(tokens):
            return self
        segments = [*self.segments, Segment.of(tokens, rows)]
        while len(segments) > 1 and len(segments[-2].rows) < 2 * len(segments[-1].rows):
            last = segments.pop()
            segments[-1] = segments[-1].merged(last)
        return Postings(tuple(segments))

    def find(self, term: int) -> tuple[Rows, NDArray[np.uint16]]:
        """Rows and counts of a term over all segments, rows rising."""
        found = [segment.find(term) for segment in self.segments]
        if not found:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint16)
        return np.concatenate([rows for rows, _ in found]), np.concatenate([counts for _, counts in found])

    def bm25(
        self, terms: Sequence[int], lengths: NDArray[np.float32], *, k1: float, b: float, most_terms: int
    ) -> tuple[Scores, float]:
        """Score every row against the distinct terms of a query.

        `lengths` holds the number of terms of each row, shape (rows,). Returns scores of that shape, and the most that
        a row could have reached. Of a query of more than `most_terms` terms the rarest count.
        """
        size = len(lengths)
        scores = np.zeros(size, dtype=np.float32)
        found = sorted(
            ((len(rows), rows, counts) for rows, counts in map(self.find, dict.fromkeys(terms))), key=lambda f: f[0]
        )[:most_terms]
        idfs = [float(np.log1p((size - n + 0.5) / (n + 0.5))) for n, _, _ in found]
        norm = np.float32(k1) * (1 - b + b * lengths / max(float(lengths.mean()) if size else 0.0, 1.0))
        for idf, (_, rows, counts) in zip(idfs, found, strict=True):
            tf = counts.astype(np.float32)
            scores[rows] += np.float32(idf * (k1 + 1)) * tf / (tf + norm[rows])
        return scores, sum(idfs) * (k1 + 1)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(segment.nbytes for segment in self.segments)
