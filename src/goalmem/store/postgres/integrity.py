"""Whether a PostgreSQL store is sound: its tables, whole and locked to one space at a time, its indices, and the rows of each space.

Rows are asked space by space, as row-level security has it. What only reading a turn's text can tell is `goalmem.maintenance.check`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from psycopg import sql

from goalmem.store.codec import TURN, turn_of
from goalmem.store.failures import DamagedRowError
from goalmem.store.integrity import Finding, Remedy
from goalmem.store.postgres.connections import Connections
from goalmem.store.postgres.migrations import ROLE, bypasses, is_too_old, pgvector
from goalmem.store.postgres.schema import TABLES, Connection, first_value
from goalmem.store.postgres.search import INDEXED, index_name
from goalmem.store.postgres.tables import DERIVED, PostgresTables
from goalmem.store.postgres.text import EVERY_WORD, key_of, lexemes, seek_words
from goalmem.store.tables import SpaceTransactions

PAGE = 500
"""Turns whose words are compared at a time."""
_POLICIES = {"words": {"found", "told", "gone"}, "space": {"own", "listing"}}
"""Names of the policies of tables that have others than `own`."""
_PARTITION = re.compile(r"(.+)_[0-9]+")
_TABLES = """
SELECT c.relname, c.relkind::text, c.relrowsecurity AND c.relforcerowsecurity,
    (SELECT count(*) FROM pg_inherits AS i WHERE i.inhparent = c.oid AND NOT i.inhdetachpending),
    EXISTS (SELECT FROM pg_index AS x WHERE x.indrelid = c.oid AND x.indisprimary),
    coalesce((SELECT array_agg(p.polname::text) FROM pg_policy AS p WHERE p.polrelid = c.oid), '{}')
FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(%s) AND c.relkind IN ('r', 'p')
"""
_INVALID = """
SELECT c.relname, t.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid
WHERE c.relnamespace = to_regnamespace(%s) AND NOT (i.indisvalid AND i.indisready)
AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid) ORDER BY 1
"""


def examine(connections: Connections, store: SpaceTransactions) -> Iterator[Finding]:
    """Problems of the tables and of the rows of each space; empty if sound."""
    spaces = store.spaces()
    with connections.owning() as connection:
        found = list(_table_findings(connection, connections.schema))
        yield from found
        if any(finding.remedy is Remedy.FILE for finding in found):
            return
        yield from _server_findings(connection, connections.schema)
        yield from _strays(connection, connections.schema)
    yield from connections.read(None, lambda c: list(_open_tables(c)))
    for name in spaces:
        yield from store.read(name, lambda tables: list(row_findings(tables)))
        yield from _index_findings(connections, name)
        yield from _word_findings(store, name)


def _table_findings(connection: Connection, schema: str) -> Iterator[Finding]:
    rows: list[Any] = connection.execute(_TABLES, (schema,)).fetchall()
    there = {row[0]: row for row in rows}
    partitions = _partitions(connection, schema)
    for table in (table for table in TABLES if table not in there):
        yield Finding(f"the table {table} is not there", Remedy.FILE)
    for table, (_, kind, _, held, keyed, policies) in there.items():
        if table not in TABLES:
            continue
        if kind == "p" and held != partitions:
            yield Finding(f"the table {table} has {held} partitions instead of {partitions}", Remedy.FILE)
        if not keyed:
            yield Finding(f"the table {table} has no primary key", Remedy.LOCKS)
        yield from _policy_findings(schema, table, set(policies))
    for table, (_, _, locked, *_) in there.items():
        if not locked and _base(table) in TABLES:
            yield Finding(
                f"row-level security is not forced on {table} (ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY,"
                " FORCE ROW LEVEL SECURITY)",
                Remedy.LOCKS,
            )


def _base(table: str) -> str:
    """The table that a partition is of."""
    part = _PARTITION.fullmatch(table)
    return part[1] if part else table


def _partitions(connection: Connection, schema: str) -> int:
    query = sql.SQL("SELECT value FROM {}.meta WHERE key = 'partitions'").format(sql.Identifier(schema))
    return int(first_value(connection, query) or 0)


def _policy_findings(schema: str, table: str, held: set[str]) -> Iterator[Finding]:
    wanted = _POLICIES.get(table, {"own"})
    for policy in sorted(wanted - held):
        yield Finding(f"the policy {policy} of the table {table} is not there", Remedy.LOCKS)
    for policy in sorted(held - wanted):
        yield Finding(
            f"the table {table} has a policy {policy} that is not goalmem's (DROP POLICY {policy} ON {schema}.{table})",
            Remedy.LOCKS,
        )


def _server_findings(connection: Connection, schema: str) -> Iterator[Finding]:
    version = pgvector(connection)
    if version is None or is_too_old(version):
        yield Finding(f"pgvector {version or ''} is older than 0.8 (ALTER EXTENSION vector UPDATE)", Remedy.LOCKS)
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s AND (rolsuper OR rolbypassrls)", (ROLE,)).fetchone():
        yield Finding(
            f"row-level security does not bind the role {ROLE} (ALTER ROLE {ROLE} NOSUPERUSER NOBYPASSRLS)",
            Remedy.LOCKS,
        )
    for index, table in connection.execute(_INVALID, (schema,)):
        how = (
            "goalmem index --space SPACE builds it again"
            if str(index).startswith("large_")
            else f"REINDEX INDEX CONCURRENTLY {schema}.{index}"
        )
        yield Finding(f"the index {index} of {table} is not valid ({how})", Remedy.LOCKS)


def _strays(connection: Connection, schema: str) -> Iterator[Finding]:
    """Rows of no space. Only who may read all sees them; to others row-level security shows one space at a time."""
    if not bypasses(connection):
        return
    for table in TABLES:
        if table == "space":
            continue
        query = sql.SQL(
            "SELECT count(*) FROM {table} AS x WHERE NOT EXISTS (SELECT FROM {space} AS s WHERE s.space = x.space)"
        ).format(table=sql.Identifier(schema, table), space=sql.Identifier(schema, "space"))
        if found := first_value(connection, query):
            yield Finding(f"{found} rows of {table} whose space is not there", Remedy.BACKUP)


def _open_tables(connection: Connection) -> Iterator[Finding]:
    """Tables that show rows to a transaction without a space."""
    seek_words(connection, EVERY_WORD)
    for table in TABLES:
        if connection.execute(f"SELECT FROM {table} LIMIT 1".encode()).fetchone() is not None:
            yield Finding(f"the table {table} shows rows to a query without a space", Remedy.LOCKS)


def _index_findings(connections: Connections, name: str) -> Iterator[Finding]:
    """Indices of its own that a large space should have and has not."""
    space = key_of(name)
    row = connections.glance(space, "indexed::integer")
    if not row or not row[0]:
        return
    with connections.owning() as connection:
        for table in INDEXED:
            index = index_name(table, space)
            valid = connection.execute(
                "SELECT FROM pg_index WHERE indexrelid = to_regclass(%s) AND indisvalid",
                (f"{connections.schema}.{index}",),
            ).fetchone()
            if valid is None:
                yield Finding(
                    f"the space {name!r} is searched in the database and has no index of its {table} of its own"
                    f" (goalmem index --space {name})",
                    Remedy.LOCKS,
                )


def _word_findings(store: SpaceTransactions, name: str) -> Iterator[Finding]:
    """Turns that are found by other words than their own."""
    wrong: list[int] = []
    after: int | None = 0
    while after is not None:
        after, more = store.read(name, partial(_turns_with_other_words, after=after))
        wrong += more
    if wrong:
        yield Finding(
            f"{len(wrong)} turns that are found by other words than their own in the space {name!r}",
            Remedy.PHRASES,
            tuple(wrong),
            name,
        )


def _turns_with_other_words(tables: PostgresTables, after: int) -> tuple[int | None, list[int]]:
    """Turns of the next page that the index does not find by their words, and the number of the last turn checked.

    None where there was no turn left.
    """
    seek_words(tables.connection, EVERY_WORD)
    rows = tables.rows(
        f"SELECT t.seq, t.terms, {TURN} FROM {tables.dialect.turns}"
        " WHERE t.space = :space AND t.seq > :after ORDER BY t.seq LIMIT :most",
        after=after,
        most=PAGE,
    )
    if not rows:
        return None, []
    said = []
    for seq, terms, *of_turn in rows:
        with suppress(DamagedRowError):
            turn = turn_of(tables.name, tuple(of_turn))
            said.append((seq, lexemes(turn.content, terms[: len(terms) // 8 * 8])))
    other = tables.rows(
        "SELECT x.seq FROM unnest(:numbers::bigint[], :said::text[]) AS x(seq, said)"
        " JOIN words AS w ON w.space = :space AND w.seq = x.seq WHERE w.words <> x.said::tsvector",
        numbers=[seq for seq, _ in said],
        said=[text for _, text in said],
    )
    return rows[-1][0], [seq for (seq,) in other]


def _without(table: str, key: str, of: str, keyed: str) -> str:
    """A query for the rows of a table without a counterpart in another; both in one space."""
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
"""Problems of turns that can be analysed again; `x.seq` is the turn."""
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
    """Problems of the rows of a space, in one snapshot."""
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
    """Descriptions of the problems of the rows of a space; empty if sound."""
    return [finding.text for finding in row_findings(tables)]
