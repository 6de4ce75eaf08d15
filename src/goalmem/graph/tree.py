"""The reasoning tree: every walk that a search considered, kept or pruned, with what was reflected on it.

A node is a walk of hops with the *set* of entities that it leads to, so that all answers of a chain of relations come back
together. The pairs (head, tail) of each hop are kept, so that one concrete path can be traced back for each entity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import Query, Reflection, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes, Triple
from goalmem.graph.scores import Hopped

__all__ = ["Fate", "Pairs", "Tree", "TreeNode"]


class Fate(Enum):
    """What became of a walk."""

    FOLLOWED = "followed"
    """Other walks go on from it."""
    LEAF = "leaf"
    """It ends here, and what it leads to are answers."""
    UNRELEVANT = "the relation is unrelevant"
    UNWANTED = "its entities are not asked for"
    """The critic wants other knowledge after the relation than [Retrieve Entity]."""
    UNRELEVANT_ENTITIES = "the entities are unrelevant"
    UNREASONABLE = "unreasonable"
    NOWHERE = "leads nowhere new"
    """To no entity but the topic, or back over the triple it came by."""
    BEAM = "outside the beam"
    DEPTH = "too deep"
    """More hops would be needed than the search allows."""

    @property
    def pruned(self) -> bool:
        """Whether the search dropped the walk."""
        return self not in (Fate.FOLLOWED, Fate.LEAF)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What a hop led from and to: two arrays of shape (m,), by position."""

    heads: Nodes
    tails: Nodes

    def keep(self, mask: NDArray[np.bool_]) -> Pairs:
        """Those where the mask is true."""
        return Pairs(self.heads[mask], self.tails[mask])

    def __len__(self) -> int:
        return len(self.heads)


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """A walk of the tree."""

    id: int
    parent: int | None
    walk: Walk
    """The hops, with some of the entities of each."""
    nodes: Nodes
    """What it leads to: sorted, distinct, without the topic; empty where a pruned walk was not followed that far."""
    pairs: Pairs = field(default_factory=lambda: NO_PAIRS)
    """Of its last hop."""
    depth: int = 0
    """Hops, but for those into a mediator."""
    mediators: bool = False
    """Its last hop leads to mediators, which answer nothing and are passed through."""
    cut: bool = False
    """The last hop has more pairs than the search looks at; the others are left out."""
    hopped: tuple[Hopped, ...] = ()
    """What was reflected on at each hop."""
    retrieval: Reflection | None = None
    relevance: Reflection | None = None
    """Of its last relation; also where the walk was dropped for it, and `hopped` is without it."""
    utility: Reflection | None = None
    """Of what it leads to as the answer; leaves have it."""
    score: float = 0.0
    """Of equation 5, traced back along its path; of a leaf with its utility."""
    fate: Fate = Fate.FOLLOWED

    @property
    def hop(self) -> Hop | None:
        """Its last hop; None at the root."""
        return self.walk.hops[-1] if self.walk.hops else None


@dataclass(frozen=True, slots=True)
class Tree:
    """All walks that were considered, the root first, parents before children."""

    query: Query
    topic: int
    """The topic entity's node."""
    nodes: tuple[TreeNode, ...]

    @property
    def leaves(self) -> list[TreeNode]:
        """The best first; of equal ones the shorter, then the earlier."""
        found = [node for node in self.nodes if node.fate is Fate.LEAF]
        return sorted(found, key=lambda node: (-round(node.score, 9), len(node.walk.hops), node.id))

    def children(self, node: TreeNode) -> Iterator[TreeNode]:
        """The walks that go on from a walk by one hop."""
        return (child for child in self.nodes if child.parent == node.id)

    def path(self, node: TreeNode) -> list[TreeNode]:
        """The walks from the root to this one."""
        found = [node]
        while (parent := found[-1].parent) is not None:
            found.append(self.nodes[parent])
        return found[::-1]

    def support(self, node: TreeNode) -> NDArray[np.float64]:
        """How many concrete paths lead to each of a walk's entities, shape (len(node.nodes),)."""
        counts = np.ones(1)
        for before, after in zip(self.path(node), self.path(node)[1:], strict=False):
            own = counts[np.searchsorted(before.nodes, after.pairs.heads)]
            places = np.searchsorted(after.nodes, after.pairs.tails)
            counts = np.zeros(len(after.nodes))
            np.add.at(counts, places, own)
        return counts

    def trace(self, node: TreeNode, entity: int) -> list[int]:
        """The nodes of one concrete path from the topic to an entity that this walk leads to, both included.

        Where a walk takes a relation and takes it back, the path does not return to where it has just been.
        """
        found, barred = [entity], -1
        for place in reversed(self.path(node)[1:]):
            tail, pairs = found[-1], place.pairs
            heads = pairs.heads[(pairs.tails == tail) & (pairs.heads != barred)]
            before = self.nodes[place.parent].hop if place.parent is not None else None
            barred = tail if before is not None and place.hop == before.back else -1
            found.append(int(heads[0]))
        return found[::-1]

    def triples(self, graph: Graph, node: TreeNode, entity: int) -> tuple[Triple, ...]:
        """The triples of one concrete path to an entity, in the order in which they are walked."""
        names = graph.identifiers(np.array(self.trace(node, entity), dtype=np.int64))
        return tuple(hop.triple(a, b) for hop, a, b in zip(node.walk.hops, names, names[1:], strict=False))
