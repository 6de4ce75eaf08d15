"""Weak labels of the local critic: which chains of relations may have been meant by a question with known answers.

All chains up to a depth are walked from the topic, and what each leads to is compared with the answers. Those that come near the
best are kept, each with its F1: answers may be incomplete, and of chains that lead to the same entities only what other
questions ask can tell which was meant (`critic_fit`).
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goalmem.graph.critic import Query, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem.graph.search import follow_hop
from goalmem.graph.tree import TreeNode

DEPTH = 3
WIDEST = 2_000
"""A walk that leads to more entities is not followed further: that everything leads on to everything says nothing."""
PAIRS = 50_000
"""Edges of one hop that are looked at."""
NEAR = 0.5
"""A chain counts when its F1 is at least this share of the best one's."""
LEAST = 0.05
"""Where no chain comes as near as this, the question says nothing."""
KEPT = 40
"""Chains of a question at most; the best."""
OTHERS = 16
"""Relations of which a walk learns that they were not meant, beside those that lead on."""
ALIKE = 8
"""Questions that are the same but for their topics, of which more say little."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question with its answers."""

    query: Query
    topic: int
    answers: Nodes
    """Sorted, distinct; without those that the graph does not have."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Hops that may have been meant."""

    hops: tuple[Hop, ...]
    f1: float
    """Of what it leads to, against the answers."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question's weak labels."""

    masked: str
    chains: tuple[Chain, ...]
    onward: Mapping[tuple[Hop, ...], tuple[Hop, ...]]
    """What leads on from each beginning of a chain, and from its end."""
    others: tuple[Hop, ...] = ()
    """Some hops of the graph, whether or not they lead on from anywhere here: what was not meant, either."""


def sampled(asked: Iterable[Asked], limit: int, alike: int = ALIKE, seed: int = 7) -> list[Asked]:
    """At most `limit` questions, and at most `alike` with the same masked text; drawn by chance, the same in every run."""
    known = [each for each in asked if len(each.answers)]
    order = np.random.default_rng(seed).permutation(len(known)).tolist()
    counts: defaultdict[str, int] = defaultdict(int)
    found = []
    for place in order:
        counts[known[place].query.masked] += 1
        if counts[known[place].query.masked] <= alike:
            found.append(known[place])
    return found[:limit]


def label(graph: Graph, asked: Asked, depth: int = DEPTH) -> Labelled | None:
    """The weak labels of a question; None where no chain leads near its answers."""
    start = np.array([asked.topic], dtype=np.int64)
    frontier = [TreeNode(0, None, Walk(onward=tuple(graph.hops(start))), start)]
    onward: dict[tuple[Hop, ...], tuple[Hop, ...]] = {(): frontier[0].walk.onward}
    chains: list[tuple[Chain, Nodes]] = []
    for level in range(1, depth + 1):
        reached = [child for node in frontier for child in _children(graph, node, asked.topic)]
        compared = [(child, _f1(child.nodes, asked.answers)) for child in reached]
        chains += [(Chain(child.walk.hops, f1), child.nodes) for child, f1 in compared if f1 >= LEAST]
        frontier = [] if level == depth else [_looked_on(graph, child) for child in reached]
        onward |= {node.walk.hops: node.walk.onward for node in frontier}
        frontier = [node for node in frontier if len(node.nodes) <= WIDEST]
    best = max((chain.f1 for chain, _ in chains), default=0.0)
    near = [(chain, nodes) for chain, nodes in chains if chain.f1 >= NEAR * best]
    near = sorted(near, key=lambda each: (-each[0].f1, len(each[0].hops), each[0].hops))[:KEPT]
    if not near:
        return None
    needed = {chain.hops[:place] for chain, _ in near for place in range(len(chain.hops))}
    ways = {hops: onward[hops] for hops in sorted(needed)}
    ways |= {chain.hops: tuple(graph.hops(nodes)) for chain, nodes in near}
    return Labelled(asked.query.masked, tuple(chain for chain, _ in near), ways, _some(graph, asked))


def _some(graph: Graph, asked: Asked) -> tuple[Hop, ...]:
    """Hops of the graph: all where there are few, else some by chance that depends on the question alone."""
    names = graph.relations()
    places: Sequence[int] = range(len(names))
    if len(names) > OTHERS:
        chance = np.random.default_rng(zlib.crc32(asked.query.question.encode("utf-8", "replace")))
        places = sorted(chance.choice(len(names), OTHERS, replace=False).tolist())
    return tuple(hop for place in places for hop in (Hop(names[place]), Hop(names[place], inverse=True)))


def _children(graph: Graph, node: TreeNode, topic: int) -> Iterable[TreeNode]:
    for hop in node.walk.onward:
        pairs, cut = follow_hop(graph, node, hop, topic, PAIRS)
        if len(pairs) and not cut:
            yield TreeNode(0, None, node.walk.then(hop), np.unique(pairs.tails), pairs)


def _looked_on(graph: Graph, node: TreeNode) -> TreeNode:
    walk = Walk(node.walk.hops, (), tuple(graph.hops(node.nodes)))
    return TreeNode(0, None, walk, node.nodes, node.pairs)


def _f1(found: Nodes, wanted: Nodes) -> float:
    shared = len(np.intersect1d(found, wanted, assume_unique=True))
    return 2 * shared / (len(found) + len(wanted)) if shared else 0.0
