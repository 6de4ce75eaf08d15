"""Counts of a space, and the soundness of a store."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from goalmem.store.codec import moment
from goalmem.store.postgres.reading import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.postgres.writing import EVERY_WORD
from goalmem.store.protocol import Stats

__all__ = ["database_bytes", "problems", "space_stats"]


def space_stats(connection: Connection, space: Space) -> Stats:
    """Counts of a space."""

    def count(table: str, what: str = "*") -> int:
        return int(Query(f"SELECT count({what}) FROM {table} AS x", "x", space).rows(connection)[0][0])

    modalities = Query("SELECT f.modality, count(*) FROM fact AS f", "f", space).rows(
        connection, "GROUP BY f.modality ORDER BY f.modality"
    )
    return Stats(
        sessions=count("session"),
        turns=count("turn"),
        facts=sum(number for _, number in modalities),
        entities=count("mention", "DISTINCT x.entity"),
        first=_extreme(connection, space, "ASC"),
        last=_extreme(connection, space, "DESC"),
        bytes=database_bytes(connection),
        facts_by_modality=dict(modalities),
        rules=count("rule"),
        triples=int(
            Query("SELECT coalesce(sum(g.triples), 0)::bigint FROM graph AS g", "g", space).rows(connection)[0][0]
        ),
    )


def _extreme(connection: Connection, space: Space, direction: str) -> datetime | None:
    query = Query("SELECT t.at, t.zone FROM turn AS t", "t", space)
    rows = query.rows(connection, f"ORDER BY t.at {direction}, t.seq LIMIT 1")
    return moment(*rows[0]) if rows else None


def database_bytes(connection: Connection) -> int:
    """Size of the store's tables with their indices."""
    row = connection.execute(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
        " WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')"
    ).fetchone()
    return int(str(row[0])) if row else 0


_DERIVED = ("passage", "words", "fact", "fact_entity", "mention", "edge", "alias", "reply_turn")
_INVARIANTS = {
    "turns without a vector": (
        "SELECT count(*) FROM turn AS t WHERE t.space = %(space)s AND NOT EXISTS"
        " (SELECT 1 FROM passage AS p WHERE p.space = t.space AND p.seq = t.seq)"
    ),
    "turns without words": (
        "SELECT count(*) FROM turn AS t WHERE t.space = %(space)s AND NOT EXISTS"
        " (SELECT 1 FROM words AS w WHERE w.space = t.space AND w.seq = t.seq)"
    ),
    "turns above their space's last number": (
        "SELECT count(*) FROM turn AS t JOIN space AS s ON s.space = t.space"
        " WHERE t.space = %(space)s AND t.seq > s.last_seq"
    ),
    "turns without a session": (
        "SELECT count(*) FROM turn AS t WHERE t.space = %(space)s AND NOT EXISTS"
        " (SELECT 1 FROM session AS s WHERE s.space = t.space AND s.id = t.session)"
    ),
    "turns more or fewer than counted": (
        "SELECT abs(s.turns - (SELECT count(*) FROM turn AS t WHERE t.space = s.space)) FROM space AS s"
        " WHERE s.space = %(space)s"
    ),
    "turns of replies that are not kept": (
        "SELECT count(*) FROM reply_turn AS x WHERE x.space = %(space)s AND NOT EXISTS"
        " (SELECT 1 FROM reply AS r WHERE r.space = x.space AND r.id = x.reply)"
    ),
} | {
    f"rows of {table} whose turn is not there": (
        f"SELECT count(*) FROM {table} AS x WHERE x.space = %(space)s AND NOT EXISTS"
        " (SELECT 1 FROM turn AS t WHERE t.space = x.space AND t.seq = x.seq)"
    )
    for table in _DERIVED
}


def problems(connection: Connection, space: Space) -> list[str]:
    """What is wrong with the rows of a space; empty when sound."""
    seek_words(connection, EVERY_WORD)
    found = []
    for what, query in _INVARIANTS.items():
        row: Any = connection.execute(query.encode(), {"space": space.id}).fetchone()
        if row and row[0]:
            found.append(f"{row[0]} {what} in the space {space.name!r}")
    return found
