"""Turns with all that is kept of them, as it lies in the tables: what cannot be read is said, not raised."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from goalmem.records import Edge, Extraction, Fact, Mention, Turn
from goalmem.store import codec
from goalmem.store.failures import DamagedRowError

__all__ = ["Kept", "aliases_before", "kept_turns", "numbered_turns", "numbers"]

_Row = tuple[Any, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn and what is derived from it."""

    seq: int
    space: str
    turn: Turn | None
    """None when its row cannot be read."""
    content_hash: str
    vector: bytes
    terms: bytes
    features: bytes
    extraction: Extraction | None
    """None when a row of it cannot be read."""
    indexed: bool
    """Whether its facts are found by the entities that they name, and by no others."""


def kept_turns(connection: sqlite3.Connection, after: int, limit: int) -> list[Kept]:
    """The next `limit` turns with numbers above `after`, of all spaces; those without a signal row are left out."""
    rows = connection.execute(
        f"SELECT t.seq, p.name, t.content_hash, i.vector, i.terms, i.features, {codec.TURN} FROM turn AS t"
        " JOIN session AS s ON s.id = t.session JOIN space AS p ON p.id = t.space JOIN signal AS i ON i.turn = t.seq"
        " WHERE t.seq > ? ORDER BY t.seq LIMIT ?",
        (after, limit),
    ).fetchall()
    if not rows:
        return []
    derived = _Derived(connection, rows[0][0], rows[-1][0])
    return [_kept(row, derived) for row in rows]


def numbers(connection: sqlite3.Connection) -> list[int]:
    """The numbers of all turns, in the order stored."""
    return [number for (number,) in connection.execute("SELECT seq FROM turn ORDER BY seq")]


def numbered_turns(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    """The turns with these numbers that can be read, with their numbers, in the order asked for."""
    query = (
        f"SELECT t.seq, p.name, {codec.TURN} FROM turn AS t JOIN session AS s ON s.id = t.session"
        " JOIN space AS p ON p.id = t.space WHERE t.seq = ?"
    )
    found = (connection.execute(query, (number,)).fetchone() for number in numbers)
    turns = ((row[0], _read(partial(codec.turn_of, row[1], row[2:]))) for row in found if row)
    return [(seq, turn) for seq, turn in turns if turn is not None]


def aliases_before(connection: sqlite3.Connection, space: str, seq: int) -> dict[str, str]:
    """Alias to name, as stated in turns stored before number `seq`; of two statements the later said one holds."""
    rows = connection.execute(
        "SELECT a.alias, a.name FROM alias AS a JOIN turn AS t ON t.seq = a.turn JOIN space AS p ON p.id = t.space"
        " WHERE p.name = ? AND t.seq < ? ORDER BY t.at, t.seq, a.seq",
        (space, seq),
    )
    return dict(rows.fetchall())


class _Derived:
    """The rows derived from a run of turns, by turn."""

    def __init__(self, connection: sqlite3.Connection, first: int, last: int) -> None:
        def of(columns: str, table: str, order: str = "x.seq") -> dict[int, list[_Row]]:
            found: dict[int, list[_Row]] = {}
            sql = (
                f"SELECT x.turn, {columns} FROM {table} AS x JOIN turn AS t ON t.seq = x.turn"
                f" WHERE x.turn BETWEEN ? AND ? ORDER BY {order}"
            )
            for seq, *row in connection.execute(sql, (first, last)):
                found.setdefault(seq, []).append(tuple(row))
            return found

        self.facts = of(f"x.seq, {codec.FACT.replace('f.', 'x.')}", "fact", "x.start, x.stop, x.id")
        self.mentions = of(codec.MENTION.replace("m.", "x."), "mention")
        self.edges = of(codec.EDGE.replace("e.", "x."), "edge")
        self.aliases = of("x.alias, x.name", "alias")
        self.entities: dict[int, set[tuple[int, int]]] = {}
        for fact, space, entity in connection.execute(
            "SELECT e.fact, e.space, e.entity FROM fact_entity AS e JOIN fact AS f ON f.seq = e.fact"
            " WHERE f.turn BETWEEN ? AND ?",
            (first, last),
        ):
            self.entities.setdefault(fact, set()).add((space, entity))


def _kept(row: _Row, derived: _Derived) -> Kept:
    seq, space, content_hash, vector, terms, features, *of_turn = row
    turn = _read(lambda: codec.turn_of(space, tuple(of_turn)))
    extraction = _read(lambda: _extraction(space, of_turn[0], seq, derived))
    return Kept(
        seq,
        space,
        turn,
        content_hash,
        vector,
        terms,
        features,
        extraction,
        extraction is not None and _indexed(extraction.facts, derived.facts.get(seq, []), derived.entities),
    )


def _extraction(space: str, id_: str, seq: int, derived: _Derived) -> Extraction:
    facts: Sequence[Fact] = [codec.fact_of(space, row[1:]) for row in derived.facts.get(seq, [])]
    mentions: Sequence[Mention] = [codec.mention_of(space, row) for row in derived.mentions.get(seq, [])]
    edges: Sequence[Edge] = [codec.edge_of(space, row) for row in derived.edges.get(seq, [])]
    return Extraction(id_, tuple(facts), tuple(mentions), tuple(edges), tuple(derived.aliases.get(seq, [])))


def _indexed(facts: Sequence[Fact], rows: Sequence[_Row], entities: dict[int, set[tuple[int, int]]]) -> bool:
    return all(
        {entity for _, entity in entities.get(row[0], set())}
        == {codec.entity_key(a.entity) for a in fact.args if a.entity}
        for fact, row in zip(facts, rows, strict=True)
    )


def _read(decode: Callable[[], T]) -> T | None:
    try:
        return decode()
    except DamagedRowError:
        return None
