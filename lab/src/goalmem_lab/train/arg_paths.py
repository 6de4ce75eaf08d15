"""Shortest paths between a question's topic and its answers, as relations: the weak supervision of ArG (section 4.1).

What a walk asks for is its relations; one path may lead to many answers. So paths are told apart by their relations, and each
is weighed by how well all that it leads to agrees with the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from goalmem.graph.protocol import Graph, Hop, Nodes

__all__ = ["RelationPath", "agreement", "ends_of", "shortest_paths"]

MOST_EDGES = 200_000
"""Edges of one hop that are looked at; of a hub with more the first."""
MOST_PATHS = 256
"""Paths to one answer's distance that are weighed."""


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A way from the topic to answers."""

    hops: tuple[Hop, ...]
    f1: float
    """Between all that it leads to and all answers, in (0, 1]."""


@dataclass(frozen=True, slots=True)
class _Level:
    """The edges between nodes at one distance from the topic and those at the next."""

    edges: tuple[tuple[Hop, Nodes, Nodes], ...]
    """Hop, heads and tails; only tails that were not met before."""


def shortest_paths(graph: Graph, topic: int, answers: Nodes, *, depth: int, keep: int) -> list[RelationPath]:
    """The `keep` best of the shortest paths to each answer, of at most `depth` hops: by F1, then the shorter, then by name.

    Empty where no answer is so near. The topic itself is no answer.
    """
    answers = np.setdiff1d(answers, [topic])
    levels: list[_Level] = []
    found: dict[tuple[Hop, ...], None] = {}
    met = front = np.array([topic], dtype=np.int64)
    left = answers
    while len(levels) < depth and len(front) and len(left):
        levels.append(_level(graph, front, met))
        front = _union(tails for _, _, tails in levels[-1].edges)
        met = np.union1d(met, front)
        here, left = np.intersect1d(left, front), np.setdiff1d(left, front)
        if len(here):
            ways = _ways(levels, here)
            found.update((hops, None) for hops, _ in zip(ways, range(MOST_PATHS), strict=False))
    weighed = [RelationPath(hops, agreement(ends_of(graph, topic, hops), answers)) for hops in found]
    return sorted((p for p in weighed if p.f1 > 0), key=lambda p: (-p.f1, len(p.hops), p.hops))[:keep]


def ends_of(graph: Graph, topic: int, hops: Sequence[Hop]) -> Nodes:
    """What a walk from the topic leads to without coming back to it; of no hops the topic."""
    reached = np.array([topic], dtype=np.int64)
    for hop in hops:
        reached = np.setdiff1d(graph.edges(reached, hop, limit=MOST_EDGES)[1], [topic])
    return reached


def agreement(ends: Nodes, answers: Nodes) -> float:
    """F1 between what a walk leads to and the answers, in [0, 1]."""
    both = len(np.intersect1d(ends, answers))
    return 2 * both / (len(ends) + len(answers)) if both else 0.0


def _level(graph: Graph, front: Nodes, met: Nodes) -> _Level:
    edges = []
    for hop in graph.hops(front):
        heads, tails = graph.edges(front, hop, limit=MOST_EDGES)
        new = ~np.isin(tails, met)
        if new.any():
            edges.append((hop, heads[new], tails[new]))
    return _Level(tuple(edges))


def _ways(levels: Sequence[_Level], ends: Nodes) -> Iterator[tuple[Hop, ...]]:
    """The relations of every path over all levels that leads to one of `ends`."""
    if not levels:
        yield ()
        return
    for hop, heads, tails in levels[-1].edges:
        bearing = np.isin(tails, ends)
        if bearing.any():
            for before in _ways(levels[:-1], np.unique(heads[bearing])):
                yield (*before, hop)


def _union(parts: Iterator[Nodes]) -> Nodes:
    found = list(parts)
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
