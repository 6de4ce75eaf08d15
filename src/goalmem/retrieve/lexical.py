"""BM25 over an in-memory inverted index that grows cheaply.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that Lucene uses, which is never
negative. Statistics are per space: one user's data never changes another's ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int32]
Counts = NDArray[np.uint16]
Scores = NDArray[np.float32]

SCORED_POSTINGS = 65_536
"""Postings scored at a time, so that temporary arrays stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some rows in compressed sparse form, sorted by term, then row. Immutable."""

    terms: Hashes
    """Distinct term hashes in order, shape (terms,)."""
    starts: NDArray[np.int64]
    """Index of each term's first posting, shape (terms + 1,)."""
    rows: Rows
    """Row of each posting."""
    counts: Counts
    """Frequency of the term in the row."""

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
    def _indexed(cls, terms: Hashes, rows: Rows, counts: Counts) -> Segment:
        """Index postings that are sorted by term, then row."""
        first = np.ones(len(terms), dtype=bool)
        first[1:] = terms[1:] != terms[:-1]
        at = np.flatnonzero(first)
        return cls(terms[at], np.append(at, len(terms)), rows, counts)

    def merged(self, later: Segment) -> Segment:
        """Both together; the rows of `later` lie above those of this one."""
        terms = np.concatenate([self.terms, later.terms])
        terms.sort(kind="stable")  # almost linear: two sorted runs
        terms = terms[np.append(True, terms[1:] != terms[:-1])]
        sizes = np.zeros(len(terms), dtype=np.int64)
        places = [np.searchsorted(terms, part.terms) for part in (self, later)]
        for part, place in zip((self, later), places, strict=True):
            sizes[place] += np.diff(part.starts)
        starts = np.append(0, np.cumsum(sizes))
        rows = np.empty(starts[-1], dtype=np.int32)
        counts = np.empty(starts[-1], dtype=np.uint16)
        begin = starts[:-1].copy()
        for part, place in zip((self, later), places, strict=True):
            # Every posting moves as far as the first of its term does.
            size = np.diff(part.starts)
            target = np.repeat(begin[place] - part.starts[:-1], size) + np.arange(len(part.rows))
            rows[target], counts[target] = part.rows, part.counts
            begin[place] += size
        return Segment(terms, starts, rows, counts)

    def find(self, term: int) -> tuple[Rows, Counts]:
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
class Statistics:
    """Statistics of BM25 over a whole space, if the postings cover only some of its turns."""

    turns: int
    average: float
    """Terms a turn."""
    found: Mapping[int, int]
    """Term -> turns that hold it; one that is not there is rarer than can be told."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Segments of geometrically decreasing size: adding costs little, and a query reads few of them."""

    segments: tuple[Segment, ...] = ()
    statistics: Statistics | None = None
    """Of all turns; None if these postings cover all of them."""

    def with_rows(self, tokens: Hashes, rows: Rows) -> Postings:
        """These postings and those of new rows, which are above all earlier ones."""
        if not len(tokens):
            return self
        segments = [*self.segments, Segment.of(tokens, rows)]
        while len(segments) > 1 and len(segments[-2].rows) < 2 * len(segments[-1].rows):
            last = segments.pop()
            segments[-1] = segments[-1].merged(last)
        return Postings(tuple(segments), self.statistics)

    def find(self, term: int) -> list[tuple[Rows, Counts]]:
        """Rows and counts of a term, a pair for each segment that contains it; rows ascend over all of them."""
        found = (segment.find(term) for segment in self.segments)
        return [(rows, counts) for rows, counts in found if len(rows)]

    def bm25(
        self, terms: Sequence[int], lengths: NDArray[np.float32], *, k1: float, b: float, most_terms: int
    ) -> tuple[Scores, float]:
        """Score every row for the distinct terms of a query.

        `lengths` holds the number of terms of each row, shape (rows,). Returns scores of that shape, and the highest score that a row could
        reach. Of more than `most_terms` terms, only the rarest are used.
        """
        known = self.statistics or Statistics(len(lengths), float(lengths.mean()) if len(lengths) else 0.0, {})
        size = known.turns
        lists = [(term, self.find(term)) for term in dict.fromkeys(terms)]
        counted = ((max(sum(len(rows) for rows, _ in parts), known.found.get(term, 0)), parts) for term, parts in lists)
        # Terms that do not occur are the rarest, and would displace those that do.
        found = sorted(counted, key=lambda term: term[0] or size + 1)[:most_terms]
        idfs = [float(np.log1p((max(size, n) - n + 0.5) / (n + 0.5))) for n, _ in found]
        norms = np.float32(k1 * (1 - b)), np.float32(k1 * b / max(known.average, 1.0))
        scores = np.zeros(len(lengths), dtype=np.float32)
        for idf, (_, parts) in zip(idfs, found, strict=True):
            for rows, counts in parts:
                for start in range(0, len(rows), SCORED_POSTINGS):
                    some = slice(start, start + SCORED_POSTINGS)
                    _add_scores(scores, lengths, rows[some], counts[some], np.float32(idf * (k1 + 1)), norms)
        return scores, sum(idfs) * (k1 + 1)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(segment.nbytes for segment in self.segments)


def _add_scores(
    scores: Scores,
    lengths: NDArray[np.float32],
    rows: Rows,
    counts: Counts,
    most: np.float32,
    norms: tuple[np.float32, np.float32],
) -> None:
    """Add `most * tf / (tf + norms[0] + norms[1] * length)` to some rows, each given once, in few passes."""
    places = rows.astype(np.intp)
    tf = counts.astype(np.float32)
    below = lengths[places]
    below *= norms[1]
    below += norms[0]
    below += tf
    tf *= most
    tf /= below
    np.add.at(scores, places, tf)  # twice as fast as `scores[places] += tf`
