"""Counts of a space."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from goalmem.store.codec import moment
from goalmem.store.protocol import Stats
from goalmem.store.reads import Space

__all__ = ["database_bytes", "space_stats"]


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
        triples=count("SELECT coalesce(sum(triples), 0) FROM graph WHERE space = ?"),
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
