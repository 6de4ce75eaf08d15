"""What every store can do. `tests/store/conformance.py` holds any implementation to it.

All methods are safe to call from several threads; several processes may share one store. Every method that takes a
`space` reads and writes that space alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from goalmem.errors import StoreBusyError
from goalmem.records import Edge, Extraction, Fact, Mention, StatedRule, Turn, TurnVersion
from goalmem.store.metadata import EVERYTHING, Where

if TYPE_CHECKING:
    from goalmem.store.graph_store import GraphStore

__all__ = [
    "NOTHING_READ",
    "Batch",
    "Change",
    "Forgotten",
    "IndexRow",
    "Known",
    "LargeSpaces",
    "NewTurn",
    "OutdatedReadingError",
    "Quota",
    "Reading",
    "Stats",
    "Store",
    "Within",
]

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


class Store(Protocol):
    """Keeps spaces of turns and what is derived from them."""

    def known(self, space: str, session: str) -> Mapping[str, str]:
        """Identity key -> turn id of every turn of a session, for recognising what is there already.

        Keys: `id:<external id>`, `at:<content hash>:<stored position>` and `at:<content hash>:<call position>`.
        """
        ...

    def add(self, batch: Batch) -> list[str]:
        """Store a batch in one durable transaction; returns the ids that were new, in order.

        Turns whose id is stored already are skipped with all that is derived from them. A session keeps the time it
        was first given.

        Raises:
            InputError: a turn cannot be stored as it is; nothing of the batch was.
            OutdatedReadingError: what their reading rests on (`Batch.known`) was changed meanwhile; nothing was stored.
            StoreError: one of its subclasses; nothing of the batch was stored.
        """
        ...

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """The turns with these ids; unknown ids are left out."""
        ...

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """A session's turns in order, positions `first` to `last`, both included.

        A negative `first` counts from the end: -1 is the last position.
        """
        ...

    def sessions(self, space: str) -> list[tuple[str, datetime, int]]:
        """Every session: id, time, number of turns; in order of time, then id."""
        ...

    def spaces(self) -> list[str]:
        """Every space that holds something, sorted."""
        ...

    def all_turns(self, space: str) -> Iterator[Turn]:
        """Every turn of a space in the order stored, without loading them all."""
        ...

    def facts(
        self,
        space: str,
        *,
        ids: Iterable[str] | None = None,
        turns: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """Facts that satisfy every condition given.

        Ordered by when they were said, then turn position, then place in the turn. `entity` matches any argument's entity, case-insensitively.
        With `newest`, of the facts of an entity only so many: those said last; with a predicate those stored last.
        """
        ...

    def mentions(self, space: str, *, turns: Iterable[str] | None = None, entity: str | None = None) -> list[Mention]:
        """Mentions that satisfy every condition given."""
        ...

    def edges(self, space: str, *, subject: str | None = None, object: str | None = None) -> list[Edge]:
        """Edges that satisfy every condition given (case-insensitive)."""
        ...

    def entities(self, space: str, where: Where = EVERYTHING) -> dict[str, tuple[str, int]]:
        """Canonical entity name -> (type, number of mentions), in turns that meet the conditions."""
        ...

    def aliases(
        self, space: str, where: Where = EVERYTHING, *, before: str | None = None, instead: Stated = NO_OTHERS
    ) -> dict[str, str]:
        """Lower-case alias -> canonical entity name, of turns that meet the conditions; what was said last wins.

        With `before`, a turn's id, only of turns stored before it. `instead`: as if turns, by id, stated these aliases (alias, name).
        """
        ...

    def change(self, change: Change) -> bool:
        """Change a turn in one durable transaction; it keeps its id, place and time, and what it was as a version.

        Returns False, and changes nothing, where the turn, or one that was read again with it, is no longer what it was.

        Raises:
            StoreFullError: the space may not hold so much.
            StoreError: another of its subclasses; nothing was changed.
        """
        ...

    def versions(self, space: str, turns: Iterable[str] | None = None) -> dict[str, list[TurnVersion]]:
        """Turn id -> what it was and, last, what it is; of these turns, or (None) of all that were ever changed."""
        ...

    def listed(
        self, space: str, where: Where = EVERYTHING, session: str | None = None, *, after: int = 0, limit: int
    ) -> list[tuple[int, Turn]]:
        """The next `limit` turns above number `after` that meet the conditions, of one session or of all, with their numbers."""
        ...

    def noted(self, space: str) -> bool:
        """Whether any turn of a space has metadata or expires."""
        ...

    def matching(self, space: str, where: Where, *, numbers: Iterable[int] | None = None) -> list[int]:
        """Numbers (`IndexRow.seq`) of the turns that meet the conditions, in order; of `numbers`, where these are given."""
        ...

    def phrase(self, space: str, phrase: str, *, limit: int = 100) -> list[str]:
        """Ids of turns whose content holds these words next to each other in this order. Any text is just text."""
        ...

    def version(self, space: str) -> tuple[int, int]:
        """(epoch, last seq).

        A new epoch means rows were removed: rebuild what is cached. A larger seq: read on from it. Cheap (one indexed row); sees what other processes committed. (0, 0) for an unknown space.
        """
        ...

    def index_rows(self, space: str, *, after: int = 0) -> Iterator[IndexRow]:
        """Index rows with `seq` above `after`, in order of `seq`, streamed."""
        ...

    def cached_reply(self, space: str, key: str) -> str | None:
        """The reply of a chat model that is kept in the space under `key`, or None."""
        ...

    def keep_reply(self, space: str, key: str, text: str, turns: Iterable[str], *, most: int | None = None) -> bool:
        """Keep a reply under `key`, in place of one that is there; `turns` are those whose text it was asked about.

        It is forgotten with the first of them; one that names no turn, with any turn of the space. Returns False, and
        keeps nothing, when one of the turns or the space is not there (any more), or the text cannot be stored.
        With `most`, the oldest replies of the space go, so that no more are left; a record, which is a mark of one
        character, stays.

        Raises:
            StoreError: one of its subclasses; nothing was kept.
        """
        ...

    def add_rules(self, space: str, rules: Sequence[StatedRule]) -> list[str]:
        """Keep sentences that state rules in one durable transaction; returns the ids that were new, in order.

        One that is kept already is kept as it was read now.

        Raises:
            StoreError: one of its subclasses; nothing was kept.
        """
        ...

    def rules(self, space: str) -> list[StatedRule]:
        """Every sentence that states rules, in the order first kept."""
        ...

    def remove_rules(self, space: str, ids: Iterable[str]) -> list[str]:
        """Remove these sentences; returns the ids of those that were there. Their text is overwritten in the file."""
        ...

    def rules_version(self, space: str) -> int:
        """Another number after each change of a space's rules; 0 where none were ever kept. Cheap (one indexed row)."""
        ...

    @property
    def graphs(self) -> GraphStore:
        """The imported graph of each space."""
        ...

    def next_expiry(self, space: str) -> datetime | None:
        """When the next turn of a space expires; None where none does. Cheap."""
        ...

    def expired(self, space: str, now: datetime) -> list[Turn]:
        """The turns that expired by now."""
        ...

    def stated(self, space: str, turns: Iterable[str]) -> set[tuple[str, str, str]]:
        """Turn id, alias and name of every alias that these turns state."""
        ...

    def purge(
        self, space: str, now: datetime, gone: Collection[str] | None = None, reading: Reading = NOTHING_READ
    ) -> Forgotten:
        """Remove the turns that expired by now as `forget` does, and keep of each only its id and when it expired.

        Raises OutdatedReadingError as `forget`.
        """
        ...

    def fate(self, space: str, turn: str) -> str:
        """What became of a turn that is not as it was, in words; nothing where that is not known."""
        ...

    def forget(
        self,
        space: str,
        *,
        turn: str | None = None,
        session: str | None = None,
        where: Where = EVERYTHING,
        dry_run: bool = False,
        gone: Collection[str] | None = None,
        reading: Reading = NOTHING_READ,
    ) -> Forgotten:
        """Remove a turn, a session, turns that meet conditions (of a session), or (none given) the space with its rules and its
        graph, and everything derived from them alone. With `dry_run` only count what would go.

        Replies of chat models that were asked about a turn removed go, too.

        Deleted content is overwritten in the file (secure delete). What is not there is forgotten already: the counts
        are 0. Turns that remain keep their positions.

        `reading`: turns that remain, read again without those that go, which have to be just those of `gone`. Raises
        OutdatedReadingError, and does nothing, where others would go, or what remains is no longer what was read.
        """
        ...

    def stats(self, space: str) -> Stats:
        """Counts for a space."""
        ...

    def check(self) -> list[str]:
        """Problems found in the store's integrity; empty when sound."""
        ...

    def meta(self) -> dict[str, Any]:
        """Schema version, embedding model name and dimension, creation time, program version."""
        ...

    def close(self) -> None:
        """Release everything. Any later call raises StoreClosedError."""
        ...


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

    def sample(self, space: str, count: int) -> list[tuple[bytes, bytes]]:
        """Terms and features of about `count` turns spread evenly over a space."""
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
