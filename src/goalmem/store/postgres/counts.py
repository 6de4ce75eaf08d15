"""Counts of a space."""

from __future__ import annotations

from datetime import datetime

from goalmem.store.codec import moment
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.protocol import Stats

__all__ = ["database_bytes", "space_stats"]


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
