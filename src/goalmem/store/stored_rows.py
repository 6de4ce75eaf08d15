"""The rows of a store as they are, in its tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from goalmem.store import writes
from goalmem.store.contents import stored_turns
from goalmem.store.graphs_import import GRAPH
from goalmem.store.rows import PAGE, GraphTable, KeptReply, KeptTurn, Row, batches_of
from goalmem.store.tables import SpaceTransactions, Table, Tables

__all__ = ["StoredRows"]


class StoredRows:
    """Reads and writes a store's rows as they are."""

    def __init__(self, store: SpaceTransactions) -> None:
        self._store = store

    def turns(self, space: str, after: int, limit: int) -> list[KeptTurn]:
        """The next `limit` turns with numbers above `after`, in order."""
        return self._store.read_vectors(space, partial(stored_turns, after=after, limit=limit))

    def replies(self, space: str, after: int, limit: int) -> list[KeptReply]:
        """The next `limit` replies with an order above `after`, in order."""
        return self._store.read(space, partial(_replies, after=after, limit=limit))

    def graph(self, space: str, table: GraphTable, after: Row | None) -> list[Row]:
        """The next rows of a table of the space's graph, after some keys, in order."""
        return self._store.read(space, partial(_graph, table=table, after=after))

    def graph_size(self, space: str) -> Row | None:
        """Nodes, relations and triples of the space's graph; None where there is none."""
        query = "SELECT nodes, relations, triples FROM graph WHERE space = :space"
        rows = self._store.read(space, lambda tables: tables.rows(query))
        return rows[0] if rows else None

    def take_graph(self, space: str, table: GraphTable, rows: Sequence[Row]) -> None:
        """Store rows of a graph in one durable transaction, those that are not there yet."""
        into: Table = table
        if table.name == "graph_import":
            into, rows = (
                Table(table.name, (*table.columns, "done"), f"{table.types} boolean"),
                [(*r, True) for r in rows],
            )

        def work(tables: Tables) -> None:
            tables.make()
            tables.add(GRAPH, [(0, 0, 0, 0)], fresh=True)
            tables.add(into, rows, fresh=True)

        self._store.write(space, work)

    def take_graph_size(self, space: str, size: Row) -> None:
        """Note how much the space's graph holds, which makes it seen."""
        nodes, relations, triples = size

        def work(tables: Tables) -> None:
            tables.make()
            tables.add(GRAPH, [(0, 0, 0, 0)], fresh=True)
            tables.run(
                "UPDATE graph SET version = :version, nodes = :nodes, relations = :relations, triples = :triples"
                " WHERE space = :space",
                version=tables.next_change(),
                nodes=nodes,
                relations=relations,
                triples=triples,
            )

        self._store.write(space, work)

    def take_in(self, space: str, turns: Sequence[KeptTurn]) -> int:
        """Store turns in one durable transaction, at the positions that they have; how many were not there yet."""
        batches = batches_of(space, turns)
        return self._store.write_vectors(
            space, lambda tables: sum(len(writes.insert(tables, batch, placed=True)) for batch in batches)
        )


def _replies(tables: Tables, after: int, limit: int) -> list[KeptReply]:
    replies, _, order = tables.dialect.reply
    of_reply, number = tables.dialect.reply_turns
    rows = tables.rows(
        f"SELECT {order}, key, text, id FROM {replies} WHERE space = :space AND {order} > :after"
        f" ORDER BY {order} LIMIT :most",
        after=after,
        most=limit,
    )
    turns = (
        f"SELECT id FROM turn WHERE {tables.dialect.unused}space = :space"
        f" AND seq IN (SELECT {number} FROM {of_reply} WHERE {tables.dialect.owned}reply = :reply) ORDER BY id"
    )
    return [
        KeptReply(place, key, text, tuple(turn for (turn,) in tables.rows(turns, reply=id_)))
        for place, key, text, id_ in rows
    ]


def _graph(tables: Tables, table: GraphTable, after: Row | None) -> list[Row]:
    query = f"SELECT {table.listed} FROM {table.name} WHERE space = :space"
    if table.name == "graph_import":
        query += " AND done"
    keys = {f"key_{place}": value for place, value in enumerate(after or ())}
    if keys:
        query += f" AND ({table.order}) > ({', '.join(f':{key}' for key in keys)})"
    return tables.rows(f"{query} ORDER BY {table.order} LIMIT :most", most=PAGE, **keys)
