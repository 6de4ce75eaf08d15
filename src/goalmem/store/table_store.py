"""What both stores do alike: every method of `Store` that only asks for rows of one space, or writes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar, Generic, TypeVar

from goalmem.records import Edge, Fact, Mention, StatedRule, Turn, TurnVersion
from goalmem.store import codec, conditions, reads, replies, rule_rows, versions, writes
from goalmem.store.changes import change_turn
from goalmem.store.contents import Kept, kept_turns
from goalmem.store.graph_store import GraphStore
from goalmem.store.metadata import EVERYTHING, Where
from goalmem.store.protocol import NO_OTHERS, NOTHING_READ, Change, Forgotten, IndexRow, Reading, Stated, Stats
from goalmem.store.stored_rows import StoredRows
from goalmem.store.tables import Dialect, Tables

__all__ = ["TableStore"]

_PAGE = 1000
"""Rows read at a time while streaming: a few MB of vectors, and no reader holds back the database for long."""

S = TypeVar("S", bound=Tables)
T = TypeVar("T")


class TableStore(ABC, Generic[S]):
    """A `Store`, but for what its database does in its own way."""

    dialect: ClassVar[Dialect]
    """Of the database."""

    @abstractmethod
    def read(self, space: str, query: Callable[[S], T]) -> T:
        """What `query` finds in one state of the space; where there is no such space, it finds no rows."""

    @abstractmethod
    def read_vectors(self, space: str, query: Callable[[S], T]) -> T:
        """As `read`, for what reads vectors. Raises OtherModelError where they are of another model by now."""

    @abstractmethod
    def write(self, space: str, work: Callable[[S], T]) -> T:
        """Do `work` in one durable transaction. Work that raises leaves nothing behind."""

    @abstractmethod
    def write_vectors(self, space: str, work: Callable[[S], T]) -> T:
        """As `write`, for what adds vectors. Raises OtherModelError where they are of another model by now."""

    @abstractmethod
    def close(self) -> None:
        """See `Store.close`."""

    @abstractmethod
    def spaces(self) -> list[str]:
        """See `Store.spaces`."""

    def write_much(self, space: str, work: Callable[[S], T]) -> T:
        """As `write`, for work that goes through many rows."""
        return self.write(space, work)

    @property
    def graphs(self) -> GraphStore:
        """See `Store.graphs`."""
        return GraphStore(self)

    @property
    def rows(self) -> StoredRows:
        """Its rows as they are."""
        return StoredRows(self)

    def size(self, space: str) -> int:
        """Turns of a space."""
        return int(self.read(space, lambda t: t.rows("SELECT count(*) FROM turn WHERE space = :space"))[0][0])

    def version(self, space: str) -> tuple[int, int]:
        """See `Store.version`."""
        query = "SELECT epoch, last_seq FROM space WHERE {} = :space"
        rows = self.read(space, lambda t: t.rows(query.format(t.dialect.space)))
        return rows[0] if rows else (0, 0)

    def rules_version(self, space: str) -> int:
        """See `Store.rules_version`."""
        rows = self.read(space, lambda t: t.rows(f"SELECT rules FROM space WHERE {t.dialect.space} = :space"))
        return int(rows[0][0]) if rows else 0

    def state(self, space: str) -> tuple[object, ...]:
        """Another one after each change of a space."""
        return self.version(space), self.rules_version(space), self.graphs.version(space)

    def stats(self, space: str) -> Stats:
        """See `Store.stats`."""
        return self.read(space, reads.space_stats)

    def phrase(self, space: str, phrase: str, *, limit: int = 100) -> list[str]:
        """See `Store.phrase`. In the order stored."""
        return self.read(space, lambda t: t.with_phrase(phrase, limit))

    def known(self, space: str, session: str) -> Mapping[str, str]:
        """See `Store.known`."""
        return self.read(space, partial(reads.known, session=session))

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """See `Store.turns`. In the order of `ids`."""
        wanted = list(ids)
        return self.read(space, partial(reads.turns, ids=wanted))

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """See `Store.session_turns`."""
        return self.read(space, partial(reads.session_turns, session=session, first=first, last=last))

    def sessions(self, space: str) -> list[tuple[str, datetime, int]]:
        """See `Store.sessions`."""
        return self.read(space, reads.sessions)

    def all_turns(self, space: str) -> Iterator[Turn]:
        """See `Store.all_turns`. What is added meanwhile may be among them."""
        after = 0
        while page := self.read(space, partial(reads.turns_after, after=after, limit=_PAGE)):
            yield from (turn for _, turn in page)
            after = page[-1][0]

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
        """See `Store.facts`."""
        of_ids, of_turns = _listed(ids), _listed(turns)
        return self.read(space, lambda t: reads.facts(t, of_ids, of_turns, entity, predicate, slot, newest))

    def mentions(self, space: str, *, turns: Iterable[str] | None = None, entity: str | None = None) -> list[Mention]:
        """See `Store.mentions`. In the order stored."""
        return self.read(space, partial(reads.mentions, turns=_listed(turns), entity=entity))

    def edges(self, space: str, *, subject: str | None = None, object: str | None = None) -> list[Edge]:
        """See `Store.edges`. In the order stored."""
        return self.read(space, partial(reads.edges, subject=subject, object_=object))

    def entities(self, space: str, where: Where = EVERYTHING) -> dict[str, tuple[str, int]]:
        """See `Store.entities`. The type is the one most mentions have."""
        return self.read(space, partial(reads.entities, where=where))

    def aliases(
        self, space: str, where: Where = EVERYTHING, *, before: str | None = None, instead: Stated = NO_OTHERS
    ) -> dict[str, str]:
        """See `Store.aliases`."""
        return self.read(space, partial(reads.aliases, before=before, where=where, instead=instead))

    def change(self, change: Change) -> bool:
        """See `Store.change`."""
        return self.write_vectors(change.turn.space, partial(change_turn, change=change))

    def versions(self, space: str, turns: Iterable[str] | None = None) -> dict[str, list[TurnVersion]]:
        """See `Store.versions`."""
        return self.read(space, partial(versions.versions, turns=_listed(turns)))

    def listed(
        self, space: str, where: Where = EVERYTHING, session: str | None = None, *, after: int = 0, limit: int
    ) -> list[tuple[int, Turn]]:
        """See `Store.listed`."""
        return self.read(space, partial(reads.listed, where=where, session=session, after=after, limit=limit))

    def noted(self, space: str) -> bool:
        """See `Store.noted`."""
        query = (
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM attribute WHERE space = :space)"
            " OR EXISTS (SELECT 1 FROM turn WHERE space = :space AND expires <> 0)"
        )
        return bool(self.read(space, lambda tables: tables.rows(query)))

    def matching(self, space: str, where: Where, *, numbers: Iterable[int] | None = None) -> list[int]:
        """See `Store.matching`."""
        among = None if numbers is None else list(numbers)
        return self.read(space, partial(conditions.matching, where=where, numbers=among))

    def index_rows(self, space: str, *, after: int = 0) -> Iterator[IndexRow]:
        """See `Store.index_rows`. What is added meanwhile may be among them."""
        while page := self.read_vectors(space, partial(reads.index_rows, after=after, limit=_PAGE)):
            yield from page
            after = page[-1].seq

    def cached_reply(self, space: str, key: str) -> str | None:
        """See `Store.cached_reply`."""
        return self.read(space, partial(replies.kept, key=key))

    def keep_reply(self, space: str, key: str, text: str, turns: Iterable[str], *, most: int | None = None) -> bool:
        """See `Store.keep_reply`."""
        of_turns = list(turns)
        try:
            f"{key}{text}".encode()
        except UnicodeEncodeError:  # lone surrogates
            return False
        return self.write(space, partial(replies.keep, key=key, text=text, turns=of_turns, most=most))

    def add_rules(self, space: str, rules: Sequence[StatedRule]) -> list[str]:
        """See `Store.add_rules`."""
        return self.write(space, partial(rule_rows.add, rules=rules)) if rules else []

    def rules(self, space: str) -> list[StatedRule]:
        """See `Store.rules`."""
        return self.read(space, rule_rows.stated)

    def remove_rules(self, space: str, ids: Iterable[str]) -> list[str]:
        """See `Store.remove_rules`."""
        chosen = list(ids)
        return self.write(space, partial(rule_rows.remove, ids=chosen))

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
        """See `Store.forget`."""
        work = partial(
            writes.forget, turn=turn, session=session, where=where, dry_run=dry_run, gone=gone, reading=reading
        )
        run = self.read if dry_run else self.write_vectors if reading.derived else self.write
        return run(space, work)

    def next_expiry(self, space: str) -> datetime | None:
        """See `Store.next_expiry`."""
        query = "SELECT min(expires) FROM turn WHERE space = :space AND expires <> 0"
        first = self.read(space, lambda tables: tables.rows(query))[0][0]
        return codec.moment(first, 0) if first else None

    def expired(self, space: str, now: datetime) -> list[Turn]:
        """See `Store.expired`."""
        return list(self.turns(space, self.read(space, partial(reads.expired, now=codec.expiry(now)))).values())

    def stated(self, space: str, turns: Iterable[str]) -> set[tuple[str, str, str]]:
        """See `Store.stated`."""
        return self.read(space, partial(reads.stated, turns=list(turns)))

    def purge(
        self, space: str, now: datetime, gone: Collection[str] | None = None, reading: Reading = NOTHING_READ
    ) -> Forgotten:
        """See `Store.purge`."""
        work = partial(writes.purge, now=codec.expiry(now), gone=gone, reading=reading)
        return (self.write_vectors if reading.derived else self.write)(space, work)

    def fate(self, space: str, turn: str) -> str:
        """See `Store.fate`."""
        query = "SELECT max(at) FROM expired WHERE space = :space AND id = :id"
        at = self.read(space, lambda tables: tables.rows(query, id=turn))[0][0]
        if at:
            return f"turn {turn} expired on {codec.moment(at, 0):%Y-%m-%d}"
        until = self.read(space, partial(versions.changed_on, turn=turn))
        return f"turn {turn} was changed on {codec.moment(until, 0):%Y-%m-%d}" if until is not None else ""

    def kept_pages(self, size: int) -> Iterator[list[Kept]]:
        """Every turn with what is kept of it, `size` at a time, one space after another."""
        for space in self.spaces():
            after = 0
            while page := self.read_vectors(space, partial(kept_turns, after=after, limit=size)):
                yield page
                after = page[-1].seq


def _listed(ids: Iterable[str] | None) -> list[str] | None:
    """The ids, read before a connection is taken: a generator may itself ask the store."""
    return None if ids is None else list(ids)
