"""Edges of the graph of a memory whose facts hold and are sentences that their turns say, with readable relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from goalmem.answering.profile import ProfileBuilder
from goalmem.answering.profile_topics import topic_of
from goalmem.answering.utterance import Utterance
from goalmem.language.facts import node_name
from goalmem.language.words.function_words import DETERMINERS_OF_GRAPHS
from goalmem.records import Edge

MOST_READ = 400
"""Edges of one entity that are looked through for such as are stated."""
ARTICLE_BEHIND = re.compile(r"\s+(?:a|an|the)$")


class EdgeStore(Protocol):
    """What is read of a store."""

    def edges(self, space: str, *, subject: str | None = None, object: str | None = None) -> Iterable[Edge]:
        """The edges from or to an entity."""


@dataclass
class StatedEdges:
    """Keeps edges whose facts still hold and are sentences that their turns were judged to say, and knows the sentences."""

    asked: Utterance
    profiles: ProfileBuilder
    texts: dict[str, str] = field(default_factory=dict)
    """Fact id -> its sentence; empty for one that is not kept."""
    lasting: set[str] = field(default_factory=set)
    """The facts that belong in a profile: of others, only edges between names are kept."""
    labels: dict[str, str] = field(default_factory=dict)
    """Node without a name of its own -> what it was called first: `ninety names` for `ninety name`."""

    def __call__(self, edges: Sequence[Edge]) -> list[Edge]:
        """The edges that are kept, in their order."""
        read = edges[:MOST_READ]
        new = {edge.fact for edge in read} - self.texts.keys()
        asked = self.asked
        facts = asked.pipeline.store.facts(asked.space, ids=sorted(new)) if new else []
        kept = self.profiles.current(asked.pipeline.store, asked.similarity, asked.space, asked.at, facts)
        said = {statement.fact: statement.text for statement in kept}
        self.lasting |= {fact.id for fact in facts if topic_of(fact, asked.at)}
        self.texts |= {fact: said.get(fact, "") for fact in new}
        for argument in (a for fact in facts if fact.id in said for a in fact.args if a.text and not a.entity):
            self.labels.setdefault(node_name(argument), _without_determiner(argument.text))
        return [e for e in read if self.texts[e.fact] and (e.fact in self.lasting or _is_named(e.object))]

    def relation(self, edge: Edge) -> str:
        """What joins the two ends of an edge, in the words of its sentence: `is allergic to`."""
        text, end = self.texts[edge.fact], self.labels.get(edge.object, edge.object)
        if not text.startswith(edge.subject):
            return edge.relation
        last = text.casefold().rfind(end.casefold())
        between = text[len(edge.subject) : last].strip() if last > len(edge.subject) else ""
        return ARTICLE_BEHIND.sub("", between) or text[len(edge.subject) :].strip().rstrip(".") or edge.relation

    def around(self, store: EdgeStore, name: str, *, depth: int, limit: int) -> dict[str, Any]:
        """An entity with what it is joined to, `depth` hops deep, in the form of `graph.walk_reading.neighbourhood`."""
        return self._entity(store, name, depth, limit, ())

    def _entity(self, store: EdgeStore, name: str, depth: int, limit: int, above: tuple[str, ...]) -> dict[str, Any]:
        entity: dict[str, Any] = {"id": name, "label": self.labels.get(name, name), "kind": ""}
        if depth == 0 or name in above:
            return entity
        hops: dict[tuple[str, bool], dict[str, None]] = {}
        for inverse, edges in (
            (False, store.edges(self.asked.space, subject=name)),
            (True, store.edges(self.asked.space, object=name)),
        ):
            kept = self([*edges])
            for edge in kept:
                if self._passes_another(edge, kept):
                    continue
                hops.setdefault((self.relation(edge), inverse), {}).setdefault(edge.subject if inverse else edge.object)
        entity["label"] = self.labels.get(name, name)
        entity["hops"] = [
            {
                "relation": f"~{relation}" if inverse else relation,
                "inverse": inverse,
                "entities": [self._entity(store, n, depth - 1, limit, (*above, name)) for n in [*ends][:limit]],
                "more": len(ends) > limit,
            }
            for (relation, inverse), ends in hops.items()
        ]
        return entity

    def _passes_another(self, edge: Edge, edges: Sequence[Edge]) -> bool:
        """True if the words of an edge name the end of another edge of its fact: `grew up in Oslo near`."""
        beside = (self.labels.get(e.object, e.object) for e in edges if e.fact == edge.fact and e.object != edge.object)
        return any(end.casefold() in self.relation(edge).casefold() for end in beside)


def _is_named(node: str) -> bool:
    return node[:1].isupper() and "'s " not in node


def _without_determiner(words: str) -> str:
    first, _, rest = words.partition(" ")
    return rest if rest and first.casefold() in DETERMINERS_OF_GRAPHS else words
