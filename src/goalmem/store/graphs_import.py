"""Imports of graphs: chunks are staged as they come, then merged in order of the tables they go into.

Staging numbers the nodes and keeps the triples as blobs, one after another. Only when all are there do they go into
the tables that are read, sorted, in steps of `STEP` rows: a tree filled in order writes each of its pages once, while
triples in the order of a file would write nearly all pages anew with every chunk. Every transaction records how far
it came, so a killed import goes on from there; each step is recomputed from what was staged, and adds nothing twice.

Every function that changes something runs inside a write transaction, and holds the space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import StoreError
from goalmem.store.codec import number_of
from goalmem.store.graphs import Chunk, ImportState, Spelling
from goalmem.store.rows import GRAPH_TABLES
from goalmem.store.tables import TableColumns, Tables, drop_if_empty

STEP = {"sqlite": 250_000, "postgres": 100_000}
"""Rows merged per transaction, by database: about a second, well below the busy timeout of other writers. Must not
change: imports in progress count in these steps.
"""
_EDGES, _KEYS = 0, 1
_ROW = {_EDGES: np.dtype([("a", "<u4"), ("b", "<u4"), ("c", "<u4")]), _KEYS: np.dtype([("a", "<i8"), ("b", "<u4")])}
_ORDER = {"graph_key": _KEYS, "graph_edge_back": _EDGES, "graph_edge": _EDGES}
"""Tables and their staged rows in merge order. Forward edges are last, since they count the triples."""
_GRAPH = TableColumns("graph", ("version", "nodes", "relations", "triples"), "bigint bigint bigint bigint")
_IMPORT = TableColumns("graph_import", ("digest", "source", "total"), "text text bigint")
_STAGED = TableColumns("graph_staged", ("import", "what", "chunk", "rows"), "bigint bigint bigint bytea")
_TABLES = {table.name: table for table in GRAPH_TABLES}

Rows = NDArray[np.void]


def state(tables: Tables, digest: str) -> ImportState | None:
    """Progress of the import of a source."""
    return _state(tables, "digest = :value", digest)


def begin(tables: Tables, digest: str, source: str, total: int) -> ImportState:
    """The import of a source, made where it is new."""
    make_graph(tables)
    if state(tables, digest) is None:
        tables.add(_IMPORT, [(digest, source, total)])
    found = state(tables, digest)
    assert found is not None
    return found


def make_graph(tables: Tables) -> None:
    """Make the space, and its graph, where they are new."""
    tables.make()
    tables.add(_GRAPH, [(0, 0, 0, 0)], fresh=True)


def stage(tables: Tables, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
    """Number the nodes of a chunk and keep its triples."""
    reached = _required(tables, number)
    if reached.done or chunk.number < reached.chunks:
        return reached
    places, fresh = _numbered(tables, chunk)
    _correct_kinds(tables, chunk, places)
    labels = [(int(places[place]), rank, text) for place, rank, text in chunk.names]
    tables.add(_TABLES["graph_label"], labels, fresh=True)
    spelled = [(node, spell(identifier)) for identifier, node in fresh.items()]
    spelled += [(node, spell(text)) for node, _, text in labels]
    _insert_words(tables, (word for _, spelling in spelled for word in spelling.words))
    keys = [(key, node) for node, spelling in spelled for key in spelling.keys]
    edges = np.empty(len(chunk.triples), _ROW[_EDGES])
    if len(edges):
        relations = _relations(tables, chunk.relations)
        edges["a"], edges["c"] = places[chunk.triples[:, 0]], places[chunk.triples[:, 2]]
        edges["b"] = relations[chunk.triples[:, 1]]
    kept = {_EDGES: edges, _KEYS: np.array(keys, dtype=_ROW[_KEYS])}
    tables.add(_STAGED, [(number, what, chunk.number, rows.tobytes()) for what, rows in kept.items()])
    tables.run(
        "UPDATE graph_import SET chunks = chunks + 1, entries = entries + :entries WHERE space = :space AND id = :number",
        entries=chunk.entries,
        number=number,
    )
    return _required(tables, number)


def steps(tables: Tables, number: int) -> list[tuple[str, range]]:
    """The merge steps after staging: tables in order, each with the offsets of its steps."""
    query = f"SELECT coalesce(sum(length(rows)), 0) FROM graph_staged WHERE {tables.dialect.owned}import = :number AND what = :what"
    places: list[tuple[str, range]] = []
    first = 0
    for table, what in _ORDER.items():
        rows = int(tables.rows(query, number=number, what=what)[0][0]) // _ROW[what].itemsize
        places.append((table, range(first, first - (-rows // STEP[tables.dialect.name]))))
        first = places[-1][1].stop
    return places


def staged(tables: Tables, number: int, table: str) -> list[Rows]:
    """The rows of each step of a table: sorted, so the same whenever they are asked for."""
    query = (
        f"SELECT rows FROM graph_staged WHERE {tables.dialect.owned}import = :number AND what = :what ORDER BY chunk"
    )
    blobs = tables.rows(query, number=number, what=_ORDER[table])
    rows = np.frombuffer(b"".join(blob for (blob,) in blobs), dtype=_ROW[_ORDER[table]])
    if table == "graph_edge_back":
        turned = rows.copy()
        turned["a"], turned["c"] = rows["c"], rows["a"]
        rows = turned
    rows = rows[np.lexsort([rows[name] for name in reversed(rows.dtype.names or ())])]
    size = STEP[tables.dialect.name]
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def step(tables: Tables, number: int, at: int, table: str, rows: Rows) -> ImportState:
    """Merge the rows of one step, unless another process did."""
    reached = _required(tables, number)
    if reached.done or reached.steps > at:
        return reached
    columns = [rows[name].tolist() for name in rows.dtype.names or ()]
    added = tables.add(_TABLES[table], zip(*columns, strict=True), fresh=True)
    triples = added if table == "graph_edge" else 0
    tables.run(
        "UPDATE graph_import SET steps = :steps, triples = triples + :triples WHERE space = :space AND id = :number",
        steps=at + 1,
        triples=triples,
        number=number,
    )
    tables.run("UPDATE graph SET triples = triples + :triples WHERE space = :space", triples=triples)
    _changed(tables)
    return _required(tables, number)


def finish(tables: Tables, number: int) -> ImportState:
    """Drop the staged rows; the import is done."""
    _required(tables, number)
    tables.run(f"DELETE FROM graph_staged WHERE {tables.dialect.owned}import = :number", number=number)
    tables.run("UPDATE graph_import SET done = true WHERE space = :space AND id = :number", number=number)
    _changed(tables)
    return _required(tables, number)


def drop(tables: Tables) -> int:
    """Delete the graph of a space, and the space if it becomes empty; returns the number of triples."""
    triples = drop_all(tables) if tables.hold() else None
    if triples is not None:
        drop_if_empty(tables)
    return triples or 0


def drop_all(tables: Tables) -> int | None:
    """Delete the graph of a space; returns the number of triples, None if there was no graph."""
    rows = tables.rows("SELECT triples FROM graph WHERE space = :space")
    if not rows:
        return None
    tables.text_removed()
    for (number,) in tables.rows("SELECT id FROM graph_import WHERE space = :space"):
        tables.run(f"DELETE FROM graph_staged WHERE {tables.dialect.owned}import = :number", number=number)
    for table in (*_TABLES, "graph"):
        tables.run(f"DELETE FROM {table} WHERE space = :space")
    return int(rows[0][0])


def _state(tables: Tables, condition: str, value: object) -> ImportState | None:
    rows = tables.rows(
        "SELECT id, chunks, entries, total, steps, triples, done FROM graph_import"
        f" WHERE space = :space AND {condition}",
        value=value,
    )
    if not rows:
        return None
    number, chunks, entries, total, steps, triples, done = rows[0]
    return ImportState(number, chunks, entries, total, steps, triples, bool(done))


def _required(tables: Tables, number: int) -> ImportState:
    found = _state(tables, "id = :value", number) if tables.hold() else None
    if found is None:
        raise StoreError("The graph was forgotten while it was imported.", "Import it again.")
    return found


def known_nodes(tables: Tables, identifiers: Iterable[str]) -> dict[str, int]:
    """Identifier -> node; those that are not there are left out, and others with the same key may be there."""
    query = tables.dialect.looked_up("x.identifier, x.node", "graph_node", "key")
    return dict(tables.rows(query, numbers=list(map(number_of, identifiers))))


def _numbered(tables: Tables, chunk: Chunk) -> tuple[NDArray[np.int64], dict[str, int]]:
    """The number of each identifier's node, and the nodes that are new."""
    known = known_nodes(tables, chunk.identifiers)
    first = tables.rows("SELECT nodes FROM graph WHERE space = :space")[0][0]
    fresh: dict[str, int] = {}
    rows = []
    for place, identifier in enumerate(chunk.identifiers):
        if identifier not in known:
            known[identifier] = fresh[identifier] = first + len(fresh)
            rows.append((known[identifier], number_of(identifier), chunk.kinds.get(place, 0), identifier))
    tables.add(_TABLES["graph_node"], rows)
    tables.run("UPDATE graph SET nodes = nodes + :fresh WHERE space = :space", fresh=len(fresh))
    return np.array([known[identifier] for identifier in chunk.identifiers], dtype=np.int64), fresh


def _correct_kinds(tables: Tables, chunk: Chunk, places: NDArray[np.int64]) -> None:
    by_kind: dict[int, list[int]] = {}
    for place, kind in chunk.given.items():
        by_kind.setdefault(kind, []).append(int(places[place]))
    for kind, nodes in by_kind.items():
        query = "UPDATE graph_node SET kind = :kind WHERE space = :space AND node IN :nodes AND kind <> :kind"
        tables.run(query, kind=kind, nodes=nodes)


def _relations(tables: Tables, names: Iterable[str]) -> NDArray[np.int64]:
    known: dict[str, int] = dict(tables.rows("SELECT name, relation FROM graph_relation WHERE space = :space"))
    fresh = [name for name in names if name not in known]
    for name in fresh:
        known[name] = len(known)
    tables.add(_TABLES["graph_relation"], [(known[name], name) for name in fresh])
    tables.run("UPDATE graph SET relations = :relations WHERE space = :space", relations=len(known))
    return np.array([known[name] for name in names], dtype=np.int64)


def _insert_words(tables: Tables, words: Iterable[str]) -> None:
    distinct = sorted(set(words))
    rows = [(0, word) for word in distinct] + sorted((1, word[::-1]) for word in distinct)
    tables.add(_TABLES["graph_word"], rows, fresh=True)


def _changed(tables: Tables) -> None:
    """Note that a space's graph changed."""
    tables.run("UPDATE graph SET version = :version WHERE space = :space", version=tables.next_change())
