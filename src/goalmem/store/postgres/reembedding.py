"""A database's vectors made anew: in a table beside the one in use, which is dropped and replaced in one transaction.

How far it is, each space knows by itself (`space.staged`, the last turn whose new vectors are kept), so that the switch has to
look at spaces alone, and not at turns. A space with indices of its own gets the one of its new vectors before the switch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

from psycopg import sql

from goalmem.errors import InputError, StoreBusyError
from goalmem.store.failures import reembedded
from goalmem.store.postgres.binary import Halfvecs
from goalmem.store.postgres.schema import Connection, Layout, first_value, passages
from goalmem.store.postgres.search import build, index_name
from goalmem.store.postgres.store import PostgresStore
from goalmem.store.postgres.tables import PostgresTables, in_space
from goalmem.store.postgres.text import next_change, restored
from goalmem.store.reads import turns_after
from goalmem.store.reembedding import (
    MOST_LAST,
    Embed,
    EmbeddingModel,
    PendingReembedding,
    PendingTurn,
    given_up,
    under_way_already,
)
from goalmem.store.table_store import Store

MOST_DIMENSIONS, MOST_INDEXED = 16_000, 4_000
"""Maximum dimensions of a halfvec, and of an indexed one (github.com/pgvector/pgvector, Reference)."""
LOCK_WAIT, LOCK_PAUSE = 1.0, 0.2
"""Seconds that the switch waits for readers while all others wait for it, and pause between attempts."""
SWITCH_TIME = 60.0
"""Seconds of such attempts until the store counts as busy."""
_NEXT = "next_passage"
_CHOSEN = ("next_model", "next_dimension", "next_number")
"""Metadata of the store while a re-embedding is in progress."""


@dataclass(frozen=True, slots=True)
class _Begun:
    model: EmbeddingModel
    number: int
    """Another one for each change."""


@dataclass(frozen=True, slots=True)
class _Behind:
    """A space with turns without new vectors, according to its own row."""

    name: str
    staged: int
    last_seq: int


class PostgresReembedding:
    """`Reembedding` of a PostgreSQL store."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._connections = store.connections
        self._begun: _Begun | None = None

    def under_way(self) -> PendingReembedding | None:
        """See `Reembedding.under_way`."""
        begun = self._connections.read(None, lambda connection: _chosen(_meta(connection)))
        if begun is None:
            return None
        row: Any = self._listed(
            "SELECT coalesce(sum(CASE WHEN change = %s AND staged >= last_seq THEN turns ELSE 0 END), 0)::bigint,"
            " coalesce(sum(turns), 0)::bigint FROM space",
            begun.number,
        )[0]
        partly = [behind for behind in self._behind(begun.number) if behind.staged]
        return PendingReembedding(begun.model, int(row[0]) + sum(map(self._staged_turns, partly)), int(row[1]))

    def _staged_turns(self, behind: _Behind) -> int:
        query = "SELECT count(*) FROM turn WHERE space = :space AND seq <= :staged"
        return int(self._store.read(behind.name, lambda tables: tables.rows(query, staged=behind.staged))[0][0])

    def begin(self, model: EmbeddingModel) -> None:
        """See `Reembedding.begin`."""
        if model.dimension > MOST_DIMENSIONS:
            raise InputError(
                f"PostgreSQL keeps vectors of {MOST_DIMENSIONS:,} dimensions at most, not of {model.dimension:,}.",
                "Choose another model, or fewer dimensions (GOALMEM_EMBEDDING_DIMENSIONS).",
            )
        with self._connections.altering() as connection:
            self._require_own(connection)
            begun = _chosen(_meta(connection))
            if begun is not None and begun.model != model:
                raise under_way_already(begun.model.name)
            if begun is None:
                _require_indexable(connection, model)
                begun = _Begun(model, next_change(connection))
                _make_room(connection, model.dimension)
                for row in zip(_CHOSEN, (model.name, str(model.dimension), str(begun.number)), strict=True):
                    connection.execute("INSERT INTO meta VALUES (%s, %s)", row)
        self._begun = begun

    def unmade(self, size: int) -> Iterator[list[PendingTurn]]:
        """See `Reembedding.unmade`. A page may hold turns of several spaces."""
        page: list[PendingTurn] = []
        for behind in self._behind(self._number):
            after = behind.staged
            while True:
                wanted = size - len(page)
                found = self._store.read(behind.name, partial(turns_after, after=after, limit=wanted))
                page += [PendingTurn(seq, turn) for seq, turn in found]
                if len(found) == wanted:
                    yield page
                    page, after = [], found[-1][0]
                else:
                    break
            if not found and after < behind.last_seq:
                # The last turn was forgotten.
                self._store.write_vectors(behind.name, partial(self._advance, last=behind.last_seq))
        if page:
            yield page

    def stage(self, made: Sequence[tuple[PendingTurn, bytes]]) -> None:
        """See `Reembedding.stage`. One transaction a space."""
        for name, of_space in groupby(made, key=lambda entry: entry[0].turn.space):
            rows = list(of_space)
            self._store.write_vectors(name, partial(self._stage, rows=rows))

    def _stage(self, tables: PostgresTables, rows: Sequence[tuple[PendingTurn, bytes]]) -> None:
        before = self._advance(tables, rows[-1][0].seq)
        if before is None:
            return
        query = "SELECT seq FROM turn WHERE space = :space AND seq > :before AND seq < :first ORDER BY seq LIMIT 1"
        passed_over = [
            seq for (seq,) in tables.rows(query, before=before, first=rows[0][0].seq)
        ]  # changed since it was read
        if again := [*passed_over, *self._insert(tables, rows)]:
            tables.unstage(min(again))

    def _insert(self, tables: PostgresTables, rows: Sequence[tuple[PendingTurn, bytes]]) -> list[int]:
        """Insert vectors of those turns that are still as they were; the numbers of those that are not, and are there."""
        assert self._begun is not None
        numbers = [unmade.seq for unmade, _ in rows]
        query = "SELECT seq, text FROM turn WHERE space = :space AND seq IN :numbers"
        there: dict[int, str] = dict(tables.rows(query, numbers=numbers))
        kept = [(unmade.seq, vector) for unmade, vector in rows if there.get(unmade.seq) == unmade.turn.text]
        dimension = self._begun.model.dimension
        places = [(seq, n) for seq, vector in kept for n in range(len(vector) // (2 * dimension))]
        vectors = Halfvecs(b"".join(vector for _, vector in kept), dimension, self._store.form.halfvec)
        if places:
            tables.connection.execute(
                "INSERT INTO next_passage (space, seq, n, vector)"
                " SELECT %s, * FROM unnest(%b::bigint[], %b::integer[], %b::halfvec[]) ON CONFLICT DO NOTHING",
                (tables.id, [seq for seq, _ in places], [n for _, n in places], vectors),
            )
        return [unmade.seq for unmade, _ in rows if there.get(unmade.seq, unmade.turn.text) != unmade.turn.text]

    def _advance(self, tables: PostgresTables, last: int) -> int | None:
        """Record the progress of a locked space and return its previous progress; None if the space is gone. Raises
        ConflictError as `stage`.
        """
        # Held before the number is looked at: it is not emptied or replaced until we are done.
        tables.connection.execute("LOCK TABLE ONLY next_passage IN ROW EXCLUSIVE MODE")
        number = self._number
        self._require_under_way(_meta(tables.connection))
        if not tables.hold():
            return None
        staged = "SELECT CASE WHEN change = :change THEN staged ELSE 0 END FROM space WHERE space = :space"
        before = int(tables.rows(staged, change=number)[0][0])
        tables.run(
            "UPDATE space SET staged = greatest(CASE WHEN change = :change THEN staged ELSE 0 END, :last),"
            " change = :change WHERE space = :space",
            change=number,
            last=last,
        )
        return before

    def switch(self, embed: Embed | None = None) -> Store | None:
        """See `Reembedding.switch`. Raises StoreBusyError where others read without an end."""
        deadline = time.monotonic() + SWITCH_TIME
        number = self._number
        while True:
            if embed is None and self._behind(number):
                self._connections.read(None, lambda connection: self._require_under_way(_meta(connection)))
                return None
            self._build_indices()
            try:
                with self._connections.altering() as connection:
                    model = self._replace(connection, embed)
            except StoreBusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(LOCK_PAUSE)
                continue
            return self._store.bound_to(model.name, model.dimension) if model else None

    def _build_indices(self) -> None:
        spaces = [UUID(str(space)) for (space,) in self._listed("SELECT space FROM space WHERE indexed")]
        if spaces:
            with self._connections.owning() as connection:
                for space in spaces:
                    build(connection, self._connections.schema, _NEXT, space)

    def _replace(self, connection: Connection, embed: Embed | None) -> EmbeddingModel | None:
        """Put the new table in the place of the old one, where it is whole. Inside a transaction of the owner."""
        connection.execute(
            f"SET LOCAL lock_timeout = {int(LOCK_WAIT * 1000)}; SET LOCAL goalmem.listing = 'on'".encode()
        )
        if embed is not None:
            # Readers continue, writers wait.
            connection.execute("LOCK TABLE passage IN SHARE MODE")
            self._require_own(connection)
            self._require_under_way(_meta(connection))
            if not self._finish(connection, embed):
                return None
        connection.execute("LOCK TABLE passage, next_passage IN ACCESS EXCLUSIVE MODE")
        self._require_own(connection)
        begun = self._require_under_way(_meta(connection))
        if embed is None and _rows_behind(connection, begun.number):
            return None
        spaces = [UUID(str(space)) for (space,) in connection.execute("SELECT space FROM space WHERE indexed")]
        indices = [(index_name(_NEXT, space), index_name("passage", space)) for space in spaces]
        if not _are_built(connection, [built for built, _ in indices]):
            return None
        connection.execute("DROP TABLE passage")
        for part in (*_parts(connection), _NEXT):
            _rename(connection, "TABLE", part, part.removeprefix("next_"))
        for built, name in indices:
            _rename(connection, "INDEX", built, name)
        for key, value in (("model", begun.model.name), ("dimension", str(begun.model.dimension))):
            connection.execute("UPDATE meta SET value = %s WHERE key = %s", (value, key))
        _forget_choice(connection)
        _make_room(connection, begun.model.dimension)
        return begun.model

    def _finish(self, connection: Connection, embed: Embed) -> bool:
        """Embed the remaining turns; False if too many remain. Does not lock rows of spaces, which `forget` may hold."""
        left = MOST_LAST
        for behind in _rows_behind(connection, self._number):
            tables = in_space(connection, behind.name, self._store.form)
            connection.execute(sql.SQL("SET LOCAL goalmem.space = {}").format(sql.Literal(str(tables.id))))
            found = turns_after(tables, behind.staged, left)
            left -= len(found)
            if not left:
                return False
            if found:
                vectors = embed([turn for _, turn in found])
                self._insert(tables, [(PendingTurn(*row), own) for row, own in zip(found, vectors, strict=True)])
        return True

    def clear(self) -> None:
        """See `Reembedding.clear`. The switch has freed everything."""

    def give_up(self) -> bool:
        """See `Reembedding.give_up`."""
        with self._connections.altering() as connection:
            kept = _meta(connection)
            begun = _chosen(kept) is not None
            if begun:
                _forget_choice(connection)
                _make_room(connection, int(kept["dimension"]))
            return begun

    @property
    def _number(self) -> int:
        if self._begun is None:
            raise given_up("")
        return self._begun.number

    def _behind(self, number: int) -> list[_Behind]:
        """Spaces with turns that are not staged, according to their rows."""
        return self._connections.listing(lambda connection: _rows_behind(connection, number))

    def _listed(self, query: str, *values: int) -> list[tuple[Any, ...]]:
        """Rows of all spaces' own rows."""
        return self._connections.listing(lambda c: c.execute(query.encode(), values or None).fetchall())

    def _require_own(self, connection: Connection) -> None:
        """Refuse a store whose model was changed since it was opened."""
        kept = _meta(connection)
        if kept.get("model") != self._store.model:
            raise reembedded(self._connections.name, self._store.model, kept.get("model", ""))

    def _require_under_way(self, kept: dict[str, str]) -> _Begun:
        if self._begun is None or _chosen(kept) != self._begun:
            raise given_up(self._begun.model.name if self._begun else "")
        return self._begun


def _meta(connection: Connection) -> dict[str, str]:
    return {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}


def _rows_behind(connection: Connection, number: int) -> list[_Behind]:
    rows = connection.execute(
        "SELECT name, CASE WHEN change = %s THEN staged ELSE 0 END, last_seq FROM space"
        " WHERE change <> %s OR staged < last_seq ORDER BY space",
        (number, number),
    )
    return [_Behind(str(name), int(staged), int(last)) for name, staged, last in map(restored, rows)]


def _chosen(kept: dict[str, str]) -> _Begun | None:
    if not all(key in kept for key in _CHOSEN):
        return None
    return _Begun(EmbeddingModel(kept["next_model"], int(kept["next_dimension"])), int(kept["next_number"]))


def _forget_choice(connection: Connection) -> None:
    connection.execute("DELETE FROM meta WHERE key = ANY(%s)", (list(_CHOSEN),))


def _make_room(connection: Connection, dimension: int) -> None:
    """Create the empty table for new vectors of this dimension; its privileges apply from the commit."""
    connection.execute("DROP TABLE IF EXISTS next_passage")
    passages(connection, Layout(int(_meta(connection)["partitions"]), dimension), _NEXT)


def _require_indexable(connection: Connection, model: EmbeddingModel) -> None:
    connection.execute("SET LOCAL goalmem.listing = 'on'")
    count = first_value(connection, "SELECT count(*) FROM space WHERE indexed")
    if count and model.dimension > MOST_INDEXED:
        raise InputError(
            f"{count} spaces are searched in the database, by indices of {MOST_INDEXED:,} dimensions at most;"
            f" {model.name!r} has {model.dimension:,}.",
            "Remove their indices first (goalmem index --drop), or choose fewer dimensions.",
        )


def _are_built(connection: Connection, names: Sequence[str]) -> bool:
    query = (
        "SELECT count(*) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " WHERE i.indisvalid AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY(%s)"
    )
    return bool(first_value(connection, query, list(names)) == len(names))


def _parts(connection: Connection) -> list[str]:
    """The partitions of the new table."""
    query = (
        "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = 'next_passage'::regclass"
    )
    return [str(name) for (name,) in connection.execute(query)]


def _rename(connection: Connection, kind: str, old: str, new: str) -> None:
    connection.execute(
        sql.SQL("ALTER {} {} RENAME TO {}").format(sql.SQL(kind), sql.Identifier(old), sql.Identifier(new))
    )
