"""Operations of a store on imported graphs.

All methods are safe to call from several threads, and several processes may import at once. Lists of numbers go in
whole, so that one statement serves any number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.store import graphs_import as importing
from goalmem.store.failures import decodes, require_later
from goalmem.store.graphs import Chunk, GraphCounts, ImportState, NodeRow, Spelling
from goalmem.store.tables import Rows, SpaceTransactions, Tables

_PAGE = 100_000
"""Triples or nodes read at a time while streaming."""
_BATCH = 512
"""Nodes whose relations are queried in one statement. Stops early once all relations have been seen."""
_DIRECTIONS = {False: ("graph_edge", "subject", "object"), True: ("graph_edge_back", "object", "subject")}
"""By whether the relation is taken from object to subject: table, column of heads, column of tails."""
_EVERY = 2**63 - 1
"""No limit."""

Numbers = NDArray[np.int64]


class GraphStore:
    """Keeps the imported graph of each space, in the tables of a store."""

    def __init__(self, store: SpaceTransactions) -> None:
        self._store = store
        self._dialect = store.dialect

    def counts(self, space: str) -> GraphCounts:
        """Counts; cheap (one indexed row)."""
        return self._store.read(space, _counts)

    def version(self, space: str) -> int:
        """A number that changes with every change of a space's graph; 0 if there is none. Cheap."""
        rows = self._rows(space, "SELECT version FROM graph WHERE space = :space")
        return int(rows[0][0]) if rows else 0

    def relations(self, space: str) -> list[str]:
        """The name of every relation, by number."""
        query = "SELECT name FROM graph_relation WHERE space = :space ORDER BY relation"
        return [name for (name,) in self._rows(space, query)]

    def node(self, space: str, identifier: str) -> int | None:
        """The number of the node with this identifier."""
        return self._store.read(space, lambda tables: importing.known_nodes(tables, [identifier])).get(identifier)

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, NodeRow]:
        """The nodes with these numbers; those that are not there are left out."""
        query = self._dialect.looked_up("x.node, x.identifier, x.kind", "graph_node", "node")
        rows = self._rows(space, query, numbers=list(numbers))
        return {number: NodeRow(identifier, kind) for number, identifier, kind in rows}

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """Each node's names, in order of rank, then text; nodes without are left out."""
        query = self._dialect.looked_up("x.node, x.rank, x.text", "graph_label", "node")
        found: dict[int, list[tuple[int, str]]] = {}
        for number, rank, text in sorted(self._rows(space, query, numbers=list(numbers))):
            found.setdefault(number, []).append((rank, text))
        return found

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """Key -> its nodes in order, at most `limit` per key. Keys without nodes are omitted."""
        query = "SELECT key, node FROM graph_key WHERE space = :space AND key = :value ORDER BY node LIMIT :most"
        found: dict[int, list[int]] = {}
        for key, number in sorted(self._each(space, query, list(dict.fromkeys(keys)), most=limit)):
            found.setdefault(key, []).append(number)
        return found

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """Words of names with the prefix `start`, or with that suffix if backwards; at most `limit`."""
        turned = start[::-1] if backwards else start
        # U+10FFFF is the last character, so every string with the prefix `turned` sorts between the two bounds.
        rows = self._rows(
            space,
            "SELECT word FROM graph_word WHERE space = :space AND backwards = :backwards"
            " AND word >= :first AND word < :last ORDER BY word LIMIT :most",
            backwards=int(backwards),
            first=turned,
            last=turned + "\U0010ffff",
            most=limit,
        )
        return [word[::-1] if backwards else word for (word,) in rows]

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """The relations that lead away from any of these nodes; does not read their tails one by one."""
        return self._store.read(space, partial(_hops, numbers=numbers, inverse=inverse))

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[Numbers, Numbers]:
        """Heads and tails, ordered by head, then tail; `numbers` are distinct and ascending."""
        table, head, tail = _DIRECTIONS[inverse]
        query = self._dialect.looked_up(f"x.{head}, x.{tail}", table, head)
        in_order = self._dialect.sorted.format(f"x.{head}, x.{tail}")
        most = _EVERY if limit is None else limit
        rows = self._rows(
            space,
            f"{query} AND x.relation = :relation {in_order} LIMIT :most",
            numbers=list(numbers),
            relation=relation,
            most=most,
        )
        if limit is not None and rows != sorted(rows):
            # This does not come about; SQLite's documentation promises the order of the loops, but not in so many
            # words that of the rows.
            rows = self._each(
                space,
                f"SELECT {head}, {tail} FROM {table} WHERE space = :space AND {head} = :value"
                f" AND relation = :relation ORDER BY {tail} LIMIT :most",
                numbers,
                relation=relation,
                most=most,
            )
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))][:limit]
        return pairs[:, 0], pairs[:, 1]

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """Edges of each node in either direction, each way counted up to `most`."""
        counted = " + ".join(
            f"(SELECT count(*) FROM (SELECT 1 FROM {table} WHERE space = :space AND {head} = :value LIMIT :most) AS few)"
            for table, head, _ in _DIRECTIONS.values()
        )
        return [count for (count,) in self._each(space, f"SELECT {counted}", numbers, most=most)]

    def pages(self, space: str) -> Iterator[Numbers]:
        """Every triple as numbers (subject, relation, object), ordered, in arrays of shape (n, 3).

        What is merged meanwhile may be among them.
        """
        query = (
            "SELECT subject, relation, object FROM graph_edge WHERE space = :space"
            " AND (subject, relation, object) > (:s, :r, :o) ORDER BY subject, relation, object LIMIT :most"
        )

        @decodes
        def page(tables: Tables, after: tuple[int, ...]) -> Numbers:
            rows = tables.rows(query, s=after[0], r=after[1], o=after[2], most=_PAGE)
            require_later([(tuple(row),) for row in rows[-1:]], after)
            return np.array(rows, dtype=np.int64)

        after: tuple[int, ...] = (-1, -1, -1)
        while len(rows := self._store.read(space, partial(page, after=after))):
            yield rows
            after = tuple(rows[-1].tolist())

    def numbered(self, space: str) -> Iterator[list[tuple[int, NodeRow]]]:
        """Every node, in order, page by page. May include nodes staged while it runs."""
        query = (
            "SELECT node, identifier, kind FROM graph_node WHERE space = :space AND node > :after"
            " ORDER BY node LIMIT :most"
        )

        def page(tables: Tables, after: int) -> Rows:
            rows = tables.rows(query, after=after, most=_PAGE)
            require_later(rows, after)
            return rows

        after = -1
        while rows := self._store.read(space, partial(page, after=after)):
            yield [(number, NodeRow(identifier, kind)) for number, identifier, kind in rows]
            after = rows[-1][0]

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """Progress of the import of the source with this digest; None if it was never started."""
        return self._store.read(space, lambda tables: importing.state(tables, digest))

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """Begin to import a source, or take it up where it stopped."""
        return self._store.write(space, lambda tables: importing.begin(tables, digest, source, total))

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """Store the next chunk in one durable transaction; one that was stored already is passed over.

        `spell` says what the identifiers of new nodes, and names, are found by.

        Raises:
            StoreError: one of its subclasses; nothing of the chunk was stored.
        """
        return self._store.write_much(space, lambda tables: importing.stage(tables, number, chunk, spell))

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """Merge the staged rows into the graph, one durable transaction per step; yields the number of the step."""
        places = self._store.read(space, lambda tables: importing.steps(tables, number))
        count = places[-1][1].stop
        for table, range_ in places:
            parts = self._store.read(space, partial(importing.staged, number=number, table=table))
            for place, rows in zip(range_, parts, strict=False):  # no steps are left if another process has finished
                merge = partial(importing.step, number=number, at=place, table=table, rows=rows)
                yield self._store.write_much(space, merge), count
        yield self._store.write(space, lambda tables: importing.finish(tables, number)), count

    def drop(self, space: str) -> int:
        """Remove the graph of a space with all imports, in one durable transaction; returns how many triples it had.

        Raises:
            StoreError: one of its subclasses; nothing was removed.
        """
        return self._store.write(space, importing.drop)

    def _rows(self, space: str, statement: str, **values: Any) -> Rows:
        return self._store.read(space, lambda tables: tables.rows(statement, **values))

    def _each(self, space: str, statement: str, numbers: Sequence[int], **values: Any) -> Rows:
        return self._store.read(space, lambda tables: tables.each(statement, numbers, **values))


def _counts(tables: Tables) -> GraphCounts:
    rows = tables.rows(
        "SELECT nodes, relations, triples, (SELECT count(*) FROM graph_import AS i WHERE i.space = :space AND NOT i.done)"
        " FROM graph WHERE space = :space"
    )
    return GraphCounts(*rows[0]) if rows else GraphCounts()


def _hops(tables: Tables, numbers: Sequence[int], inverse: bool) -> set[int]:
    """By a skip scan: one seek a node and relation, however many tails there are."""
    table, head, _ = _DIRECTIONS[inverse]
    next_one = f"SELECT min(e.relation) FROM {table} AS e WHERE e.space = :space AND e.{head}"
    query = f"""
        WITH RECURSIVE hop (node, relation) AS (
            SELECT n.value, ({next_one} = n.value) FROM {tables.dialect.numbers}
            UNION ALL
            SELECT hop.node, ({next_one} = hop.node AND e.relation > hop.relation)
            FROM hop WHERE hop.relation IS NOT NULL
        ) SELECT DISTINCT relation FROM hop WHERE relation IS NOT NULL"""
    every = _counts(tables).relations if len(numbers) > _BATCH else None
    found: set[int] = set()
    for first in range(0, len(numbers), _BATCH):
        found.update(r for (r,) in tables.rows(query, numbers=list(numbers[first : first + _BATCH])))
        if len(found) == every:
            break
    return found
