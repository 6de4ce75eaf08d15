"""Reads: every query goes through an index, and none leaves its space.

The functions take the number of the space (`space_id`) beside its name, and a connection inside a transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goalmem.records import Edge, Fact, Mention, Turn
from goalmem.store import codec
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
    "turns",
    "turns_after",
]

_CHUNK = 500
"""Values in one IN list: below the 999 variables that any build of SQLite allows."""

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Space:
    """A space that is there: its name and its number in the tables."""

    name: str
    id: int


class _Query:
    """A SELECT whose conditions are added from the most selective on.

    Only the first may choose the index: SQLite has no statistics and would as soon go through a space by a common
    predicate as through the ten turns asked for. A unary plus keeps the others from it (sqlite.org/optoverview.html,
    section 8.1.1).
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._values: list[str | int] = []
        self._list: tuple[str, list[str]] | None = None
        self._chosen = False

    def where(self, condition: str, *values: str | int) -> None:
        """Add a condition that begins with a column."""
        self._sql += f" AND {'+' if self._chosen else ''}{condition}"
        self._values += values
        self._chosen = True

    def equal(self, table: str, column: str, value: str | int | None, space: Space) -> None:
        """Add `column = value` within the space, unless `value` is None."""
        if value is not None:
            plus = "+" if self._chosen else ""
            self.where(f"{table}.{column} = ? AND {plus}{table}.space = ?", value, space.id)

    def within(self, table: str, space: Space) -> None:
        """Add that the rows are of the space."""
        self.where(f"{table}.space = ?", space.id)

    def among(self, ids: Iterable[str] | None, table: str, space: Space) -> None:
        """Add that the row's id is one of `ids`, of which there may be any number, unless that is None."""
        if ids is not None:
            self._list = (f"{table}.id", list(dict.fromkeys(ids)))
            self.within(table, space)

    def rows(self, connection: sqlite3.Connection) -> Rows:
        """The rows found; a long list is asked in chunks."""
        if self._list is None:
            return connection.execute(self._sql, self._values).fetchall()
        column, wanted = self._list
        found: Rows = []
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            sql = f"{self._sql} AND {column} IN ({','.join('?' * len(chunk))})"
            found += connection.execute(sql, [*self._values, *chunk]).fetchall()
        return found


def known(connection: sqlite3.Connection, space: Space, session: str) -> dict[str, str]:
    """Identity keys of a session's turns; where two turns share one, the stored position decides."""
    rows = connection.execute(
        "SELECT t.id, t.content_hash, t.position, t.call_position, t.external_id FROM turn AS t"
        " WHERE t.session = (SELECT id FROM session WHERE space = ? AND name = ?) ORDER BY t.position DESC",
        (space.id, session),
    ).fetchall()
    keys = {f"at:{content}:{call}": id_ for id_, content, _, call, _ in rows}
    keys |= {f"at:{content}:{position}": id_ for id_, content, position, _, _ in rows}
    return keys | {f"id:{external}": id_ for id_, _, _, _, external in rows if external}


def turns(connection: sqlite3.Connection, space: Space, ids: Iterable[str]) -> dict[str, Turn]:
    """Turns by id, in the order asked for."""
    asked = list(ids)
    query = _Query(f"SELECT {codec.TURN} FROM turn AS t JOIN session AS s ON s.id = t.session WHERE true")
    query.among(asked, "t", space)
    found = {row[0]: codec.turn_of(space.name, row) for row in query.rows(connection)}
    return {id_: found[id_] for id_ in asked if id_ in found}


def session_turns(
    connection: sqlite3.Connection, space: Space, session: str, first: int, last: int | None
) -> list[Turn]:
    """Turns of a session by position."""
    row = connection.execute(
        "SELECT s.id, max(t.position) + 1 FROM session AS s JOIN turn AS t ON t.session = s.id"
        " WHERE s.space = ? AND s.name = ?",
        (space.id, session),
    ).fetchone()
    if row[0] is None:
        return []
    session_id, end = row
    lowest, highest = first if first >= 0 else end + first, end if last is None else last
    rows = connection.execute(
        f"SELECT {codec.TURN} FROM turn AS t JOIN session AS s ON s.id = t.session"
        " WHERE t.session = ? AND t.position BETWEEN ? AND ? ORDER BY t.position",
        (session_id, lowest, highest),
    )
    return [codec.turn_of(space.name, row) for row in rows]


def sessions(connection: sqlite3.Connection, space: Space) -> list[tuple[str, datetime, int]]:
    """Sessions with their times and sizes."""
    rows = connection.execute(
        "SELECT s.name, s.at, s.zone, (SELECT count(*) FROM turn AS t WHERE t.session = s.id)"
        " FROM session AS s WHERE s.space = ?",
        (space.id,),
    ).fetchall()
    rows.sort(key=lambda row: (row[1], row[0]))
    return [(name, codec.moment(at, zone), count) for name, at, zone, count in rows]


def turns_after(connection: sqlite3.Connection, space: Space, after: int, limit: int) -> list[tuple[int, Turn]]:
    """The next `limit` turns stored after number `after`, with their numbers."""
    rows = connection.execute(
        f"SELECT t.seq, {codec.TURN} FROM turn AS t JOIN session AS s ON s.id = t.session"
        " WHERE t.space = ? AND t.seq > ? ORDER BY t.seq LIMIT ?",
        (space.id, after, limit),
    )
    return [(row[0], codec.turn_of(space.name, row[1:])) for row in rows]


def index_rows(connection: sqlite3.Connection, space: Space, after: int, limit: int) -> list[IndexRow]:
    """The next `limit` index rows after number `after`."""
    rows = connection.execute(
        "SELECT t.seq, t.id, s.name, t.position, t.speaker, t.role, t.at / 1e6, i.vector, i.terms, i.features"
        " FROM turn AS t JOIN session AS s ON s.id = t.session JOIN signal AS i ON i.turn = t.seq"
        " WHERE t.space = ? AND t.seq > ? ORDER BY t.seq LIMIT ?",
        (space.id, after, limit),
    )
    return [IndexRow(*row) for row in rows]


def facts(
    connection: sqlite3.Connection,
    space: Space,
    ids: Iterable[str] | None,
    turns: Iterable[str] | None,
    entity: str | None,
    predicate: str | None,
    slot: str | None,
    newest: int | None = None,
) -> list[Fact]:
    """Facts by any of their handles, in order of time, turn position, place in the turn."""
    if newest is not None and entity is not None and predicate is not None:
        # Of a busy entity there may be a hundred thousand: the index of predicates, read from its end, finds the last.
        last = _last_of_entity(connection, space, entity, predicate, newest)
        ids, entity, predicate = (last if ids is None else [i for i in ids if i in {*last}]), None, None
    query = _Query(f"SELECT {codec.FACT}, t.position, f.seq FROM fact AS f JOIN turn AS t ON t.seq = f.turn WHERE true")
    query.among(ids, "f", space)
    if ids is None:
        query.among(turns, "t", space)
    if entity is not None:
        of_entity = "SELECT fact FROM fact_entity WHERE space = ? AND entity = ?"
        query.where(f"f.seq IN ({of_entity})", space.id, codec.entity_key(entity))
    query.equal("f", "slot", slot, space)
    query.equal("f", "predicate", predicate, space)
    query.within("f", space)
    rows = query.rows(connection)
    if ids is not None and turns is not None:
        of_turns = set(turns)
        rows = [row for row in rows if row[1] in of_turns]
    # said at, position of the turn, start in it, order of extraction
    rows.sort(key=lambda row: (row[12], row[-2], row[3], row[-1]))
    return [codec.fact_of(space.name, row[:-2]) for row in rows]


def _last_of_entity(connection: sqlite3.Connection, space: Space, entity: str, predicate: str, most: int) -> list[str]:
    """Ids of the facts of an entity with a predicate that were stored last."""
    rows = connection.execute(
        "SELECT f.id FROM fact AS f WHERE f.space = ? AND f.predicate = ? AND EXISTS"
        " (SELECT 1 FROM fact_entity AS e WHERE e.space = ? AND e.entity = ? AND e.fact = f.seq)"
        " ORDER BY f.seq DESC LIMIT ?",
        (space.id, predicate, space.id, codec.entity_key(entity), most),
    )
    return [id_ for (id_,) in rows]


def mentions(
    connection: sqlite3.Connection, space: Space, turns: Iterable[str] | None, entity: str | None
) -> list[Mention]:
    """Mentions in the order stored."""
    query = _Query(f"SELECT {codec.MENTION}, m.seq FROM mention AS m JOIN turn AS t ON t.seq = m.turn WHERE true")
    query.among(turns, "t", space)
    query.equal("m", "entity_key", _key(entity), space)
    query.within("m", space)
    rows = query.rows(connection)
    rows.sort(key=lambda row: row[-1])
    return [codec.mention_of(space.name, row[:-1]) for row in rows]


def edges(connection: sqlite3.Connection, space: Space, subject: str | None, object_: str | None) -> list[Edge]:
    """Edges in the order stored."""
    query = _Query(f"SELECT {codec.EDGE}, e.seq FROM edge AS e JOIN turn AS t ON t.seq = e.turn WHERE true")
    query.equal("e", "subject_key", _key(subject), space)
    query.equal("e", "object_key", _key(object_), space)
    query.within("e", space)
    rows = query.rows(connection)
    rows.sort(key=lambda row: row[-1])
    return [codec.edge_of(space.name, row[:-1]) for row in rows]


def _key(name: str | None) -> int | None:
    return None if name is None else codec.entity_key(name)


def entities(connection: sqlite3.Connection, space: Space) -> dict[str, tuple[str, int]]:
    """Entities by name, with the type most of their mentions have and how often they are mentioned."""
    rows = connection.execute(
        "SELECT entity, type, count(*) FROM mention WHERE space = ? GROUP BY entity, type", (space.id,)
    ).fetchall()
    found: dict[str, tuple[str, int]] = {}
    # No type comes first and the most frequent last, so that what is written last is the best known type.
    for entity, type_, count in sorted(rows, key=lambda row: (row[0], row[1] != "", row[2], row[1])):
        found[entity] = (type_, found.get(entity, ("", 0))[1] + count)
    return found


def aliases(connection: sqlite3.Connection, space: Space) -> dict[str, str]:
    """Alias to name; of two statements the later said one holds."""
    rows = connection.execute(
        "SELECT a.alias, a.name FROM alias AS a JOIN turn AS t ON t.seq = a.turn"
        " WHERE a.space = ? ORDER BY t.at, t.seq, a.seq",
        (space.id,),
    )
    return dict(rows.fetchall())
