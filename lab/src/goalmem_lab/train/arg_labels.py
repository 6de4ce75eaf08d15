"""A critic that knows the answers: labels for training data where no model is at hand, from the graph and the answers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from goalmem.graph.critic import Hypothesis, Query, Rationality, Reflection, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem_lab.train.arg_paths import RelationPath, agreement, ends_of

__all__ = ["AnswerCritic"]

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
