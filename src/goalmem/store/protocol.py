"""The protocol of stores: input and result types, and optional capabilities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Protocol, TypeAlias, runtime_checkable

from goalmem.errors import StoreBusyError
from goalmem.records import Extraction, Turn, TurnVersion
from goalmem.store.metadata import EVERYTHING, Where

Stated: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""Turn id -> the aliases that it states: alias and name."""
NO_OTHERS: Stated = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn ready to be stored, with everything derived from it. The store gives it its position."""

    turn: Turn
    """`position` is ignored: the store appends to the session inside the transaction."""
    call_position: int
    """Place of the message in the call that brought it; part of its identity when it has no id."""
    content_hash: str
    """Hash of speaker, role, text, caption and, where the caller gave one, its time."""
    extraction: Extraction
    vector: bytes
    """Embeddings of the turn's passages, one after another, at least one: each little-endian float16, unit length."""
    terms: bytes
    """Stemmed words in order, each as a little-endian uint64 hash."""
    features: bytes = b""
    """Features found by language analysis, in any order, each a little-endian uint64 hash."""
    versions: Sequence[TurnVersion] = ()
    """Earlier versions of the turn from another store; oldest first."""


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits of a space; 0 means unlimited."""

    turns: int = 0
    bytes: int = 0
    """Bytes of texts, captions and metadata of its turns, including earlier versions."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The turns of one `add`, all of one session of one space; stored whole or not at all."""

    space: str
    session: str
    session_at: datetime
    turns: Sequence[NewTurn]
    quota: Quota = Quota()
    known: ReadingContext | None = None
    """What the extraction depends on; another writer may have changed it."""


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """The state of a space that an extraction depended on."""

    epoch: int
    """Epoch of the space before the first read. Every change of an existing turn renews it."""
    previous: Mapping[str, str] = field(default_factory=dict)
    """Turn id -> text of preceding turns that pronouns and short replies may refer to."""
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reanalysis:
    """Existing turns, analysed again because a turn that they depend on changes or is forgotten."""

    derived: Sequence[NewTurn] = ()
    names: Collection[str] = ()
    """Entities that the changed turns gave these names: every turn that mentions them is analysed again."""
    behind: Sequence[tuple[str, int, int]] = ()
    """Session, first and last position of turns of which all are among those read again."""


NOTHING_READ = Reanalysis()


class OutdatedReadingError(StoreBusyError):
    """Another writer changed what the turns depended on; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(
            "Turns were changed by others while what rests on them was read, again and again.", "Try again."
        )


@dataclass(frozen=True, slots=True)
class TurnChange:
    """The new state of a turn."""

    turn: Turn
    """Its text, metadata and expiry are new; the rest is unchanged."""
    content_hash: str
    """Content hash of the new message."""
    before: TurnVersion
    """Its previous state. If the stored turn differs, nothing is changed."""
    at: datetime
    """When it is changed."""
    reading: Reanalysis = NOTHING_READ
    """The turn and all turns that may depend on it, analysed again; None if the text is unchanged."""
    quota: Quota = Quota()


@dataclass(frozen=True, slots=True)
class IndexRow:
    """The columns of a turn that the in-memory indexes need."""

    seq: int
    """Grows with every turn stored; never reused."""
    turn: str
    session: str
    position: int
    speaker: str
    role: str
    at: float
    """Unix seconds."""
    vector: bytes
    terms: bytes
    features: bytes = b""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Counts of what `forget` removed."""

    turns: int = 0
    facts: int = 0
    sessions: int = 0
    rules: int = 0
    """Sentences that state rules: they go with their whole space."""
    triples: int = 0
    """Triples of the space's imported graph, which is removed together with the whole space."""

    def __add__(self, other: Forgotten) -> Forgotten:
        """What two removals removed together."""
        return Forgotten(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one space, and the size of the whole store."""

    sessions: int
    turns: int
    facts: int
    entities: int
    first: datetime | None
    last: datetime | None
    bytes: int
    facts_by_modality: Mapping[str, int] = field(default_factory=dict)
    rules: int = 0
    """Sentences that state rules."""
    triples: int = 0
    """Triples of the imported graph."""
    text_bytes: int = 0
    """Bytes of texts, captions and metadata of the space's turns and their earlier versions; the quota limits them."""
    quota: Quota = Quota()
    """Quota of the space, as configured for the open memory."""


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Filter of turns: all conditions that are set must hold."""

    sessions: Sequence[str] | None = None
    speakers: Sequence[str] | None = None
    roles: Sequence[str] | None = None
    after: float | None = None
    """Said at or after this moment, Unix seconds."""
    before: float | None = None
    """Said before this moment, Unix seconds."""
    where: Where = EVERYTHING
    """Condition on their metadata."""


@runtime_checkable
class LargeSpaces(Protocol):
    """An optional capability: searching a space that is too large for memory.

    Turns are found by number (`IndexRow.seq`); what is found is read with `rows_around` and ranked in memory.
    """

    def indexed(self, space: str) -> int:
        """Number of turns with indices of their own in a space; 0 if it has none. Cheap."""

    def sample(self, space: str, count: int) -> list[bytes]:
        """Terms of about `count` turns spread evenly over a space."""

    def nearest(self, space: str, vector: bytes, count: int, within: TurnFilter) -> list[int]:
        """The turns with the passages nearest to a vector (little-endian float16), nearest first; at most `count`."""

    def worded(
        self, space: str, any_of: Sequence[int], all_of: Sequence[int], count: int, within: TurnFilter
    ) -> list[int]:
        """Turns that hold any of some terms (64-bit hashes), or all of some others; at most `count`, the newest."""

    def rows_around(self, space: str, numbers: Iterable[int], turns: Iterable[str], reach: int) -> list[IndexRow]:
        """Index rows of turns by number and by id, and of those up to `reach` places from them in their sessions."""

    def speakers(self, space: str) -> list[tuple[str, str]]:
        """Every speaker of a space with every role, in the order in which they first spoke."""

    def newest(self, space: str) -> str | None:
        """Id of the turn said last, the first stored in a tie; None for an empty space."""
