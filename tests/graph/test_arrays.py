"""The graph in memory keeps what the protocol promises, and is what its triples say."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.protocol import Entry, GraphSize, Hop, Name, Triple

from .graphs import GraphConformance, everything, nodes, pairs, triples

SMALL = st.lists(st.builds(Triple, *(st.sampled_from(x) for x in ("abcdef", "rst", "abcdef"))), max_size=40)


class TestArrays(GraphConformance):
    def make(self, entries: Iterable[Entry]) -> ArrayGraph:
        return ArrayGraph(entries)

    def test_no_triples_are_a_graph(self) -> None:
        graph = ArrayGraph([])
        assert graph.size() == GraphSize(0, 0, 0)
        assert list(graph.relations()) == []
        assert len(graph.named("a")) == 0

    def test_a_name_of_what_stands_in_no_triple_is_ignored(self) -> None:
        assert ArrayGraph([*triples("a r b"), Name("c", "Elsewhere")]).size().entities == 2

    def test_degrees_count_both_ways(self) -> None:
        graph = ArrayGraph(triples("a r b, a s b, c r a"))
        assert graph.degrees(np.array([graph.node(i) for i in "abc"])).tolist() == [3, 2, 1]


def test_threads_may_ask_at_once() -> None:
    made = [Triple(f"n{i}", f"r{i % 7}", f"n{i * 3 % 500}") for i in range(500)]
    graph = ArrayGraph(made)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: graph.identifiers(graph.named(f"N{i}")), range(500)))
    assert found == [[f"n{i}"] for i in range(500)]


@given(SMALL)
def test_a_graph_holds_its_triples_and_no_others(made: list[Triple]) -> None:
    graph = ArrayGraph(made)
    ends = {end for triple in made for end in (triple.subject, triple.object)}
    assert graph.size() == GraphSize(len(ends), len({t.relation for t in made}), len(set(made)))
    assert everything(graph, ends) == set(made)


@given(SMALL, st.sets(st.sampled_from("abcdef")), st.sampled_from("rst"), st.booleans(), st.integers(0, 9))
def test_edges_of_many_are_the_edges_of_each(
    made: list[Triple], chosen: set[str], relation: str, inverse: bool, limit: int
) -> None:
    graph = ArrayGraph(made)
    hop = Hop(relation, inverse)
    start = nodes(graph, *(c for c in chosen if graph.node(c) is not None))
    one_by_one = [pair for n in start for pair in pairs(graph, np.array([n]), hop)]
    assert pairs(graph, start, hop) == one_by_one
    assert pairs(graph, start, hop, limit) == one_by_one[:limit]
    assert graph.hops(start) == sorted({h for n in start for h in graph.hops(np.array([n]))})
