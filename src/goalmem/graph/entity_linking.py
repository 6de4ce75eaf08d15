"""What entity of a graph a question is about, where the question does not mark it.

Runs of the question's words are looked up as names, whole; words that no name holds are tried as misspelt; then names
that share the question's rarer words; and where all that finds nothing, names that mean something alike. A run is
worth what its words tell: function words next to nothing, words of the graph's relations and the kind that is asked
for ("which films …") little, names more than dictionary words; so the longest telling run wins, and a film called
"What" wins only where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.entity_names import words_of
from goalmem.graph.link_words import Asked, asked_of
from goalmem.graph.name_index import Words, respelt
from goalmem.graph.protocol import Graph, Nodes
from goalmem.models.protocol import Embedder

__all__ = ["Link", "Linkable", "Linker", "Marked", "Words", "marked"]

LONGEST_NAME = 16
"""Words of a name that is looked for in a question."""
NAMESAKES = 50
"""Nodes of one name that are ranked among each other."""
HOLDING = 5000
"""Nodes looked up of those whose names hold a word."""
SHARING = 200
"""Names compared with a question, of those that hold most of its words."""
RESPELT = 0.9
"""What a word counts that was read as misspelt."""
PARTLY = 0.8
"""What a name counts that is only partly in the question, beside the share of it that is there."""
HALF = 0.5
"""The least share, by what its words tell, of a name that is only partly in the question."""
SAME_CASE = 1.05
"""What a name counts that is written in the question as in the graph, punctuation and all; case too where it means
something."""
MEANT = 0.3
"""What a name counts that is only alike in meaning, beside the cosine."""
EMBEDDED = 5000
"""Names that are embedded at most."""


class Linkable(Graph, Protocol):
    """A graph that finds its nodes by words."""

    @property
    def index(self) -> Words:
        """Its nodes by the words of their names."""
        ...

    def names_of(self, nodes: Nodes) -> list[list[str]]:
        """Every name of each node."""
        ...

    def degrees(self, nodes: Nodes) -> Nodes:
        """How many edges each node has, shape (n,); a graph may stop counting at some number."""
        ...


@dataclass(frozen=True, slots=True)
class Link:
    """An entity that a question may be about."""

    node: int
    identifier: str
    label: str
    span: tuple[int, int]
    """Where the question names it; the whole question where it is only alike in meaning."""
    score: float
    """In (0, 1]: the share of what the question's words tell that this name accounts for."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A question that marked its topic, and the question without the marks."""

    question: str
    span: tuple[int, int]
    name: str


@dataclass(frozen=True, slots=True)
class _Found:
    """Nodes that a run of tokens may name."""

    nodes: Nodes
    first: int
    last: int
    worth: float


_MARK = re.compile(r"\[([^\[\]]+)\]")


def marked(question: str) -> Marked | None:
    """The topic that a question marks, as MetaQA's do: "what movies did [Temuera Morrison] act in"."""
    found = _MARK.search(question)
    if found is None or not found[1].strip():
        return None
    plain = question[: found.start()] + found[1] + question[found.end() :]
    return Marked(plain, (found.start(), found.start() + len(found[1])), found[1].strip())


class Linker:
    """Finds what questions are about in one graph. Safe to use from several threads."""

    def __init__(self, graph: Linkable, embedder: Embedder | None = None) -> None:
        """Without an embedder what is named in other words is not found."""
        self._graph = graph
        self._embedder = embedder
        self._meanings: tuple[Nodes, NDArray[np.float32]] | None = None

    def link(self, question: str, *, limit: int = 5) -> list[Link]:
        """At most so many entities that the question may be about, best first; none where it names nothing known.

        Names alike but for case have the same score: the one as it is written comes first, then the one with more edges.
        """
        asked = asked_of(question, self._graph.relations())
        if not asked.tokens:
            return []
        readings = [(asked, 0, len(asked.tokens)), *self._respelt(asked)]
        found = [found for reading in readings for found in self._whole(*reading)]
        if max((f.worth for f in found), default=0.0) < asked.telling:
            found += [found for reading in readings for found in self._partly(*reading)]
        return self._ranked(asked, found, limit) or self._alike(asked, limit)

    def _respelt(self, asked: Asked) -> list[tuple[Asked, int, int]]:
        """The question with one word that no name holds read as one that is nearly the same, and that word's place."""
        held = self._graph.index.holding([t.word for t in asked.tokens], limit=1)
        return [
            (asked.reading(place, word, RESPELT), place, place + 1)
            for place, token in enumerate(asked.tokens)
            if token.weight >= 1 and not len(held[place])
            for word in respelt(token.word, self._graph.index.words)
        ]

    def _whole(self, asked: Asked, start: int, stop: int) -> list[_Found]:
        """Runs that are whole names, of those that hold any of these tokens."""
        runs = [(a, b) for a, b in asked.runs(LONGEST_NAME) if a < stop and b > start]
        nodes = self._graph.index.spelled([tuple(t.word for t in asked.tokens[a:b]) for a, b in runs])
        return [_Found(n, a, b, asked.worth(a, b)) for (a, b), n in zip(runs, nodes, strict=True) if len(n)]

    def _partly(self, asked: Asked, start: int, stop: int) -> list[_Found]:
        """Names of which the question holds a good part, in one place; of those that hold any of these tokens."""
        telling = dict.fromkeys(t.word for t in asked.tokens[start:stop] if t.weight >= RESPELT)
        held = self._graph.index.holding(list(telling), limit=HOLDING)
        if not held:
            return []
        nodes, counts = np.unique(np.concatenate(held), return_counts=True)
        nodes = np.sort(nodes[np.argsort(-counts, kind="stable")[:SHARING]])
        found = []
        for node, names in zip(nodes, self._graph.names_of(nodes), strict=True):
            for name in names:
                share, worth, first, last = asked.share(words_of(name))
                if HALF <= share < 1 or (share == 1 and last - first > 1):
                    found.append(_Found(np.array([node]), first, last, PARTLY * share * worth))
        return found

    def _ranked(self, asked: Asked, found: Sequence[_Found], limit: int) -> list[Link]:
        best = sorted(found, key=lambda f: -f.worth)[: 4 * limit]
        if not best:
            return []
        nodes = np.unique(np.concatenate([one.nodes[:NAMESAKES] for one in best]))
        names = dict(zip(nodes.tolist(), self._graph.names_of(nodes), strict=True))
        scored: dict[int, tuple[float, int, tuple[int, int]]] = {}
        for one in best:
            span = asked.tokens[one.first].start, asked.tokens[one.last - 1].end
            for node in one.nodes[:NAMESAKES].tolist():
                written = max(asked.written(name, span) for name in names[node])
                score = one.worth * (SAME_CASE if written else 1.0) / (SAME_CASE * asked.most)
                if node not in scored or score > scored[node][0]:
                    scored[node] = score, written, span
        degrees = dict(zip(nodes.tolist(), self._graph.degrees(nodes).tolist(), strict=True))
        order = sorted(scored, key=lambda n: (-scored[n][0], -scored[n][1], -degrees[n], n))[:limit]
        chosen = np.array(order, dtype=np.int64)
        return [
            Link(node, identifier, label, scored[node][2], scored[node][0])
            for node, identifier, label in zip(
                order, self._graph.identifiers(chosen), self._graph.labels(chosen), strict=True
            )
        ]

    def _alike(self, asked: Asked, limit: int) -> list[Link]:
        """Names alike in meaning to the question's telling words; in graphs of few names alone."""
        if self._embedder is None:
            return []
        if self._meanings is None:
            nodes = _few_entities(self._graph)
            self._meanings = (
                nodes,
                self._embedder.embed(self._graph.labels(nodes)) if len(nodes) else np.empty((0, 1), np.float32),
            )
        nodes, vectors = self._meanings
        telling = " ".join(asked.question[t.start : t.end] for t in asked.tokens if t.weight >= HALF)
        if not len(nodes) or not telling:
            return []
        cosines = vectors @ self._embedder.embed([telling])[0]
        best = np.argsort(-cosines, kind="stable")[:limit]
        best = best[cosines[best] > 0]
        span = (0, len(asked.question))
        return [
            Link(int(node), identifier, label, span, float(MEANT * min(1.0, cosine)))
            for node, identifier, label, cosine in zip(
                nodes[best], self._graph.identifiers(nodes[best]), self._graph.labels(nodes[best]), cosines[best],
                strict=True,
            )
        ]  # fmt: skip


def _few_entities(graph: Linkable) -> Nodes:
    """All entities of a graph that has few; none of a larger one."""
    count = graph.size().entities
    if count > EMBEDDED:
        return np.empty(0, np.int64)
    nodes = np.arange(count, dtype=np.int64)
    return nodes[[kind == "entity" for kind in graph.kinds(nodes)]]
