"""The rows of a PostgreSQL store: is everything there that a turn needs, and does nothing hang on what is not there?

Asked space by space, as row-level security has it. What only reading a turn's text can tell is `goalmem.maintenance.check`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goalmem.store.integrity import Finding, Remedy
from goalmem.store.postgres.tables import DERIVED, PostgresTables
from goalmem.store.postgres.text import EVERY_WORD, key_of, seek_words

__all__ = ["problems", "row_findings"]


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
    for table in DERIVED
}


def row_findings(tables: PostgresTables) -> Iterator[Finding]:
    """What is wrong with the rows of a space, in one state of it."""
    seek_words(tables.connection, EVERY_WORD)
    values = {"space": tables.id}
    where = f"in the space {tables.name!r}"
    if tables.connection.execute("SELECT 1 FROM space WHERE space = %(space)s", values).fetchone() is None:
        yield Finding(f"the space {tables.name!r} is not found by its name", Remedy.BACKUP)
        return
    for what, query in _TURNS.items():
        rows: list[Any] = tables.connection.execute(f"SELECT x.seq {query}".encode(), values).fetchall()
        if rows:
            remedy = Remedy.PHRASES if what == _WORDLESS else Remedy.DERIVE
            yield Finding(f"{len(rows)} {what} {where}", remedy, tuple(seq for (seq,) in rows), tables.name)
    for what, (query, remedy) in _COUNTED.items():
        row: Any = tables.connection.execute(query.encode(), values).fetchone()
        if row and row[0]:
            yield Finding(f"{row[0]} {what} {where}", remedy, space=tables.name)
    if lost := sum(
        key_of(name) != id_ for id_, name in tables.rows("SELECT id, name FROM session WHERE space = :space")
    ):
        yield Finding(f"{lost} sessions that are not found by their names {where}", Remedy.BACKUP, space=tables.name)


def problems(tables: PostgresTables) -> list[str]:
    """What is wrong with the rows of a space, in words; empty when sound."""
    return [finding.text for finding in row_findings(tables)]
