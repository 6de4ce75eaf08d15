"""Sentences that state rules, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from goalmem.records import StatedRule
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import changed, drop_if_empty, hold, made
from goalmem.store.postgres.text import key_of, storable

__all__ = ["add", "remove", "stated"]


def stated(connection: Connection, space: Space) -> list[StatedRule]:
    """The sentences of a space, in the order first kept."""
    query = Query("SELECT r.name, r.text, r.clauses, r.world, r.reader FROM rule AS r", "r", space)
    return [StatedRule(*row) for row in query.rows(connection, "ORDER BY r.stated")]


def add(connection: Connection, space: Space, rules: Sequence[StatedRule]) -> list[str]:
    """Keep sentences; those kept already are read anew. Returns the new ids. Runs inside a write transaction."""
    made(connection, space.id, space.name)
    held = {rule.id: rule for rule in stated(connection, space)}
    fresh = {rule.id: rule for rule in rules}
    if all((kept := held.get(r.id)) and _reading(kept) == _reading(r) for r in fresh.values()):
        return []
    for rule in fresh.values():
        texts = map(storable, (rule.id, rule.text, rule.clauses, rule.world, rule.reader))
        connection.execute(
            "INSERT INTO rule (space, id, stated, name, text, clauses, world, reader)"
            " VALUES (%s, %s, nextval('stated'), %s, %s, %s, %s, %s)"
            " ON CONFLICT (space, id) DO UPDATE SET clauses = excluded.clauses, world = excluded.world,"
            " reader = excluded.reader",
            (space.id, key_of(rule.id), *texts),
        )
    changed(connection, space.id)
    return [id_ for id_ in fresh if id_ not in held]


def _reading(rule: StatedRule) -> tuple[str, str, str]:
    return rule.clauses, rule.world, rule.reader


def remove(connection: Connection, space: UUID, ids: Sequence[str]) -> list[str]:
    """Delete sentences; returns the ids that were there. Runs inside a write transaction."""
    if hold(connection, space) is None:
        return []
    query = "DELETE FROM rule WHERE space = %s AND id = %s"
    gone = [id_ for id_ in dict.fromkeys(ids) if connection.execute(query, (space, key_of(id_))).rowcount]
    if gone:
        changed(connection, space)
        drop_if_empty(connection, space)
    return gone
