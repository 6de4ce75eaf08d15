"""Reads: every query names its space and goes through an index.

The functions take a connection inside a transaction that has set the space, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from goalmem.records import Edge, Fact, Mention, Turn
from goalmem.store import codec
from goalmem.store.postgres.binary import little_endian
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import key_of, number_of, restored, storable
from goalmem.store.protocol import IndexRow

__all__ = [
    "Space",
    "aliases",
    "edges",
    "entities",
    "facts",
    "index_rows",
    "known",
    "mentions",
    "session_turns",
    "sessions",
    "turns_after",
    "turns_of",
    "turns_with",
]

Rows = list[tuple[Any, ...]]

_TURNS = "FROM turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session"
_OF_TURN = "JOIN turn AS t ON t.space = {0}.space AND t.seq = {0}.seq"
INDEX_ROW = "t.seq, t.id, s.name, t.position, t.speaker, t.role, t.at, t.terms, t.features"


@dataclass(frozen=True, slots=True)
class Space:
    """A space: its name and its key in the tables."""

    name: str
    id: UUID

    @classmethod
    def named(cls, name: str) -> Space:
        """The space of this name, whether it is there or not."""
        return cls(name, key_of(name))


class Query:
    """A SELECT whose conditions are added one by one."""

    def __init__(self, select: str, table: str, space: Space, first: Sequence[Any] = ()) -> None:
        """`table`: by which name in `select` the rows are of the space; `first`: values of `select` itself."""
        self._sql = f"{select} WHERE {table}.space = %s"
        self._values: list[Any] = [*first, space.id]

    def where(self, condition: str, *values: object) -> None:
        """Add a condition, unless a value of it is None."""
        if None not in values:
            self._sql += f" AND {condition}"
            self._values += values

    def statement(self) -> tuple[str, list[Any]]:
        """The statement and its values."""
        return self._sql, self._values

    def rows(self, connection: Connection, tail: str = "", *values: object) -> Rows:
        """The rows found, their texts as they were given."""
        with connection.cursor(binary=True) as cursor:
            cursor.execute(f"{self._sql} {tail}".encode(), [*self._values, *values])
            return [restored(row) for row in cursor.fetchall()]


def listed(ids: Iterable[str] | None) -> list[str] | None:
    """Ids as they are stored, each once."""
    return None if ids is None else [storable(id_) for id_ in dict.fromkeys(ids)]


def known(connection: Connection, space: Space, session: str) -> dict[str, str]:
    """Identity keys of a session's turns; where two turns share one, the stored position decides."""
    query = Query("SELECT t.id, t.content_hash, t.position, t.call_position, t.external_id FROM turn AS t", "t", space)
    query.where("t.session = %s", key_of(session))
    rows = query.rows(connection, "ORDER BY t.position DESC")
    keys = {f"at:{content}:{call}": id_ for id_, content, _, call, _ in rows}
    keys |= {f"at:{content}:{position}": id_ for id_, content, position, _, _ in rows}
    return keys | {f"id:{external}": id_ for id_, _, _, _, external in rows if external}


def turns_with(space: Space, ids: Sequence[str]) -> Query:
    """What finds turns by id."""
    query = Query(f"SELECT {codec.TURN} {_TURNS}", "t", space)
    query.where("t.id = ANY(%s)", listed(ids))
    return query


def turns_of(space: Space, rows: Rows, ids: Iterable[str]) -> dict[str, Turn]:
    """Turns by id, in the order asked for, of the rows that were found."""
    found = {row[0]: codec.turn_of(space.name, row) for row in map(restored, rows)}
    return {id_: found[id_] for id_ in ids if id_ in found}


def session_turns(connection: Connection, space: Space, session: str, first: int, last: int | None) -> list[Turn]:
    """Turns of a session by position; a negative `first` counts from the end."""
    key = key_of(session)
    if first < 0:
        end = Query("SELECT max(t.position) + 1 FROM turn AS t", "t", space)
        end.where("t.session = %s", key)
        first += end.rows(connection)[0][0] or 0
    query = Query(f"SELECT {codec.TURN} {_TURNS}", "t", space)
    query.where("t.session = %s", key)
    query.where("t.position >= %s", first)
    query.where("t.position <= %s", last)
    return [codec.turn_of(space.name, row) for row in query.rows(connection, "ORDER BY t.position")]


def sessions(connection: Connection, space: Space) -> list[tuple[str, datetime, int]]:
    """Sessions with their times and sizes."""
    query = Query(
        "SELECT s.name, s.at, s.zone, (SELECT count(*) FROM turn AS t WHERE t.space = s.space AND t.session = s.id)"
        " FROM session AS s",
        "s",
        space,
    )
    rows = sorted(query.rows(connection), key=itemgetter(1, 0))
    return [(name, codec.moment(at, zone), count) for name, at, zone, count in rows]


def turns_after(connection: Connection, space: Space, after: int, limit: int) -> list[tuple[int, Turn]]:
    """The next `limit` turns stored after number `after`, with their numbers."""
    query = Query(f"SELECT t.seq, {codec.TURN} {_TURNS}", "t", space)
    query.where("t.seq > %s", after)
    rows = query.rows(connection, "ORDER BY t.seq LIMIT %s", limit)
    return [(row[0], codec.turn_of(space.name, row[1:])) for row in rows]


def index_rows(connection: Connection, space: Space, dimension: int, after: int, limit: int) -> list[IndexRow]:
    """The next `limit` index rows after number `after`."""
    query = Query(f"SELECT {INDEX_ROW} {_TURNS}", "t", space)
    query.where("t.seq > %s", after)
    rows = query.rows(connection, "ORDER BY t.seq LIMIT %s", limit)
    if not rows:
        return []
    vectors = vectors_of(connection, space, dimension, rows[0][0], rows[-1][0])
    return with_vectors(rows, vectors)


def vectors_of(connection: Connection, space: Space, dimension: int, first: int, last: int) -> dict[int, bytes]:
    """The vectors of the turns with numbers from `first` to `last`, as a store keeps them."""
    query = Query("SELECT p.seq, halfvec_send(p.vector) FROM passage AS p", "p", space)
    query.where("p.seq BETWEEN %s AND %s", first, last)
    return _by_turn(connection, query, dimension)


def vectors_of_turns(connection: Connection, space: Space, dimension: int, numbers: Sequence[int]) -> dict[int, bytes]:
    """The vectors of the turns with these numbers, as a store keeps them."""
    query = Query("SELECT p.seq, halfvec_send(p.vector) FROM passage AS p", "p", space)
    query.where("p.seq = ANY(%s)", list(numbers))
    return _by_turn(connection, query, dimension)


def _by_turn(connection: Connection, query: Query, dimension: int) -> dict[int, bytes]:
    rows = query.rows(connection, "ORDER BY p.seq, p.n")
    every, size = little_endian((sent for _, sent in rows), dimension), 2 * dimension
    found: dict[int, bytes] = {}
    start = 0
    for seq, own in groupby(rows, key=itemgetter(0)):
        end = start + size * sum(1 for _ in own)
        found[seq] = every[start:end]
        start = end
    return found


def with_vectors(rows: Rows, vectors: dict[int, bytes]) -> list[IndexRow]:
    """Index rows of the turns `INDEX_ROW` was read of."""
    return [
        IndexRow(seq, id_, session, position, speaker, role, at / 1e6, vectors[seq], terms, features)
        for seq, id_, session, position, speaker, role, at, terms, features in rows
    ]


def facts(
    connection: Connection,
    space: Space,
    ids: Iterable[str] | None,
    turns: Iterable[str] | None,
    entity: str | None,
    predicate: str | None,
    slot: str | None,
    newest: int | None = None,
) -> list[Fact]:
    """Facts by any of their handles, in order of time, turn position, place in the turn."""
    query = Query(f"SELECT {codec.FACT}, t.position, f.seq, f.n FROM fact AS f {_OF_TURN.format('f')}", "f", space)
    query.where("f.id = ANY(%s)", listed(ids))
    query.where("t.id = ANY(%s)", listed(turns))
    if entity is not None:
        query.where(
            "(f.seq, f.n) IN (SELECT e.seq, e.n FROM fact_entity AS e WHERE e.space = %s AND e.entity = %s)",
            space.id,
            codec.entity_key(entity),
        )
    if slot is not None:
        query.where("f.slot_key = %s AND f.slot = %s", number_of(slot), storable(slot))
    if predicate is not None:
        query.where("f.predicate_key = %s AND f.predicate = %s", number_of(predicate), storable(predicate))
    if newest is not None and entity is not None and predicate is not None:
        rows = query.rows(connection, "ORDER BY f.seq DESC, f.n DESC LIMIT %s", newest)
    else:
        rows = query.rows(connection)
    # said at, position of the turn, start in it, order of extraction
    rows.sort(key=lambda row: (row[12], row[-3], row[3], row[-2], row[-1]))
    return [codec.fact_of(space.name, row[:-3]) for row in rows]


def mentions(connection: Connection, space: Space, turns: Iterable[str] | None, entity: str | None) -> list[Mention]:
    """Mentions in the order stored."""
    query = Query(f"SELECT {codec.MENTION} FROM mention AS m {_OF_TURN.format('m')}", "m", space)
    query.where("t.id = ANY(%s)", listed(turns))
    query.where("m.entity_key = %s", _key(entity))
    return [codec.mention_of(space.name, row) for row in query.rows(connection, "ORDER BY m.seq, m.n")]


def edges(connection: Connection, space: Space, subject: str | None, object_: str | None) -> list[Edge]:
    """Edges in the order stored."""
    query = Query(f"SELECT {codec.EDGE} FROM edge AS e {_OF_TURN.format('e')}", "e", space)
    query.where("e.subject_key = %s", _key(subject))
    query.where("e.object_key = %s", _key(object_))
    return [codec.edge_of(space.name, row) for row in query.rows(connection, "ORDER BY e.seq, e.n")]


def _key(name: str | None) -> int | None:
    return None if name is None else codec.entity_key(name)


def entities(connection: Connection, space: Space) -> dict[str, tuple[str, int]]:
    """Entities by name, with the type most of their mentions have and how often they are mentioned."""
    query = Query("SELECT m.entity, m.type, count(*) FROM mention AS m", "m", space)
    rows = query.rows(connection, "GROUP BY m.entity, m.type")
    found: dict[str, tuple[str, int]] = {}
    # No type comes first and the most frequent last, so that what is written last is the best known type.
    for entity, type_, count in sorted(rows, key=lambda row: (row[0], row[1] != "", row[2], row[1])):
        found[entity] = (type_, found.get(entity, ("", 0))[1] + count)
    return found


def aliases(connection: Connection, space: Space) -> dict[str, str]:
    """Alias to name; of two statements the later said one holds."""
    query = Query(f"SELECT a.alias, a.name FROM alias AS a {_OF_TURN.format('a')}", "a", space)
    return dict(query.rows(connection, "ORDER BY t.at, t.seq, a.n"))
