"""Shortest paths between a question's topic and its answers, as relations: the weak supervision of ArG (section 4.1).

What a walk asks for is its relations; one path may lead to many answers. So paths are told apart by their relations, and each
is weighed by how well all that it leads to agrees with the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from goalmem.graph.critic import Hypothesis, Query, Rationality, Reflection, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes

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


NEAR = 0.8
"""Share of the best path's F1 from which another path is as good: answers are lists made by people, and not quite complete."""
UTILITIES = ((1.0, Utility.FIVE), (0.75, Utility.FOUR), (0.5, Utility.THREE), (0.0, Utility.TWO))
"""F1 with the answers from which an answer is so useful; one without any right answer is of no use."""


@dataclass(frozen=True, slots=True)
class AnswerCritic:
    """`Critic` of one question, by its answers and the paths to them. Sure of everything it says."""

    graph: Graph
    topic: int
    answers: Nodes
    paths: Sequence[RelationPath]
    """By `shortest_paths`, best first."""
    name: str = "answers"

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Retrieval`: none once a walk is one of the paths; of a pending walk its entities where a path begins so."""
        return [_sure(self._needed(walk)) for walk in walks]

    def _needed(self, walk: Walk) -> Retrieval:
        if walk.pending:
            return Retrieval.ENTITY if self._grade(walk.hops) else Retrieval.RELATION
        return Retrieval.NO if any(path.hops == walk.hops for path in self.paths) else Retrieval.RELATION

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """The next relation of each path that goes on from the walk."""
        done = len(walk.hops)
        nexts = {str(p.hops[done]): p.f1 for p in reversed(self.paths) if len(p.hops) > done and _begins(p, walk.hops)}
        best = sorted(nexts.items(), key=lambda item: (-item[1], item[0]))
        return [Hypothesis(text, weight) for text, weight in best[:k]]

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: whether a good path goes on so, or any."""
        grades = [self._grade((*walk.hops, hop)) for hop in candidates]
        return [_sure((Relevance.UN, Relevance.PARTIALLY, Relevance.FULLY)[grade]) for grade in grades]

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Over `Relevance`: fully where a path through the entity ends at an answer, partially elsewhere on a path."""
        if not walk.hops or not self._grade(walk.hops):
            return [_sure(Relevance.UN)] * len(candidates)
        leading = self._leading(walk.hops)
        return [_sure(Relevance.FULLY if label in leading else Relevance.PARTIALLY) for label in candidates]

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: whether a walk is the beginning of a good path, or of any."""
        grades = [self._grade(walk.hops) for walk in walks]
        return [_sure((Rationality.UN, Rationality.PARTIALLY, Rationality.FULLY)[grade]) for grade in grades]

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Utility`: by the F1 between what a walk leads to and the answers."""
        scores = [agreement(ends_of(self.graph, self.topic, walk.hops), self.answers) for walk in walks]
        return [_sure(next((u for least, u in UTILITIES if s and s >= least), Utility.ONE)) for s in scores]

    def _grade(self, hops: Sequence[Hop]) -> int:
        """0: no path begins so; 1: one does; 2: one as good as the best."""
        best = max((path.f1 for path in self.paths if _begins(path, hops)), default=0.0)
        most = max((path.f1 for path in self.paths), default=1.0)
        return 0 if not best else 2 if best >= NEAR * most else 1

    def _leading(self, hops: Sequence[Hop]) -> set[str]:
        """Labels of what, after these hops, lies on a path to an answer."""
        labels: set[str] = set()
        for path in self.paths:
            if _begins(path, hops):
                reached = self.answers
                for hop in reversed(path.hops[len(hops) :]):
                    reached = np.unique(self.graph.edges(reached, hop.back)[1])
                labels.update(self.graph.labels(reached))
        return labels


def _begins(path: RelationPath, hops: Sequence[Hop]) -> bool:
    return path.hops[: len(hops)] == tuple(hops)


def _sure(token: Enum) -> Reflection:
    return Reflection(tuple(float(each is token) for each in type(token)))
