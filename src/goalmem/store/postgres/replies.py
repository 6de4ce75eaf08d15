"""Replies of chat models, kept as `goalmem.store.replies` says: each goes with the first turn that it was asked about."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.store.postgres.reads import Query, Space, listed
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import hold
from goalmem.store.postgres.text import key_of, storable
from goalmem.store.replies import RECORD

__all__ = ["keep", "kept"]


def kept(connection: Connection, space: Space, key: str) -> str | None:
    """The text kept under `key`."""
    query = Query("SELECT r.text FROM reply AS r", "r", space)
    query.where("r.id = %s", key_of(key))
    rows = query.rows(connection)
    return str(rows[0][0]) if rows else None


def keep(
    connection: Connection, space: Space, key: str, text: str, turns: Sequence[str], most: int | None = None
) -> bool:
    """Keep a text, unless the space or a turn is not there; at most `most`, where given. Runs inside a write transaction."""
    if hold(connection, space.id) is None:
        return False
    asked = listed(turns) or []
    found = connection.execute("SELECT seq FROM turn WHERE space = %s AND id = ANY(%s)", (space.id, asked)).fetchall()
    if len(found) != len(asked):
        return False
    reply = key_of(key)
    for table, column in (("reply", "id"), ("reply_turn", "reply")):
        connection.execute(f"DELETE FROM {table} WHERE space = %s AND {column} = %s".encode(), (space.id, reply))
    connection.execute(
        "INSERT INTO reply (space, id, kept, key, text) VALUES (%s, %s, nextval('kept'), %s, %s)",
        (space.id, reply, storable(key), storable(text)),
    )
    connection.execute(
        "INSERT INTO reply_turn (space, reply, seq) SELECT %s, %s, * FROM unnest(%s::bigint[])",
        (space.id, reply, [seq for (seq,) in found]),
    )
    if most is not None:
        _drop_oldest(connection, space, most)
    return True


def _drop_oldest(connection: Connection, space: Space, most: int) -> None:
    """Delete the oldest replies of a space, so that `most` are left. Records, which proofs rest on, are no replies."""
    oldest = connection.execute(
        "DELETE FROM reply WHERE space = %s AND id IN"
        " (SELECT id FROM reply WHERE space = %s AND length(text) > %s ORDER BY kept DESC OFFSET %s) RETURNING id",
        (space.id, space.id, RECORD, most),
    ).fetchall()
    ids = [id_ for (id_,) in oldest]
    connection.execute("DELETE FROM reply_turn WHERE space = %s AND reply = ANY(%s)", (space.id, ids))
