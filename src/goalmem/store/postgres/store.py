"""The server store: a PostgreSQL database with pgvector, for several processes on several machines.

Durability: `synchronous_commit` is on, so a turn is on the server's disk (and where it has synchronous standbys, on theirs) when
`add` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from goalmem.errors import CorruptStoreError, InputError
from goalmem.records import Turn
from goalmem.store import reads, writes
from goalmem.store.database_file import described
from goalmem.store.failures import reembedded
from goalmem.store.integrity import Finding, Remedy
from goalmem.store.postgres import (
    integrity,
    search,
)
from goalmem.store.postgres.binary import VectorForm
from goalmem.store.postgres.connections import Check, Connections
from goalmem.store.postgres.failures import failures_of
from goalmem.store.postgres.location import locate_postgres
from goalmem.store.postgres.migrations import open_schema
from goalmem.store.postgres.schema import Connection, first_value
from goalmem.store.postgres.tables import DERIVED, POSTGRES, AskedTables, PostgresTables
from goalmem.store.postgres.text import EVERY_WORD, key_of, restored, seek_words
from goalmem.store.protocol import Batch, Forgotten
from goalmem.store.repair import Repairs
from goalmem.store.table_store import Store
from goalmem.store.tables import SpaceTransactions, held_by, reading, reading_vectors, renew_epoch

_MODEL_NOW = "LOCK TABLE ONLY passage IN {} MODE; SELECT key, value FROM meta WHERE key IN ('dimension', 'model')"
"""Holds the model of the vectors fixed until the transaction ends. The lock comes before the first read: otherwise a
transaction that began before another one replaced the table would see the old model with the new vectors
(postgresql.org/docs, 13.2.2).
"""

_VERSION = b"CASE WHEN (SELECT value FROM meta WHERE key = 'model') = %s THEN epoch ELSE 0 END, last_seq"
"""Columns of the version of a space. No epoch is current for vectors of another model."""

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, space: UUID, work: Callable[[Connection], T], check: Check | None, /) -> T: ...


class PostgresStore(Store):
    """A `Store` in a schema of a PostgreSQL database. Safe for many threads and processes, and across a fork."""

    dialect = POSTGRES

    def __init__(
        self, place: str, *, model: str, dimension: int, busy_timeout: float = 30.0, read_only: bool = False
    ) -> None:
        """See `open_store`. Creates missing tables; calls also wait for a server that is restarting.

        `place`: `postgresql://user:password@host:port/database?…`; `goalmem_schema=NAME` in the query puts it elsewhere than in the
        schema `goalmem`, `goalmem_partitions=N` makes a new one with so many partitions a table.
        """
        location = locate_postgres(place)
        if not model or dimension < 1:
            raise InputError(
                f"No model is named {model!r} with {dimension} dimensions.", "Name the model of the vectors."
            )
        with failures_of(location.name):
            opened = open_schema(location, model, dimension, read_only=read_only)
        self._name = location.name
        self._model = model
        self.form = VectorForm(dimension, opened.halfvec)
        self._checks = _checks(self._require_model)
        self._connections = Connections(location, opened, busy_timeout)

    @property
    def read_only(self) -> bool:
        """True when the store can only be read, as on a standby."""
        return self._connections.opened.read_only

    def add(self, batch: Batch) -> list[str]:
        """See `Store.add`. A session keeps the time it was first given."""
        writes.check_batch(batch, self.form.dimension)
        if not batch.turns:
            return []
        stored: list[str] = []

        def work(tables: PostgresTables) -> list[str]:
            fresh = writes.insert(tables, batch)
            # If the connection was lost after the commit, the retry finds the rows already stored.
            stored.extend(id_ for id_ in fresh if id_ not in stored)
            return fresh

        fresh = set(self.write_vectors(batch.space, work))
        there = self.turns(batch.space, stored) if len(stored) > len(fresh) else {}
        return [id_ for id_ in stored if id_ in fresh or id_ in there]

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """See `Store.turns`. In the order of `ids`; in a single round trip."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        with failures_of(self._name):
            return reads.turns(AskedTables(self._connections.ask, space, key_of(space)), wanted)

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        return sorted(str(name) for (name,) in self._listed(b"SELECT name FROM space"))

    def held_spaces(self) -> dict[str, tuple[int, int]]:
        """See `Store.held_spaces`."""
        rows = sorted(self._listed(b"SELECT name, " + _VERSION + b", turns FROM space", self._model))
        held = f"SELECT {held_by(':space')}"
        return {
            name: (epoch, last)
            for name, epoch, last, turns in rows
            if turns or self.read(name, lambda tables: tables.rows(held)[0][0])
        }

    def _listed(self, query: bytes, *values: str) -> list[tuple[Any, ...]]:
        """The own rows of all spaces: the only queries of more than one space; they say so to the database."""
        found = self._connections.listing(lambda connection: connection.execute(query, values).fetchall())
        return list(map(restored, found))

    def version(self, space: str) -> tuple[int, int]:
        """See `Store.version`."""
        key = self._key(space)
        query = b"SELECT " + _VERSION + b" FROM space WHERE space = %s"
        rows = self._connections.ask(key, query, (self._model, key))
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)

    sample = reading(search.sample)
    nearest = reading_vectors(search.nearest)
    worded = reading(search.worded)
    rows_around = reading_vectors(search.rows_around)
    speakers = reading(search.speakers)
    newest = reading(search.newest)

    def index_space(self, space: str) -> bool:
        """Build indices for a large space, which is then searched in the database; False if the space does not exist."""
        return search.index_space(self._connections, key_of(space))

    def drop_indices(self, space: str) -> None:
        """Remove a space's own indices."""
        search.drop_indices(self._connections, key_of(space))

    def indexed(self, space: str) -> int:
        """See `LargeSpaces.indexed`."""
        return search.indexed(self._connections, key_of(space))

    def rules_version(self, space: str) -> int:
        """See `Store.rules_version`."""
        row = self._connections.glance(self._key(space), "rules")
        return row[0] if row else 0

    def forget(self, space: str, **given: Any) -> Forgotten:
        """See `Store.forget`. What is forgotten is no longer found; the server's vacuum overwrites it."""
        whole = not any(given.get(part) for part in ("turn", "session", "where", "dry_run"))
        own = self.indexed(space) if whole else 0
        forgotten = super().forget(space, **given)
        if own:
            self.drop_indices(space)
        return forgotten

    def check(self) -> list[str]:
        """See `Store.check`. One space after another."""
        try:
            return [problem for space in self.spaces() for problem in self.read(space, integrity.problems)]
        except CorruptStoreError as error:
            return [error.problem]

    def examine(self) -> list[Finding]:
        """Problems of the tables, their policies, their indices and the rows of each space; empty if sound."""
        try:
            return list(integrity.examine(self._connections, self))
        except CorruptStoreError as error:
            return [Finding(error.problem, Remedy.FILE)]

    def repairs(self) -> DatabaseRepairs:
        """Repairs of the store (`goalmem.maintenance.check`)."""
        return DatabaseRepairs(self)

    def meta(self) -> dict[str, Any]:
        """See `Store.meta`. Keys: schema, model, dimension, created, program, postgres."""

        def work(connection: Connection) -> dict[str, Any]:
            kept = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
            applied = first_value(connection, "SELECT count(*) FROM migration")
            return described(kept, applied, postgres=connection.info.parameter_status("server_version"))

        return self._connections.read(None, work)

    def close(self) -> None:
        """See `Store.close`. May be called twice."""
        self._connections.close()

    def holding(self) -> AbstractContextManager[Connection]:
        """A transaction that reads one state of all spaces: see `Connections.holding`."""
        return self._connections.holding(self._checks.read)

    def read(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.read`."""
        return self._within(self._connections.read, space, query)

    def read_vectors(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.read_vectors`."""
        return self._within(self._connections.read, space, query, self._checks.read)

    def write(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.write`; `work` may be called more than once, each time in a new transaction."""
        return self._within(self._connections.write, space, work)

    def write_vectors(self, space: str, work: Callable[[PostgresTables], T]) -> T:
        """See `SpaceTransactions.write_vectors`."""
        return self._within(self._connections.write, space, work, self._checks.write)

    def _within(self, run: _Run, space: str, work: Callable[[PostgresTables], T], check: Check | None = None) -> T:
        key = self._key(space)
        return run(key, lambda connection: work(PostgresTables(connection, space, key, self.form)), check)

    def _key(self, space: str) -> UUID:
        """Raises InputError for a name that cannot be stored."""
        with failures_of(self._name):
            return key_of(space)

    def bound_to(self, model: str, dimension: int) -> PostgresStore:
        """See `Store.bound_to`."""
        bound = copy(self)
        bound._model, bound.form = model, replace(self.form, dimension=dimension)
        bound._checks = _checks(bound._require_model)
        return bound

    @property
    def model(self) -> str:
        """Name of the embedding model that the store was opened with."""
        return self._model

    @property
    def connections(self) -> Connections:
        """Connections for changes of the tables themselves (`reembedding`)."""
        return self._connections

    def _require_model(self, kept: list[tuple[Any, ...]]) -> None:
        if sorted(kept) != [("dimension", str(self.form.dimension)), ("model", self._model)]:
            raise reembedded(self._name, self._model, str(dict(kept).get("model", "")))


class _Checks(NamedTuple):
    """Checks that the vectors still are of the model that the store was opened with."""

    read: Check
    write: Check
    """Takes the locks of an INSERT at the beginning, which avoids deadlocks."""


def _checks(judge: Callable[[list[tuple[Any, ...]]], None]) -> _Checks:
    return _Checks(Check(_MODEL_NOW.format("ACCESS SHARE"), judge), Check(_MODEL_NOW.format("ROW EXCLUSIVE"), judge))


# -- repairs: one space at a time, each in a transaction that leaves it whole ----------------------------------------

_NO_TURN = "NOT EXISTS (SELECT 1 FROM turn AS t WHERE t.space = x.space AND t.seq = x.seq)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    f"DELETE FROM reply WHERE space = :space AND id IN"
    f" (SELECT x.reply FROM reply_turn AS x WHERE x.space = :space AND {_NO_TURN})",
    "DELETE FROM reply_turn AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM reply AS r WHERE r.space = x.space AND r.id = x.reply)",
    *(f"DELETE FROM {table} AS x WHERE x.space = :space AND {_NO_TURN}" for table in DERIVED),
    "DELETE FROM fact_entity AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.seq = x.seq AND f.n = x.n)",
    "DELETE FROM edge AS x WHERE x.space = :space AND x.fact <> ''"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.id = x.fact)",
)
"""Statements that delete the orphaned rows of a space."""


class DatabaseRepairs(Repairs):
    """Repairs of a database."""

    def __init__(self, store: SpaceTransactions) -> None:
        super().__init__(store)
        self._store = store

    def apply(self, remedies: Collection[Remedy], *, everything: bool) -> list[str]:
        """See `Repairs.apply`. Indices are the database's to build again."""
        done = []
        if Remedy.DROP in remedies:
            gone = sum(self._store.write_vectors(space, _drop_dangling) for space in self._store.spaces())
            done.append(f"{gone} rows deleted that belonged to nothing")
        if Remedy.RENUMBER in remedies:
            for space in self._store.spaces():
                self._store.write_vectors(space, _renumber)
            done.append("turns counted again")
        return done


def _drop_dangling(tables: PostgresTables) -> int:
    tables.hold()
    seek_words(tables.connection, EVERY_WORD)
    gone = sum(map(tables.run, _DANGLING))
    if gone:
        renew_epoch(tables)
    return gone


def _renumber(tables: PostgresTables) -> None:
    tables.hold()
    tables.run(
        "UPDATE space SET last_seq = greatest(last_seq,"
        " (SELECT coalesce(max(t.seq), 0) FROM turn AS t WHERE t.space = :space)),"
        " turns = (SELECT count(*) FROM turn AS t WHERE t.space = :space) WHERE space = :space"
    )
    renew_epoch(tables)
