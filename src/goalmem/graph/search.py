"""ArG's search (Algorithm 1): hop-level beam search over a graph, with a critic's reflections as hard and soft constraints.

Hard pruning removes relations and entities whose likeliest relevance is [Unrelevant], and walks whose likeliest
rationality is [Unreasonable]. Soft pruning keeps the `beam` best by score (`scores`). After a relation, its tail
entities are retrieved if the critic predicts [Retrieve Entity]; between hops it predicts whether a walk continues or
answers. In doubt, both are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from goalmem.cancellation import checkpoint
from goalmem.engine.budget import Budget
from goalmem.graph.critic import Critic, Query, Reflection, Retrieval, Walk
from goalmem.graph.protocol import Graph, Hop
from goalmem.graph.retriever import EmbeddingRetriever, expected_hops
from goalmem.graph.tree import PUBLISHED, HopReflections, Pairs, Scoring, Tree, TreeNode, WalkOutcome, relevance_score
from goalmem.graph.walk_reading import UNREASONABLE, UNRELEVANT, leading_on

ENTITY, NO_RETRIEVAL = (list(Retrieval).index(token) for token in (Retrieval.ENTITY, Retrieval.NO))
IN_DOUBT = 0.2
"""A walk both ends and continues if the less likely of the two has at least this probability; likewise for the
entities of a relation.
"""
USELESS = 0.75
"""A walk without an answer is not used as a fallback if [Utility:1] has at least this probability: a failing critic
says so of everything, and then nothing is known.
"""
MEDIATORS_IN_A_ROW = 2
"""Walks through more consecutive mediators are dropped."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Depth and width of the search; the defaults are the paper's (sections 5.3 and 4.2)."""

    beam: int | None = 3
    """Walks that continue after each hop (B); None searches exhaustively."""
    depth: int = 3
    """Hops at most (D_max); the paper's are 2 and 4."""
    candidates: int = 5
    """Relations that are retrieved for a walk (K)."""
    judged: int | None = 5
    """Entities of a hop that are judged, those first to which most of the walk's entities lead; None for all, as Algorithm 1 goes."""
    unjudged: bool = True
    """True if entities beyond those that are judged stay; without them a hop leads to at most K, as in the paper."""
    hypotheses: bool = True
    """True if the hypo-generator's relations join the query."""
    retriever: bool = True
    """True if the question finds relations; without, the hypo-generator's alone are candidates."""
    scoring: Scoring = PUBLISHED
    pairs: int = 200_000
    """Edges of one hop of a walk that are looked at; a walk that has more is marked as cut."""


def search(
    graph: Graph,
    query: Query,
    topic: int,
    critic: Critic,
    retriever: EmbeddingRetriever,
    options: SearchOptions | None = None,
    budget: Budget | None = None,
) -> Tree:
    """The reasoning tree of a question from a topic entity; its leaves lead to the answers.

    Each hop that is followed costs one step of the budget, and each candidate relation one comparison; when either is
    spent, no walk continues.
    """
    return _Search(graph, query, topic, critic, retriever, options or SearchOptions(), budget or Budget()).run()


def follow_hop(graph: Graph, node: TreeNode, hop: Hop, topic: int, limit: int) -> tuple[Pairs, bool]:
    """The pairs that a hop connects from a walk's entities, and whether they were cut to `limit`.

    Not to the topic, not to where it starts, and not back over the one triple that the walk came by.
    """
    heads, tails = graph.edges(node.nodes, hop, limit=limit)
    cut = len(heads) >= limit
    pairs = Pairs(heads, tails).keep((tails != topic) & (tails != heads))
    if len(pairs) and node.hop is not None and hop == node.hop.back:
        entities, first, counts = np.unique(node.pairs.tails, return_index=True, return_counts=True)
        place = np.searchsorted(entities, pairs.heads)
        back = (counts[place] == 1) & (node.pairs.heads[first[place]] == pairs.tails)
        pairs = pairs.keep(~back)
    return pairs, cut


@dataclass
class _Search:
    graph: Graph
    query: Query
    topic: int
    critic: Critic
    retriever: EmbeddingRetriever
    options: SearchOptions
    budget: Budget
    compared: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        start = np.array([self.topic], dtype=np.int64)
        self.nodes = [TreeNode(0, None, Walk(onward=tuple(self.graph.hops(start))), start)]

    def run(self) -> Tree:
        frontier = [0]
        for _ in range(self.options.depth * (MEDIATORS_IN_A_ROW + 1)):
            if not frontier or self.budget.ended_by:
                break
            onward = self._ending(frontier)
            hopped = [child for node in onward for child in self._hops(self.nodes[node])]
            frontier = self._beam(self._reasonable(hopped))
        self._ending(frontier)
        if not any(node.fate is WalkOutcome.LEAF for node in self.nodes):
            self._fall_back()
        return Tree(self.query, self.topic, tuple(self.nodes))

    def _put(self, node: TreeNode) -> None:
        self.nodes[node.id] = node

    def _ending(self, frontier: Sequence[int]) -> list[int]:
        """The walks that continue. Those that answer become leaves; some do both."""
        asked = [n for n in frontier if self.nodes[n].walk.hops and not self.nodes[n].mediators]
        tokens = self.critic.retrieval(self.query, [self.nodes[n].walk for n in asked]) if asked else []
        ends, onward = [], [n for n in frontier if n not in asked and self._may_go_on(self.nodes[n])]
        for n, token in zip(asked, tokens, strict=True):
            self._put(replace(self.nodes[n], retrieval=token))
            no = token.probabilities[NO_RETRIEVAL]
            deep = self.nodes[n].depth >= self.options.depth
            stops = token.best == NO_RETRIEVAL
            if stops or no >= IN_DOUBT:
                ends.append(n)
            if not deep and (not stops or 1 - no >= IN_DOUBT):
                onward.append(n)
            elif deep and n not in ends:
                self._put(replace(self.nodes[n], fate=WalkOutcome.DEPTH))
        self._end(ends)
        return sorted(onward)

    def _may_go_on(self, node: TreeNode) -> bool:
        row = len(node.walk.hops) - node.depth
        if node.mediators and row > MEDIATORS_IN_A_ROW * (node.depth + 1):
            self._put(replace(node, fate=WalkOutcome.DEPTH))
            return False
        return True

    def _end(self, walks: Sequence[int]) -> None:
        utilities = self.critic.utility(self.query, [self.nodes[n].walk for n in walks]) if walks else []
        for n, utility in zip(walks, utilities, strict=True):
            score = self.options.scoring.node(self.nodes[n].hopped, utility)
            self._put(replace(self.nodes[n], utility=utility, score=score, fate=WalkOutcome.LEAF))

    def _fall_back(self) -> None:
        """If no walk was judged to answer, the deepest reasonable ones become leaves."""
        able = [
            n
            for n in self.nodes
            if n.walk.hops and not n.mediators and n.fate in (WalkOutcome.FOLLOWED, WalkOutcome.DEPTH)
        ]
        self._end([node.id for node in able])
        for node in able:
            ended = self.nodes[node.id]
            if ended.utility is not None and ended.utility.probabilities[-1] >= USELESS:
                self._put(replace(ended, fate=node.fate))

    def _hops(self, node: TreeNode) -> list[int]:
        """The walks extended by one hop, each with its entities; none if comparing all relations would exceed the
        budget.
        """
        checkpoint()
        available = self._afford(node.walk.onward)
        if not available:
            return []
        k = self.options.candidates
        expected = self.critic.hypotheses(self.query, node.walk, k) if self.options.hypotheses else ()
        if self.options.retriever:
            chosen = self.retriever.retrieve(self.query, node.walk, expected, available, k)
        else:
            chosen = expected_hops(expected, available)[:k]
        relevances = self.critic.relations(self.query, node.walk, chosen) if chosen else []
        relevant = [hop for hop, r in zip(chosen, relevances, strict=True) if r.best != UNRELEVANT]
        tokens = self.critic.retrieval(self.query, [node.walk.towards(hop) for hop in relevant]) if relevant else []
        wanted = dict(zip(relevant, tokens, strict=True))
        first = len(self.nodes)
        for hop, relevance in zip(chosen, relevances, strict=True):
            self._hop(node, hop, relevance, wanted.get(hop))
        return [n for n in range(first, len(self.nodes)) if not self.nodes[n].fate.pruned]

    def _afford(self, hops: Sequence[Hop]) -> tuple[Hop, ...]:
        """The hops, if the budget covers comparing their relations with the question; else none. Charges it."""
        new = {hop.relation for hop in hops} - self.compared
        if new and not self.budget.allows(relations=len(new)):
            return ()
        self.budget.spend(relations=len(new))
        self.compared |= new
        return tuple(hops)

    def _hop(self, node: TreeNode, hop: Hop, relevance: Reflection, wanted: Reflection | None) -> None:
        """One hop of a walk, unless it is pruned. `wanted`: what is needed after it; None if it is irrelevant."""
        self.budget.spend(steps=1)
        walk = node.walk.then(hop)
        nowhere = np.empty(0, dtype=np.int64)
        child = TreeNode(len(self.nodes), node.id, walk, nowhere, depth=node.depth + 1, relevance=relevance)
        self.nodes.append(child)
        if wanted is None:
            self._put(replace(child, fate=WalkOutcome.UNRELEVANT))
            return
        if wanted.best != ENTITY and wanted.probabilities[ENTITY] < IN_DOUBT:
            self._put(replace(child, retrieval=wanted, fate=WalkOutcome.UNWANTED))
            return
        pairs, cut = follow_hop(self.graph, node, hop, self.topic, self.options.pairs)
        if len(pairs):
            self._put(self._reached(replace(child, cut=cut), node, pairs, relevance))
        else:
            self._put(replace(child, cut=cut, fate=WalkOutcome.NOWHERE))

    def _reached(self, child: TreeNode, node: TreeNode, pairs: Pairs, relevance: Reflection) -> TreeNode:
        """With the entities that it leads to, without those that the critic finds unrelevant."""
        nodes, ways = np.unique(pairs.tails, return_counts=True)
        shown = np.sort(nodes[np.argsort(-ways, kind="stable")[: self.options.judged]])
        if not self.options.unjudged:
            nodes, pairs = shown, pairs.keep(np.isin(pairs.tails, shown))
        names, worth = self.graph.labels(shown), 1.0
        mediators = all(kind == "mediator" for kind in self.graph.kinds(shown))
        if not mediators:
            judged = self.critic.entities(self.query, child.walk, names)
            kept = [place for place, token in enumerate(judged) if token.best != UNRELEVANT]
            dropped = np.delete(shown, kept)
            nodes, pairs = np.setdiff1d(nodes, dropped), pairs.keep(~np.isin(pairs.tails, dropped))
            names = [names[place] for place in kept]
            worth = sum(relevance_score(judged[place]) for place in kept) / max(len(kept), 1)
        if not len(nodes):
            return replace(child, fate=WalkOutcome.UNRELEVANT_ENTITIES)
        # Rationality is judged for all walks of this depth at once; until then the relevance is used.
        hopped = (*node.hopped, HopReflections(relevance, worth, relevance))
        # The critic compares what leads on with the question already when it judges the walk.
        onward = self._afford(leading_on(self.graph, nodes, child.hop, np.array([self.topic])))
        walk = Walk(child.walk.hops, (*node.walk.entities, tuple(names)), onward, child.walk.passed)
        depth = node.depth if mediators else child.depth
        return replace(child, walk=walk, nodes=nodes, pairs=pairs, mediators=mediators, depth=depth, hopped=hopped)

    def _reasonable(self, walks: Sequence[int]) -> list[int]:
        """The reasonable walks with their scores; the others end here (early stop)."""
        tokens = self.critic.rationality(self.query, [self.nodes[n].walk for n in walks]) if walks else []
        found = []
        for n, token in zip(walks, tokens, strict=True):
            node = self.nodes[n]
            hopped = (*node.hopped[:-1], replace(node.hopped[-1], rationality=token))
            fate = WalkOutcome.UNREASONABLE if token.best == UNREASONABLE else WalkOutcome.FOLLOWED
            self._put(replace(node, hopped=hopped, score=self.options.scoring.node(hopped), fate=fate))
            if fate is WalkOutcome.FOLLOWED:
                found.append(n)
        return found

    def _beam(self, walks: Sequence[int]) -> list[int]:
        best = sorted(walks, key=lambda n: (-round(self.nodes[n].score, 9), n))
        for n in best[self.options.beam :] if self.options.beam is not None else ():
            self._put(replace(self.nodes[n], fate=WalkOutcome.BEAM))
        return best[: self.options.beam]
