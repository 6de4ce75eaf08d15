"""The graphs of a PostgreSQL store keep what the protocol promises; hops are made in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from goalmem.errors import StoreError
from goalmem.graph import imports
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.imports import import_graph, source_of
from goalmem.graph.protocol import Entry, Hop, Triple
from goalmem.graph.stored import StoredGraph, entries_of
from goalmem.store import Store, graphs_import, open_store
from tests.graph.graphs import GraphConformance, nodes, pairs

from ..samples import DIMENSION, MODEL

MANY = [Triple(f"n{i % 97}", f"r{i % 5}", f"n{i * 7 % 389}") for i in range(2000)]


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, model=MODEL, dimension=DIMENSION)
    yield store
    store.close()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks and steps out of few triples."""
    monkeypatch.setattr(imports, "_CHUNK", 150)
    monkeypatch.setitem(graphs_import.STEP, "postgres", 230)


def imported(store: Store, entries: Iterable[Entry], space: str = "ana") -> StoredGraph:
    import_graph(store.graphs, space, source_of(entries, "test"))
    return StoredGraph(store.graphs, space)


class TestGraphs(GraphConformance):
    @pytest.fixture(autouse=True)
    def _store(self, store: Store) -> None:
        self.store = store
        self.made = 0

    def make(self, entries: Iterable[Entry]) -> StoredGraph:
        self.made += 1
        return imported(self.store, entries, f"space {self.made}")


@pytest.mark.usefixtures("small_steps")
def test_a_stored_graph_is_the_graph_in_memory(store: Store) -> None:
    stored, held = imported(store, MANY), ArrayGraph(MANY)
    assert stored.size() == held.size()
    assert set(entries_of(store.graphs, "ana")) == set(MANY)
    start = ["n0", "n1", "n96"]
    assert stored.hops(nodes(stored, *start)) == held.hops(nodes(held, *start))
    numbers = nodes(stored, *start).tolist()
    ends = {end for triple in MANY for end in (triple.subject, triple.object)}
    assert store.graphs.degrees("ana", numbers, most=9) == [
        min(9, sum(t.subject == name for t in set(MANY))) + min(9, sum(t.object == name for t in set(MANY)))
        for name in stored.identifiers(nodes(stored, *start))
    ]
    assert store.graphs.words("ana", "n9", limit=5) == sorted(end for end in ends if end.startswith("n9"))[:5]
    for hop in (Hop("r1"), Hop("r3", inverse=True)):
        assert set(pairs(stored, nodes(stored, *start), hop)) == set(pairs(held, nodes(held, *start), hop))


@pytest.mark.usefixtures("small_steps")
def test_an_import_that_stopped_anywhere_goes_on_and_adds_nothing_twice(store: Store) -> None:
    source = source_of(MANY, "test")
    for calls in (3, 9, 17, 26):

        def stop(*_: object, left: list[int] = [calls]) -> None:  # noqa: B006
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            import_graph(store.graphs, "ana", source, progress=stop)
    import_graph(store.graphs, "ana", source)
    assert set(entries_of(store.graphs, "ana")) == set(MANY)
    assert store.graphs.counts("ana").triples == len(set(MANY))
    assert import_graph(store.graphs, "ana", source).known


@pytest.mark.usefixtures("small_steps")
def test_two_imports_at_once_are_one_graph(store: Store) -> None:
    halves = [source_of(MANY[:1200], "a"), source_of(MANY[800:], "b")]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda source: import_graph(store.graphs, "ana", source), halves))
    assert set(entries_of(store.graphs, "ana")) == set(MANY)
    assert store.graphs.counts("ana").triples == len(set(MANY))


def test_a_graph_is_of_its_space_and_goes_with_it(store: Store) -> None:
    imported(store, MANY[:50])
    imported(store, MANY[50:60], "bob")
    assert store.spaces() == ["ana", "bob"]
    before = store.graphs.version("ana")
    assert store.stats("ana").triples == len(set(MANY[:50]))
    assert store.forget("ana").triples == len(set(MANY[:50]))
    assert store.spaces() == ["bob"]
    assert store.graphs.version("ana") == 0 != before
    assert store.graphs.drop("bob") == len(set(MANY[50:60]))
    assert store.spaces() == []


def test_a_graph_that_is_forgotten_while_it_is_imported_is_not_half_there(store: Store) -> None:
    def forget(what: str, done: int, total: int) -> None:
        if what == "storing":
            store.forget("ana")

    with pytest.raises(StoreError):
        import_graph(store.graphs, "ana", source_of(MANY, "test"), progress=forget)
    assert store.spaces() == []
