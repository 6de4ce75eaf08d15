"""What the graphs of any `Store` must do. Subclass `GraphStoreConformance` and give it a `store` fixture: an empty store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from goalmem.errors import StoreError
from goalmem.store import Store
from goalmem.store.graph_store import GraphStore
from goalmem.store.graphs import (
    ALIAS,
    ENTITY,
    FOREIGN_LABEL,
    LABEL,
    LITERAL,
    MEDIATOR,
    Chunk,
    GraphCounts,
    ImportState,
    NodeRow,
    Spelling,
)

from .samples import batch

IDENTIFIERS = ("heat", "pacino", "serpico", "1995")
RELATIONS = ("cast", "year")
TRIPLES = ((0, 0, 1), (2, 0, 1), (0, 1, 3))


def spell(name: str) -> Spelling:
    """A name is found by its first letter and by its length."""
    return Spelling((ord(name[0]), -len(name)), (name,))


def chunk(
    number: int = 0,
    identifiers: Sequence[str] = IDENTIFIERS,
    triples: Sequence[tuple[int, int, int]] = TRIPLES,
    relations: Sequence[str] = RELATIONS,
    kinds: dict[int, int] | None = None,
    given: dict[int, int] | None = None,
    names: Sequence[tuple[int, int, str]] = (),
) -> Chunk:
    rows = np.array(triples, dtype=np.uint32).reshape(-1, 3)
    return Chunk(number, 10, identifiers, relations, rows, kinds or {}, given or {}, names)


def imported(graphs: GraphStore, *chunks: Chunk, space: str = "ana", digest: str = "d") -> ImportState:
    state = graphs.begin(space, digest, "a source", 10 * len(chunks))
    for one in chunks:
        state = graphs.stage(space, state.number, one, spell)
    return [reached for reached, _ in graphs.merge(space, state.number)][-1]


def edges(
    graphs: GraphStore, numbers: Sequence[int], relation: int, *, inverse: bool = False, limit: int | None = None
):
    heads, tails = graphs.edges("ana", numbers, relation, inverse=inverse, limit=limit)
    return list(zip(heads.tolist(), tails.tolist(), strict=True))


class GraphStoreConformance:
    """Behaviour every implementation shares."""

    def test_a_space_without_a_graph_has_nothing(self, store: Store) -> None:
        graphs = store.graphs
        assert graphs.counts("ana") == GraphCounts()
        assert (graphs.version("ana"), graphs.relations("ana"), graphs.node("ana", "heat")) == (0, [], None)
        assert (graphs.nodes("ana", [0]), graphs.names("ana", [0]), graphs.keyed("ana", [1], limit=9)) == ({}, {}, {})
        assert graphs.words("ana", "h", limit=9) == []
        assert graphs.hops("ana", [0], inverse=False) == set()
        assert edges(graphs, [0], 0) == []
        assert (list(graphs.pages("ana")), list(graphs.numbered("ana"))) == ([], [])
        assert graphs.import_state("ana", "d") is None

    def test_nodes_and_relations_are_numbered_in_order(self, store: Store) -> None:
        imported(store.graphs, chunk())
        assert store.graphs.counts("ana") == GraphCounts(nodes=4, relations=2, triples=3)
        assert [store.graphs.node("ana", i) for i in IDENTIFIERS] == [0, 1, 2, 3]
        assert store.graphs.relations("ana") == list(RELATIONS)
        assert store.graphs.nodes("ana", [2, 0, 99]) == {2: NodeRow("serpico", ENTITY), 0: NodeRow("heat", ENTITY)}
        assert [pair for page in store.graphs.numbered("ana") for pair in page] == [
            (n, NodeRow(i, ENTITY)) for n, i in enumerate(IDENTIFIERS)
        ]
        assert sorted(row for page in store.graphs.pages("ana") for row in page.tolist()) == sorted(map(list, TRIPLES))

    def test_edges_both_ways_in_order_and_cut(self, store: Store) -> None:
        imported(store.graphs, chunk())
        assert edges(store.graphs, [0, 2], 0) == [(0, 1), (2, 1)]
        assert edges(store.graphs, [1], 0, inverse=True) == [(1, 0), (1, 2)]
        assert edges(store.graphs, [1], 0, inverse=True, limit=1) == [(1, 0)]
        assert edges(store.graphs, [0, 2], 0, limit=0) == []
        assert edges(store.graphs, [0], 1) == [(0, 3)]
        assert store.graphs.hops("ana", [0], inverse=False) == {0, 1}
        assert store.graphs.hops("ana", [1, 3], inverse=True) == {0, 1}
        assert store.graphs.hops("ana", [], inverse=True) == set()
        assert store.graphs.degrees("ana", [0, 1, 2, 99], most=9) == [2, 2, 1, 0]
        assert store.graphs.degrees("ana", [1], most=1) == [1]

    def test_names_kinds_keys_and_words(self, store: Store) -> None:
        first = chunk(names=[(0, ALIAS, "Hot"), (0, LABEL, "Heat"), (0, FOREIGN_LABEL, "Hitze")], kinds={3: MEDIATOR})
        again = chunk(1, names=[(0, LABEL, "Heat")], given={3: LITERAL}, triples=[])
        imported(store.graphs, first, again)
        assert store.graphs.names("ana", [0, 1]) == {0: [(LABEL, "Heat"), (FOREIGN_LABEL, "Hitze"), (ALIAS, "Hot")]}
        assert store.graphs.nodes("ana", [3]) == {3: NodeRow("1995", LITERAL)}
        assert store.graphs.keyed("ana", [ord("p"), ord("H"), -4, 7], limit=9) == {
            ord("p"): [1],
            ord("H"): [0],
            -4: [0, 3],
        }
        assert store.graphs.keyed("ana", [-4], limit=1) == {-4: [0]}
        assert store.graphs.words("ana", "H", limit=9) == ["Heat", "Hitze", "Hot"]
        assert store.graphs.words("ana", "ot", backwards=True, limit=9) == ["Hot"]
        assert store.graphs.words("ana", "H", limit=1) == ["Heat"]

    def test_a_chunk_is_stored_once_and_a_triple_counted_once(self, store: Store) -> None:
        state = store.graphs.begin("ana", "d", "a source", 20)
        for one in (chunk(), chunk(), chunk(1)):
            state = store.graphs.stage("ana", state.number, one, spell)
        assert (state.chunks, state.entries, state.triples, state.done) == (2, 20, 0, False)
        assert store.graphs.begin("ana", "d", "a source", 20) == state
        assert store.graphs.counts("ana").imports == 1
        assert imported(store.graphs, chunk(), chunk(1)) == store.graphs.import_state("ana", "d")
        done = store.graphs.import_state("ana", "d")
        assert done is not None
        assert (done.triples, done.done) == (3, True)
        assert imported(store.graphs, chunk(), digest="other").triples == 0
        assert store.graphs.counts("ana") == GraphCounts(nodes=4, relations=2, triples=3)

    def test_the_version_is_another_after_each_change(self, store: Store) -> None:
        seen = {store.graphs.version("ana")}
        imported(store.graphs, chunk())
        seen.add(store.graphs.version("ana"))
        imported(store.graphs, chunk(identifiers=("heat", "mann"), triples=[(0, 0, 1)]), digest="e")
        seen.add(store.graphs.version("ana"))
        store.forget("ana")
        imported(store.graphs, chunk())
        seen.add(store.graphs.version("ana"))
        assert len(seen) == 4

    def test_spaces_are_apart(self, store: Store) -> None:
        imported(store.graphs, chunk(identifiers=("x", "y"), triples=[(0, 0, 1)]), space="bob")
        imported(store.graphs, chunk())
        assert store.graphs.node("ana", "x") is None
        assert store.graphs.node("bob", "heat") is None
        assert store.graphs.counts("bob") == GraphCounts(nodes=2, relations=1 + 1, triples=1)
        assert store.graphs.keyed("bob", [ord("h")], limit=9) == {}
        assert store.stats("ana").triples == 3
        assert store.forget("ana").triples == 3
        assert store.graphs.counts("ana") == GraphCounts()
        assert store.graphs.counts("bob").triples == 1
        assert store.spaces() == ["bob"]

    def test_forgetting_what_was_said_leaves_the_graph(self, store: Store) -> None:
        made = batch(["red apple"])
        store.add(made)
        imported(store.graphs, chunk())
        store.forget("ana", session="s1")
        assert store.spaces() == ["ana"]
        assert store.graphs.counts("ana").triples == 3
        assert store.check() == []

    def test_dropping_a_graph_leaves_what_was_said(self, store: Store) -> None:
        store.add(batch(["red apple"]))
        imported(store.graphs, chunk())
        assert store.graphs.drop("ana") == 3
        assert store.graphs.drop("ana") == 0
        assert store.graphs.counts("ana") == GraphCounts()
        assert store.stats("ana").turns == 1
        assert store.check() == []

    def test_a_forgotten_import_cannot_go_on(self, store: Store) -> None:
        state = store.graphs.begin("ana", "d", "a source", 20)
        store.forget("ana")
        with pytest.raises(StoreError, match="forgotten"):
            store.graphs.stage("ana", state.number, chunk(), spell)
        with pytest.raises(StoreError, match="forgotten"):
            list(store.graphs.merge("ana", state.number))
        assert store.spaces() == []
