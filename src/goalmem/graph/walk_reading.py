"""Readings of a question as a walk: the critic's scores of each hop, recomputed from the question and the walk alone.

The same weights are worked out when a proof is made and when it is checked, whatever the search had seen beside them. And from a walk to the triples that it
passes: one path for each of the nodes that it ends at; the neighbourhood of an entity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import Critic, Query, Rationality, Reflection, Relevance, Walk
from goalmem.graph.entity_linking import Link
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem.graph.tree import relevance_score, utility_score
from goalmem.graph.walk_judge import WalkEnds, WalkJudge

PAIRS = 200_000
"""Edges of a hop that are looked at first: as many as the search looks at."""


def paths_of(graph: Graph, topic: int, hops: Sequence[Hop], ends: Nodes) -> Nodes:
    """A path along `hops` from `topic` to each of `ends` that has one: shape (paths, hops + 1), in order.

    Of several paths one that never comes back to the topic, nor straight back over the triple that it came by, is taken
    where there is one; of equals the first by the numbers of its nodes, the last node but one first.
    """
    found: dict[int, Nodes] = {}
    for limit, back in ((PAIRS, False), (None, False), (None, True)):
        missing = np.array([n for n in ends.tolist() if n not in found], dtype=np.int64)
        if len(missing):
            found |= {int(path[-1]): path for path in _paths(graph, topic, hops, missing, limit, back=back)}
    rows = [found[n] for n in ends.tolist() if n in found]
    return np.stack(rows) if rows else np.empty((0, len(hops) + 1), dtype=np.int64)


def _paths(graph: Graph, topic: int, hops: Sequence[Hop], ends: Nodes, limit: int | None, *, back: bool) -> Nodes:
    """The same, over the first `limit` edges of each hop; with `back`, paths may come back to the topic."""
    links: list[tuple[Nodes, Nodes]] = []
    reached = np.array([topic], dtype=np.int64)
    for hop in hops:
        heads, tails = graph.edges(reached, hop, limit=limit)
        onward = np.ones(len(tails), dtype=np.bool_) if back else (tails != topic) & (tails != heads)
        links.append((heads[onward], tails[onward]))
        reached = np.unique(links[-1][1])
    columns = [ends[_among(ends, reached)]]
    for place in range(len(hops) - 1, -1, -1):
        returns = place + 1 < len(hops) and hops[place + 1] == hops[place].back
        columns.append(_before(*links[place], columns[-1], columns[-2] if returns else None))
    return np.stack(columns[::-1], axis=1)


def _before(heads: Nodes, tails: Nodes, nodes: Nodes, barred: Nodes | None) -> Nodes:
    """The head of an edge to each node, other than `barred` if possible; every node has one."""
    bearing = _among(tails, np.unique(nodes))
    heads, tails = heads[bearing], tails[bearing]
    order = np.lexsort((heads, tails))
    heads, tails = heads[order], tails[order]
    first = np.searchsorted(tails, nodes)
    if barred is None or not len(nodes):
        return heads[first]
    second = np.minimum(first + 1, len(heads) - 1)
    skipped = (heads[first] == barred) & (tails[second] == nodes)
    return heads[np.where(skipped, second, first)]


def _among(nodes: Nodes, known: Nodes) -> NDArray[np.bool_]:
    """Mask of the `nodes` that are in `known` (sorted, distinct)."""
    if not len(known):
        return np.zeros(len(nodes), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == nodes
    return found


def neighbourhood(graph: Graph, node: int, *, depth: int, limit: int) -> dict[str, Any]:
    """An entity as JSON: `id`, `label`, `kind`, and its `hops` (`relation`, `inverse`, `entities`, `more`) `depth` deep.

    At most `limit` entities per relation, in the graph's order; `more` is true if there are others. An entity that is
    an ancestor in the same branch is not expanded again.
    """
    return _entity(graph, node, depth, limit, ())


def _entity(graph: Graph, node: int, depth: int, limit: int, above: tuple[int, ...]) -> dict[str, Any]:
    one = np.array([node], dtype=np.int64)
    entity: dict[str, Any] = {
        "id": graph.identifiers(one)[0],
        "label": graph.labels(one)[0],
        "kind": graph.kinds(one)[0],
    }
    if depth == 0 or node in above:
        return entity
    entity["hops"] = []
    for hop in graph.hops(one):
        _, tails = graph.edges(one, hop, limit=limit + 1)
        entities = [_entity(graph, tail, depth - 1, limit, (*above, node)) for tail in tails[:limit].tolist()]
        entity["hops"].append(
            {"relation": str(hop), "inverse": hop.inverse, "entities": entities, "more": len(tails) > limit}
        )
    return entity


Links = Callable[[str], Sequence[Link]]
"""Possible topics of a question that does not spell them as the graph does."""
UNRELEVANT = list(Relevance).index(Relevance.UN)
UNREASONABLE = list(Rationality).index(Rationality.UN)
LOOKED_AT = 64
"""Maximum number of nodes of a place whose next hops are considered. A critic compares a hop with the alternatives:
fewer of them only raise its score, so that a walk kept by a search is never refused.
"""
WAYS_BACK = 1_000
"""Edges looked at to say that a hop leads back to the topic alone; with more it may lead on."""
LEAST = 1e-4
"""The least weight of a hop that is not pruned: a step of a proof is worth something."""
ACCEPTED = 0.8
"""The least weight of a hop of a walk that the judge accepts. Of 900 questions of MetaQA's development half, 300 of each depth,
the untrained critic gave 29 accepted walks at three hops and 11 at one a confidence under .3; all were right."""
DIGITS = 4
SHOWN = 5
"""Entities of a hop that a critic is shown: the paper's K."""
LONGEST_NAME = 12
"""Words of an alias looked for in a question."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")


def query_of(graph: Graph, question: str, topic: str, links: Links | None = None) -> Query | None:
    """The question about the entity with this label, where it is named there: as `links` has it, by its label, or by
    another name. None where the question names no such thing.
    """
    linked = next((link.span for link in links(question) if link.label == topic), None) if links is not None else None
    words = r"\s+".join(map(re.escape, topic.split()))
    spelled = rf"(?<!\w){words}(?!\w)"
    label = (re.search(spelled, question) or re.search(spelled, question, re.IGNORECASE)) if words else None
    span = linked or (label.span() if label is not None else _alias(graph, question, topic))
    return Query(question, topic, span) if span is not None else None


def _alias(graph: Graph, question: str, topic: str) -> tuple[int, int] | None:
    """The longest run of words that is a name of something with this label."""
    places = [m.span() for m in _WORD.finditer(question)]
    for length in range(min(LONGEST_NAME, len(places)), 0, -1):
        for first, last in zip(places, places[length - 1 :], strict=False):
            nodes = graph.named(question[first[0] : last[1]])
            if len(nodes) and topic in graph.labels(nodes):
                return first[0], last[1]
    return None


def leading_on(graph: Graph, nodes: Nodes, came_by: Hop | None, topic: Nodes) -> tuple[Hop, ...]:
    """The hops that lead from entities to others than the topic; `came_by`: the hop that led to them, whose way back may not.

    That one stays where it is the only one, since to a critic a walk without hops is one whose hops are not known.
    """
    hops = graph.hops(nodes)
    if came_by is not None and came_by.back in hops and len(hops) > 1:
        _, tails = graph.edges(nodes, came_by.back, limit=WAYS_BACK)
        if len(tails) < WAYS_BACK and np.isin(tails, topic).all():
            hops = [hop for hop in hops if hop != came_by.back]
    return tuple(hops)


@dataclass(frozen=True, slots=True)
class WalkContext:
    """The context of a walk from the topic to its end, derived from paths alone, so that it is the same for making a
    proof and for checking it.
    """

    shown: tuple[tuple[str, ...], ...] = ()
    """The first few entities of each hop, in order of their labels."""
    onward: tuple[tuple[Hop, ...], ...] = ()
    """Hops that leave the topic, and the end of each hop."""
    leading: tuple[tuple[Hop, ...], ...] = ()
    """Of these, the hops that a walk may take (`leading_on`)."""
    relations: tuple[str, ...] = ()
    """All of the graph's."""

    @classmethod
    def of(cls, graph: Graph, columns: Sequence[Nodes], hops: Sequence[Hop]) -> WalkContext:
        """From the nodes at each position of the paths, one array more than there are hops, and the hops."""
        found = [np.unique(column) for column in columns]
        named = [sorted(zip(graph.labels(c), graph.identifiers(c), c.tolist(), strict=True))[:LOOKED_AT] for c in found]
        looked_at = [np.unique([node for *_, node in names]) for names in named]
        onward = tuple(tuple(graph.hops(nodes)) for nodes in looked_at)
        came_by = [None, *hops]
        leading = tuple(leading_on(graph, n, hop, found[0]) for n, hop in zip(looked_at, came_by, strict=False))
        shown = (tuple(dict.fromkeys(label for label, *_ in names))[:SHOWN] for names in named[1:])
        return cls(tuple(shown), onward, leading, tuple(graph.relations()))

    @property
    def reached(self) -> WalkEnds:
        """The ends as a judge sees them."""
        return WalkEnds(self.shown[-1], self.onward[-1], self.relations)

    def walk(self, hops: Sequence[Hop], length: int) -> Walk:
        """The first `length` hops."""
        return Walk(tuple(hops[:length]), self.shown[:length], self.leading[length], self.leading[:length])


def weights_of(critic: Critic, query: Query, hops: Sequence[Hop], around: WalkContext) -> tuple[float, ...] | None:
    """The weight of each hop of a walk, in (0, 1]: its relevance times the rationality of the walk so far, and for
    the last one also the utility of its end.

    None where the critic finds a hop irrelevant or the walk unreasonable: such walks are pruned (ArG, section 4.2).
    """
    walks = [around.walk(hops, length) for length in range(len(hops) + 1)]
    relevant = [critic.relations(query, walk, [hop])[0] for walk, hop in zip(walks, hops, strict=False)]
    reasonable = critic.rationality(query, walks[1:])
    if any(r.best == UNRELEVANT for r in relevant) or any(r.best == UNREASONABLE for r in reasonable):
        return None
    return worth(relevant, reasonable, critic.utility(query, walks[-1:])[0])


def judged_weights(
    judge: WalkJudge, critic: Critic, query: Query, hops: Sequence[Hop], around: WalkContext
) -> tuple[str, tuple[float, ...] | None]:
    """The judge's objection to a walk, or else the weights of its hops, None if the critic prunes it."""
    refusal = judge.refusal(query, hops, around.reached)
    weights = None if refusal else weights_of(critic, query, hops, around)
    return refusal, tuple(max(weight, ACCEPTED) for weight in weights) if weights is not None else None


def worth(
    relevant: Sequence[Reflection], reasonable: Sequence[Reflection], utility: Reflection | None
) -> tuple[float, ...]:
    """The weights of hops from their reflections."""
    weights = [relevance_score(a) * relevance_score(b) for a, b in zip(relevant, reasonable, strict=True)]
    weights[-1] *= utility_score(utility) if utility is not None else 1.0
    return tuple(min(1.0, max(LEAST, round(weight, DIGITS))) for weight in weights)
