"""The rows of an embedded store as they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from goalmem.records import Extraction
from goalmem.store import codec, writes
from goalmem.store.protocol import NewTurn
from goalmem.store.rows import KeptReply, KeptTurn, batches_of
from goalmem.store.rows_graphs import PAGE, GraphTable, Row
from goalmem.store.sqlite import SqliteStore

__all__ = ["SqliteRows"]

_OF_TURN = "t.space = ? AND t.seq BETWEEN ? AND ?"

T = TypeVar("T")


class SqliteRows:
    """`Rows` of an SQLite store."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def turns(self, space: str, after: int, limit: int) -> list[KeptTurn]:
        """See `Rows.turns`."""
        return self._look(space, lambda connection, number: _turns(connection, number, space, after, limit))

    def replies(self, space: str, after: int, limit: int) -> list[KeptReply]:
        """See `Rows.replies`."""
        return self._look(space, lambda connection, number: _replies(connection, number, after, limit))

    def graph(self, space: str, table: GraphTable, after: Row | None) -> list[Row]:
        """See `Rows.graph`."""
        return self._look(space, lambda connection, number: _graph(connection, number, table, after))

    def graph_size(self, space: str) -> Row | None:
        """See `Rows.graph_size`."""
        query = "SELECT nodes, relations, triples FROM graph WHERE space = ?"
        rows: list[Row] = self._look(space, lambda connection, number: connection.execute(query, (number,)).fetchall())
        return rows[0] if rows else None

    def take_graph(self, space: str, table: GraphTable, rows: Sequence[Row]) -> None:
        """See `Rows.take_graph`."""
        columns, values = f"space, {table.listed}", ", ".join("?" * (1 + len(table.columns)))
        if table.name == "graph_import":
            columns, values = f"{columns}, done", f"{values}, 1"
        with self._store.mending() as connection:
            number = writes.space_id(connection, space)
            connection.execute("INSERT OR IGNORE INTO graph VALUES (?, 0, 0, 0, 0)", (number,))
            connection.executemany(
                f"INSERT OR IGNORE INTO {table.name} ({columns}) VALUES ({values})", ((number, *row) for row in rows)
            )

    def take_graph_size(self, space: str, size: Row) -> None:
        """See `Rows.take_graph_size`."""
        with self._store.mending() as connection:
            number = writes.space_id(connection, space)
            connection.execute("UPDATE epoch SET value = value + 1")
            connection.execute(
                "INSERT INTO graph SELECT ?, value, ?, ?, ? FROM epoch WHERE true ON CONFLICT (space) DO UPDATE SET"
                " version = excluded.version, nodes = excluded.nodes, relations = excluded.relations,"
                " triples = excluded.triples",
                (number, *size),
            )

    def take_in(self, space: str, turns: Sequence[KeptTurn]) -> int:
        """See `Rows.take_in`."""
        with self._store.mending() as connection:
            return sum(len(writes.insert(connection, batch, placed=True)) for batch in batches_of(space, turns))

    def _look(self, space: str, query: Callable[[sqlite3.Connection, int], list[T]]) -> list[T]:
        with self._store.looking() as connection:
            row = connection.execute("SELECT id FROM space WHERE name = ?", (space,)).fetchone()
            return query(connection, row[0]) if row else []


def _turns(connection: sqlite3.Connection, number: int, space: str, after: int, limit: int) -> list[KeptTurn]:
    rows = connection.execute(
        "SELECT t.seq, s.at, s.zone, t.call_position, t.content_hash, i.vector, i.terms, i.features,"
        f" {codec.TURN} FROM turn AS t JOIN session AS s ON s.id = t.session JOIN signal AS i ON i.turn = t.seq"
        " WHERE t.space = ? AND t.seq > ? ORDER BY t.seq LIMIT ?",
        (number, after, limit),
    ).fetchall()
    if not rows:
        return []
    within = number, rows[0][0], rows[-1][0]
    facts = _derived(connection, codec.FACT, "fact AS f", "f", within, lambda row: codec.fact_of(space, row))
    mentions = _derived(
        connection, codec.MENTION, "mention AS m", "m", within, lambda row: codec.mention_of(space, row)
    )
    edges = _derived(connection, codec.EDGE, "edge AS e", "e", within, lambda row: codec.edge_of(space, row))
    aliases = _derived(connection, "a.alias, a.name", "alias AS a", "a", within, lambda row: (row[0], row[1]))
    kept = []
    for seq, at, zone, call, content, vector, terms, features, *of_turn in rows:
        turn = codec.turn_of(space, tuple(of_turn))
        made = Extraction(
            turn.id,
            tuple(facts.get(seq, ())),
            tuple(mentions.get(seq, ())),
            tuple(edges.get(seq, ())),
            tuple(aliases.get(seq, ())),
        )
        kept.append(KeptTurn(seq, codec.moment(at, zone), NewTurn(turn, call, content, made, vector, terms, features)))
    return kept


def _derived(
    connection: sqlite3.Connection, columns: str, table: str, name: str, within: Row, read: Callable[[Row], T]
) -> dict[int, list[T]]:
    """What is derived from turns in a range of numbers, by turn, in the order stored."""
    found: dict[int, list[T]] = {}
    query = f"SELECT t.seq, {columns} FROM {table} JOIN turn AS t ON t.seq = {name}.turn WHERE {_OF_TURN} ORDER BY {name}.seq"
    for seq, *row in connection.execute(query, within):
        found.setdefault(seq, []).append(read(tuple(row)))
    return found


def _replies(connection: sqlite3.Connection, number: int, after: int, limit: int) -> list[KeptReply]:
    rows = connection.execute(
        "SELECT id, key, text FROM replies WHERE space = ? AND id > ? ORDER BY id LIMIT ?", (number, after, limit)
    ).fetchall()
    turns = "SELECT t.id FROM reply_turns AS r JOIN turn AS t ON t.seq = r.turn WHERE r.reply = ? ORDER BY t.id"
    return [
        KeptReply(id_, key, text, tuple(turn for (turn,) in connection.execute(turns, (id_,))))
        for id_, key, text in rows
    ]


def _graph(connection: sqlite3.Connection, number: int, table: GraphTable, after: Row | None) -> list[Row]:
    query, values = f"SELECT {table.listed} FROM {table.name} WHERE space = ?", [number]
    if table.name == "graph_import":
        query += " AND done"
    if after is not None:
        query += f" AND ({table.order}) > ({', '.join('?' * len(after))})"
        values += after
    return connection.execute(f"{query} ORDER BY {table.order} LIMIT ?", [*values, PAGE]).fetchall()
