"""Questions over a graph: from a question and its possible topics to answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from goalmem.engine.budget import Budget
from goalmem.graph.answers import GraphAnswers, answers_of
from goalmem.graph.critic import Critic, Query
from goalmem.graph.protocol import Graph
from goalmem.graph.retriever import Retriever
from goalmem.graph.search import SearchOptions, search
from goalmem.graph.tree import TreeNode
from goalmem.graph.walk_judge import WalkJudge
from goalmem.graph.walk_reading import Surroundings

__all__ = ["GraphReasoner", "Topic", "possible"]

MAY_BE = 0.5
"""A topic with less than this share of the likeliest one's weight is not tried."""


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question may start from."""

    node: int
    span: tuple[int, int] | None = None
    """Where the question names it."""
    weight: float = 1.0
    """How likely the question means it, in [0, 1]: it multiplies the scores of its walks."""


@dataclass(frozen=True, slots=True)
class GraphReasoner:
    """Answers questions over one graph with one critic."""

    graph: Graph
    critic: Critic
    retriever: Retriever
    options: SearchOptions = field(default_factory=SearchOptions)
    judge: WalkJudge | None = None
    """Who has the last word on the walks that the critic proposes: the best that it accepts answers; where it accepts none,
    the critic's best is given, which no proof will hold."""

    def ask(self, question: str, topics: Sequence[Topic], budget: Budget | None = None) -> GraphAnswers | None:
        """The answers from the topic whose best walk scores best; of equal ones, the earlier topic's. None without a topic,
        and where the budget is spent before all walks are searched.

        Of several topics only those are tried that the question may well mean (`possible`).
        """
        best: tuple[tuple[bool, float], GraphAnswers] | None = None
        for topic in possible(topics):
            accepted, found = self._from(question, topic, budget)
            if budget is not None and (budget.out_of or "relations" in budget.refused):
                return None
            score = found.answers[0].score * topic.weight if found.answers else -1.0
            if best is None or (accepted, score) > best[0]:
                best = ((accepted, score), found)
        return best[1] if best is not None else None

    def _from(self, question: str, topic: Topic, budget: Budget | None) -> tuple[bool, GraphAnswers]:
        """The answers from a topic, and whether the judge accepts their walk."""
        (label,) = self.graph.labels(np.array([topic.node], dtype=np.int64))
        query = Query(question, label, topic.span)
        tree = search(self.graph, query, topic.node, self.critic, self.retriever, self.options, budget)
        leaves = [leaf for leaf in tree.leaves if self._accepts(query, leaf)] if self.judge is not None else tree.leaves
        return bool(leaves), answers_of(self.graph, tree, leaves or tree.leaves)

    def _accepts(self, query: Query, leaf: TreeNode) -> bool:
        around = Surroundings.of(self.graph, [leaf.nodes, leaf.nodes])
        return self.judge is not None and not self.judge.refusal(query, leaf.walk.hops, around.reached)


def possible(topics: Sequence[Topic]) -> list[Topic]:
    """The topics that a question may well mean: none that is far less likely than the likeliest, and none whose name is only
    a part of a longer name that is as likely ("Encounters" within "Encounters 2").
    """
    least = MAY_BE * max((topic.weight for topic in topics), default=0.0)
    return [t for t in topics if t.weight >= least and not any(_within(t, other) for other in topics)]


def _within(topic: Topic, other: Topic) -> bool:
    if topic.span is None or other.span is None or topic.span == other.span or topic.weight > other.weight:
        return False
    return other.span[0] <= topic.span[0] and topic.span[1] <= other.span[1]
