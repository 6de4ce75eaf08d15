"""ArG's search (Algorithm 1): hop-level beam search over a graph, with a critic's reflections as hard and soft constraints.

Hard: a relation or entity whose likeliest relevance is [Unrelevant], and a walk whose likeliest rationality is [Unreasonable],
is pruned. Soft: of what is left, the `beam` best by score go on (`scores`). After a relation its tail entities are retrieved
where the critic predicts [Retrieve Entity]; between hops it says whether a walk goes on or answers. What is in doubt is tried both
ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goalmem.cancellation import checkpoint
from goalmem.engine.budget import Budget
from goalmem.graph.critic import Critic, Query, Reflection, Relevance, Retrieval, Walk
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem.graph.retriever import Retriever, expected_hops
from goalmem.graph.tree import PUBLISHED, Fate, Hopped, Pairs, Scoring, Tree, TreeNode, graded

UNRELEVANT = list(Relevance).index(Relevance.UN)
UNREASONABLE = 2
"""The place of [Unreasonable]."""
ENTITY, NO_RETRIEVAL = (list(Retrieval).index(token) for token in (Retrieval.ENTITY, Retrieval.NO))
IN_DOUBT = 0.2
"""A walk both ends and goes on where the critic gives the less likely of the two at least this probability; the same of the
entities of a relation."""
USELESS = 0.75
"""A walk that nobody said answers is no answer either where [Utility:1] is at least this likely: a critic that fails says
so of everything, and then nothing is known."""
MEDIATORS_IN_A_ROW = 2
"""A walk through more mediators than that says nothing."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How far and how widely is searched; the defaults are the paper's (sections 5.3 and 4.2)."""

    beam: int | None = 3
    """Walks that go on after each hop (B); None searches exhaustively."""
    depth: int = 3
    """Hops at most (D_max); the paper's are 2 and 4."""
    candidates: int = 5
    """Relations that are retrieved for a walk (K)."""
    judged: int | None = 5
    """Entities of a hop that are judged; None for all, as Algorithm 1 goes."""
    unjudged: bool = True
    """Whether entities beyond those that are judged stay; without them a hop leads to at most K, as in the paper."""
    hypotheses: bool = True
    """Whether the hypo-generator's relations join the query."""
    retriever: bool = True
    """Whether the question finds relations; without, the hypo-generator's alone are candidates."""
    scoring: Scoring = PUBLISHED
    pairs: int = 200_000
    """Edges of one hop of a walk that are looked at; a walk that has more is marked as cut."""


def search(
    graph: Graph,
    query: Query,
    topic: int,
    critic: Critic,
    retriever: Retriever,
    options: SearchOptions | None = None,
    budget: Budget | None = None,
) -> Tree:
    """The reasoning tree of a question from a topic entity; its leaves lead to the answers.

    Each hop that is followed is a step of the budget, and each relation that leads on is one that is compared; when that is
    spent no walk goes on.
    """
    return _Search(graph, query, topic, critic, retriever, options or SearchOptions(), budget or Budget()).run()


def followed(graph: Graph, node: TreeNode, hop: Hop, topic: int, limit: int) -> tuple[Pairs, bool]:
    """What a hop leads to from a walk's entities, and whether it was cut to `limit` pairs.

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


class _Search:
    def __init__(
        self,
        graph: Graph,
        query: Query,
        topic: int,
        critic: Critic,
        retriever: Retriever,
        options: SearchOptions,
        budget: Budget,
    ) -> None:
        self.graph, self.query, self.topic, self.budget = graph, query, topic, budget
        self.critic, self.retriever, self.options = critic, retriever, options
        start = np.array([topic], dtype=np.int64)
        self.compared: set[str] = set()
        self.nodes = [TreeNode(0, None, Walk(onward=tuple(graph.hops(start))), start)]

    def run(self) -> Tree:
        frontier = [0]
        for _ in range(self.options.depth * (MEDIATORS_IN_A_ROW + 1)):
            if not frontier or self.budget.ended_by:
                break
            onward = self._ending(frontier)
            hopped = [child for node in onward for child in self._hops(self.nodes[node])]
            frontier = self._beam(self._reasonable(hopped))
        self._ending(frontier)
        if not any(node.fate is Fate.LEAF for node in self.nodes):
            self._fall_back()
        return Tree(self.query, self.topic, tuple(self.nodes))

    def _put(self, node: TreeNode) -> None:
        self.nodes[node.id] = node

    def _ending(self, frontier: Sequence[int]) -> list[int]:
        """Walks that go on; those that answer become leaves, some do both."""
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
                self._put(replace(self.nodes[n], fate=Fate.DEPTH))
        self._end(ends)
        return sorted(onward)

    def _may_go_on(self, node: TreeNode) -> bool:
        row = len(node.walk.hops) - node.depth
        if node.mediators and row > MEDIATORS_IN_A_ROW * (node.depth + 1):
            self._put(replace(node, fate=Fate.DEPTH))
            return False
        return True

    def _end(self, walks: Sequence[int]) -> None:
        utilities = self.critic.utility(self.query, [self.nodes[n].walk for n in walks]) if walks else []
        for n, utility in zip(walks, utilities, strict=True):
            score = self.options.scoring.node(self.nodes[n].hopped, utility)
            self._put(replace(self.nodes[n], utility=utility, score=score, fate=Fate.LEAF))

    def _fall_back(self) -> None:
        """Where no walk was said to answer, the deepest that were reasonable do, rather than nothing."""
        able = [n for n in self.nodes if n.walk.hops and not n.mediators and n.fate in (Fate.FOLLOWED, Fate.DEPTH)]
        self._end([node.id for node in able])
        for node in able:
            ended = self.nodes[node.id]
            if ended.utility is not None and ended.utility.probabilities[-1] >= USELESS:
                self._put(replace(ended, fate=node.fate))

    def _hops(self, node: TreeNode) -> list[int]:
        """The walks that go on by one hop, each with the entities that it leads to; none where more relations lead on than the
        budget affords to compare.
        """
        checkpoint()
        available = node.walk.onward
        new = {hop.relation for hop in available} - self.compared
        if new and not self.budget.allows(relations=len(new)):
            return []
        self.budget.spend(relations=len(new))
        self.compared |= new
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

    def _hop(self, node: TreeNode, hop: Hop, relevance: Reflection, wanted: Reflection | None) -> None:
        """One hop of a walk, as far as it is not pruned. `wanted`: what is needed after it; None where it is unrelevant."""
        self.budget.spend(steps=1)
        walk = node.walk.then(hop)
        child = TreeNode(len(self.nodes), node.id, walk, _none(), depth=node.depth + 1, relevance=relevance)
        self.nodes.append(child)
        if wanted is None:
            self._put(replace(child, fate=Fate.UNRELEVANT))
            return
        if wanted.best != ENTITY and wanted.probabilities[ENTITY] < IN_DOUBT:
            self._put(replace(child, retrieval=wanted, fate=Fate.UNWANTED))
            return
        pairs, cut = followed(self.graph, node, hop, self.topic, self.options.pairs)
        if len(pairs):
            self._put(self._reached(replace(child, cut=cut), node, pairs, relevance))
        else:
            self._put(replace(child, cut=cut, fate=Fate.NOWHERE))

    def _reached(self, child: TreeNode, node: TreeNode, pairs: Pairs, relevance: Reflection) -> TreeNode:
        """With the entities that it leads to, without those that the critic finds unrelevant."""
        nodes = np.unique(pairs.tails)
        if not self.options.unjudged:
            nodes = nodes[: self.options.judged]
            pairs = pairs.keep(np.isin(pairs.tails, nodes))
        shown = nodes[: self.options.judged]
        names, worth = self.graph.labels(shown), 1.0
        mediators = all(kind == "mediator" for kind in self.graph.kinds(shown))
        if not mediators:
            judged = self.critic.entities(self.query, child.walk, names)
            kept = [place for place, token in enumerate(judged) if token.best != UNRELEVANT]
            dropped = np.delete(shown, kept)
            nodes, pairs = np.setdiff1d(nodes, dropped), pairs.keep(~np.isin(pairs.tails, dropped))
            names = [names[place] for place in kept]
            worth = sum(graded(judged[place]) for place in kept) / max(len(kept), 1)
        if not len(nodes):
            return replace(child, fate=Fate.UNRELEVANT_ENTITIES)
        # Its rationality is judged with that of all walks of this depth; until then the relevance stands in its place.
        hopped = (*node.hopped, Hopped(relevance, worth, relevance))
        onward = tuple(self.graph.hops(nodes))
        walk = Walk(child.walk.hops, (*node.walk.entities, tuple(names)), onward, child.walk.passed)
        depth = node.depth if mediators else child.depth
        return replace(child, walk=walk, nodes=nodes, pairs=pairs, mediators=mediators, depth=depth, hopped=hopped)

    def _reasonable(self, walks: Sequence[int]) -> list[int]:
        """The walks that hang together, scored; the others end here (early stop)."""
        tokens = self.critic.rationality(self.query, [self.nodes[n].walk for n in walks]) if walks else []
        found = []
        for n, token in zip(walks, tokens, strict=True):
            node = self.nodes[n]
            hopped = (*node.hopped[:-1], replace(node.hopped[-1], rationality=token))
            fate = Fate.UNREASONABLE if token.best == UNREASONABLE else Fate.FOLLOWED
            self._put(replace(node, hopped=hopped, score=self.options.scoring.node(hopped), fate=fate))
            if fate is Fate.FOLLOWED:
                found.append(n)
        return found

    def _beam(self, walks: Sequence[int]) -> list[int]:
        best = sorted(walks, key=lambda n: (-round(self.nodes[n].score, 9), n))
        for n in best[self.options.beam :] if self.options.beam is not None else ():
            self._put(replace(self.nodes[n], fate=Fate.BEAM))
        return best[: self.options.beam]


def _none() -> Nodes:
    return np.empty(0, dtype=np.int64)
