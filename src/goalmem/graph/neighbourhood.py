"""The neighbourhood of an entity, for people and programs to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from goalmem.graph.protocol import Graph

__all__ = ["neighbourhood"]


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
