"""Imports of graphs, staged and merged as `goalmem.store.graphs_import` says; every step holds the row of its space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import StoreError
from goalmem.store.graphs import Chunk, ImportState, Spelling
from goalmem.store.graphs_read import identifier_key
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import drop_if_empty, hold, made, next_number
from goalmem.store.postgres.text import key_of, storable

__all__ = ["begin", "drop", "finish", "stage", "staged", "state", "step", "steps"]

STEP = 100_000
"""Rows merged in a transaction: about a second."""
_EDGES, _KEYS = 0, 1
_ROW = {_EDGES: np.dtype([("a", "<u4"), ("b", "<u4"), ("c", "<u4")]), _KEYS: np.dtype([("a", "<i8"), ("b", "<u4")])}
_COLUMNS = {
    "graph_key": "key, node",
    "graph_edge_back": "object, relation, subject",
    "graph_edge": "subject, relation, object",
}
_ORDER = {"graph_key": _KEYS, "graph_edge_back": _EDGES, "graph_edge": _EDGES}
"""Tables and what goes into them. Forward edges last: they make the triples count, when all else is there."""
_TABLES = ("staged", "import", "edge", "edge_back", "key", "word", "label", "node", "relation")

Rows = NDArray[np.void]


def state(connection: Connection, space: Space, condition: str, value: object) -> ImportState | None:
    """How far an import is: the one whose column (`condition`) has a value."""
    query = Query(
        "SELECT i.id, i.chunks, i.entries, i.total, i.steps, i.triples, i.done FROM graph_import AS i", "i", space
    )
    query.where(f"i.{condition} = %s", value)
    rows = query.rows(connection)
    return ImportState(*rows[0]) if rows else None


def begin(connection: Connection, space: Space, digest: str, source: str, total: int) -> ImportState:
    """The import of a source, made where it is new. Runs inside a write transaction."""
    made(connection, space.id, space.name)
    connection.execute("INSERT INTO graph VALUES (%s, 0, 0, 0, 0) ON CONFLICT DO NOTHING", (space.id,))
    if state(connection, space, "digest", digest) is None:
        connection.execute(
            "INSERT INTO graph_import (space, id, digest, source, total) VALUES (%s, nextval('import'), %s, %s, %s)",
            (space.id, digest, storable(source), total),
        )
    found = state(connection, space, "digest", digest)
    assert found is not None
    return found


def stage(
    connection: Connection, space: Space, number: int, chunk: Chunk, spell: Callable[[str], Spelling]
) -> ImportState:
    """Number the nodes of a chunk and keep its triples. Runs inside a write transaction."""
    reached = _required(connection, space, number)
    if reached.done or chunk.number < reached.chunks:
        return reached
    places, fresh = _numbered(connection, space, chunk)
    _correct_kinds(connection, space, chunk, places)
    labels = [(int(places[place]), rank, key_of(text), storable(text)) for place, rank, text in chunk.names]
    _bulk(connection, space, "graph_label", "node, rank, id, text", "bigint bigint uuid text", labels)
    spelled = [(node, spell(identifier)) for identifier, node in fresh.items()]
    spelled += [(int(places[place]), spell(text)) for place, _, text in chunk.names]
    _insert_words(connection, space, (word for _, spelling in spelled for word in spelling.words))
    keys = [(key, node) for node, spelling in spelled for key in spelling.keys]
    edges = np.empty(len(chunk.triples), _ROW[_EDGES])
    if len(edges):
        relations = _relations(connection, space, chunk.relations)
        edges["a"], edges["c"] = places[chunk.triples[:, 0]], places[chunk.triples[:, 2]]
        edges["b"] = relations[chunk.triples[:, 1]]
    for what, rows in ((_EDGES, edges), (_KEYS, np.array(keys, dtype=_ROW[_KEYS]))):
        connection.execute(
            "INSERT INTO graph_staged VALUES (%s, %s, %s, %s, %s)",
            (space.id, number, what, chunk.number, rows.tobytes()),
        )
    connection.execute(
        "UPDATE graph_import SET chunks = chunks + 1, entries = entries + %s WHERE space = %s AND id = %s",
        (chunk.entries, space.id, number),
    )
    return _required(connection, space, number)


def steps(connection: Connection, space: Space, number: int) -> list[tuple[str, range]]:
    """What merges an import, once all is staged: tables in order, each with the places of its steps."""
    places: list[tuple[str, range]] = []
    first = 0
    for table, what in _ORDER.items():
        query = Query("SELECT coalesce(sum(length(g.rows)), 0)::bigint FROM graph_staged AS g", "g", space)
        query.where("g.import = %s AND g.what = %s", number, what)
        rows = query.rows(connection)[0][0] // _ROW[what].itemsize
        places.append((table, range(first, first - (-rows // STEP))))
        first = places[-1][1].stop
    return places


def staged(connection: Connection, space: Space, number: int, table: str) -> list[Rows]:
    """The rows of each step of a table: sorted, so the same whenever they are asked for."""
    query = Query("SELECT g.rows FROM graph_staged AS g", "g", space)
    query.where("g.import = %s AND g.what = %s", number, _ORDER[table])
    blobs = query.rows(connection, "ORDER BY g.chunk")
    rows = np.frombuffer(b"".join(blob for (blob,) in blobs), dtype=_ROW[_ORDER[table]])
    if table == "graph_edge_back":
        turned = rows.copy()
        turned["a"], turned["c"] = rows["c"], rows["a"]
        rows = turned
    rows = rows[np.lexsort([rows[name] for name in reversed(rows.dtype.names or ())])]
    return [rows[start : start + STEP] for start in range(0, len(rows), STEP)]


def step(connection: Connection, space: Space, number: int, at: int, table: str, rows: Rows) -> ImportState:
    """Merge the rows of one step, unless another process did. Runs inside a write transaction."""
    reached = _required(connection, space, number)
    if reached.done or reached.steps > at:
        return reached
    columns = [rows[name].tolist() for name in rows.dtype.names or ()]
    fresh = _bulk(connection, space, table, _COLUMNS[table], "bigint " * len(columns), list(zip(*columns, strict=True)))
    new = fresh if table == "graph_edge" else 0
    connection.execute(
        "UPDATE graph_import SET steps = %s, triples = triples + %s WHERE space = %s AND id = %s",
        (at + 1, new, space.id, number),
    )
    connection.execute("UPDATE graph SET triples = triples + %s WHERE space = %s", (new, space.id))
    _changed(connection, space)
    return _required(connection, space, number)


def finish(connection: Connection, space: Space, number: int) -> ImportState:
    """Drop what was staged; the import is done. Runs inside a write transaction."""
    _required(connection, space, number)
    connection.execute("DELETE FROM graph_staged WHERE space = %s AND import = %s", (space.id, number))
    connection.execute("UPDATE graph_import SET done = true WHERE space = %s AND id = %s", (space.id, number))
    _changed(connection, space)
    return _required(connection, space, number)


def drop(connection: Connection, space: Space) -> int:
    """Delete the graph of a space; how many triples it had. Runs inside a write transaction."""
    if hold(connection, space.id) is None:
        return 0
    rows = Query("SELECT g.triples FROM graph AS g", "g", space).rows(connection)
    for table in _TABLES:
        connection.execute(f"DELETE FROM graph_{table} WHERE space = %s".encode(), (space.id,))
    connection.execute("DELETE FROM graph WHERE space = %s", (space.id,))
    drop_if_empty(connection, space.id)
    return int(rows[0][0]) if rows else 0


def _required(connection: Connection, space: Space, number: int) -> ImportState:
    hold(connection, space.id)
    found = state(connection, space, "id", number)
    if found is None:
        raise StoreError("The graph was forgotten while it was imported.", "Import it again.")
    return found


def _bulk(
    connection: Connection, space: Space, table: str, columns: str, types: str, rows: Sequence[Sequence[Any]]
) -> int:
    """Insert those rows that are not there yet; how many."""
    if not rows:
        return 0
    arrays = ", ".join(f"%b::{type_}[]" for type_ in types.split())
    return connection.execute(
        f"INSERT INTO {table} (space, {columns}) SELECT %s, * FROM unnest({arrays}) ON CONFLICT DO NOTHING".encode(),
        (space.id, *(list(column) for column in zip(*rows, strict=True))),
    ).rowcount


def _numbered(connection: Connection, space: Space, chunk: Chunk) -> tuple[NDArray[np.int64], dict[str, int]]:
    """The number of each identifier's node, and the nodes that are new."""
    keys = [identifier_key(identifier) for identifier in chunk.identifiers]
    query = Query("SELECT n.identifier, n.node FROM graph_node AS n", "n", space)
    query.where("n.key = ANY(%s)", keys)
    known: dict[str, int] = dict(query.rows(connection))
    first = Query("SELECT g.nodes FROM graph AS g", "g", space).rows(connection)[0][0]
    fresh: dict[str, int] = {}
    rows = []
    for place, (identifier, key) in enumerate(zip(chunk.identifiers, keys, strict=True)):
        if identifier not in known:
            known[identifier] = fresh[identifier] = first + len(fresh)
            rows.append((known[identifier], key, chunk.kinds.get(place, 0), storable(identifier)))
    _bulk(connection, space, "graph_node", "node, key, kind, identifier", "bigint bigint smallint text", rows)
    connection.execute("UPDATE graph SET nodes = nodes + %s WHERE space = %s", (len(fresh), space.id))
    return np.array([known[identifier] for identifier in chunk.identifiers], dtype=np.int64), fresh


def _correct_kinds(connection: Connection, space: Space, chunk: Chunk, places: NDArray[np.int64]) -> None:
    if chunk.given:
        connection.execute(
            "UPDATE graph_node AS n SET kind = c.kind FROM unnest(%s::bigint[], %s::smallint[]) AS c(node, kind)"
            " WHERE n.space = %s AND n.node = c.node AND n.kind <> c.kind",
            ([int(places[place]) for place in chunk.given], list(chunk.given.values()), space.id),
        )


def _relations(connection: Connection, space: Space, names: Iterable[str]) -> NDArray[np.int64]:
    query = Query("SELECT r.name, r.relation FROM graph_relation AS r", "r", space)
    known: dict[str, int] = dict(query.rows(connection))
    fresh = [name for name in names if name not in known]
    for name in fresh:
        known[name] = len(known)
    rows = [(known[name], storable(name)) for name in fresh]
    _bulk(connection, space, "graph_relation", "relation, name", "bigint text", rows)
    connection.execute("UPDATE graph SET relations = %s WHERE space = %s", (len(known), space.id))
    return np.array([known[name] for name in names], dtype=np.int64)


def _insert_words(connection: Connection, space: Space, words: Iterable[str]) -> None:
    distinct = sorted(set(words))
    rows = [(0, storable(word)) for word in distinct] + [(1, storable(word[::-1])) for word in distinct]
    _bulk(connection, space, "graph_word", "backwards, word", "integer text", rows)


def _changed(connection: Connection, space: Space) -> None:
    """Note that a space's graph changed."""
    number = next_number(connection, "change")
    connection.execute("UPDATE graph SET version = %s WHERE space = %s", (number, space.id))
