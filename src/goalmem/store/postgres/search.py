"""Search in the database, for spaces too large to hold in memory (`LargeSpaces`).

Each such space has indices of its own, which hold no row of another: a graph of its vectors (HNSW) and lists of its words (GIN). So a
search costs what its space costs, and the many small spaces, which are searched exactly in memory, cost no index at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from psycopg import sql

from goalmem.store.conditions import restrict
from goalmem.store.postgres.binary import Halfvec
from goalmem.store.postgres.connections import Connections
from goalmem.store.postgres.schema import Connection, first_value
from goalmem.store.postgres.tables import POSTGRES, PostgresTables
from goalmem.store.postgres.text import key_of, seek_words, term_lexeme
from goalmem.store.protocol import IndexRow, TurnFilter
from goalmem.store.reads import found_index_rows, index_row
from goalmem.store.tables import Query

EFFORT, EFFORT_FOR, MOST_EFFORT = 400, 160_000, 1000
"""Candidates that the walk through the graph of vectors keeps (hnsw.ef_search): so many up to so many turns, and for more turns more,
as their square root, up to the most that pgvector takes; measured in docs/scale.md."""
FEW = 20_000
"""Up to this number of matching turns, vectors are compared one by one; measured in docs/scale.md."""
MOST_SCANNED = 40_000
"""Vectors that a search with conditions goes through before it is content with fewer (hnsw.max_scan_tuples)."""
LINKS, BUILD_EFFORT = 16, 100
"""Links of a vector, and candidates while the graph is built (pgvector's m is 16 and ef_construction 64 by default)."""
_INDICES = {
    "passage": "USING hnsw (vector halfvec_ip_ops) WITH (m = {links}, ef_construction = {effort})",
    "words": "USING gin (words)",
    "turn": "(at DESC, seq)",
}
"""Indices of each table of a large space."""
INDEXED = tuple(_INDICES)
"""Tables of which a large space has an index of its own."""


def index_space(connections: Connections, space: UUID) -> bool:
    """Build the indices of one space without blocking readers and writers; False if the space does not exist.

    What was begun and not finished is built again.
    """
    if connections.glance(space, "turns") is None:
        return False
    with connections.owning() as connection:
        for table, how in _INDICES.items():
            build(connection, connections.schema, table, space, how)
    connections.write(space, lambda c: c.execute("UPDATE space SET indexed = true WHERE space = %s", (space,)))
    return True


def drop_indices(connections: Connections, space: UUID) -> None:
    """Remove a space's own indices; it is searched in memory then."""
    connections.write(space, lambda c: c.execute("UPDATE space SET indexed = false WHERE space = %s", (space,)))
    with connections.owning() as connection:
        for table in _INDICES:
            name = sql.Identifier(connections.schema, index_name(table, space))
            connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))


def index_name(table: str, space: UUID) -> str:
    """Name of the index of one space on a table."""
    return f"large_{table}_{space.hex}"


def build(connection: Connection, schema: str, table: str, space: UUID, how: str = _INDICES["passage"]) -> None:
    """Build a space's own index of a table, while others read and write; by default one of vectors."""
    name = index_name(table, space)
    query = (
        "SELECT i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " WHERE c.relname = %s AND c.relnamespace = to_regnamespace(%s)"
    )
    valid = first_value(connection, query, name, schema)
    if valid:
        return
    if valid is not None:  # an earlier build was killed
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(schema, name)))
    connection.execute(
        sql.SQL("CREATE INDEX CONCURRENTLY {name} ON {table} {how} WHERE space = {space}").format(
            name=sql.Identifier(name),
            table=sql.Identifier(schema, _part(connection, schema, table, space)),
            how=sql.SQL(how.format(links=LINKS, effort=BUILD_EFFORT)),
            space=sql.Literal(str(space)),
        )
    )


def _part(connection: Connection, schema: str, table: str, space: UUID) -> str:
    """The partition that holds a space's rows, or the table itself if it is not partitioned."""
    query = (
        "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = to_regclass(%s) AND satisfies_hash_partition(i.inhparent,"
        " (SELECT count(*)::integer FROM pg_inherits WHERE inhparent = i.inhparent),"
        " substring(c.relname FROM '[0-9]+$')::integer, %s::uuid)"
    )
    return str(first_value(connection, query, f"{schema}.{table}", space) or table)


def indexed(connections: Connections, space: UUID) -> int:
    """Number of indexed turns of a space; 0 if it has no indices of its own."""
    row = connections.glance(space, "CASE WHEN indexed THEN turns ELSE 0 END")
    return row[0] if row else 0


def sample(tables: PostgresTables, count: int) -> list[bytes]:
    """Terms of turns whose numbers lie evenly between the first and the last."""
    rows = tables.rows(
        "SELECT t.terms FROM (SELECT min(seq) AS first, max(seq) AS last FROM turn WHERE space = :space) AS r"
        " CROSS JOIN LATERAL generate_series(r.first, r.last, greatest(1, (r.last - r.first) / :count)) AS n"
        " JOIN turn AS t ON t.seq = n WHERE t.space = :space",
        count=count,
    )
    return [terms for (terms,) in rows]


def nearest(tables: PostgresTables, vector: bytes, count: int, within: TurnFilter) -> list[int]:
    """The turns with the nearest passages; with conditions the graph is walked on until there are enough.

    Where conditions leave few turns, these are compared one by one.
    """
    if _leave_few(tables, within):
        return _nearest_of_few(tables, vector, count, within)
    tables.connection.execute(
        f"SET LOCAL hnsw.max_scan_tuples = {MOST_SCANNED}; SET LOCAL hnsw.iterative_scan = strict_order;"
        " SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;"
        f" SELECT set_config('hnsw.ef_search', least({MOST_EFFORT}, greatest("
        f"{count}, {EFFORT}, {EFFORT} * sqrt(turns / {EFFORT_FOR}.0)))::integer::text, true)"
        f" FROM space WHERE space = '{tables.id}'".encode()
    )
    query = Query(tables, f"SELECT p.seq FROM passage AS p{_joined(within, 'p')}", "p")
    _restrict(query, within)
    rows = query.rows("ORDER BY p.vector <#> :vector::halfvec LIMIT :most", vector=Halfvec(vector), most=count)
    return list(dict.fromkeys(seq for (seq,) in rows))


def _leave_few(tables: PostgresTables, within: TurnFilter) -> bool:
    """True if the filters on time or session leave so few turns that a graph search would be wasteful."""
    placed = TurnFilter(sessions=within.sessions, after=within.after, before=within.before, where=within.where)
    if placed == TurnFilter():
        return False
    query = Query(tables, "SELECT count(*) FROM (SELECT FROM turn AS t", "t")
    _restrict(query, placed)
    rows = query.rows("LIMIT :most) AS few", most=FEW + 1)
    return bool(rows[0][0] <= FEW)


def _nearest_of_few(tables: PostgresTables, vector: bytes, count: int, within: TurnFilter) -> list[int]:
    # Looked up turn by turn: starting a parallel worker takes longer.
    tables.connection.execute(
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
        " SET LOCAL max_parallel_workers_per_gather = 0"
    )
    query = Query(tables, f"SELECT p.seq FROM passage AS p{_joined(within, 'p')}", "p")
    _restrict(query, within)
    order = "GROUP BY p.seq ORDER BY min(p.vector <#> :vector::halfvec), p.seq LIMIT :most"
    return [seq for (seq,) in query.rows(order, vector=Halfvec(vector), most=count)]


def worded(
    tables: PostgresTables, any_of: Sequence[int], all_of: Sequence[int], count: int, within: TurnFilter
) -> list[int]:
    """Turns with any of some terms, or all of some others."""
    alternatives = [_lexeme(term) for term in any_of]
    if all_of:
        alternatives.append("(" + " & ".join(map(_lexeme, all_of)) + ")")
    if not alternatives:
        return []
    seek_words(tables.connection, " | ".join(alternatives))
    # A list of words gives all that it holds before any is read, so the order costs little.
    query = Query(tables, f"SELECT w.seq FROM words AS w{_joined(within, 'w')}", "w")
    _restrict(query, within)
    return [seq for (seq,) in query.rows("ORDER BY w.seq DESC LIMIT :most", most=count)]


def _lexeme(term: int) -> str:
    return term_lexeme(term.to_bytes(8, "little"))


def _joined(within: TurnFilter, name: str) -> str:
    """The turns themselves, where a condition is on them."""
    return f" JOIN turn AS t ON t.space = {name}.space AND t.seq = {name}.seq" if within != TurnFilter() else ""


def _restrict(query: Query, within: TurnFilter) -> None:
    restrict(query, within.where, "t.seq", POSTGRES)
    sessions, speakers, roles = within.sessions, within.speakers, within.roles
    query.where("t.session IN :sessions", sessions=None if sessions is None else [key_of(name) for name in sessions])
    query.where("t.speaker IN :speakers", speakers=None if speakers is None else list(speakers))
    query.where("t.role IN :roles", roles=None if roles is None else list(roles))
    query.where("t.at >= :after", after=None if within.after is None else int(within.after * 1e6))
    query.where("t.at < :before", before=None if within.before is None else int(within.before * 1e6))


def rows_around(tables: PostgresTables, numbers: Iterable[int], turns: Iterable[str], reach: int) -> list[IndexRow]:
    """Index rows of turns by number and by id, and of those up to `reach` places from them in their sessions."""
    query = (
        f"{index_row(tables.dialect)} WHERE t.space = :space AND t.seq = ANY(ARRAY("
        "SELECT n.seq FROM turn AS c JOIN turn AS n ON n.space = c.space AND n.session = c.session"
        " AND n.position BETWEEN c.position - :reach AND c.position + :reach"
        " WHERE c.space = :space AND n.space = :space AND (c.seq IN :numbers OR c.id IN :turns))) ORDER BY t.seq"
    )
    return found_index_rows(tables, tables.rows(query, reach=reach, numbers=list(numbers), turns=list(turns)))


def speakers(tables: PostgresTables) -> list[tuple[str, str]]:
    """Speakers and roles, in the order in which they first spoke."""
    query = "SELECT speaker, role FROM turn WHERE space = :space GROUP BY speaker, role ORDER BY min(seq)"
    return [(name, role) for name, role in tables.rows(query)]


def newest(tables: PostgresTables) -> str | None:
    """The turn said last."""
    rows = tables.rows("SELECT id FROM turn WHERE space = :space ORDER BY at DESC, seq LIMIT 1")
    return str(rows[0][0]) if rows else None
