"""Graphs that a program holds become graphs to walk."""

from __future__ import annotations

import pytest

from goalmem.errors import InputError
from goalmem.graph.arrays import ArrayGraph, entries_of_networkx, triples_of_rows
from goalmem.graph.protocol import Name, Triple


def test_rows_of_a_question() -> None:
    assert list(triples_of_rows([["a", "r", " b "], ("m.01", "s", "c")])) == [
        Triple("a", "r", "b"),
        Triple("m.01", "s", "c"),
    ]


@pytest.mark.parametrize("row", [["a", "r"], ["a", "r", ""], ["a", "r", 3], "arb", ["a", "r", "b", "c"]])
def test_a_row_that_is_no_triple_is_told_with_its_number(row: list[str]) -> None:
    with pytest.raises(InputError, match="graph, row 2"):
        list(triples_of_rows([["a", "r", "b"], row]))


class TestNetworkx:
    @pytest.fixture(autouse=True)
    def _package(self) -> None:
        self.nx = pytest.importorskip("networkx")

    def test_edges_are_triples_and_nodes_have_labels(self) -> None:
        made = self.nx.DiGraph()
        made.add_node("q1", label="Vienna")
        made.add_edge("q1", 2, relation="in")
        made.add_edge(2, 2, relation="is")
        assert set(entries_of_networkx(made)) == {Triple("q1", "in", "2"), Triple("2", "is", "2"), Name("q1", "Vienna")}

    def test_keys_of_a_multigraph_are_relations(self) -> None:
        made = self.nx.MultiDiGraph()
        made.add_edge("a", "b", key="r")
        made.add_edge("a", "b", key="s", relation="t")
        assert set(entries_of_networkx(made)) == {Triple("a", "r", "b"), Triple("a", "t", "b")}

    def test_an_edge_without_a_relation_is_told(self) -> None:
        made = self.nx.path_graph(3)
        with pytest.raises(InputError, match="edge from 0 to 1"):
            list(entries_of_networkx(made))
        graph = ArrayGraph(entries_of_networkx(made, unnamed="next to"))
        assert graph.size().triples == 2
