"""The graph of a store keeps what the protocol promises, and imports are whole, resumable and exactly once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.errors import InputError, StoreError
from goalmem.graph import imports
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.imports import import_graph, source_of
from goalmem.graph.protocol import Entry, GraphSize, Hop, Kinded, Name, Triple
from goalmem.graph.stored import StoredGraph, entries_of, graph_of
from goalmem.store import Store, graphs_import, open_store

from .graphs import FILMS, GraphConformance, everything, nodes, pairs, triples
from .test_arrays import SMALL

MANY = [Triple(f"n{i % 97}", f"r{i % 5}", f"n{i * 7 % 389}") for i in range(2000)]


def opened(place: str | Path = ":memory:") -> Store:
    return open_store(place, model="m", dimension=4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(opened(tmp_path / "memory.db")) as held:
        yield held


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks and steps out of few triples."""
    monkeypatch.setattr(imports, "_CHUNK", 150)
    monkeypatch.setitem(graphs_import.STEP, "sqlite", 230)


def imported(store: Store, entries: Iterable[Entry], space: str = "ana") -> StoredGraph:
    import_graph(store.graphs, space, source_of(entries, "test"))
    return StoredGraph(store.graphs, space)


def content(store: Store, space: str = "ana") -> list[Entry]:
    return sorted(entries_of(store.graphs, space), key=repr)


class TestStored(GraphConformance):
    @pytest.fixture(autouse=True)
    def _store(self, store: Store) -> None:
        self.store = store
        self.made = 0

    def make(self, entries: Iterable[Entry]) -> StoredGraph:
        self.made += 1
        return imported(self.store, entries, f"space {self.made}")


@settings(max_examples=25, deadline=None)
@given(SMALL.filter(bool), st.sets(st.sampled_from("abcdef")), st.sampled_from("rst"), st.booleans())
def test_a_stored_graph_is_the_graph_in_memory(made: list[Triple], chosen: set[str], relation: str, back: bool) -> None:
    with closing(opened()) as store:
        stored, held = imported(store, made), ArrayGraph(made)
        assert stored.size() == held.size()
        assert set(entries_of(store.graphs, "ana")) == set(made)
        start = [c for c in chosen if held.node(c) is not None]
        assert stored.hops(nodes(stored, *start)) == held.hops(nodes(held, *start))
        hop = Hop(relation, back)
        assert set(pairs(stored, nodes(stored, *start), hop)) == set(pairs(held, nodes(held, *start), hop))


def test_a_space_without_a_graph_is_a_graph_without_triples(store: Store) -> None:
    graph = StoredGraph(store.graphs, "nobody")
    assert graph.size() == GraphSize(0, 0, 0)
    assert graph.node("Heat") is None
    assert len(graph.named("Heat")) == 0
    assert list(graph.relations()) == []


def test_importing_again_adds_nothing(store: Store) -> None:
    source = source_of(FILMS, "films")
    assert import_graph(store.graphs, "ana", source).triples == 6
    version = store.graphs.version("ana")
    again = import_graph(store.graphs, "ana", source)
    assert (again.triples, again.known) == (0, True)
    assert store.graphs.version("ana") == version


def test_what_overlaps_is_counted_once(store: Store) -> None:
    imported(store, FILMS[:4])
    report = import_graph(store.graphs, "ana", source_of(FILMS[2:], "more"))
    assert report.triples == 2
    assert StoredGraph(store.graphs, "ana").size() == ArrayGraph(FILMS).size()


def test_the_version_changes_with_the_graph_and_a_graph_at_hand_sees_it(store: Store) -> None:
    assert store.graphs.version("ana") == 0
    graph = imported(store, triples("a r b"))
    before = store.graphs.version("ana")
    assert graph.hops(nodes(graph, "a")) == [Hop("r")]
    imported(store, triples("a s c"))
    assert store.graphs.version("ana") > before
    assert graph.hops(nodes(graph, "a")) == [Hop("r"), Hop("s")]


def test_spaces_do_not_see_each_other(store: Store) -> None:
    imported(store, FILMS, "ana")
    bob = imported(store, triples("Heat is_a movie"), "bob")
    assert bob.size() == GraphSize(2, 1, 1)
    assert everything(bob, ["Heat"]) == set(triples("Heat is_a movie"))
    store.forget("bob")
    assert StoredGraph(store.graphs, "ana").size().triples == 6
    assert store.spaces() == ["ana"]


def test_forgetting_a_space_forgets_its_graph(store: Store, tmp_path: Path) -> None:
    graph = imported(store, [*FILMS, Name("Heat", "A very telling label")])
    gone = store.forget("ana")
    assert gone.triples == 6
    assert store.spaces() == []
    assert graph.size() == GraphSize(0, 0, 0)
    assert store.check() == []
    store.close()
    assert b"telling" not in (tmp_path / "memory.db").read_bytes()
    assert b"Pacino" not in (tmp_path / "memory.db").read_bytes()


def test_a_forgotten_graph_can_be_imported_again(store: Store) -> None:
    imported(store, FILMS)
    before = store.graphs.version("ana")
    store.forget("ana")
    assert imported(store, FILMS).size().triples == 6
    assert store.graphs.version("ana") > before


def test_entries_come_back_as_they_were(store: Store) -> None:
    text = '"1995"^^<http://www.w3.org/2001/XMLSchema#gYear>'
    made = [
        *FILMS,
        Triple("Heat", "made", text),
        Kinded(text, "literal"),
        Kinded("Michael Mann", "mediator"),
        Name("Heat", "Heat (film)"),
        Name("Heat", "Fiebre", foreign=True),
        Name("Heat", "The Heat", label=False),
    ]
    imported(store, made)
    assert content(store) == sorted(made, key=repr)
    copied = imported(store, content(store), "copy")
    assert content(store, "copy") == content(store)
    assert copied.kinds(nodes(copied, text)) == ["literal"]


def test_no_query_goes_through_a_whole_graph(store: Store) -> None:
    graph = imported(store, [*FILMS, Name("Heat", "Fiebre")])
    heat = nodes(graph, "Heat")
    asked: list[str] = []
    with store.looking() as connection:
        connection.set_trace_callback(asked.append)
    for limit in (None, 1):
        graph.edges(heat, Hop("starred_actors"), limit=limit)
        graph.edges(heat, Hop("starred_actors", inverse=True), limit=limit)
    graph.hops(heat), graph.labels(heat), graph.kinds(heat), graph.named("fiebre"), graph.node("Heat"), graph.size()
    graph.degrees(heat), graph.index.holding(["al"], limit=9), graph.index.words("al", limit=9)
    with store.looking() as connection:
        connection.set_trace_callback(None)
        plans = [row[3] for sql in asked if sql.startswith(("SELECT", "WITH", " "))
                 for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]  # fmt: skip
    through = [step for step in plans if step.startswith("SCAN") and "json_each" not in step and "VIRTUAL" not in step]
    assert {*through} <= {"SCAN hop", "SCAN few", "SCAN CONSTANT ROW"}
    large = ("x", "graph_edge", "graph_node", "graph_key", "graph_label", "graph_word")
    assert [
        step for step in plans if step.startswith("SEARCH") and step.endswith("(space=?)") and step.split()[1] in large
    ] == []
    assert len(plans) > 20


def test_a_small_graph_is_read_into_memory(store: Store) -> None:
    imported(store, FILMS)
    assert isinstance(graph_of(store.graphs, "ana"), ArrayGraph)
    assert isinstance(graph_of(store.graphs, "ana", in_memory=5), StoredGraph)
    assert everything(graph_of(store.graphs, "ana"), ["Heat", "Serpico"]) == set(FILMS)


@dataclass
class Breaking:
    """A source that fails at an entry, some of the times it is read."""

    made: list[Triple]
    at: int
    sound: int
    """How many readings go well."""
    name: str = "breaking"
    digest: str = "d"
    read: int = field(default=0, init=False)

    def entries(self) -> Iterator[Entry]:
        self.read += 1
        for place, triple in enumerate(self.made):
            if place == self.at and self.read > self.sound:
                raise InputError(f"breaking, line {place}: bad.", "Mend it.")
            yield triple


def test_what_is_malformed_imports_nothing(store: Store, small_steps: None) -> None:
    with pytest.raises(InputError, match="line 1999"):
        import_graph(store.graphs, "ana", Breaking(MANY, at=1999, sound=0))
    assert store.spaces() == []
    assert store.graphs.counts("ana").nodes == 0


def test_a_source_without_triples_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="no triples"):
        import_graph(store.graphs, "ana", source_of([Name("a", "A")], "empty"))
    assert store.spaces() == []


@pytest.mark.parametrize("bad", ["", "  ", "a\0b", "\ud800"])
def test_a_name_that_cannot_be_kept_is_refused(bad: str) -> None:
    for entry in (Triple(bad, "r", "b"), Triple("a", bad, "b"), Name("a", bad), Kinded(bad, "literal")):
        with pytest.raises(InputError, match="entry 2"):
            source_of([*triples("a r b"), entry], "test")


def test_an_import_goes_on_where_it_stopped(store: Store, small_steps: None) -> None:
    breaking = Breaking(MANY, at=700, sound=1)
    with pytest.raises(InputError):
        import_graph(store.graphs, "ana", breaking)
    state = store.graphs.import_state("ana", "d")
    assert state is not None
    assert (state.entries, state.done) == (600, False)
    assert store.graphs.counts("ana").imports == 1
    breaking.sound = 99
    assert import_graph(store.graphs, "ana", breaking).triples == len(set(MANY))
    assert breaking.read == 3, "what was checked once is not checked again"
    assert store.graphs.counts("ana").imports == 0
    assert set(entries_of(store.graphs, "ana")) == set(MANY)


class StoppedError(Exception):
    """Stands for a kill between two transactions."""


def stopping_at(step: int) -> imports.Progress:
    def stop(doing: str, done: int, total: int) -> None:
        if doing == "storing" and done == step:
            raise StoppedError

    return stop


def test_merging_goes_on_where_it_stopped(store: Store, small_steps: None) -> None:
    source = source_of(MANY, "many")
    for step in (1, 2, 5, 11, 12):
        with pytest.raises(StoppedError):
            import_graph(store.graphs, "ana", source, progress=stopping_at(step))
    assert import_graph(store.graphs, "ana", source).triples == len(set(MANY))
    assert set(entries_of(store.graphs, "ana")) == set(MANY)
    assert store.check() == []


def test_two_imports_at_once_are_one(store: Store, small_steps: None) -> None:
    source, other = source_of(MANY, "many"), source_of([*MANY[::2], *triples("n1 x n2")], "other")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda s: import_graph(store.graphs, "ana", s), (source, other, source, other)))
    assert set(entries_of(store.graphs, "ana")) == {*MANY, *triples("n1 x n2")}
    assert store.graphs.counts("ana").triples == len(set(MANY)) + 1
    names = [node.identifier for page in store.graphs.numbered("ana") for _, node in page]
    assert len(names) == len(set(names))


def test_threads_may_read_while_another_imports(store: Store, small_steps: None) -> None:
    graph = imported(store, FILMS)
    with ThreadPoolExecutor(4) as pool:
        importing_it = pool.submit(import_graph, store.graphs, "ana", source_of(MANY, "many"))
        walks = pool.map(lambda _: everything(graph, ["Heat", "Serpico"]), range(60))
        assert all(walk == set(FILMS) for walk in walks)
        assert importing_it.result().triples == len(set(MANY))


def test_a_graph_that_is_forgotten_while_it_is_imported_says_so(store: Store, small_steps: None) -> None:
    def forget(doing: str, done: int, total: int) -> None:
        if doing == "reading":
            store.forget("ana")

    with pytest.raises(StoreError, match="forgotten"):
        import_graph(store.graphs, "ana", source_of(MANY, "many"), progress=forget)
    assert store.spaces() == []


def test_a_store_in_memory_takes_graphs(small_steps: None) -> None:
    with closing(opened()) as store:
        assert set(everything(imported(store, MANY), {t.subject for t in MANY})) == set(MANY)


def test_a_triple_is_there_or_not(store: Store) -> None:
    for graph in (imported(store, [*FILMS, *triples("a r a")]), ArrayGraph([*FILMS, *triples("a r a")])):
        assert all(graph.holds(triple) for triple in FILMS)
        assert graph.holds(Triple("a", "r", "a"))
        for wrong in (
            Triple("Al Pacino", "starred_actors", "Heat"),
            Triple("Heat", "r", "Al Pacino"),
            Triple("x", "r", "a"),
        ):
            assert not graph.holds(wrong)


def test_names_are_found_by_their_words(store: Store) -> None:
    made = [*FILMS, Name("Heat", "Amélie's Heat")]
    stored, held = imported(store, made), ArrayGraph(made)
    for graph in (stored, held):
        index = graph.index
        assert [graph.identifiers(n) for n in index.spelled([("al", "pacino"), ("amelies", "heat"), ("x",)])] == [
            ["Al Pacino"],
            ["Heat"],
            [],
        ]
        assert graph.identifiers(index.holding(["de"], limit=9)[0]) == ["Robert De Niro"]
        assert index.words("ser", limit=9) == ["serpico"]
        assert index.words("cino", backwards=True, limit=9) == ["pacino"]
        assert graph.names_of(nodes(graph, "Heat")) == [["Amélie's Heat", "Heat"]]
        assert graph.degrees(np.array([graph.node("Heat")])).tolist() == [4]
