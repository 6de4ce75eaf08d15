"""Views of spaces that are too large for memory: only of the turns that a query may be looking for, found by the store.

The store finds turns by vector, by rare words, by time and by quoted phrases; their neighbours are added as context. The result is ranked
like a space in memory. Word frequencies come from a sample of the whole space.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from goalmem.language.terms import decode_terms
from goalmem.retrieve.index import SpaceIndex, SpaceView
from goalmem.retrieve.lexical import Postings, Statistics
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.temporal import DAY, QuestionTimes
from goalmem.store.protocol import LargeSpaces, TurnFilter

NEAREST = 120
"""Turns found by the query's vector: six times as many as a reasoner uses."""
NEAREST_EACH = 40
"""Turns found by the vector of each part of the query, and in each time that it names."""
WORDED = 120
"""Turns found by words."""
RARE_TERMS, COMMON_TERMS = 6, 4
"""Most terms of a query that find turns individually, and together."""
REACH = 2
"""Neighbours on each side that give context (RetrievalSettings.before and after)."""
SAMPLED = 4_096
"""Turns in the sample of word frequencies: a word in a thousandth of all turns occurs four times."""
GROWN = 1.1
"""Growth factor of a space after which it is sampled again."""
CHECKED_AFTER = 60.0
"""Seconds after which the store is asked again if a space has indexes of its own."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NarrowingQuery:
    """The criteria by which turns are found for a query."""

    vectors: Sequence[Floats]
    """Of the query and its parts, each of shape (dimension,)."""
    terms: Sequence[int]
    times: QuestionTimes
    phrases: Sequence[str]
    """Ids of turns with a quoted phrase."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Word frequencies in a space of so many turns."""

    turns: int
    words: Statistics


class LargeIndexes:
    """Views of a store's large spaces; each view serves one query."""

    def __init__(self, store: LargeSpaces, dimension: int, settings: RetrievalSettings) -> None:
        self._store = store
        self._dimension = dimension
        self._settings = settings
        self._lock = threading.Lock()
        self._sizes: dict[str, tuple[float, int]] = {}
        self._samples: dict[str, _Sample] = {}
        self._speakers: dict[str, tuple[int, list[tuple[str, str]]]] = {}

    def turns(self, space: str) -> int:
        """The number of turns of a space that the store searches; 0 for one that is searched in memory."""
        with self._lock:
            asked, turns = self._sizes.get(space, (0.0, 0))
        if time.monotonic() - asked > CHECKED_AFTER:
            turns = self._store.indexed(space)
            with self._lock:
                self._sizes[space] = time.monotonic(), turns
        return turns

    def speakers(self, space: str) -> list[tuple[str, str]]:
        """Every speaker of a space with every role; read again when the space has grown."""
        turns = self.turns(space)
        with self._lock:
            known = self._speakers.get(space)
        if known is None or turns > GROWN * known[0]:
            known = turns, self._store.speakers(space)
            with self._lock:
                self._speakers[space] = known
        return known[1]

    def newest(self, space: str) -> str | None:
        """The id of the turn said last."""
        return self._store.newest(space)

    def view(self, space: str, sought: NarrowingQuery, within: TurnFilter) -> SpaceView:
        """The turns that a query may be looking for, and their neighbours."""
        sample = self._sample(space)
        found: set[int] = set()
        for place, vector in enumerate(sought.vectors):
            sent = vector.astype("<f2").tobytes()
            found.update(self._store.nearest(space, sent, NEAREST_EACH if place else NEAREST, within))
        for narrower in _near(sought.times, within, self._settings):
            found.update(self._store.nearest(space, sought.vectors[0].astype("<f2").tobytes(), NEAREST_EACH, narrower))
        any_of, all_of = _rarest(sought.terms, sample.words)
        found.update(self._store.worded(space, any_of, all_of, WORDED, within))
        index = SpaceIndex(self._dimension)
        index.postings = Postings(statistics=sample.words)
        rows = self._store.rows_around(space, found, sought.phrases, REACH)
        if rows:
            index.append(rows)
        view = index.publish((0, 0))
        return replace(view, previous=_adjacent(view.previous, np.array([row.position for row in rows])))

    def _sample(self, space: str) -> _Sample:
        turns = self.turns(space)
        with self._lock:
            known = self._samples.get(space)
        if known is None or turns > GROWN * known.turns:
            rows = self._store.sample(space, SAMPLED)
            known = _Sample(turns, _statistics(turns, rows))
            with self._lock:
                self._samples[space] = known
        return known


def _statistics(turns: int, blobs: Sequence[bytes]) -> Statistics:
    """Statistics of terms for so many turns, from a sample."""
    held = [np.unique(decode_terms(blob)) for blob in blobs]
    terms, counts = np.unique(np.concatenate(held) if held else decode_terms(b""), return_counts=True)
    share = turns / max(1, len(blobs))
    found = {int(term): max(1, round(count * share)) for term, count in zip(terms, counts.tolist(), strict=True)}
    average = sum(len(decode_terms(blob)) for blob in blobs) / max(1, len(blobs))
    return Statistics(turns, average, found)


def _rarest(terms: Iterable[int], words: Statistics) -> tuple[list[int], list[int]]:
    """Terms that find few enough turns individually; and as many of the others, rarest first, as find few enough together."""
    ordered = sorted(dict.fromkeys(terms), key=lambda term: words.found.get(term, 0))
    rare: list[int] = []
    reached = 0
    for term in ordered[:RARE_TERMS]:
        reached += words.found.get(term, 0)
        if reached > WORDED:
            break
        rare.append(term)
    together: list[int] = []
    expected = float(words.turns)
    for term in [term for term in ordered if term not in rare][:COMMON_TERMS]:
        together.append(term)
        # As if words were independent; in fact they occur together, so there are more.
        expected *= words.found.get(term, 0) / max(1, words.turns)
        if expected <= WORDED / 2:
            break
    return rare, together


def _near(times: QuestionTimes, within: TurnFilter, settings: RetrievalSettings) -> list[TurnFilter]:
    """Conditions that restrict turns to near each time that the query names."""
    found = []
    for window in times.windows:
        start = window.start.replace(tzinfo=UTC).timestamp() - settings.days_before * DAY
        end = window.end.replace(tzinfo=UTC).timestamp() + settings.days_after * DAY
        after = start if within.after is None else max(start, within.after)
        before = end if within.before is None else min(end, within.before)
        found.append(replace(within, after=after, before=before))
    return found


def _adjacent(previous: NDArray[np.int32], positions: NDArray[np.int64]) -> NDArray[np.int32]:
    """Rows of previous turns; -1 if a turn in between was not found."""
    if not len(previous):
        return previous
    next_to: NDArray[np.bool_] = (previous >= 0) & (positions - positions[previous] == 1)
    return np.where(next_to, previous, np.int32(-1)).astype(np.int32)
