"""Counts of a space, and the soundness of the whole store."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from goalmem.store.codec import moment
from goalmem.store.protocol import Stats
from goalmem.store.reading import Space

__all__ = ["database_bytes", "problems", "space_stats"]


def space_stats(connection: sqlite3.Connection, space: Space, size: int) -> Stats:
    """Counts of a space; `size` is that of the whole store, in bytes."""

    def count(sql: str) -> int:
        return int(connection.execute(sql, (space.id,)).fetchone()[0])

    modalities = connection.execute(
        "SELECT modality, count(*) FROM fact WHERE space = ? GROUP BY modality ORDER BY modality", (space.id,)
    ).fetchall()
    return Stats(
        sessions=count("SELECT count(*) FROM session WHERE space = ?"),
        turns=count("SELECT count(*) FROM turn WHERE space = ?"),
        facts=sum(number for _, number in modalities),
        entities=count("SELECT count(DISTINCT entity) FROM mention WHERE space = ?"),
        first=_extreme(connection, space, "ASC"),
        last=_extreme(connection, space, "DESC"),
        bytes=size,
        facts_by_modality=dict(modalities),
        rules=count("SELECT count(*) FROM rule WHERE space = ?"),
    )


def _extreme(connection: sqlite3.Connection, space: Space, direction: str) -> datetime | None:
    row = connection.execute(
        f"SELECT at, zone FROM turn WHERE space = ? ORDER BY at {direction}, seq LIMIT 1", (space.id,)
    ).fetchone()
    return moment(*row) if row else None


def database_bytes(connection: sqlite3.Connection) -> int:
    """Size of the database, without its log."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    size: int = connection.execute("PRAGMA page_size").fetchone()[0]
    return pages * size


_INVARIANTS = {
    "turns without vector and terms": (
        "SELECT count(*) FROM turn WHERE NOT EXISTS (SELECT 1 FROM signal WHERE signal.turn = turn.seq)"
    ),
    "vectors of another length": (
        "SELECT count(*) FROM signal WHERE length(vector) = 0"
        " OR length(vector) % (2 * (SELECT value FROM meta WHERE key = 'dimension')) <> 0"
    ),
    "turns above their space's last number": (
        "SELECT count(*) FROM turn JOIN space ON space.id = turn.space WHERE turn.seq > space.last_seq"
    ),
    "turns whose session is of another space": (
        "SELECT count(*) FROM turn JOIN session ON session.id = turn.session WHERE session.space <> turn.space"
    ),
    "facts whose turn is of another space": (
        "SELECT count(*) FROM fact JOIN turn ON turn.seq = fact.turn WHERE fact.space <> turn.space"
    ),
    "replies asked about a turn of another space": (
        "SELECT count(*) FROM reply_turns JOIN replies ON replies.id = reply_turns.reply"
        " JOIN turn ON turn.seq = reply_turns.turn WHERE replies.space <> turn.space"
    ),
}


def problems(connection: sqlite3.Connection, *, read_only: bool) -> list[str]:
    """What is wrong with the file, its references and its contents; empty when sound."""
    found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        found.append(f"row {row} of {table} refers to a {parent} that is not there")
    for what, sql in _INVARIANTS.items():
        if number := connection.execute(sql).fetchone()[0]:
            found.append(f"{number} {what}")
    if not read_only:
        found += _phrase_problems(connection)
    return found


def _phrase_problems(connection: sqlite3.Connection) -> list[str]:
    try:
        connection.execute("INSERT INTO phrase (phrase) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        return [f"the phrase index is damaged: {error}"]
    return []
