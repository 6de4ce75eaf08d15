"""What a reasoning tree answers: the entities of its best leaf, and those of the leaves behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goalmem.graph.protocol import Graph, Triple
from goalmem.graph.tree import Tree, TreeNode

__all__ = ["GraphAnswer", "GraphAnswers", "answers_of"]

MOST = 10_000
"""Entities of a leaf that are named as answers; of a hub's million neighbours nobody wants more."""
LEAVES = 3
"""Leaves whose entities count as answers of any kind: the paper's beam."""


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """An entity that answers a question, and the walk that leads to it."""

    node: int
    identifier: str
    label: str
    score: float
    """Of the leaf (equation 5, traced back along its path)."""
    support: int
    """How many concrete paths of this walk lead to it."""
    leaf: int
    """The leaf's place among the tree's nodes."""


@dataclass(frozen=True, slots=True)
class GraphAnswers:
    """What came of a question."""

    tree: Tree
    answers: tuple[GraphAnswer, ...]
    """What the best leaf leads to; of its entities, those that more paths lead to come first. Empty where no walk answers."""
    others: tuple[GraphAnswer, ...] = ()
    """What the next leaves lead to beside that."""

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
