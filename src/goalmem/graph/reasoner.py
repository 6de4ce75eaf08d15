"""Questions over a graph: from a question and its possible topics to answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from goalmem.engine.budget import Budget
from goalmem.graph.critic import Critic, Query
from goalmem.graph.protocol import Graph, Triple
from goalmem.graph.retriever import EmbeddingRetriever
from goalmem.graph.search import SearchOptions, search
from goalmem.graph.tree import Tree, TreeNode
from goalmem.graph.walk_judge import WalkJudge
from goalmem.graph.walk_reading import WalkContext

MAY_BE = 0.5
"""A topic with less than this share of the likeliest one's weight is not tried."""


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question may start from."""

    node: int
    span: tuple[int, int] | None = None
    """Characters that name it in the question."""
    weight: float = 1.0
    """Probability in [0, 1] that the question means it; multiplies the scores of its walks."""


@dataclass(frozen=True, slots=True)
class GraphReasoner:
    """Answers questions over one graph with one critic."""

    graph: Graph
    critic: Critic
    retriever: EmbeddingRetriever
    options: SearchOptions = field(default_factory=SearchOptions)
    judge: WalkJudge | None = None
    """Has the final decision on the critic's walks: the best accepted one answers, of those that the critic ends or else of
    those that it follows. If none is accepted, the critic's best is returned, but no proof will hold.
    """

    def ask(self, question: str, topics: Sequence[Topic], budget: Budget | None = None) -> GraphAnswers | None:
        """The answers from the topic whose best walk scores best; of equal ones, the earlier topic's. None without a topic,
        and where the budget is spent before all walks are searched.

        Of several topics only those are tried that the question may well mean (`possible`).
        """
        best: tuple[tuple[bool, float], GraphAnswers] | None = None
        for topic in possible(topics):
            accepted, found = self._from(question, topic, budget)
            if budget is not None and (budget.ended_by or "relations" in budget.refused):
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
        if self.judge is None:
            return bool(tree.leaves), answers_of(self.graph, tree)
        accepted = [leaf for leaf in tree.leaves if self._accepts(query, leaf)]
        accepted = accepted or [walk for walk in tree.unended if self._accepts(query, walk)]
        return bool(accepted), answers_of(self.graph, tree, accepted or tree.leaves)

    def _accepts(self, query: Query, leaf: TreeNode) -> bool:
        around = WalkContext.of(self.graph, [leaf.nodes, leaf.nodes], leaf.walk.hops[-1:])
        return self.judge is not None and not self.judge.refusal(query, leaf.walk.hops, around.reached)


def possible(topics: Sequence[Topic]) -> list[Topic]:
    """The plausible topics of a question: without those far less likely than the likeliest, and without names that
    are part of an equally likely longer name ("Encounters" within "Encounters 2").
    """
    least = MAY_BE * max((topic.weight for topic in topics), default=0.0)
    return [t for t in topics if t.weight >= least and not any(_within(t, other) for other in topics)]


def _within(topic: Topic, other: Topic) -> bool:
    if topic.span is None or other.span is None or topic.span == other.span or topic.weight > other.weight:
        return False
    return other.span[0] <= topic.span[0] and topic.span[1] <= other.span[1]


MOST = 10_000
"""Maximum number of answers from a leaf, which may have a million entities."""
LEAVES = 3
"""Leaves whose entities count as answers of any kind: the paper's beam."""


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """An entity that answers a question, and the walk that leads to it."""

    node: int
    identifier: str
    label: str
    score: float
    """Score of the leaf (equation 5, traced back along its path)."""
    support: int
    """Number of concrete paths of this walk to it."""
    leaf: int
    """The leaf's place among the tree's nodes."""


@dataclass(frozen=True, slots=True)
class GraphAnswers:
    """Answers to a question."""

    tree: Tree
    answers: tuple[GraphAnswer, ...]
    """Entities of the best leaf, those with the most paths first. Empty if no walk answers."""
    others: tuple[GraphAnswer, ...] = ()
    """Additional entities of the next leaves."""

    @property
    def leaf(self) -> TreeNode | None:
        """The walk that answers."""
        return self.tree.nodes[self.answers[0].leaf] if self.answers else None

    def walk(self, graph: Graph, answer: GraphAnswer) -> tuple[Triple, ...]:
        """The triples of one concrete path to an answer."""
        return self.tree.triples(graph, self.tree.nodes[answer.leaf], answer.node)


def answers_of(graph: Graph, tree: Tree, leaves: Sequence[TreeNode] | None = None) -> GraphAnswers:
    """The answers of a tree's best leaves, or of these, each entity once, with the best leaf that leads to it."""
    found: list[tuple[GraphAnswer, ...]] = []
    seen: set[int] = set()
    for leaf in (tree.leaves if leaves is None else leaves)[:LEAVES]:
        own = tuple(answer for answer in _of_leaf(graph, tree, leaf) if answer.node not in seen)
        seen |= {answer.node for answer in own}
        found += [own] if own else []
    return GraphAnswers(tree, found[0] if found else (), tuple(answer for own in found[1:] for answer in own))


def _of_leaf(graph: Graph, tree: Tree, leaf: TreeNode) -> Iterator[GraphAnswer]:
    support = tree.support(leaf).tolist()
    names, labels = graph.identifiers(leaf.nodes), graph.labels(leaf.nodes)
    kinds = graph.kinds(leaf.nodes)
    order = sorted(range(len(names)), key=lambda i: (-support[i], labels[i], names[i]))[:MOST]
    for i in order:
        if kinds[i] != "mediator":
            yield GraphAnswer(int(leaf.nodes[i]), names[i], labels[i], leaf.score, round(support[i]), leaf.id)
