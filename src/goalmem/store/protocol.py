"""What goes into a store and comes out of it, and what some stores can do besides."""

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
    """What language analysis found in the turn, as terms in any order, each a little-endian uint64 hash."""
    versions: Sequence[TurnVersion] = ()
    """What it was before it was changed, in another store; oldest first."""


@dataclass(frozen=True, slots=True)
class Quota:
    """What a space may hold at most; 0 for any number."""

    turns: int = 0
    bytes: int = 0
    """Of text, captions and metadata of its turns, and of their earlier versions."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The turns of one `add`, all of one session of one space; stored whole or not at all."""

    space: str
    session: str
    session_at: datetime
    turns: Sequence[NewTurn]
    quota: Quota = Quota()
    known: Known | None = None
    """What their reading rests on, where another writer may have changed it meanwhile."""


@dataclass(frozen=True, slots=True)
class Known:
    """What of a space was known when turns were read."""

    epoch: int
    """Of the space before anything of it was read: it is renewed by each change of a turn that is there."""
    previous: Mapping[str, str] = field(default_factory=dict)
    """Turn id -> text of those that pronouns and short replies may stand for."""
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """Turns that are there, read again because what they rest on is changed or forgotten."""

    derived: Sequence[NewTurn] = ()
    names: Collection[str] = ()
    """Whom the changed turns gave these names: every turn that names them is among those read again."""
    behind: Sequence[tuple[str, int, int]] = ()
    """Session, first and last position of turns of which all are among those read again."""


NOTHING_READ = Reading()


class OutdatedReadingError(StoreBusyError):
    """What turns were read by was changed by another writer meanwhile; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(
            "Turns were changed by others while what rests on them was read, again and again.", "Try again."
        )


@dataclass(frozen=True, slots=True)
class Change:
    """What a turn is to be from now on."""

    turn: Turn
    """Its text, metadata and expiry are new; the rest is as it is."""
    content_hash: str
    """Of the message that it is then."""
    before: TurnVersion
    """What it is: where it is anything else by now, nothing is changed."""
    at: datetime
    """When it is changed."""
    reading: Reading = NOTHING_READ
    """The turn and all whose meaning may rest on it, read again; nothing where its text stays."""
    quota: Quota = Quota()


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the in-memory indexes need of one turn."""

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
    """What `forget` removed."""

    turns: int = 0
    facts: int = 0
    sessions: int = 0
    rules: int = 0
    """Sentences that state rules: they go with their whole space."""
    triples: int = 0
    """Of the space's imported graph: it goes with its whole space."""

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
    """Of the imported graph."""
    text_bytes: int = 0
    """Bytes of text, captions and metadata of the space's turns, and of their earlier versions: what a quota counts."""
    quota: Quota = Quota()
    """What the space may hold, as the memory was opened."""


@dataclass(frozen=True, slots=True)
class Within:
    """Which turns of a space may be found: those that meet every condition that is set."""

    sessions: Sequence[str] | None = None
    speakers: Sequence[str] | None = None
    roles: Sequence[str] | None = None
    after: float | None = None
    """Said at this moment or later, Unix seconds."""
    before: float | None = None
    """Said before this moment."""
    where: Where = EVERYTHING
    """What callers noted about them."""


@runtime_checkable
class LargeSpaces(Protocol):
    """What some stores can do besides: search a space that is too large to hold in memory by themselves.

    Turns are found by number (`IndexRow.seq`); what is found is read with `rows_around` and ranked in memory.
    """

    def indexed(self, space: str) -> int:
        """How many turns a space holds for which the store has indices of its own; 0 where it has none. Cheap."""
        ...

    def sample(self, space: str, count: int) -> list[bytes]:
        """Terms of about `count` turns spread evenly over a space."""
        ...

    def nearest(self, space: str, vector: bytes, count: int, within: Within) -> list[int]:
        """The turns with the passages nearest to a vector (little-endian float16), nearest first; at most `count`."""
        ...

    def worded(self, space: str, any_of: Sequence[int], all_of: Sequence[int], count: int, within: Within) -> list[int]:
        """Turns that hold any of some terms (64-bit hashes), or all of some others; at most `count`, the newest."""
        ...

    def rows_around(self, space: str, numbers: Iterable[int], turns: Iterable[str], reach: int) -> list[IndexRow]:
        """Index rows of turns by number and by id, and of those up to `reach` places from them in their sessions."""
        ...

    def speakers(self, space: str) -> list[tuple[str, str]]:
        """Every speaker of a space with every role, in the order in which they first spoke."""
        ...

    def newest(self, space: str) -> str | None:
        """The id of the turn said last, the first stored of several; None for an empty space."""
        ...
