"""Reads of imported graphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goalmem.store.graphs import GraphCounts, Node
from goalmem.store.graphs_read import identifier_key
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import storable

__all__ = [
    "counts",
    "degrees",
    "edges",
    "hops",
    "keyed",
    "names",
    "node",
    "node_page",
    "nodes",
    "relations",
    "triple_page",
    "version",
    "words",
]

_TABLES = {False: ("graph_edge", "subject", "object"), True: ("graph_edge_back", "object", "subject")}
"""By whether the relation is taken from object to subject: table, column of heads, column of tails."""
_LAST = "\U0010ffff"

Numbers = NDArray[np.int64]


def counts(connection: Connection, space: Space) -> GraphCounts:
    """How much the graph of a space holds."""
    rows = Query(
        "SELECT g.nodes, g.relations, g.triples, (SELECT count(*) FROM graph_import AS i"
        " WHERE i.space = g.space AND NOT i.done) FROM graph AS g",
        "g",
        space,
    ).rows(connection)
    return GraphCounts(*rows[0]) if rows else GraphCounts()


def version(connection: Connection, space: Space) -> int:
    """The number of the last change."""
    rows = Query("SELECT g.version FROM graph AS g", "g", space).rows(connection)
    return int(rows[0][0]) if rows else 0


def relations(connection: Connection, space: Space) -> list[str]:
    """Names of relations by number."""
    query = Query("SELECT r.name FROM graph_relation AS r", "r", space)
    return [name for (name,) in query.rows(connection, "ORDER BY r.relation")]


def node(connection: Connection, space: Space, identifier: str) -> int | None:
    """The number of a node."""
    query = Query("SELECT n.node FROM graph_node AS n", "n", space)
    query.where("n.key = %s AND n.identifier = %s", identifier_key(identifier), storable(identifier))
    rows = query.rows(connection)
    return int(rows[0][0]) if rows else None


def nodes(connection: Connection, space: Space, numbers: Sequence[int]) -> dict[int, Node]:
    """Nodes by number."""
    query = Query("SELECT n.node, n.identifier, n.kind FROM graph_node AS n", "n", space)
    query.where("n.node = ANY(%s)", list(numbers))
    return {number: Node(identifier, kind) for number, identifier, kind in query.rows(connection)}


def names(connection: Connection, space: Space, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    """Labels and aliases of nodes."""
    query = Query("SELECT n.node, n.rank, n.text FROM graph_label AS n", "n", space)
    query.where("n.node = ANY(%s)", list(numbers))
    found: dict[int, list[tuple[int, str]]] = {}
    for number, rank, text in query.rows(connection):
        found.setdefault(number, []).append((rank, text))
    for listed in found.values():
        listed.sort()
    return found


def keyed(connection: Connection, space: Space, keys: Sequence[int], limit: int) -> dict[int, list[int]]:
    """Nodes by key."""
    rows = connection.execute(
        "SELECT k.key, n.node FROM unnest(%s::bigint[]) AS k(key) CROSS JOIN LATERAL"
        " (SELECT node FROM graph_key AS g WHERE g.space = %s AND g.key = k.key ORDER BY node LIMIT %s) AS n"
        " ORDER BY k.key, n.node",
        (list(dict.fromkeys(keys)), space.id, limit),
    )
    found: dict[int, list[int]] = {}
    for key, number in rows:
        found.setdefault(int(str(key)), []).append(int(str(number)))
    return found


def words(connection: Connection, space: Space, start: str, backwards: bool, limit: int) -> list[str]:
    """Words that begin or end alike."""
    turned = storable(start[::-1] if backwards else start)
    query = Query("SELECT w.word FROM graph_word AS w", "w", space)
    # No character comes after the last of Unicode, so what begins with `turned` lies between the two.
    query.where("w.backwards = %s AND w.word >= %s AND w.word < %s", int(backwards), turned, turned + _LAST)
    rows = query.rows(connection, "ORDER BY w.word LIMIT %s", limit)
    return [word[::-1] if backwards else word for (word,) in rows]


def hops(connection: Connection, space: Space, numbers: Sequence[int], inverse: bool) -> set[int]:
    """Relations that lead away, by a skip scan: one seek a node and relation, however many tails there are."""
    table, head, _ = _TABLES[inverse]
    after = f"SELECT min(e.relation) FROM {table} AS e WHERE e.space = %s AND e.{head} ="
    rows = connection.execute(
        f"""WITH RECURSIVE hop (node, relation) AS (
            SELECT n.node, ({after} n.node) FROM unnest(%s::bigint[]) AS n(node)
            UNION ALL
            SELECT hop.node, ({after} hop.node AND e.relation > hop.relation) FROM hop WHERE hop.relation IS NOT NULL
        ) SELECT DISTINCT relation FROM hop WHERE relation IS NOT NULL""".encode(),
        (space.id, list(numbers), space.id),
    )
    return {int(str(relation)) for (relation,) in rows}


def edges(
    connection: Connection, space: Space, numbers: Sequence[int], relation: int, inverse: bool, limit: int | None
) -> tuple[Numbers, Numbers]:
    """Heads and tails of a relation."""
    table, head, tail = _TABLES[inverse]
    query = Query(f"SELECT e.{head}, e.{tail} FROM {table} AS e", "e", space)
    query.where(f"e.{head} = ANY(%s) AND e.relation = %s", list(numbers), relation)
    rows = query.rows(connection, f"ORDER BY e.{head}, e.{tail} LIMIT %s", limit)
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def degrees(connection: Connection, space: Space, numbers: Sequence[int], most: int) -> list[int]:
    """Edges of nodes, both ways, counted as far as asked."""
    counted = " + ".join(
        f"(SELECT count(*) FROM (SELECT 1 FROM {table} AS e WHERE e.space = %s AND e.{head} = n.node LIMIT %s) AS counted)"
        for table, head, _ in _TABLES.values()
    )
    rows = connection.execute(
        f"SELECT {counted} FROM unnest(%s::bigint[]) WITH ORDINALITY AS n(node, place) ORDER BY n.place".encode(),
        (space.id, most, space.id, most, list(numbers)),
    )
    return [int(str(count)) for (count,) in rows]


def triple_page(connection: Connection, space: Space, after: tuple[int, int, int], limit: int) -> Numbers:
    """The triples that come next in order."""
    query = Query("SELECT e.subject, e.relation, e.object FROM graph_edge AS e", "e", space)
    query.where("(e.subject, e.relation, e.object) > (%s, %s, %s)", *after)
    rows = query.rows(connection, "ORDER BY e.subject, e.relation, e.object LIMIT %s", limit)
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def node_page(connection: Connection, space: Space, after: int, limit: int) -> list[tuple[int, Node]]:
    """The nodes that come next."""
    query = Query("SELECT n.node, n.identifier, n.kind FROM graph_node AS n", "n", space)
    query.where("n.node > %s", after)
    rows = query.rows(connection, "ORDER BY n.node LIMIT %s", limit)
    return [(number, Node(identifier, kind)) for number, identifier, kind in rows]
