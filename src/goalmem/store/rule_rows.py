"""Sentences that state rules, as rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from goalmem.records import StatedRule
from goalmem.store.tables_sqlite import SqliteTables as Space

__all__ = ["add", "changed", "drop_all", "drop_if_empty", "remove", "stated"]


def stated(connection: sqlite3.Connection, space: Space) -> list[StatedRule]:
    """The sentences of a space, in the order first kept."""
    query = "SELECT id, text, clauses, world, reader FROM rule WHERE space = ? ORDER BY seq"
    return [StatedRule(*row) for row in connection.execute(query, (space.id,))]


def add(connection: sqlite3.Connection, space: int, rules: Sequence[StatedRule]) -> list[str]:
    """Keep sentences; those kept already are read anew. Returns the new ids. Runs inside a write transaction."""
    held = {row[0]: row[1:] for row in connection.execute(
        "SELECT id, clauses, world, reader FROM rule WHERE space = ?", (space,))}  # fmt: skip
    fresh = {r.id: r for r in rules}
    if all(held.get(r.id) == (r.clauses, r.world, r.reader) for r in fresh.values()):
        return []
    connection.executemany(
        "INSERT INTO rule (space, id, text, clauses, world, reader) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (space, id) DO UPDATE SET clauses = excluded.clauses, world = excluded.world,"
        " reader = excluded.reader",
        ((space, r.id, r.text, r.clauses, r.world, r.reader) for r in fresh.values()),
    )
    changed(connection, space)
    return [id_ for id_ in fresh if id_ not in held]


def remove(connection: sqlite3.Connection, space: int, ids: Sequence[str]) -> list[str]:
    """Delete sentences; returns the ids that were there. Runs inside a write transaction."""
    query = "DELETE FROM rule WHERE space = ? AND id = ?"
    gone = [id_ for id_ in dict.fromkeys(ids) if connection.execute(query, (space, id_)).rowcount]
    if gone:
        changed(connection, space)
        drop_if_empty(connection, space)
    return gone


def drop_all(connection: sqlite3.Connection, space: int) -> int:
    """Delete every sentence of a space; how many there were."""
    gone = connection.execute("DELETE FROM rule WHERE space = ?", (space,)).rowcount
    if gone:
        changed(connection, space)
    return gone


def drop_if_empty(connection: sqlite3.Connection, space: int) -> None:
    """Delete a space that holds neither turns nor rules nor a graph."""
    connection.execute(
        "DELETE FROM space WHERE id = ? AND NOT EXISTS (SELECT 1 FROM turn WHERE space = ?)"
        " AND NOT EXISTS (SELECT 1 FROM rule WHERE space = ?) AND NOT EXISTS (SELECT 1 FROM graph WHERE space = ?)",
        (space, space, space, space),
    )


def changed(connection: sqlite3.Connection, space: int) -> None:
    """Note that a space's rules changed.

    The number grows over the whole store, so that a space that was emptied and filled again never shows an old one.
    """
    connection.execute("UPDATE epoch SET value = value + 1")
    connection.execute("UPDATE space SET rules = (SELECT value FROM epoch) WHERE id = ?", (space,))
