"""What is remembered as a graph that can be explored: entities, and the relations that facts state between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from goalmem.graph.protocol import Graph, Hop
from goalmem.memory import Memory
from goalmem.records import Edge
from goalmem.serve.stores import store_of
from goalmem.store import Store

__all__ = ["imported_neighbourhood", "neighbourhood"]

STARTS = 50
"""Most mentioned entities to begin at where none is named."""


def neighbourhood(store: Store, space: str, around: str | None, limit: int) -> dict[str, Any]:
    """At most `limit` edges: those around an entity and then around its neighbours, or around the most mentioned ones."""
    known = store.entities(space)
    if around is None:
        starts = sorted(known, key=lambda name: (-known[name][1], name))[:STARTS]
    else:
        starts = [store.aliases(space).get(around.casefold(), around)]
    edges: dict[tuple[str, str, str], Edge] = {}
    for edge in _outwards(store, space, starts):
        if len(edges) == limit:
            break
        edges.setdefault((edge.subject, edge.relation, edge.object), edge)
    names = dict.fromkeys([*(starts if around is not None and edges else ()), *_ends(edges.values())])
    nodes = [
        {"id": n, "label": n, "kind": known.get(n, ("", 0))[0], "mentions": known.get(n, ("", 0))[1]} for n in names
    ]
    rows = [
        {"subject": e.subject, "relation": e.relation, "object": e.object, "turn": e.turn, "fact": e.fact}
        for e in edges.values()
    ]
    return {"nodes": nodes, "edges": rows}


def _outwards(store: Store, space: str, starts: list[str]) -> Iterator[Edge]:
    """Edges by their distance from the first entities."""
    waiting, seen = deque(starts), set(starts)
    while waiting:
        name = waiting.popleft()
        found = [*store.edges(space, subject=name), *store.edges(space, object=name)]
        yield from found
        for end in _ends(found):
            if end not in seen:
                seen.add(end)
                waiting.append(end)


def imported_neighbourhood(memory: Memory, space: str, around: str | None, limit: int) -> dict[str, Any]:
    """The same of the imported graph: around what has this identifier or name, or around what came first."""
    if not store_of(memory).graphs.version(space):
        return {"nodes": [], "edges": []}
    graph = memory.graph(space=space)
    if around is None:
        starts = list(range(min(STARTS, graph.size().entities)))
    else:
        exact = graph.node(around)
        starts = [exact] if exact is not None else graph.named(around).tolist()
    edges: dict[tuple[int, str, int], None] = {}
    for head, hop, tail in _hops(graph, starts, limit):
        edges.setdefault((tail, hop.relation, head) if hop.inverse else (head, hop.relation, tail))
        if len(edges) == limit:
            break
    nodes = np.array(
        list(dict.fromkeys([*(starts if around else ()), *(n for s, _, o in edges for n in (s, o))])), np.int64
    )
    ids, labels, kinds = graph.identifiers(nodes), graph.labels(nodes), graph.kinds(nodes)
    known = dict(zip(nodes.tolist(), ids, strict=True))
    return {
        "nodes": [
            {"id": i, "label": label, "kind": kind, "mentions": 0}
            for i, label, kind in zip(ids, labels, kinds, strict=True)
        ],
        "edges": [
            {"subject": known[s], "relation": relation, "object": known[o], "turn": "", "fact": ""}
            for s, relation, o in edges
        ],
    }


def _hops(graph: Graph, starts: list[int], limit: int) -> Iterator[tuple[int, Hop, int]]:
    """What leads away from nodes, by its distance from them."""
    waiting, seen = deque(starts), set(starts)
    while waiting:
        node = np.array([waiting.popleft()], np.int64)
        for hop in graph.hops(node):
            for head, tail in zip(*(side.tolist() for side in graph.edges(node, hop, limit=limit)), strict=True):
                yield head, hop, tail
                if tail not in seen:
                    seen.add(tail)
                    waiting.append(tail)


def _ends(edges: Any) -> Iterator[str]:
    for edge in edges:
        yield edge.subject
        yield edge.object
