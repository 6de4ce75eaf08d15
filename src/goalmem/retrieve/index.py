"""The vectors and words of each space in memory, kept in step with the store.

Readers work on a `SpaceView` that never changes; a refresh makes a new view that shares what is unchanged. So a reader sees
all of a refresh or nothing of it, and never waits for another reader.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import StoreBusyError
from goalmem.retrieve.columns import Codes, Column, VectorBlocks
from goalmem.retrieve.lexical import Postings
from goalmem.retrieve.words import decode_terms
from goalmem.store.protocol import IndexRow, Store

__all__ = ["SpaceIndexes", "SpaceView"]

READ_ROWS = 16_384
"""Rows turned into arrays at a time: few enough to hold as objects, enough that postings merge seldom."""
ROW_OVERHEAD = 320
"""Bytes of Python objects a row: its id as text, in a list and as a key of a dict (measured)."""
SPACE_OVERHEAD = 8_192
"""Bytes of Python objects a space, so that a million empty ones are not free."""
ATTEMPTS = 5
"""Rebuilds before giving up when another process keeps forgetting meanwhile."""

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class SpaceView:
    """One space at one moment. A turn is a row, rows are in the order stored; arrays have shape (rows,)."""

    version: tuple[int, int]
    size: int
    ids: Sequence[str]
    """Turn id of each row; may be longer than `size` when turns came in since."""
    rows: dict[str, int]
    """Turn id -> row; may know rows beyond `size`."""
    sessions: Integers
    session_names: Codes
    speakers: Integers
    speaker_names: Codes
    roles: Integers
    role_names: Codes
    at: NDArray[np.float64]
    """Unix seconds."""
    previous: Integers
    """Row of the turn before in the same session, -1 for none."""
    lengths: Floats
    """Number of terms."""
    passages: NDArray[np.int64]
    """Where the passages of each row begin among all passages; a row has at least one."""
    vectors: tuple[Floats, ...]
    """Vectors of the passages in blocks, shape (some passages, dimension)."""
    postings: Postings

    def similarities(self, query: Floats) -> Floats:
        """The best dot product of each row's passages with a query, shape (dimension,): exact."""
        total = sum(len(block) for block in self.vectors)
        scores = np.empty(total, dtype=np.float32)
        start = 0
        for block in self.vectors:
            # Not np.dot: BLAS spreads it over threads that wait for each other, and on a busy machine a scan that is bound
            # by memory anyway then takes ten times as long (measured).
            np.einsum("ij,j->i", block, query, out=scores[start : start + len(block)])
            start += len(block)
        best: Floats = np.maximum.reduceat(scores, self.passages) if self.size else scores
        return best


@dataclass(slots=True, eq=False)
class _SpaceIndex:
    """What a space's views are made from. Only the thread that holds its slot's lock changes it; it only ever grows."""

    dimension: int
    view: SpaceView | None = None
    last_seq: int = 0
    ids: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    last_of_session: dict[int, int] = field(default_factory=dict)
    session_names: Codes = field(default_factory=Codes)
    speaker_names: Codes = field(default_factory=Codes)
    role_names: Codes = field(default_factory=Codes)
    sessions: Column[np.int32] = field(default_factory=lambda: Column(np.int32))
    speakers: Column[np.int32] = field(default_factory=lambda: Column(np.int32))
    roles: Column[np.int32] = field(default_factory=lambda: Column(np.int32))
    at: Column[np.float64] = field(default_factory=lambda: Column(np.float64))
    previous: Column[np.int32] = field(default_factory=lambda: Column(np.int32))
    lengths: Column[np.float32] = field(default_factory=lambda: Column(np.float32))
    passages: Column[np.int64] = field(default_factory=lambda: Column(np.int64))
    vectors: VectorBlocks = field(init=False)
    postings: Postings = field(default_factory=Postings)

    def __post_init__(self) -> None:
        self.vectors = VectorBlocks(self.dimension)

    def append(self, batch: Sequence[IndexRow]) -> None:
        """Take in rows of rising `seq`."""
        start = len(self.ids)
        sessions = [self.session_names.code(row.session) for row in batch]
        previous = []
        for number, session in enumerate(sessions, start):
            previous.append(self.last_of_session.get(session, -1))
            self.last_of_session[session] = number
        size = self.dimension * np.dtype("<f2").itemsize
        terms = [decode_terms(row.terms) for row in batch]
        lengths = np.array([len(t) for t in terms], dtype=np.int32)
        numbers = np.arange(start, start + len(batch), dtype=np.int32)
        self.postings = self.postings.with_rows(np.concatenate(terms), np.repeat(numbers, lengths))
        self.passages.append(self.vectors.size + np.cumsum([0, *(len(row.vector) // size for row in batch[:-1])]))
        self.vectors.append(b"".join(row.vector for row in batch))
        self.sessions.append(sessions)
        self.speakers.append([self.speaker_names.code(row.speaker) for row in batch])
        self.roles.append([self.role_names.code(row.role) for row in batch])
        self.at.append([row.at for row in batch])
        self.previous.append(previous)
        self.lengths.append(lengths)
        self.rows.update((row.turn, number) for number, row in enumerate(batch, start))
        self.ids += [row.turn for row in batch]
        self.last_seq = batch[-1].seq

    def publish(self, version: tuple[int, int]) -> SpaceView:
        """Let readers see what has been taken in so far."""
        self.view = SpaceView(
            version=version,
            size=len(self.ids),
            ids=self.ids,
            rows=self.rows,
            sessions=self.sessions.view(),
            session_names=self.session_names,
            speakers=self.speakers.view(),
            speaker_names=self.speaker_names,
            roles=self.roles.view(),
            role_names=self.role_names,
            at=self.at.view(),
            previous=self.previous.view(),
            lengths=self.lengths.view(),
            passages=self.passages.view(),
            vectors=self.vectors.view(),
            postings=self.postings,
        )
        return self.view

    @property
    def nbytes(self) -> int:
        """Memory held, estimated where it is Python's."""
        columns = (self.sessions, self.speakers, self.roles, self.at, self.previous, self.lengths, self.passages)
        arrays = sum(column.nbytes for column in columns) + self.vectors.nbytes + self.postings.nbytes
        return arrays + ROW_OVERHEAD * len(self.ids) + SPACE_OVERHEAD


@dataclass(slots=True, eq=False)
class _Slot:
    """The place of one space; its index is replaced when the space is read anew."""

    index: _SpaceIndex
    lock: threading.Lock = field(default_factory=threading.Lock)
    nbytes: int = 0
    """Memory held when last looked at."""


class SpaceIndexes:
    """The indexes of a store's spaces; those used least are dropped when all together outgrow the bound."""

    def __init__(self, store: Store, dimension: int, *, most_bytes: int) -> None:
        self._store = store
        self._dimension = dimension
        self._most_bytes = most_bytes
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def view(self, space: str) -> SpaceView:
        """The space as it is now, with all that this and other processes committed. Raises StoreError."""
        with self._lock:
            slot = self._slots.get(space) or self._slots.setdefault(space, _Slot(_SpaceIndex(self._dimension)))
            self._slots.move_to_end(space)
        view = slot.index.view
        if view is not None and view.version == self._store.version(space):
            return view
        with slot.lock:
            view = self._refreshed(space, slot)
        self._drop_least_used(space, slot)
        return view

    def _refreshed(self, space: str, slot: _Slot) -> SpaceView:
        """Read on from where the index stands, or all of it when rows were removed. Needs the slot's lock."""
        for _ in range(ATTEMPTS):
            version = self._store.version(space)
            view = slot.index.view
            if view is not None and view.version == version:
                return view
            if view is None or view.version[0] != version[0]:
                slot.index = _SpaceIndex(self._dimension)
            rows = self._store.index_rows(space, after=slot.index.last_seq)
            try:
                while batch := list(islice(rows, READ_ROWS)):
                    slot.index.append(batch)
            except BaseException:
                slot.index = _SpaceIndex(self._dimension)  # half a batch may be in it
                raise
            # Rows removed while others were read: what was read is no longer one state of the space.
            if self._store.version(space)[0] == version[0]:
                return slot.index.publish(version)
        raise StoreBusyError(
            f"The space {space!r} was forgotten from {ATTEMPTS} times while it was read.",
            "Search again a little later.",
        )

    def _drop_least_used(self, keep: str, grown: _Slot) -> None:
        with self._lock:
            if self._slots.get(keep) is not grown:
                return  # dropped meanwhile
            self._held += grown.index.nbytes - grown.nbytes
            grown.nbytes = grown.index.nbytes
            while self._held > self._most_bytes and next(iter(self._slots)) != keep:
                _, dropped = self._slots.popitem(last=False)
                self._held -= dropped.nbytes
