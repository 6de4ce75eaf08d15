"""The reasoning tree: every walk of a search, kept or pruned, with its reflections.

A node is a walk of hops with the *set* of entities that it leads to, so that all answers of a chain of relations come back
together. The pairs (head, tail) of each hop are kept, so that one concrete path can be traced back for each entity.

Equation 4, a token's probability among the values of its kind, is what a critic's `Reflection` holds. Equation 6 turns three of
the distributions into numbers, equation 5 puts them together at depth d:

    S(d) = S_seq(d) + k1 * S_rel(d) * S_rat(d) + k2 * S_uti

S_seq is the probability of the text generated up to d, normalised by its length: the geometric mean over its tokens. A
leaf's score is traced back along its path: the mean of S(d) over its hops, so that walks of different lengths are
comparable, and S_uti once, at its end.

Equation 6 prints S_uti as the plain sum of the five utilities' probabilities, which is always 1 and could rank nothing. We take
the expected utility instead, from 0 (all on 1) to 1 (all on 5), as Self-RAG, which these tokens come from, weighs them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import Query, Reflection, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes, Triple


class WalkOutcome(Enum):
    """The outcome of a walk."""

    FOLLOWED = "followed"
    """Other walks extend it."""
    LEAF = "leaf"
    """It ends here, and its entities are answers."""
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
        """True if the search dropped the walk."""
        return self not in (WalkOutcome.FOLLOWED, WalkOutcome.LEAF)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Connected start and end entities of a hop: two arrays of shape (m,), by position."""

    heads: Nodes
    tails: Nodes

    def keep(self, mask: NDArray[np.bool_]) -> Pairs:
        """The pairs where the mask is true."""
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
    """Its entities: sorted, distinct, without the topic; empty if a pruned walk was not followed."""
    pairs: Pairs = field(default_factory=lambda: NO_PAIRS)
    """Pairs of its last hop."""
    depth: int = 0
    """Hops, but for those into a mediator."""
    mediators: bool = False
    """True if its last hop leads to mediators, which are traversed but never answers."""
    cut: bool = False
    """The last hop has more pairs than the search looks at; the others are left out."""
    hopped: tuple[HopReflections, ...] = ()
    """Reflections at each hop."""
    retrieval: Reflection | None = None
    relevance: Reflection | None = None
    """Relevance of its last relation; also for a walk dropped because of it, whose `hopped` lacks it."""
    utility: Reflection | None = None
    """Utility of its entities as the answer; set for leaves."""
    score: float = 0.0
    """Score of equation 5, traced back along its path; for a leaf including its utility."""
    fate: WalkOutcome = WalkOutcome.FOLLOWED

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
        return _best_first(node for node in self.nodes if node.fate is WalkOutcome.LEAF)

    @property
    def unended(self) -> list[TreeNode]:
        """Walks that were followed and not ended, in the same order."""
        kept = (WalkOutcome.FOLLOWED, WalkOutcome.DEPTH, WalkOutcome.BEAM)
        return _best_first(n for n in self.nodes if n.fate in kept and n.walk.hops and not n.mediators and len(n.nodes))

    def children(self, node: TreeNode) -> Iterator[TreeNode]:
        """The walks that extend a walk by one hop."""
        return (child for child in self.nodes if child.parent == node.id)

    def path(self, node: TreeNode) -> list[TreeNode]:
        """The walks from the root to this one."""
        found = [node]
        while (parent := found[-1].parent) is not None:
            found.append(self.nodes[parent])
        return found[::-1]

    def support(self, node: TreeNode) -> NDArray[np.float64]:
        """Number of concrete paths to each of a walk's entities, shape (len(node.nodes),)."""
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


GRADES = (1.0, 0.5, 0.0)
"""Equation 6: values of fully, partially and not at all."""
UTILITIES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Values of [Utility:5] down to [Utility:1]."""


def _best_first(nodes: Iterable[TreeNode]) -> list[TreeNode]:
    return sorted(nodes, key=lambda node: (-round(node.score, 9), len(node.walk.hops), node.id))


@dataclass(frozen=True, slots=True)
class HopReflections:
    """Reflections at one hop."""

    relation: Reflection
    """Relevance of the hop."""
    entities: float
    """Mean relevance score of the entities that it led to, in [0, 1]."""
    rationality: Reflection
    """Rationality of the walk up to here."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Weights of equation 5, and which of its scores count; without one of the two factors its place is taken by 1."""

    k1: float = 1.0
    k2: float = 0.5
    sequence: bool = True
    relevance: bool = True
    rationality: bool = True
    utility: bool = True

    def node(self, path: Sequence[HopReflections], utility: Reflection | None = None) -> float:
        """The score of the node at the end of a path, traced back over its hops; with `utility`, of a leaf. 0 at the root."""
        if not path:
            return 0.0
        hops = [self._hop(path[: place + 1]) for place in range(len(path))]
        return math.fsum(hops) / len(hops) + (self.k2 * utility_score(utility) if utility and self.utility else 0.0)

    def _hop(self, path: Sequence[HopReflections]) -> float:
        last = path[-1]
        judged = relevance_score(last.relation) * last.entities if self.relevance else 1.0
        judged *= relevance_score(last.rationality) if self.rationality else 1.0
        reflects = self.relevance or self.rationality
        said = sequence_score([hop.relation for hop in path]) if self.sequence else 0.0
        return said + (self.k1 * judged if reflects else 0.0)


PUBLISHED = Scoring()
"""k1 = 1 and k2 = 0.5, as in the paper's experiments."""


def relevance_score(reflection: Reflection) -> float:
    """S_rel or S_rat of one distribution over three values (equation 6), in [0, 1]."""
    return math.fsum(weight * p for weight, p in zip(GRADES, reflection.probabilities, strict=True))


def utility_score(reflection: Reflection) -> float:
    """S_uti, the expected utility, in [0, 1]."""
    return math.fsum(weight * p for weight, p in zip(UTILITIES, reflection.probabilities, strict=True))


def sequence_score(generated: Sequence[Reflection]) -> float:
    """S_seq: the probability of all that was generated, to the power of one over its length; in [0, 1]."""
    length = sum(reflection.length for reflection in generated)
    return math.exp(math.fsum(reflection.log_probability for reflection in generated) / max(length, 1))
