"""What conversations built is a graph, and every edge of it knows the facts behind it."""

from __future__ import annotations

from goalmem.graph.protocol import GraphSize, Hop, Triple
from goalmem.graph.stored import MemoryGraph, MemoryGraphs
from goalmem.records import Edge
from goalmem.store import open_store

from ..store.samples import DIMENSION, MODEL, batch
from .graphs import nodes, pairs

EDGES = [
    Edge("ana", "Maya", "adopt", "Biscuit", "f1", "t1"),
    Edge("ana", "maya", "adopt", "biscuit", "f2", "t2"),
    Edge("ana", "Biscuit", "sleep on", "sofa", "f3", "t3"),
    Edge("ana", "Maya", "adopt", "Biscuit", "f1", "t1"),
]


def test_entities_are_one_however_they_are_cased() -> None:
    graph = MemoryGraph(EDGES, {"mum": "Maya", "my sister": "MAYA", "nobody": "Nemo"})
    assert graph.size() == GraphSize(3, 2, 2)
    assert pairs(graph, nodes(graph, "Maya"), Hop("adopt")) == [("Maya", "Biscuit")]
    for name in ("maya", "Mum", "my  sister"):
        assert graph.labels(graph.named(name)) == ["Maya"]
    assert len(graph.named("nobody")) == 0


def test_edges_know_their_facts() -> None:
    graph = MemoryGraph(EDGES, {})
    assert graph.facts_of(Triple("Maya", "adopt", "Biscuit")) == ("f1", "f2")
    assert graph.facts_of(Hop("sleep on", inverse=True).triple("sofa", "Biscuit")) == ("f3",)
    assert graph.facts_of(Triple("Biscuit", "adopt", "Maya")) == ()


def test_a_graph_is_kept_as_long_as_its_space_does_not_change() -> None:
    store = open_store(":memory:", model=MODEL, dimension=DIMENSION)
    graphs = MemoryGraphs(store)
    assert graphs.of("ana").size() == GraphSize(0, 0, 0)
    store.add(batch(["red apple"]))
    first = graphs.of("ana")
    assert first.size().triples == len({(e.subject, e.relation, e.object) for e in store.edges("ana")}) > 0
    assert graphs.of("ana") is first
    store.add(batch(["a"], space="bob"))
    assert graphs.of("ana") is first
    store.add(batch(["green pear"], first=1))
    assert graphs.of("ana") is not first
    store.forget("ana")
    assert graphs.of("ana").size() == GraphSize(0, 0, 0)
    store.close()
