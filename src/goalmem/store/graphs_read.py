"""Reads of imported graphs. Lists of numbers go in whole, so that one statement serves any number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from goalmem.store.graphs import GraphCounts, Node
from goalmem.store.tables import Tables

__all__ = [
    "counts",
    "degrees",
    "edges",
    "hops",
    "identifier_key",
    "keyed",
    "known_nodes",
    "names",
    "node",
    "node_page",
    "nodes",
    "relations",
    "triple_page",
    "version",
    "words",
]

_BATCH = 512
"""Nodes whose relations are asked for at once: when all relations were met the rest need not be asked."""
_TABLES = {False: ("graph_edge", "subject", "object"), True: ("graph_edge_back", "object", "subject")}
"""By whether the relation is taken from object to subject: table, column of heads, column of tails."""
_EVERY = 2**63 - 1
"""A limit that is none."""

Numbers = NDArray[np.int64]


def identifier_key(identifier: str) -> int:
    """A signed 64-bit key of an identifier."""
    return int.from_bytes(blake2b(identifier.encode(), digest_size=8).digest(), "big", signed=True)


def counts(tables: Tables) -> GraphCounts:
    """How much the graph of a space holds."""
    rows = tables.rows(
        "SELECT nodes, relations, triples, (SELECT count(*) FROM graph_import AS i WHERE i.space = :space AND NOT i.done)"
        " FROM graph WHERE space = :space"
    )
    return GraphCounts(*rows[0]) if rows else GraphCounts()


def version(tables: Tables) -> int:
    """The number of the last change."""
    rows = tables.rows("SELECT version FROM graph WHERE space = :space")
    return int(rows[0][0]) if rows else 0


def relations(tables: Tables) -> list[str]:
    """Names of relations by number."""
    rows = tables.rows("SELECT name FROM graph_relation WHERE space = :space ORDER BY relation")
    return [name for (name,) in rows]


def node(tables: Tables, identifier: str) -> int | None:
    """The number of a node."""
    return known_nodes(tables, [identifier_key(identifier)]).get(identifier)


def nodes(tables: Tables, numbers: Sequence[int]) -> dict[int, Node]:
    """Nodes by number."""
    query = _of_nodes(tables, "x.node, x.identifier, x.kind", "graph_node", "node")
    rows = tables.rows(query, numbers=list(numbers))
    return {number: Node(identifier, kind) for number, identifier, kind in rows}


def names(tables: Tables, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    """Labels and aliases of nodes."""
    query = _of_nodes(tables, "x.node, x.rank, x.text", "graph_label", "node")
    found: dict[int, list[tuple[int, str]]] = {}
    for number, rank, text in tables.rows(query, numbers=list(numbers)):
        found.setdefault(number, []).append((rank, text))
    for listed in found.values():
        listed.sort()
    return found


def _of_nodes(tables: Tables, columns: str, table: str, column: str) -> str:
    """A SELECT of the rows of a table that hold one of `:numbers` in a column, looked up one by one."""
    listed = f"{tables.dialect.numbers} CROSS JOIN {table} AS x"
    return f"SELECT {columns} FROM {listed} WHERE x.space = :space AND x.{column} = n.value"


def known_nodes(tables: Tables, keys: Sequence[int]) -> dict[str, int]:
    """Identifier -> node, of the nodes whose identifiers have these keys."""
    return dict(tables.rows(_of_nodes(tables, "x.identifier, x.node", "graph_node", "key"), numbers=list(keys)))


def keyed(tables: Tables, keys: Sequence[int], limit: int) -> dict[int, list[int]]:
    """Nodes by key."""
    query = "SELECT key, node FROM graph_key WHERE space = :space AND key = :value ORDER BY node LIMIT :most"
    found: dict[int, list[int]] = {}
    for key, number in tables.each(query, list(dict.fromkeys(keys)), most=limit):
        found.setdefault(key, []).append(number)
    for numbers in found.values():
        numbers.sort()
    return found


def words(tables: Tables, start: str, backwards: bool, limit: int) -> list[str]:
    """Words that begin or end alike."""
    turned = start[::-1] if backwards else start
    # No character comes after the last of Unicode, so what begins with `turned` lies between the two.
    rows = tables.rows(
        "SELECT word FROM graph_word WHERE space = :space AND backwards = :backwards AND word >= :first AND word < :last"
        " ORDER BY word LIMIT :most",
        backwards=int(backwards),
        first=turned,
        last=turned + "\U0010ffff",
        most=limit,
    )
    return [word[::-1] if backwards else word for (word,) in rows]


def hops(tables: Tables, numbers: Sequence[int], inverse: bool) -> set[int]:
    """Relations that lead away, by a skip scan: one seek a node and relation, however many tails there are."""
    table, head, _ = _TABLES[inverse]
    next_one = f"SELECT min(e.relation) FROM {table} AS e WHERE e.space = :space AND e.{head}"
    query = f"""
        WITH RECURSIVE hop (node, relation) AS (
            SELECT n.value, ({next_one} = n.value) FROM {tables.dialect.numbers}
            UNION ALL
            SELECT hop.node, ({next_one} = hop.node AND e.relation > hop.relation)
            FROM hop WHERE hop.relation IS NOT NULL
        ) SELECT DISTINCT relation FROM hop WHERE relation IS NOT NULL"""
    every = counts(tables).relations if len(numbers) > _BATCH else None
    found: set[int] = set()
    for first in range(0, len(numbers), _BATCH):
        found.update(r for (r,) in tables.rows(query, numbers=list(numbers[first : first + _BATCH])))
        if len(found) == every:
            break
    return found


def edges(
    tables: Tables, numbers: Sequence[int], relation: int, inverse: bool, limit: int | None
) -> tuple[Numbers, Numbers]:
    """Heads and tails of a relation."""
    table, head, tail = _TABLES[inverse]
    query = _of_nodes(tables, f"x.{head}, x.{tail}", table, head)
    in_order = tables.dialect.sorted.format(f"x.{head}, x.{tail}")
    rows = tables.rows(
        f"{query} AND x.relation = :relation {in_order} LIMIT :most",
        numbers=list(numbers),
        relation=relation,
        most=_EVERY if limit is None else limit,
    )
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    if limit is not None and len(order) > 1 and np.any(np.diff(order) != 1):
        # This does not come about; SQLite's documentation promises the order of the loops, but not in so many words
        # that of the rows.
        pairs = _edges_one_by_one(tables, numbers, relation, inverse, limit)
        return pairs[:, 0], pairs[:, 1]
    return pairs[order, 0], pairs[order, 1]


def _edges_one_by_one(tables: Tables, numbers: Sequence[int], relation: int, inverse: bool, limit: int) -> Numbers:
    table, head, tail = _TABLES[inverse]
    query = (
        f"SELECT {head}, {tail} FROM {table} WHERE space = :space AND {head} = :value AND relation = :relation"
        f" ORDER BY {tail} LIMIT :most"
    )
    pairs = sorted(tables.each(query, numbers, relation=relation, most=limit))[:limit]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def degrees(tables: Tables, numbers: Sequence[int], most: int) -> list[int]:
    """Edges of nodes, both ways, counted as far as asked."""
    counted = " + ".join(
        f"(SELECT count(*) FROM (SELECT 1 FROM {table} WHERE space = :space AND {head} = :value LIMIT :most) AS few)"
        for table, head, _ in _TABLES.values()
    )
    return [count for (count,) in tables.each(f"SELECT {counted}", numbers, most=most)]


def triple_page(tables: Tables, after: tuple[int, int, int], limit: int) -> Numbers:
    """The triples that come next in order."""
    subject, relation, object_ = after
    rows = tables.rows(
        "SELECT subject, relation, object FROM graph_edge WHERE space = :space"
        " AND (subject, relation, object) > (:subject, :relation, :object) ORDER BY subject, relation, object LIMIT :most",
        subject=subject,
        relation=relation,
        object=object_,
        most=limit,
    )
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def node_page(tables: Tables, after: int, limit: int) -> list[tuple[int, Node]]:
    """The nodes that come next."""
    query = (
        "SELECT node, identifier, kind FROM graph_node WHERE space = :space AND node > :after ORDER BY node LIMIT :most"
    )
    rows = tables.rows(query, after=after, most=limit)
    return [(number, Node(identifier, kind)) for number, identifier, kind in rows]
