"""Forgetting: turns, sessions and spaces with all that hangs on them."""

from __future__ import annotations

from uuid import UUID

from goalmem.store.postgres.schema import TABLES, Connection
from goalmem.store.postgres.spaces import drop_if_empty, hold, next_number, seek_words
from goalmem.store.postgres.text import key_of, storable
from goalmem.store.postgres.writes import EVERY_WORD
from goalmem.store.protocol import Forgotten

__all__ = ["forget"]

_DERIVED = ("passage", "next_passage", "words", "fact", "fact_entity", "mention", "edge", "alias", "reply_turn")
"""Tables of what is derived from a turn, by the turn's number."""


def forget(connection: Connection, space: UUID, turn: str | None, session: str | None) -> Forgotten:
    """Delete the turns named and all that hangs on them. Runs inside a write transaction."""
    if hold(connection, space) is None:
        return Forgotten()
    if turn is None and session is None:
        return _forget_space(connection, space)
    chosen = _chosen(connection, space, turn, session)
    if not chosen:
        return Forgotten()
    seqs = [seq for seq, _ in chosen]
    seek_words(connection, EVERY_WORD)
    connection.execute(
        "DELETE FROM reply WHERE space = %s AND (id IN (SELECT reply FROM reply_turn WHERE space = %s AND seq = ANY(%s))"
        " OR NOT EXISTS (SELECT 1 FROM reply_turn AS r WHERE r.space = reply.space AND r.reply = reply.id))",
        (space, space, seqs),
    )
    deleted = {table: _delete(connection, space, table, seqs) for table in ("turn", *_DERIVED)}
    connection.execute(
        "DELETE FROM reply_turn WHERE space = %s AND NOT EXISTS"
        " (SELECT 1 FROM reply AS r WHERE r.space = reply_turn.space AND r.id = reply_turn.reply)",
        (space,),
    )
    gone = connection.execute(
        "DELETE FROM session WHERE space = %s AND id = ANY(%s) AND NOT EXISTS"
        " (SELECT 1 FROM turn AS t WHERE t.space = session.space AND t.session = session.id)",
        (space, list({session_id for _, session_id in chosen})),
    )
    connection.execute(
        "UPDATE space SET epoch = %s, turns = turns - %s WHERE space = %s",
        (next_number(connection, "change"), len(chosen), space),
    )
    drop_if_empty(connection, space)
    return Forgotten(len(chosen), deleted["fact"], gone.rowcount)


def _delete(connection: Connection, space: UUID, table: str, seqs: list[int]) -> int:
    return connection.execute(
        f"DELETE FROM {table} WHERE space = %s AND seq = ANY(%s)".encode(), (space, seqs)
    ).rowcount


def _chosen(connection: Connection, space: UUID, turn: str | None, session: str | None) -> list[tuple[int, UUID]]:
    """Number and session of the turns to forget."""
    query = "SELECT seq, session FROM turn WHERE space = %s"
    values: list[UUID | str] = [space]
    if session is not None:
        query, values = f"{query} AND session = %s", [*values, key_of(session)]
    if turn is not None:
        query, values = f"{query} AND id = %s", [*values, storable(turn)]
    return [(int(str(seq)), UUID(str(of))) for seq, of in connection.execute(query.encode(), values)]


def _forget_space(connection: Connection, space: UUID) -> Forgotten:
    seek_words(connection, EVERY_WORD)
    graph = connection.execute(
        "SELECT coalesce(sum(triples), 0)::bigint FROM graph WHERE space = %s", (space,)
    ).fetchone()
    gone = {
        table: connection.execute(f"DELETE FROM {table} WHERE space = %s".encode(), (space,)).rowcount
        for table in reversed(TABLES)
    }
    return Forgotten(gone["turn"], gone["fact"], gone["session"], gone["rule"], int(str(graph[0])) if graph else 0)
