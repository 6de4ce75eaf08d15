"""What any `Graph` must do. Subclass `GraphConformance` and say how one is made of entries."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from goalmem.graph.protocol import Entry, Graph, GraphSize, Hop, Kinded, Name, Nodes, Triple

FILMS = (
    Triple("Heat", "directed_by", "Michael Mann"),
    Triple("Heat", "starred_actors", "Al Pacino"),
    Triple("Heat", "starred_actors", "Robert De Niro"),
    Triple("Serpico", "starred_actors", "Al Pacino"),
    Triple("Serpico", "release_year", "1973"),
    Triple("Heat", "release_year", "1995"),
)


def triples(text: str) -> list[Triple]:
    """Triples of "a r b, c s d"."""
    return [Triple(*part.split()) for part in text.split(",")]


def nodes(graph: Graph, *identifiers: str) -> Nodes:
    found = [graph.node(identifier) for identifier in identifiers]
    assert None not in found
    return np.unique(np.array(found, dtype=np.int64))


def pairs(graph: Graph, heads: Nodes, hop: Hop, limit: int | None = None) -> list[tuple[str, str]]:
    """Edges by identifier, in the order the graph gives them; heads and tails must be in order and distinct."""
    found = graph.edges(heads, hop, limit=limit)
    numbers = list(zip(found[0].tolist(), found[1].tolist(), strict=True))
    assert numbers == sorted(set(numbers))
    return list(zip(graph.identifiers(found[0]), graph.identifiers(found[1]), strict=True))


def everything(graph: Graph, identifiers: Iterable[str]) -> set[Triple]:
    """Every triple that can be reached from these nodes in one hop, either way."""
    return {
        hop.triple(head, tail)
        for identifier in identifiers
        for hop in graph.hops(nodes(graph, identifier))
        for head, tail in pairs(graph, nodes(graph, identifier), hop)
    }


class GraphConformance:
    """Behaviour every implementation shares."""

    def make(self, entries: Iterable[Entry]) -> Graph:
        raise NotImplementedError

    def test_counts(self) -> None:
        assert self.make(FILMS).size() == GraphSize(7, 3, 6)

    def test_relations_are_sorted(self) -> None:
        assert list(self.make(FILMS).relations()) == ["directed_by", "release_year", "starred_actors"]

    def test_a_triple_given_twice_is_one(self) -> None:
        graph = self.make([*FILMS, *FILMS])
        assert graph.size().triples == 6
        assert len(pairs(graph, nodes(graph, "Heat"), Hop("starred_actors"))) == 2

    def test_nodes_are_known_by_identifier(self) -> None:
        graph = self.make(FILMS)
        heat = graph.node("Heat")
        assert heat is not None
        assert graph.identifiers(np.array([heat])) == ["Heat"]
        assert graph.node("heat") is None
        assert graph.node("Ronin") is None

    @pytest.mark.parametrize("name", ["Al Pacino", "al  pacino", " AL\u00a0PACINO "])
    def test_names_are_found_however_they_are_cased_and_spaced(self, name: str) -> None:
        graph = self.make(FILMS)
        assert graph.identifiers(graph.named(name)) == ["Al Pacino"]

    def test_what_has_another_name_is_not_found(self) -> None:
        assert len(self.make(FILMS).named("Pacino")) == 0

    def test_hops_lead_both_ways_and_are_sorted(self) -> None:
        graph = self.make(FILMS)
        assert graph.hops(nodes(graph, "Heat")) == [Hop("directed_by"), Hop("release_year"), Hop("starred_actors")]
        assert graph.hops(nodes(graph, "Al Pacino", "1995")) == [
            Hop("release_year", inverse=True),
            Hop("starred_actors", inverse=True),
        ]

    def test_edges_are_ordered_pairs(self) -> None:
        graph = self.make(FILMS)
        films = nodes(graph, "Heat", "Serpico")
        assert set(pairs(graph, films, Hop("starred_actors"))) == {
            ("Heat", "Al Pacino"),
            ("Heat", "Robert De Niro"),
            ("Serpico", "Al Pacino"),
        }
        pacino = nodes(graph, "Al Pacino")
        assert set(pairs(graph, pacino, Hop("starred_actors", inverse=True))) == {
            ("Al Pacino", "Heat"),
            ("Al Pacino", "Serpico"),
        }

    def test_a_limit_cuts_the_edges_where_they_are(self) -> None:
        graph = self.make(FILMS)
        films = nodes(graph, "Heat", "Serpico")
        all_of_them = pairs(graph, films, Hop("starred_actors"))
        for limit in range(5):
            assert pairs(graph, films, Hop("starred_actors"), limit) == all_of_them[:limit]

    def test_nothing_leads_nowhere(self) -> None:
        graph = self.make(FILMS)
        none = np.empty(0, np.int64)
        assert graph.hops(none) == []
        assert pairs(graph, none, Hop("starred_actors")) == []
        assert pairs(graph, nodes(graph, "Heat"), Hop("no such relation")) == []
        assert pairs(graph, nodes(graph, "1995"), Hop("release_year")) == []

    def test_cycles_and_self_loops_are_edges_like_others(self) -> None:
        graph = self.make(triples("a r b, b r a, a r a"))
        assert set(pairs(graph, nodes(graph, "a"), Hop("r"))) == {("a", "a"), ("a", "b")}
        assert set(pairs(graph, nodes(graph, "a"), Hop("r", inverse=True))) == {("a", "a"), ("a", "b")}

    def test_labels_stand_for_identifiers_and_all_names_are_found(self) -> None:
        names = (Name("q1", "Vienna"), Name("q1", "Wien", foreign=True), Name("q1", "Vindobona", label=False))
        graph = self.make([*triples("q1 in q2"), *names, Name("q2", "Österreich", foreign=True)])
        assert graph.labels(np.array([graph.node("q1"), graph.node("q2")])) == ["Vienna", "Österreich"]
        for name in ("vienna", "WIEN", "vindobona", "q1"):
            assert graph.identifiers(graph.named(name)) == ["q1"]
        assert graph.identifiers(graph.named("österreich")) == ["q2"]

    def test_the_order_in_which_names_come_does_not_matter(self) -> None:
        names = [
            Name("q1", "Beta"),
            Name("q1", "Alpha"),
            Name("q1", "Aleph", label=False),
            Name("q1", "A", foreign=True),
        ]
        for order in (names, names[::-1]):
            graph = self.make([order[0], *triples("q1 r q2"), *order[1:]])
            assert graph.labels(nodes(graph, "q1")) == ["Alpha"]

    def test_namesakes_are_all_found(self) -> None:
        graph = self.make([*triples("q1 r q2"), Name("q1", "Paris"), Name("q2", "paris")])
        assert sorted(graph.identifiers(graph.named("Paris"))) == ["q1", "q2"]

    def test_literals_are_called_by_their_text(self) -> None:
        said = '"say \\"hi\\"\\n"@en'
        graph = self.make([Triple("q1", "r", said), Kinded(said, "literal")])
        assert graph.kinds(nodes(graph, said)) == ["literal"]
        assert graph.labels(nodes(graph, said)) == ['say "hi"\n']

    def test_quotation_marks_alone_make_no_literal(self) -> None:
        graph = self.make([Triple("David Bowie", "sang", '"Heroes"')])
        assert graph.kinds(nodes(graph, '"Heroes"')) == ["entity"]
        assert graph.labels(nodes(graph, '"Heroes"')) == ['"Heroes"']

    def test_nodes_without_a_name_of_their_own_are_mediators(self) -> None:
        named = [Name("m.02", "Heat"), Name("m.03", "what a chat calls it", label=False)]
        graph = self.make([*triples("m.02 r m.01, m.01 r g.11x, m.03 r _:b, a r m.x"), *named])
        kinds = dict(zip(ids := ["m.01", "m.02", "m.03", "g.11x", "_:b", "a"],
                         graph.kinds(np.array([graph.node(i) for i in ids])), strict=True))  # fmt: skip
        assert kinds == {"m.01": "mediator", "m.02": "entity", "m.03": "mediator", "g.11x": "mediator",
                         "_:b": "mediator", "a": "entity"}  # fmt: skip
        assert len(graph.named("m.01")) == 0

    def test_iris_are_called_by_their_last_part(self) -> None:
        graph = self.make(
            [Triple("http://ex.org/Al_Pacino", "http://ex.org/in", "http://ex.org/films#Heat%20%281995%29")]
        )
        ends = nodes(graph, "http://ex.org/Al_Pacino")
        assert graph.labels(ends) == ["Al Pacino"]
        assert graph.identifiers(graph.named("al pacino")) == ["http://ex.org/Al_Pacino"]
        assert graph.identifiers(graph.named("heat (1995)")) == ["http://ex.org/films#Heat%20%281995%29"]

    def test_unicode_and_pipes_in_names(self) -> None:
        odd = Triple("Ünïcode | \U0001f389 東京\u2028x", "r|s", "'; DROP TABLE graph;--")
        graph = self.make([odd])
        assert everything(graph, [odd.subject]) == {odd}
        assert graph.identifiers(graph.named("ÜNÏCODE | \U0001f389 東京 X")) == [odd.subject]

    def test_names_without_words_are_found_as_they_are(self) -> None:
        graph = self.make([Triple("!!!", "plays", "???")])
        assert graph.identifiers(graph.named("!!!")) == ["!!!"]
        assert len(graph.named("!")) == 0

    def test_hops_of_a_hub_are_few(self) -> None:
        graph = self.make(Triple(f"n{i}", "in", "hub") for i in range(3000))
        hub = nodes(graph, "hub")
        assert graph.hops(hub) == [Hop("in", inverse=True)]
        assert len(pairs(graph, hub, Hop("in", inverse=True), 7)) == 7
        assert len(pairs(graph, hub, Hop("in", inverse=True))) == 3000
