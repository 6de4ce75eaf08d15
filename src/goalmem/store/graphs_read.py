"""Reads of imported graphs. Lists of numbers go in as JSON, so that one statement serves any number of nodes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from goalmem.store.graphs import GraphCounts, Node

__all__ = [
    "counts",
    "degrees",
    "edges",
    "hops",
    "identifier_key",
    "keyed",
    "names",
    "node",
    "node_page",
    "nodes",
    "relations",
    "triple_page",
    "words",
]

_BATCH = 512
"""Nodes whose relations are asked for at once: when all relations were met the rest need not be asked."""
_TABLES = {False: ("graph_edge", "subject", "object"), True: ("graph_edge_back", "object", "subject")}
"""By whether the relation is taken from object to subject: table, column of heads, column of tails."""


def identifier_key(identifier: str) -> int:
    """A signed 64-bit key of an identifier."""
    return int.from_bytes(blake2b(identifier.encode(), digest_size=8).digest(), "big", signed=True)


def counts(connection: sqlite3.Connection, space: int) -> GraphCounts:
    """How much the graph of a space holds."""
    row = connection.execute("SELECT nodes, relations, triples FROM graph WHERE space = ?", (space,)).fetchone()
    if row is None:
        return GraphCounts()
    begun = connection.execute("SELECT count(*) FROM graph_import WHERE space = ? AND NOT done", (space,)).fetchone()
    held, kinds, triples = row
    return GraphCounts(held, kinds, triples, begun[0])


def relations(connection: sqlite3.Connection, space: int) -> list[str]:
    """Names of relations by number."""
    query = "SELECT name FROM graph_relation WHERE space = ? ORDER BY relation"
    return [name for (name,) in connection.execute(query, (space,))]


def node(connection: sqlite3.Connection, space: int, identifier: str) -> int | None:
    """The number of a node."""
    query = "SELECT node FROM graph_node INDEXED BY graph_node_key WHERE space = ? AND key = ? AND identifier = ?"
    row = connection.execute(query, (space, identifier_key(identifier), identifier)).fetchone()
    return row[0] if row else None


def nodes(connection: sqlite3.Connection, space: int, numbers: Sequence[int]) -> dict[int, Node]:
    """Nodes by number."""
    query = (
        "SELECT n.node, n.identifier, n.kind FROM json_each(?) AS j"
        " CROSS JOIN graph_node AS n ON n.space = ? AND n.node = j.value"
    )
    rows = connection.execute(query, (_json(numbers), space))
    return {number: Node(identifier, kind) for number, identifier, kind in rows}


def names(connection: sqlite3.Connection, space: int, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    """Labels and aliases of nodes."""
    query = (
        "SELECT n.node, n.rank, n.text FROM json_each(?) AS j"
        " CROSS JOIN graph_label AS n ON n.space = ? AND n.node = j.value"
    )
    found: dict[int, list[tuple[int, str]]] = {}
    for number, rank, text in connection.execute(query, (_json(numbers), space)):
        found.setdefault(number, []).append((rank, text))
    for listed in found.values():
        listed.sort()
    return found


def keyed(connection: sqlite3.Connection, space: int, keys: Sequence[int], limit: int) -> dict[int, list[int]]:
    """Nodes by key."""
    query = "SELECT node FROM graph_key WHERE space = ? AND key = ? ORDER BY node LIMIT ?"
    found = {key: [n for (n,) in connection.execute(query, (space, key, limit))] for key in dict.fromkeys(keys)}
    return {key: numbers for key, numbers in found.items() if numbers}


def words(connection: sqlite3.Connection, space: int, start: str, backwards: bool, limit: int) -> list[str]:
    """Words that begin or end alike."""
    turned = start[::-1] if backwards else start
    query = "SELECT word FROM graph_word WHERE space = ? AND backwards = ? AND word >= ? AND word < ? LIMIT ?"
    # No character comes after the last of Unicode, so what begins with `turned` lies between the two.
    rows = connection.execute(query, (space, backwards, turned, turned + "\U0010ffff", limit))
    return [word[::-1] if backwards else word for (word,) in rows]


def hops(connection: sqlite3.Connection, space: int, numbers: Sequence[int], inverse: bool) -> set[int]:
    """Relations that lead away, by a skip scan: one seek a node and relation, however many tails there are."""
    table, head, _ = _TABLES[inverse]
    query = f"""
        WITH RECURSIVE hop (node, relation) AS (
            SELECT value, (SELECT min(relation) FROM {table} WHERE space = ?1 AND {head} = value) FROM json_each(?2)
            UNION ALL
            SELECT node, (SELECT min(e.relation) FROM {table} AS e
                          WHERE e.space = ?1 AND e.{head} = hop.node AND e.relation > hop.relation)
            FROM hop WHERE relation IS NOT NULL
        ) SELECT DISTINCT relation FROM hop WHERE relation IS NOT NULL"""
    every = connection.execute("SELECT relations FROM graph WHERE space = ?", (space,)).fetchone()
    found: set[int] = set()
    for first in range(0, len(numbers), _BATCH):
        found.update(r for (r,) in connection.execute(query, (space, _json(numbers[first : first + _BATCH]))))
        if every and len(found) == every[0]:
            break
    return found


def edges(
    connection: sqlite3.Connection, space: int, numbers: Sequence[int], relation: int, inverse: bool, limit: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Heads and tails of a relation."""
    table, head, tail = _TABLES[inverse]
    query = (
        f"SELECT e.{head}, e.{tail} FROM json_each(?) AS j"
        f" CROSS JOIN {table} AS e ON e.space = ? AND e.{head} = j.value AND e.relation = ? LIMIT ?"
    )
    values = (_json(numbers), space, relation, -1 if limit is None else limit)
    rows = np.array(connection.execute(query, values).fetchall(), dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    if limit is not None and len(order) > 1 and np.any(np.diff(order) != 1):
        # A cross join goes through its tables in the order written, so this does not come about; SQLite's
        # documentation promises the order of the loops, but not in so many words that of the rows.
        return _edges_one_by_one(connection, space, numbers, relation, _TABLES[inverse], limit)
    return rows[order, 0], rows[order, 1]


def _edges_one_by_one(
    connection: sqlite3.Connection,
    space: int,
    numbers: Sequence[int],
    relation: int,
    columns: tuple[str, str, str],
    limit: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table, head, tail = columns
    query = f"SELECT {tail} FROM {table} WHERE space = ? AND {head} = ? AND relation = ? ORDER BY {tail} LIMIT ?"
    pairs: list[tuple[int, int]] = []
    for number in numbers:
        if len(pairs) >= limit:
            break
        pairs += [(number, t) for (t,) in connection.execute(query, (space, number, relation, limit - len(pairs)))]
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def degrees(connection: sqlite3.Connection, space: int, numbers: Sequence[int], most: int) -> list[int]:
    """Edges of nodes, both ways, counted as far as asked."""
    total = [0] * len(numbers)
    for table, head, _ in _TABLES.values():
        query = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE space = ? AND {head} = ? LIMIT ?)"
        for place, number in enumerate(numbers):
            total[place] += connection.execute(query, (space, number, most)).fetchone()[0]
    return total


def triple_page(
    connection: sqlite3.Connection, space: int, after: tuple[int, int, int], limit: int
) -> NDArray[np.int64]:
    """The triples that come next in order."""
    query = (
        "SELECT subject, relation, object FROM graph_edge WHERE space = ? AND (subject, relation, object) > (?, ?, ?)"
        " ORDER BY subject, relation, object LIMIT ?"
    )
    rows = connection.execute(query, (space, *after, limit)).fetchall()
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def node_page(connection: sqlite3.Connection, space: int, after: int, limit: int) -> list[tuple[int, Node]]:
    """The nodes that come next."""
    query = "SELECT node, identifier, kind FROM graph_node WHERE space = ? AND node > ? ORDER BY node LIMIT ?"
    rows = connection.execute(query, (space, after, limit))
    return [(number, Node(identifier, kind)) for number, identifier, kind in rows]


def _json(numbers: Iterable[int]) -> str:
    return json.dumps(list(numbers), separators=(",", ":"))
