"""From a walk to the triples that it passes: one path for each of the nodes that it ends at; the neighbourhood of an entity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.protocol import Graph, Hop, Nodes

__all__ = ["neighbourhood", "paths_of"]

PAIRS = 200_000
"""Edges of a hop that are looked at first: as many as the search looks at."""


def paths_of(graph: Graph, topic: int, hops: Sequence[Hop], ends: Nodes) -> Nodes:
    """A path along `hops` from `topic` to each of `ends` that there is one to: shape (paths, hops + 1), in their order.

    Of several paths one that never comes back to the topic, nor straight back over the triple that it came by, is taken
    where there is one; of equals the first by the numbers of its nodes, the last node but one first.
    """
    found: dict[int, Nodes] = {}
    for limit, back in ((PAIRS, False), (None, False), (None, True)):
        missing = np.array([n for n in ends.tolist() if n not in found], dtype=np.int64)
        if len(missing):
            found |= {int(path[-1]): path for path in _paths(graph, topic, hops, missing, limit, back=back)}
    rows = [found[n] for n in ends.tolist() if n in found]
    return np.stack(rows) if rows else np.empty((0, len(hops) + 1), dtype=np.int64)


def _paths(graph: Graph, topic: int, hops: Sequence[Hop], ends: Nodes, limit: int | None, *, back: bool) -> Nodes:
    """The same, over the first `limit` edges of each hop; with `back`, paths may come back to the topic."""
    links: list[tuple[Nodes, Nodes]] = []
    reached = np.array([topic], dtype=np.int64)
    for hop in hops:
        heads, tails = graph.edges(reached, hop, limit=limit)
        onward = np.ones(len(tails), dtype=np.bool_) if back else (tails != topic) & (tails != heads)
        links.append((heads[onward], tails[onward]))
        reached = np.unique(links[-1][1])
    columns = [ends[_among(ends, reached)]]
    for place in range(len(hops) - 1, -1, -1):
        returns = place + 1 < len(hops) and hops[place + 1] == hops[place].back
        columns.append(_before(*links[place], columns[-1], columns[-2] if returns else None))
    return np.stack(columns[::-1], axis=1)


def _before(heads: Nodes, tails: Nodes, nodes: Nodes, barred: Nodes | None) -> Nodes:
    """For each node the head of an edge to it, another one than `barred` where there is one; there is one for each."""
    bearing = _among(tails, np.unique(nodes))
    heads, tails = heads[bearing], tails[bearing]
    order = np.lexsort((heads, tails))
    heads, tails = heads[order], tails[order]
    first = np.searchsorted(tails, nodes)
    if barred is None or not len(nodes):
        return heads[first]
    second = np.minimum(first + 1, len(heads) - 1)
    skipped = (heads[first] == barred) & (tails[second] == nodes)
    return heads[np.where(skipped, second, first)]


def _among(nodes: Nodes, known: Nodes) -> NDArray[np.bool_]:
    """Which of `nodes` are in `known` (sorted, distinct)."""
    if not len(known):
        return np.zeros(len(nodes), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == nodes
    return found


def neighbourhood(graph: Graph, node: int, *, depth: int, limit: int) -> dict[str, Any]:
    """An entity as JSON: `id`, `label`, `kind`, and its `hops` (`relation`, `inverse`, `entities`, `more`) `depth` deep.

    Of each relation `limit` entities, in the graph's order; `more` is true where there are others. An entity that stands
    above in the same branch is not opened again.
    """
    return _entity(graph, node, depth, limit, ())


def _entity(graph: Graph, node: int, depth: int, limit: int, above: tuple[int, ...]) -> dict[str, Any]:
    one = np.array([node], dtype=np.int64)
    entity: dict[str, Any] = {
        "id": graph.identifiers(one)[0],
        "label": graph.labels(one)[0],
        "kind": graph.kinds(one)[0],
    }
    if depth == 0 or node in above:
        return entity
    entity["hops"] = []
    for hop in graph.hops(one):
        _, tails = graph.edges(one, hop, limit=limit + 1)
        entities = [_entity(graph, tail, depth - 1, limit, (*above, node)) for tail in tails[:limit].tolist()]
        entity["hops"].append(
            {"relation": str(hop), "inverse": hop.inverse, "entities": entities, "more": len(tails) > limit}
        )
    return entity
