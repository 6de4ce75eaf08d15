"""The rows of a PostgreSQL store: is everything there that a turn needs, and does nothing hang on what is not there?

Asked space by space, as row-level security has it. What only reading a turn's text can tell is `goalmem.maintenance.check`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goalmem.store.integrity import Finding, Remedy
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.postgres.text import key_of
from goalmem.store.postgres.writes import EVERY_WORD

__all__ = ["ORPHANS", "problems", "row_findings"]

ORPHANS = ("passage", "next_passage", "words", "fact", "fact_entity", "mention", "edge", "alias", "reply_turn")
"""Tables whose rows belong to a turn, by its number."""


def _without(table: str, key: str, of: str, keyed: str) -> str:
    """A query of the rows of a table for which another has none; both are of one space."""
    return (
        f"FROM {table} AS x WHERE x.space = %(space)s AND NOT EXISTS"
        f" (SELECT 1 FROM {of} AS y WHERE y.space = x.space AND ({keyed}) = ({key}))"
    )


_WORDLESS = "turns without words"
_TURNS: Mapping[str, str] = {
    "turns without a vector": _without("turn", "x.seq", "passage", "y.seq"),
    _WORDLESS: _without("turn", "x.seq", "words", "y.seq"),
    "turns with vectors that are not numbered one after another": (
        "FROM (SELECT p.seq FROM passage AS p WHERE p.space = %(space)s GROUP BY p.seq"
        " HAVING min(p.n) <> 0 OR max(p.n) <> count(*) - 1) AS x"
    ),
    "turns with terms of another length": (
        "FROM turn AS x WHERE x.space = %(space)s AND (length(x.terms) %% 8 <> 0 OR length(x.features) %% 8 <> 0)"
    ),
}
"""What is wrong with turns that can be read again; `x.seq` is the turn."""
_COUNTED: Mapping[str, tuple[str, Remedy]] = {
    "turns above their space's last number": (
        "SELECT count(*) FROM turn AS t JOIN space AS s ON s.space = t.space"
        " WHERE t.space = %(space)s AND t.seq > s.last_seq",
        Remedy.RENUMBER,
    ),
    "turns more or fewer than counted": (
        "SELECT abs(s.turns - (SELECT count(*) FROM turn AS t WHERE t.space = s.space)) FROM space AS s"
        " WHERE s.space = %(space)s",
        Remedy.RENUMBER,
    ),
    "turns without a session": (f"SELECT count(*) {_without('turn', 'x.session', 'session', 'y.id')}", Remedy.BACKUP),
    "turns of replies that are not kept": (
        f"SELECT count(*) {_without('reply_turn', 'x.reply', 'reply', 'y.id')}",
        Remedy.DROP,
    ),
    "entities of facts that are not there": (
        f"SELECT count(*) {_without('fact_entity', 'x.seq, x.n', 'fact', 'y.seq, y.n')}",
        Remedy.DROP,
    ),
    "edges of facts that are not there": (
        f"SELECT count(*) {_without('edge', 'x.fact', 'fact', 'y.id')} AND x.fact <> ''",
        Remedy.DROP,
    ),
    "triples more or fewer than counted": (
        "SELECT abs(coalesce((SELECT g.triples FROM graph AS g WHERE g.space = %(space)s), 0)"
        " - (SELECT count(*) FROM graph_edge AS e WHERE e.space = %(space)s))",
        Remedy.BACKUP,
    ),
    "triples that are not found by their object": (
        "SELECT count(*) "
        + _without(
            "graph_edge", "x.subject, x.relation, x.object", "graph_edge_back", "y.subject, y.relation, y.object"
        ),
        Remedy.BACKUP,
    ),
    "triples of nodes that are not there": (
        f"SELECT (SELECT count(*) {_without('graph_edge', 'x.subject', 'graph_node', 'y.node')})"
        f" + (SELECT count(*) {_without('graph_edge', 'x.object', 'graph_node', 'y.node')})",
        Remedy.BACKUP,
    ),
    "triples of relations that are not there": (
        f"SELECT count(*) {_without('graph_edge', 'x.relation', 'graph_relation', 'y.relation')}",
        Remedy.BACKUP,
    ),
} | {
    f"rows of {table} whose turn is not there": (
        f"SELECT count(*) {_without(table, 'x.seq', 'turn', 'y.seq')}",
        Remedy.DROP,
    )
    for table in ORPHANS
}


def row_findings(connection: Connection, space: Space) -> Iterator[Finding]:
    """What is wrong with the rows of a space, in one state of it."""
    seek_words(connection, EVERY_WORD)
    values = {"space": space.id}
    where = f"in the space {space.name!r}"
    if connection.execute("SELECT 1 FROM space WHERE space = %(space)s", values).fetchone() is None:
        yield Finding(f"the space {space.name!r} is not found by its name", Remedy.BACKUP)
        return
    for what, query in _TURNS.items():
        rows: list[Any] = connection.execute(f"SELECT x.seq {query}".encode(), values).fetchall()
        if rows:
            remedy = Remedy.PHRASES if what == _WORDLESS else Remedy.DERIVE
            yield Finding(f"{len(rows)} {what} {where}", remedy, tuple(seq for (seq,) in rows), space.name)
    for what, (query, remedy) in _COUNTED.items():
        row: Any = connection.execute(query.encode(), values).fetchone()
        if row and row[0]:
            yield Finding(f"{row[0]} {what} {where}", remedy, space=space.name)
    if lost := sum(key_of(name) != id_ for id_, name in _sessions(connection, space)):
        yield Finding(f"{lost} sessions that are not found by their names {where}", Remedy.BACKUP, space=space.name)


def _sessions(connection: Connection, space: Space) -> Iterator[tuple[Any, str]]:
    yield from Query("SELECT s.id, s.name FROM session AS s", "s", space).rows(connection)


def problems(connection: Connection, space: Space) -> list[str]:
    """What is wrong with the rows of a space, in words; empty when sound."""
    return [finding.text for finding in row_findings(connection, space)]
