"""The store over both databases. `tests/store/conformance.py` tests them with the same cases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from goalmem.records import StatedRule, Turn
from goalmem.store import codec, conditions, reads, replies, rule_rows, versions, writes
from goalmem.store.contents import StoredRows, StoredTurn, kept_turns
from goalmem.store.graph_store import GraphStore
from goalmem.store.metadata import EVERYTHING, Where
from goalmem.store.protocol import NOTHING_READ, Batch, Forgotten, IndexRow, Reanalysis, TurnChange
from goalmem.store.tables import SpaceTransactions, reading
from goalmem.store.writes import change_turn

if TYPE_CHECKING:
    from goalmem.store.integrity import Finding
    from goalmem.store.repair import Repairs


_PAGE = 1000
"""Rows read at a time while streaming: a few MB of vectors, and no reader holds back the database for long."""


class TableStore(SpaceTransactions):
    """Spaces of turns and their derived rows, in the tables of a database.

    All methods are safe to call from several threads; several processes may share one store. Every method that takes a
    `space` reads and writes that space alone.
    """

    @property
    def graphs(self) -> GraphStore:
        """The imported graph of each space."""
        return GraphStore(self)

    @property
    def rows(self) -> StoredRows:
        """Its raw rows."""
        return StoredRows(self)

    stats = reading(reads.space_stats)
    known = reading(reads.known)
    turns = reading(reads.turns)
    session_turns = reading(reads.session_turns)
    whole_session = reading(reads.whole_session)
    sessions = reading(reads.sessions)
    listed = reading(reads.listed)
    last = reading(reads.last)
    facts = reading(reads.facts)
    mentions = reading(reads.mentions)
    edges = reading(reads.edges)
    entities = reading(reads.entities)
    aliases = reading(reads.aliases)
    stated = reading(reads.stated)
    matching = reading(conditions.matching)
    fate = reading(versions.fate)
    versions = reading(versions.versions)
    next_expiry = reading(reads.next_expiry)
    cached_reply = reading(replies.kept)
    rules = reading(rule_rows.stated)

    def size(self, space: str) -> int:
        """Turns of a space."""
        return int(self.read(space, lambda t: t.rows("SELECT count(*) FROM turn WHERE space = :space"))[0][0])

    def version(self, space: str) -> tuple[int, int]:
        """(epoch, last seq).

        A new epoch means that rows were removed: rebuild caches. A larger seq: read the new rows. Cheap (one indexed
        row); sees commits of other processes. (0, 0) for an unknown space.
        """
        query = "SELECT epoch, last_seq FROM space WHERE {} = :space"
        rows = self.read(space, lambda t: t.rows(query.format(t.dialect.space)))
        return rows[0] if rows else (0, 0)

    def rules_version(self, space: str) -> int:
        """A number that changes with every change of a space's rules; 0 if it never had any. Cheap (one indexed row)."""
        rows = self.read(space, lambda t: t.rows(f"SELECT rules FROM space WHERE {t.dialect.space} = :space"))
        return int(rows[0][0]) if rows else 0

    def state(self, space: str) -> tuple[object, ...]:
        """Another one after each change of a space."""
        return self.version(space), self.rules_version(space), self.graphs.version(space)

    def phrase(self, space: str, phrase: str, *, limit: int = 100) -> list[str]:
        """Ids of turns whose content holds these words next to each other in this order. Any text is just text; in the order stored."""
        return self.read(space, lambda t: t.with_phrase(phrase, limit))

    def all_turns(self, space: str) -> Iterator[Turn]:
        """Every turn of a space in the order stored, streamed. May include turns added while it runs."""
        after = 0
        while page := self.read(space, partial(reads.turns_after, after=after, limit=_PAGE)):
            yield from (turn for _, turn in page)
            after = page[-1][0]

    def change(self, change: TurnChange) -> bool:
        """Change a turn in one durable transaction. It keeps its id, place and time, and its previous state as a
        version.

        Returns False without a change if the turn, or another one analysed again with it, has changed since it was
        read.

        Raises:
            StoreFullError: the space may not hold so much.
            StoreError: another of its subclasses; nothing was changed.
        """
        return self.write_vectors(change.turn.space, partial(change_turn, change=change))

    def noted(self, space: str) -> bool:
        """True if any turn of a space has metadata or expires."""
        query = (
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM attribute WHERE space = :space)"
            " OR EXISTS (SELECT 1 FROM turn WHERE space = :space AND expires <> 0)"
        )
        return bool(self.read(space, lambda tables: tables.rows(query)))

    def index_rows(self, space: str, *, after: int = 0) -> Iterator[IndexRow]:
        """Index rows with `seq` above `after`, in order of `seq`, streamed. May include turns added while it runs."""
        while page := self.read_vectors(space, partial(reads.index_rows, after=after, limit=_PAGE)):
            yield from page
            after = page[-1].seq

    def keep_reply(self, space: str, key: str, text: str, turns: Iterable[str], *, most: int | None = None) -> bool:
        """Store a reply under `key`, replacing an existing one; `turns` are those whose text was in the request.

        It is deleted with the first of them that is forgotten; a reply without turns, with any turn of the space.
        Returns False without storing anything if one of the turns or the space no longer exists, or if the text cannot
        be stored. With `most`, the oldest replies of the space are deleted down to this number, except records, which
        are marks of one character.

        Raises:
            StoreError: one of its subclasses; nothing was kept.
        """
        of_turns = list(turns)
        try:
            f"{key}{text}".encode()
        except UnicodeEncodeError:  # lone surrogates
            return False
        return self.write(space, partial(replies.keep, key=key, text=text, turns=of_turns, most=most))

    def add_rules(self, space: str, rules: Sequence[StatedRule]) -> list[str]:
        """Keep sentences that state rules in one durable transaction; returns the ids that were new, in order.

        One that is kept already is kept as it was read now.

        Raises:
            StoreError: one of its subclasses; nothing was kept.
        """
        return self.write(space, partial(rule_rows.add, rules=rules)) if rules else []

    def remove_rules(self, space: str, ids: Iterable[str]) -> list[str]:
        """Remove these sentences; returns the ids of those that were there. Their text is overwritten in the file."""
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
        reading: Reanalysis = NOTHING_READ,
        most: int | None = None,
    ) -> Forgotten:
        """Remove a turn, a session, turns that meet conditions (of a session), or (without arguments) the space with
        its rules and its graph, and everything derived from them alone. With `dry_run`, only count.

        Replies of chat models that were asked about a turn removed go, too.

        Deleted content is overwritten in the file (secure delete). What is not there is forgotten already: the counts
        are 0. Turns that remain keep their positions.

        `reading`: turns that remain, read again without those that go, which have to be just those of `gone`. Raises
        OutdatedReadingError, and does nothing, where others would go, or what remains is no longer what was read.

        With `most`, at most so many turns go, those stored last (`last`): fewer, when these are all. Until then what was removed
        is not overwritten; `overwrite_removed` does so, too.
        """
        work = partial(
            writes.forget,
            turn=turn,
            session=session,
            where=where,
            dry_run=dry_run,
            gone=gone,
            reading=reading,
            most=most,
        )
        run = self.read if dry_run else self.write_vectors if reading.derived else self.write
        return run(space, work)

    def expired(self, space: str, now: datetime, limit: int) -> list[Turn]:
        """Of the turns that expired by now those stored last."""
        ids = self.read(space, partial(reads.expired, now=codec.expiry(now), limit=limit))
        return list(self.turns(space, ids).values())

    def purge(
        self,
        space: str,
        now: datetime,
        gone: Collection[str] | None = None,
        reading: Reanalysis = NOTHING_READ,
        most: int | None = None,
    ) -> Forgotten:
        """Remove the turns that expired by now as `forget` does, and keep of each only its id and when it expired.

        `most` and OutdatedReadingError are as for `forget`.
        """
        work = partial(writes.purge, now=codec.expiry(now), gone=gone, reading=reading, most=most)
        return (self.write_vectors if reading.derived else self.write)(space, work)

    def overwrite_removed(self) -> None:
        """Overwrite what was removed from the file."""

    def kept_pages(self, size: int) -> Iterator[list[StoredTurn]]:
        """Every turn with what is kept of it, `size` at a time, one space after another."""
        for space in self.spaces():
            after = 0
            while page := self.read_vectors(space, partial(self._kept_page, after=after, limit=size)):
                yield page
                after = page[-1].seq

    def _kept_page(self, tables: Any, after: int, limit: int) -> list[StoredTurn]:
        return kept_turns(tables, after, limit)


class Store(TableStore):
    """A store that is open, as a whole."""

    @abstractmethod
    def held_spaces(self) -> dict[str, tuple[int, int]]:
        """The `version` of every space that holds turns, rules or a graph, by its name, sorted."""

    @property
    @abstractmethod
    def read_only(self) -> bool:
        """True when the store can only be read."""

    @abstractmethod
    def add(self, batch: Batch) -> list[str]:
        """Store a batch in one durable transaction; returns the ids that were new, in order.

        Turns whose id is stored already are skipped with all that is derived from them. A session keeps the time it
        was first given.

        Raises:
            InputError: a turn cannot be stored as it is; nothing of the batch was.
            OutdatedReadingError: what their reading rests on (`Batch.known`) was changed meanwhile; nothing was stored.
            StoreError: one of its subclasses; nothing of the batch was stored.
        """

    @abstractmethod
    def check(self) -> list[str]:
        """Problems found in the store's integrity; empty when sound."""

    @abstractmethod
    def examine(self) -> list[Finding]:
        """Findings, each with its remedy; empty if sound."""

    @abstractmethod
    def repairs(self) -> Repairs:
        """Repairs of the store (`goalmem.maintenance.check`)."""

    @abstractmethod
    def meta(self) -> dict[str, Any]:
        """Schema version, embedding model name and dimension, creation time, program version."""

    @abstractmethod
    def bound_to(self, model: str, dimension: int) -> Store:
        """The same store, for vectors of another model: those that it keeps since `store.reembedding`.

        Objects opened before still refuse them. Closing either closes both.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the store. Later calls raise StoreClosedError; closing again does nothing."""
