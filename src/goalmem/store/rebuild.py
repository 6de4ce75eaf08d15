"""Build anew what follows from turns. Whatever writes runs inside a write transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress

from goalmem.records import Turn
from goalmem.store.codec import TURN, turn_of
from goalmem.store.failures import DamagedRowError
from goalmem.store.phrases import index_words
from goalmem.store.protocol import NewTurn
from goalmem.store.schema import phrase_index
from goalmem.store.tables_sqlite import SqliteTables
from goalmem.store.writes import insert_derived

__all__ = [
    "drop_dangling",
    "numbered_turns",
    "numbers",
    "rebuild_phrases",
    "reindex",
    "renew_epoch",
    "renumber",
    "replace_derived",
]

_NO_TURN = "turn NOT IN (SELECT seq FROM turn)"
_NO_SPACE = "space NOT IN (SELECT id FROM space)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    ("replies", f"id IN (SELECT reply FROM reply_turns WHERE {_NO_TURN}) OR {_NO_SPACE}"),
    (
        "replies",
        "id IN (SELECT r.id FROM replies AS r JOIN reply_turns AS x ON x.reply = r.id JOIN turn ON turn.seq = x.turn"
        " WHERE turn.space <> r.space)",
    ),
    ("reply_turns", f"reply NOT IN (SELECT id FROM replies) OR {_NO_TURN}"),
    ("signal", _NO_TURN),
    ("next_signal", _NO_TURN),
    ("fact", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("fact_entity", "fact NOT IN (SELECT seq FROM fact)"),
    ("mention", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("edge", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("alias", f"{_NO_TURN} OR {_NO_SPACE}"),
)
"""Tables of what is derived, and which of their rows belong to nothing."""
_OF_A_TURN = ("fact", "mention", "edge", "alias", "signal", "next_signal")


def reindex(connection: sqlite3.Connection) -> None:
    """Build SQLite's own indices again."""
    connection.execute("REINDEX")


def drop_dangling(connection: sqlite3.Connection) -> int:
    """Delete derived rows that refer to what is not there; how many."""
    return sum(connection.execute(f"DELETE FROM {table} WHERE {which}").rowcount for table, which in _DANGLING)


def renumber(connection: sqlite3.Connection) -> None:
    """Let every space know its last turn's number."""
    connection.execute(
        "UPDATE space SET last_seq ="
        " max(last_seq, (SELECT coalesce(max(seq), 0) FROM turn WHERE turn.space = space.id))"
    )


def rebuild_phrases(connection: sqlite3.Connection) -> None:
    """Make the phrase index of all turns anew."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("INSERT INTO phrase (phrase) VALUES ('delete-all')")
    connection.execute("DROP TABLE IF EXISTS temp.indexed")
    connection.execute("DROP TABLE phrase")
    phrase_index(connection)
    query = f"SELECT t.seq, t.space, {TURN} FROM turn AS t LEFT JOIN session AS s ON s.id = t.session ORDER BY t.seq"
    for seq, space, *row in connection.execute(query):
        index_words(connection, space, seq, turn_of("", tuple(row)).content)


def replace_derived(connection: sqlite3.Connection, made: Sequence[tuple[int, NewTurn]]) -> int:
    """Put what was derived again, by turn number, in the place of what is kept; how many turns were still there."""
    there = 0
    for seq, new in made:
        row = connection.execute("SELECT space, id FROM turn WHERE seq = ?", (seq,)).fetchone()
        if row is None or row[1] != new.turn.id:
            continue
        for table in _OF_A_TURN:
            connection.execute(f"DELETE FROM {table} WHERE turn = ?", (seq,))
        insert_derived(SqliteTables(connection, "", row[0]), [(seq, new)])
        there += 1
    return there


def renew_epoch(connection: sqlite3.Connection) -> None:
    """Tell every process that has the store open to read it anew."""
    connection.execute("UPDATE epoch SET value = value + 1")
    connection.execute("UPDATE space SET epoch = (SELECT value FROM epoch)")


def numbers(connection: sqlite3.Connection) -> list[int]:
    """The numbers of all turns, in the order stored."""
    return [number for (number,) in connection.execute("SELECT seq FROM turn ORDER BY seq")]


def numbered_turns(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    """The turns with these numbers that can be read, with their numbers, in the order asked for."""
    query = (
        f"SELECT p.name, {TURN} FROM turn AS t JOIN session AS s ON s.id = t.session"
        " JOIN space AS p ON p.id = t.space WHERE t.seq = ?"
    )
    found: list[tuple[int, Turn]] = []
    for number in numbers:
        if (row := connection.execute(query, (number,)).fetchone()) is not None:
            with suppress(DamagedRowError):
                found.append((number, turn_of(row[0], row[1:])))
    return found
