"""Sentences that state rules, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.records import StatedRule
from goalmem.store.failures import DamagedRowError
from goalmem.store.rows import checksum
from goalmem.store.tables import TableColumns, Tables, drop_if_empty


def stated(tables: Tables) -> list[StatedRule]:
    """Every sentence that states rules, in the order first kept."""
    name, order = tables.dialect.rule
    query = f"SELECT checksum, {name}, text, clauses, world, reader FROM rule WHERE space = :space ORDER BY {order}"
    found = []
    for noted, *row in tables.rows(query):
        rule = StatedRule(*row)
        if noted not in {0, _checksum(rule)}:
            raise DamagedRowError("a rule is not what was stored")
        found.append(rule)
    return found


def _checksum(rule: StatedRule) -> int:
    return checksum(rule.id, rule.text, rule.clauses, rule.world, rule.reader)


def add(tables: Tables, rules: Sequence[StatedRule]) -> list[str]:
    """Store sentences; existing ones get their new reading. Returns the new ids. Must run inside a write transaction."""
    tables.make()
    held = {rule.id: _reading(rule) for rule in stated(tables)}
    given = {rule.id: rule for rule in rules}
    if all(held.get(rule.id) == _reading(rule) for rule in given.values()):
        return []
    fresh = [rule for rule in given.values() if rule.id not in held]
    columns = (tables.dialect.rule[0], "text", "clauses", "world", "reader", "checksum")
    rows = [(rule.id, rule.text, rule.clauses, rule.world, rule.reader, _checksum(rule)) for rule in fresh]
    tables.add(TableColumns("rule", columns, "text text text text text bigint"), rows)
    for rule in given.values():
        if rule.id in held:
            tables.run(
                "UPDATE rule SET clauses = :clauses, world = :world, reader = :reader, checksum = :checksum"
                " WHERE space = :space AND id = :id",
                id=tables.key(rule.id),
                clauses=rule.clauses,
                world=rule.world,
                reader=rule.reader,
                checksum=_checksum(rule),
            )
    _changed(tables)
    return [rule.id for rule in fresh]


def _reading(rule: StatedRule) -> tuple[str, str, str]:
    return rule.clauses, rule.world, rule.reader


def remove(tables: Tables, ids: Sequence[str]) -> list[str]:
    """Delete sentences; returns the ids that were there. Runs inside a write transaction."""
    if not tables.hold():
        return []
    query = "DELETE FROM rule WHERE space = :space AND id = :id"
    gone = [id_ for id_ in dict.fromkeys(ids) if tables.run(query, id=tables.key(id_))]
    if gone:
        tables.text_removed()
        _changed(tables)
        drop_if_empty(tables)
    return gone


def drop_all(tables: Tables) -> int:
    """Delete every sentence of a space; how many there were."""
    gone = tables.run("DELETE FROM rule WHERE space = :space")
    if gone:
        _changed(tables)
    return gone


def _changed(tables: Tables) -> None:
    """Note that a space's rules changed."""
    tables.run(f"UPDATE space SET rules = :rules WHERE {tables.dialect.space} = :space", rules=tables.next_change())
