"""What conversations built, as a graph: the entities of a space, and the edges that its facts make."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.entity_names import folded
from goalmem.graph.protocol import Entry, Name, Triple
from goalmem.records import Edge

if TYPE_CHECKING:
    from goalmem.store import Store

__all__ = ["MemoryGraph", "MemoryGraphs", "memory_graph"]


class MemoryGraph(ArrayGraph):
    """A `Graph` of a space's edges as they were when it was made, which knows the facts behind each."""

    def __init__(self, edges: list[Edge], aliases: dict[str, str]) -> None:
        """`aliases`: lower-case alias -> canonical name. An entity is known by its canonical name, however it is cased."""
        self._facts: dict[Triple, list[str]] = {}
        cased: dict[str, str] = {}
        for edge in edges:
            subject = cased.setdefault(folded(edge.subject), edge.subject)
            object_ = cased.setdefault(folded(edge.object), edge.object)
            facts = self._facts.setdefault(Triple(subject, edge.relation, object_), [])
            if edge.fact not in facts:
                facts.append(edge.fact)
        entries: list[Entry] = list(self._facts)
        for alias, name in aliases.items():
            if (known := cased.get(folded(name))) is not None and folded(alias) != folded(known):
                entries.append(Name(known, alias, label=False))
                entries.append(Name(known, known))
        super().__init__(entries)

    def facts_of(self, triple: Triple) -> tuple[str, ...]:
        """Ids of the facts that make this edge, in the order said; none for a triple that is no edge."""
        return tuple(self._facts.get(triple, ()))

    def triples_of(self, fact: str) -> tuple[Triple, ...]:
        """The edges that the fact with this id makes."""
        return tuple(self._triples.get(fact, ()))

    @cached_property
    def _triples(self) -> dict[str, list[Triple]]:
        found: dict[str, list[Triple]] = {}
        for triple, facts in self._facts.items():
            for fact in facts:
                found.setdefault(fact, []).append(triple)
        return found


class _Kept:
    """The graph of a space, made anew when the space changed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version: tuple[int, int] = (-1, -1)
        self.graph: MemoryGraph | None = None


class MemoryGraphs:
    """The graph of each space of a store, kept as long as the space does not change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, _Kept] = {}

    def of(self, space: str) -> MemoryGraph:
        """The graph of a space as it is now."""
        kept = self._kept.setdefault(space, _Kept())
        version = self._store.version(space)
        with kept.lock:
            if kept.graph is None or kept.version != version:
                kept.version, kept.graph = version, memory_graph(self._store, space)
            return kept.graph


def memory_graph(store: Store, space: str) -> MemoryGraph:
    """The graph of a space, read once."""
    return MemoryGraph(store.edges(space), store.aliases(space))
