"""The vectors and words of each space in memory, kept in sync with the store.

Readers use an immutable `SpaceView`; a refresh creates a new view that shares unchanged parts. A reader therefore sees a refresh completely
or not at all, and never waits for another reader.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalmem.errors import CHECK_STORE, CorruptStoreError, StoreBusyError
from goalmem.language.terms import decode_terms
from goalmem.records import DOCUMENT
from goalmem.retrieve.lexical import Postings
from goalmem.retrieve.passages import NUMBERS, personal_mask
from goalmem.retrieve.vectors import VectorBlocks, VectorColumn
from goalmem.store.protocol import IndexRow

if TYPE_CHECKING:
    from goalmem.store import Store

MACHINES = frozenset({"assistant", "system", "tool", DOCUMENT})
"""Roles that are not people."""


READ_ROWS = 4_096
"""Rows converted to arrays at a time: few enough to hold as objects, enough that postings are seldom merged."""
TERM_BYTES, COORDINATE_BYTES = 8, 2
"""Bytes of a term's hash and of a half-precision coordinate, as a store keeps them."""
SPACE_OVERHEAD = 8_192
"""Bytes of Python objects per space, so that a million empty ones are not free."""
ATTEMPTS = 5
"""Rebuilds before giving up if another process keeps removing turns."""

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class RowNumbers(Mapping[str, int]):
    """Turn id -> row, by a hash of the id: a fifth of the memory of a dict."""

    ids: Texts
    hashes: Postings
    """The only term of each row is its id's hash."""

    def __getitem__(self, turn: str) -> int:
        for rows, _ in self.hashes.find(_hash_of_id(turn)):
            for row in rows.tolist():
                if self.ids[row] == turn:
                    return int(row)
        raise KeyError(turn)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


def _hash_of_id(turn: str) -> int:
    """A 64-bit hash, valid only in this process."""
    return hash(turn) & 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, slots=True, eq=False)
class SpaceView:
    """One space at one moment. A turn is a row, rows are in the order stored; arrays have shape (rows,)."""

    version: tuple[int, int]
    size: int
    numbers: NDArray[np.int64]
    """The store's number of each row, ascending."""
    ids: Texts
    """Turn id of each row."""
    rows: Mapping[str, int]
    """Turn id -> row."""
    sessions: Integers
    session_names: Codes
    speakers: Integers
    speaker_names: Codes
    roles: Integers
    role_names: Codes
    at: NDArray[np.float64]
    """Unix seconds."""
    previous: Integers
    """Row of the previous turn in the session, -1 for none."""
    lengths: Floats
    """Number of terms."""
    passages: NDArray[np.int64]
    """Index of the first passage of each row among all passages; a row has at least one."""
    vectors: VectorBlocks
    """Of the passages."""
    personal: NDArray[np.bool_]
    """True for passages in a person's first person, shape (passages,)."""
    postings: Postings
    """Of the turns' words."""
    features: Postings
    """Of the turns' features (`enrich`)."""
    said_by_people: NDArray[np.bool_]
    """True if a person said the turn, rather than an assistant, system or tool."""
    session_lengths: NDArray[np.float64]
    """Number of terms that people said in each session, shape (sessions,)."""

    def passages_of(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the passages of some rows, row by row, and the index of each row's first one among them."""
        firsts = self.passages[rows]
        ends = self.passages[np.minimum(rows + 1, self.size - 1)]
        ends[rows == self.size - 1] = len(self.vectors)
        counts = ends - firsts
        starts = np.cumsum(counts) - counts
        numbers = np.repeat(firsts - starts, counts) + np.arange(int(counts.sum()))
        return numbers, starts


FIRST_ROWS = 64
"""Initial capacity."""

Scalar = TypeVar("Scalar", bound=np.generic)


class Column(Generic[Scalar]):
    """A growing one-dimensional array. Views are immutable: what they show is written before they are created."""

    def __init__(self, dtype: type[Scalar]) -> None:
        self._rows: NDArray[Scalar] = np.empty(FIRST_ROWS, dtype=dtype)
        self._size = 0

    def append(self, values: ArrayLike) -> None:
        """Add values at the end."""
        new = np.asarray(values, dtype=self._rows.dtype)
        size = self._size + len(new)
        if size > len(self._rows):
            grown = np.empty(max(size, 2 * len(self._rows)), dtype=self._rows.dtype)
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        self._rows[self._size : size] = new
        self._size = size

    def view(self) -> NDArray[Scalar]:
        """The current contents."""
        return self._rows[: self._size]

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._rows.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Sequence[str]):
    """Immutable strings without a Python object each: a fifth of the memory of a list of short ones."""

    utf8: NDArray[np.uint8]
    """All strings, concatenated."""
    ends: NDArray[np.int64]
    """End of each string, shape (texts,)."""

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._text(number) for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._text(place % len(self))

    def __len__(self) -> int:
        return len(self.ends)

    def _text(self, number: int) -> str:
        start = int(self.ends[number - 1]) if number else 0
        return self.utf8[start : int(self.ends[number])].tobytes().decode("utf-8", "surrogatepass")


class TextColumn:
    """Growing `Texts`."""

    def __init__(self) -> None:
        self._utf8: Column[np.uint8] = Column(np.uint8)
        self._ends: Column[np.int64] = Column(np.int64)

    def append(self, texts: Iterable[str]) -> None:
        """Add strings at the end."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        self._ends.append(len(self._utf8) + np.cumsum([len(text) for text in encoded], dtype=np.int64))
        self._utf8.append(np.frombuffer(b"".join(encoded), dtype=np.uint8))

    def view(self) -> Texts:
        """The current contents."""
        return Texts(self._utf8.view(), self._ends.view())

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._utf8.nbytes + self._ends.nbytes


class Codes:
    """Names numbered in the order in which they are added. Numbers never change, so readers need no lock."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []

    def code(self, name: str) -> int:
        """The number of a name; a new name gets a new number."""
        number = self._numbers.get(name)
        if number is None:
            number = len(self.names)
            self.names.append(name)
            self._numbers[name] = number
        return number

    def known(self, names: Iterable[str]) -> list[int]:
        """The numbers of those names that are known."""
        return [number for number in map(self._numbers.get, names) if number is not None]


@dataclass(slots=True, eq=False)
class SpaceIndex:
    """The data from which a space's views are made. Only the thread that holds its slot's lock changes it, and it only grows."""

    dimension: int
    view: SpaceView | None = None
    last_seq: int = 0
    numbers: Column[np.int64] = field(default_factory=lambda: Column(np.int64))
    ids: TextColumn = field(default_factory=TextColumn)
    id_hashes: Postings = field(default_factory=Postings)
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
    vectors: VectorColumn = field(init=False)
    personal: Column[np.bool_] = field(default_factory=lambda: Column(np.bool_))
    postings: Postings = field(default_factory=Postings)
    features: Postings = field(default_factory=Postings)
    said_by_people: Column[np.bool_] = field(default_factory=lambda: Column(np.bool_))
    session_lengths: array[float] = field(default_factory=lambda: array("d"))

    def __post_init__(self) -> None:
        self.vectors = VectorColumn(self.dimension)

    def append(self, batch: Sequence[IndexRow]) -> None:
        """Add rows of ascending `seq`. Raises CorruptStoreError if a row's bytes are not a whole number of vectors."""
        for row in batch:
            if len(row.vector) % (self.dimension * COORDINATE_BYTES):
                raise CorruptStoreError(
                    f"The store is damaged: the turn {row.turn} has vectors of another length.", CHECK_STORE
                )
        start = len(self.ids)
        sessions = [self.session_names.code(row.session) for row in batch]
        previous = []
        for number, session in enumerate(sessions, start):
            previous.append(self.last_of_session.get(session, -1))
            self.last_of_session[session] = number
        numbers = np.arange(start, start + len(batch), dtype=np.int32)
        lengths = np.array([len(row.terms) // TERM_BYTES for row in batch], dtype=np.int32)
        self.postings = self.postings.with_rows(
            decode_terms(b"".join(row.terms for row in batch)), np.repeat(numbers, lengths)
        )
        passages = np.array([len(row.vector) for row in batch], dtype=np.int64) // (self.dimension * COORDINATE_BYTES)
        self.passages.append(len(self.vectors) + np.cumsum(passages) - passages)
        self.vectors.append(b"".join(row.vector for row in batch))
        self._append_features(batch, numbers, passages)
        self._append_sessions(batch, sessions, lengths)
        self.sessions.append(sessions)
        self.speakers.append([self.speaker_names.code(row.speaker) for row in batch])
        self.roles.append([self.role_names.code(row.role) for row in batch])
        self.at.append([row.at for row in batch])
        self.previous.append(previous)
        self.lengths.append(lengths)
        ids = [row.turn for row in batch]
        hashes = np.fromiter(map(_hash_of_id, ids), dtype=np.uint64, count=len(ids))
        self.id_hashes = self.id_hashes.with_rows(hashes, numbers)
        self.ids.append(ids)
        self.numbers.append([row.seq for row in batch])
        self.last_seq = batch[-1].seq

    def _append_features(self, batch: Sequence[IndexRow], numbers: Integers, passages: NDArray[np.int64]) -> None:
        features = decode_terms(b"".join(row.features for row in batch))
        counts = np.array([len(row.features) // TERM_BYTES for row in batch], dtype=np.int64)
        owners = np.repeat(np.arange(len(batch)), counts)
        starts = np.cumsum(passages) - passages
        self.personal.append(personal_mask(features, owners, starts, int(passages.sum())))
        found = ~np.isin(features, NUMBERS)
        self.features = self.features.with_rows(features[found], numbers[owners[found]])

    def _append_sessions(self, batch: Sequence[IndexRow], sessions: Sequence[int], lengths: Integers) -> None:
        by_people = [row.role not in MACHINES for row in batch]
        self.said_by_people.append(by_people)
        self.session_lengths.extend([0.0] * (len(self.session_names.names) - len(self.session_lengths)))
        for session, length, counts in zip(sessions, lengths.tolist(), by_people, strict=True):
            if counts:
                self.session_lengths[session] += length

    def publish(self, version: tuple[int, int]) -> SpaceView:
        """Create a view of what has been added so far."""
        columns = {name: getattr(self, name).view() for name in _COLUMNS}
        self.view = SpaceView(
            version=version,
            size=len(self.ids),
            rows=RowNumbers(columns["ids"], self.id_hashes),
            session_lengths=np.array(self.session_lengths, dtype=np.float64),
            **columns,
            **{name: getattr(self, name) for name in _SHARED},
        )
        return self.view

    @property
    def nbytes(self) -> int:
        """Memory held; an estimate for Python objects."""
        columns = (*(getattr(self, name) for name in _COLUMNS), self.id_hashes, self.postings, self.features)
        held: int = sum(column.nbytes for column in columns)
        return held + 8 * len(self.session_lengths) + SPACE_OVERHEAD


_COLUMNS = (
    *(
        "numbers",
        "ids",
        "sessions",
        "speakers",
        "roles",
        "at",
        "previous",
        "lengths",
        "passages",
        "vectors",
        "personal",
    ),
    "said_by_people",
)
"""What grows, and of which a view shows what is there."""
_SHARED = ("session_names", "speaker_names", "role_names", "postings", "features")
"""What a view shares with the index: it only grows, or is replaced."""


@dataclass(slots=True, eq=False)
class _Slot:
    """The index of one space, replaced when the space is read again."""

    index: SpaceIndex
    lock: threading.Lock = field(default_factory=threading.Lock)
    nbytes: int = 0
    """Memory held at the last measurement."""


class SpaceIndexes:
    """The indexes of a store's spaces. The least recently used are dropped when they exceed the limit together."""

    def __init__(self, store: Store, dimension: int, *, most_bytes: int) -> None:
        self._store = store
        self._dimension = dimension
        self._most_bytes = most_bytes
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def view(self, space: str) -> SpaceView:
        """The current view of the space, with everything that any process committed. Raises StoreError."""
        with self._lock:
            slot = self._slots.get(space) or self._slots.setdefault(space, _Slot(SpaceIndex(self._dimension)))
            self._slots.move_to_end(space)
        view = slot.index.view
        if view is not None and view.version == self._store.version(space):
            return view
        with slot.lock:
            view = self._refreshed(space, slot)
        self._drop_least_used(space, slot)
        return view

    def _refreshed(self, space: str, slot: _Slot) -> SpaceView:
        """Read new rows, or all rows if some were removed. Needs the slot's lock."""
        for _ in range(ATTEMPTS):
            version = self._store.version(space)
            view = slot.index.view
            if view is not None and view.version == version:
                return view
            if view is None or view.version[0] != version[0]:
                slot.index = SpaceIndex(self._dimension)
            rows = self._store.index_rows(space, after=slot.index.last_seq)
            try:
                while batch := list(islice(rows, READ_ROWS)):
                    slot.index.append(batch)
            except BaseException:
                slot.index = SpaceIndex(self._dimension)  # half a batch may be in it
                raise
            # Rows were removed during reading: what was read is no consistent state of the space.
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


def only_name(people: Sequence[str]) -> str:
    """The only name; empty if there are none or several."""
    return people[0] if len(set(people)) == 1 else ""


def known_spelling(name: str, known: Collection[str]) -> str:
    """A name in its known spelling, ignoring case; unchanged if it is not known."""
    if name in known:
        return name
    return next((k for k in known if k.casefold() == name.casefold()), name)
