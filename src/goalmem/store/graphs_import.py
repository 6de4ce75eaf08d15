"""Imports of graphs: chunks are staged as they come, then merged in order of the tables they go into.

Staging numbers the nodes and keeps the triples as blobs, one after another. Only when all are there do they go into
the tables that are read, sorted, in steps of `STEP` rows: a tree filled in order writes each of its pages once, while
triples in the order of a file would write nearly all pages anew with every chunk. Every transaction records how far
it came, so a killed import goes on from there; each step is recomputed from what was staged, and adds nothing twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import StoreError
from goalmem.store import secure_delete
from goalmem.store.graphs import Chunk, ImportState, Spelling
from goalmem.store.graphs_read import identifier_key

__all__ = ["begin", "drop_all", "finish", "stage", "staged", "state", "step", "steps"]

STEP = 250_000
"""Rows merged in a transaction: about a second, well below the busy timeout of other writers."""
_EDGES, _KEYS = 0, 1
_ROW = {_EDGES: np.dtype([("a", "<u4"), ("b", "<u4"), ("c", "<u4")]), _KEYS: np.dtype([("a", "<i8"), ("b", "<u4")])}
_INSERT = {
    "graph_key": "INSERT OR IGNORE INTO graph_key VALUES (?, ?, ?)",
    "graph_edge_back": "INSERT OR IGNORE INTO graph_edge_back VALUES (?, ?, ?, ?)",
    "graph_edge": "INSERT OR IGNORE INTO graph_edge VALUES (?, ?, ?, ?)",
}
_ORDER = {"graph_key": _KEYS, "graph_edge_back": _EDGES, "graph_edge": _EDGES}
"""Tables and what goes into them. Forward edges last: they make the triples count, when all else is there."""
_STATE = "SELECT id, chunks, entries, total, steps, triples, done FROM graph_import"

Rows = NDArray[np.void]


def state(connection: sqlite3.Connection, space: int, digest: str) -> ImportState | None:
    """How far the import of a source is."""
    return _state(connection, "WHERE space = ? AND digest = ?", (space, digest))


def begin(connection: sqlite3.Connection, space: int, digest: str, source: str, total: int) -> ImportState:
    """The import of a source, made where it is new. Runs inside a write transaction."""
    connection.execute("INSERT OR IGNORE INTO graph VALUES (?, 0, 0, 0, 0)", (space,))
    connection.execute(
        "INSERT INTO graph_import (space, digest, source, total) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (space, digest, source, total),
    )
    found = state(connection, space, digest)
    assert found is not None
    return found


def stage(
    connection: sqlite3.Connection, space: int, number: int, chunk: Chunk, spell: Callable[[str], Spelling]
) -> ImportState:
    """Number the nodes of a chunk and keep its triples. Runs inside a write transaction."""
    reached = _required(connection, number)
    if reached.done or chunk.number < reached.chunks:
        return reached
    places, fresh = _numbered(connection, space, chunk)
    _correct_kinds(connection, space, chunk, places)
    _insert_names(connection, space, chunk, places)
    spelled = [(node, spell(identifier)) for identifier, node in fresh.items()]
    spelled += [(int(places[place]), spell(text)) for place, _, text in chunk.names]
    _insert_words(connection, space, (word for _, spelling in spelled for word in spelling.words))
    keys = [(key, node) for node, spelling in spelled for key in spelling.keys]
    edges = np.empty(len(chunk.triples), _ROW[_EDGES])
    if len(edges):
        relations = _relations(connection, space, chunk.relations)
        edges["a"], edges["c"] = places[chunk.triples[:, 0]], places[chunk.triples[:, 2]]
        edges["b"] = relations[chunk.triples[:, 1]]
    staged = {_EDGES: edges, _KEYS: np.array(keys, dtype=_ROW[_KEYS])}
    connection.executemany(
        "INSERT INTO graph_staged VALUES (?, ?, ?, ?)",
        ((number, what, chunk.number, rows.tobytes()) for what, rows in staged.items()),
    )
    connection.execute(
        "UPDATE graph_import SET chunks = chunks + 1, entries = entries + ? WHERE id = ?", (chunk.entries, number)
    )
    return _required(connection, number)


def steps(connection: sqlite3.Connection, number: int) -> list[tuple[str, range]]:
    """What merges an import, once all is staged: tables in order, each with the places of its steps."""
    length = "SELECT coalesce(sum(length(rows)), 0) FROM graph_staged WHERE import = ? AND what = ?"
    places: list[tuple[str, range]] = []
    first = 0
    for table, what in _ORDER.items():
        rows = connection.execute(length, (number, what)).fetchone()[0] // _ROW[what].itemsize
        places.append((table, range(first, first - (-rows // STEP))))
        first = places[-1][1].stop
    return places


def staged(connection: sqlite3.Connection, number: int, table: str) -> list[Rows]:
    """The rows of each step of a table: sorted, so the same whenever they are asked for."""
    what = _ORDER[table]
    query = "SELECT rows FROM graph_staged WHERE import = ? AND what = ? ORDER BY chunk"
    blobs = connection.execute(query, (number, what)).fetchall()
    rows = np.frombuffer(b"".join(blob for (blob,) in blobs), dtype=_ROW[what])
    if table == "graph_edge_back":
        turned = rows.copy()
        turned["a"], turned["c"] = rows["c"], rows["a"]
        rows = turned
    rows = rows[np.lexsort([rows[name] for name in reversed(rows.dtype.names or ())])]
    return [rows[start : start + STEP] for start in range(0, len(rows), STEP)]


def step(connection: sqlite3.Connection, space: int, number: int, at: int, table: str, rows: Rows) -> ImportState:
    """Merge the rows of one step, unless another process did. Runs inside a write transaction."""
    reached = _required(connection, number)
    if reached.done or reached.steps > at:
        return reached
    columns = [rows[name].tolist() for name in rows.dtype.names or ()]
    before = connection.total_changes
    connection.executemany(_INSERT[table], zip(repeat(space), *columns, strict=False))
    fresh = (connection.total_changes - before) if table == "graph_edge" else 0
    connection.execute("UPDATE graph_import SET steps = ?, triples = triples + ? WHERE id = ?", (at + 1, fresh, number))
    connection.execute("UPDATE graph SET triples = triples + ? WHERE space = ?", (fresh, space))
    _changed(connection, space)
    return _required(connection, number)


def finish(connection: sqlite3.Connection, space: int, number: int) -> ImportState:
    """Drop what was staged; the import is done. Runs inside a write transaction."""
    connection.execute("DELETE FROM graph_staged WHERE import = ?", (number,))
    connection.execute("UPDATE graph_import SET done = 1 WHERE id = ?", (number,))
    _changed(connection, space)
    return _required(connection, number)


def drop_all(connection: sqlite3.Connection, space: int) -> int | None:
    """Delete the graph of a space; how many triples it had, None where there was none. Inside a write transaction."""
    row = connection.execute("SELECT triples FROM graph WHERE space = ?", (space,)).fetchone()
    if row is None:
        return None
    secure_delete.mark_due(connection)
    connection.execute(
        "DELETE FROM graph_staged WHERE import IN (SELECT id FROM graph_import WHERE space = ?)", (space,)
    )
    for table in ("import", "edge", "edge_back", "key", "word", "label", "node", "relation"):
        connection.execute(f"DELETE FROM graph_{table} WHERE space = ?", (space,))
    connection.execute("DELETE FROM graph WHERE space = ?", (space,))
    return int(row[0])


def _state(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> ImportState | None:
    row = connection.execute(f"{_STATE} {where}", values).fetchone()
    if row is None:
        return None
    number, chunks, entries, total, steps, triples, done = row
    return ImportState(number, chunks, entries, total, steps, triples, bool(done))


def _required(connection: sqlite3.Connection, number: int) -> ImportState:
    found = _state(connection, "WHERE id = ?", (number,))
    if found is None:
        raise StoreError("The graph was forgotten while it was imported.", "Import it again.")
    return found


def _numbered(connection: sqlite3.Connection, space: int, chunk: Chunk) -> tuple[NDArray[np.int64], dict[str, int]]:
    """The number of each identifier's node, and the nodes that are new."""
    keys = [identifier_key(identifier) for identifier in chunk.identifiers]
    query = (
        "SELECT n.identifier, n.node FROM json_each(?) AS j"
        " CROSS JOIN graph_node AS n INDEXED BY graph_node_key ON n.space = ? AND n.key = j.value"
    )
    known = dict(connection.execute(query, (json.dumps(keys), space)).fetchall())
    first = connection.execute("SELECT nodes FROM graph WHERE space = ?", (space,)).fetchone()[0]
    fresh: dict[str, int] = {}
    rows = []
    for place, (identifier, key) in enumerate(zip(chunk.identifiers, keys, strict=True)):
        if identifier not in known:
            known[identifier] = fresh[identifier] = first + len(fresh)
            rows.append((space, known[identifier], key, chunk.kinds.get(place, 0), identifier))
    connection.executemany("INSERT INTO graph_node VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute("UPDATE graph SET nodes = nodes + ? WHERE space = ?", (len(fresh), space))
    return np.array([known[identifier] for identifier in chunk.identifiers], dtype=np.int64), fresh


def _correct_kinds(connection: sqlite3.Connection, space: int, chunk: Chunk, places: NDArray[np.int64]) -> None:
    connection.executemany(
        "UPDATE graph_node SET kind = ? WHERE space = ? AND node = ? AND kind <> ?",
        ((kind, space, int(places[place]), kind) for place, kind in chunk.given.items()),
    )


def _relations(connection: sqlite3.Connection, space: int, names: Iterable[str]) -> NDArray[np.int64]:
    query = "SELECT name, relation FROM graph_relation WHERE space = ?"
    known: dict[str, int] = dict(connection.execute(query, (space,)).fetchall())
    fresh = [name for name in names if name not in known]
    for name in fresh:
        known[name] = len(known)
    connection.executemany("INSERT INTO graph_relation VALUES (?, ?, ?)", ((space, known[n], n) for n in fresh))
    connection.execute("UPDATE graph SET relations = ? WHERE space = ?", (len(known), space))
    return np.array([known[name] for name in names], dtype=np.int64)


def _insert_names(connection: sqlite3.Connection, space: int, chunk: Chunk, places: NDArray[np.int64]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO graph_label VALUES (?, ?, ?, ?)",
        ((space, int(places[place]), rank, text) for place, rank, text in chunk.names),
    )


def _insert_words(connection: sqlite3.Connection, space: int, words: Iterable[str]) -> None:
    distinct = sorted(set(words))
    both = chain(((space, 0, word) for word in distinct), sorted((space, 1, word[::-1]) for word in distinct))
    connection.executemany("INSERT OR IGNORE INTO graph_word VALUES (?, ?, ?)", both)


def _changed(connection: sqlite3.Connection, space: int) -> None:
    """Note that a space's graph changed; the number grows over the whole store (as `ruling.changed`)."""
    connection.execute("UPDATE epoch SET value = value + 1")
    connection.execute("UPDATE graph SET version = (SELECT value FROM epoch) WHERE space = ?", (space,))
