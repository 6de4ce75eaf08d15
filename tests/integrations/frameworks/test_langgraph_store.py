"""What LangGraph documents of a store, held by its own `InMemoryStore` and by ours: the same tests run on both."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("langgraph")

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from goalmem import AsyncMemory, BackendError, InputError, Memory
from goalmem.integrations.frameworks.langgraph import GoalmemStore
from goalmem.language import Analyzer
from goalmem.settings import Settings

PATIENT = Settings(ask_seconds=120)
"""What is answered does not depend on how busy the machine is."""

WORDS = 64
"""Dimensions of the embedding that stands in for a model in LangGraph's own store."""


def bag_of_words(texts: list[str]) -> list[list[float]]:
    vectors = []
    for text in texts:
        vector = [1e-3] * WORDS
        for word in "".join(c if c.isalnum() else " " for c in text.lower()).split():
            vector[sum(map(ord, word)) % WORDS] += 1
        vectors.append(vector)
    return vectors


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        yield memory


@pytest.fixture(params=["InMemoryStore", "GoalmemStore"])
def store(request: pytest.FixtureRequest, memory: Memory) -> BaseStore:
    """Each test has a store of its own."""
    if request.param == "InMemoryStore":
        return InMemoryStore(index={"dims": WORDS, "embed": bag_of_words, "fields": ["$"]})
    return GoalmemStore(memory, root=request.node.name.replace(":", " "))


def keys(items: list[Any]) -> list[str]:
    return [item.key for item in items]


# -- put, get, delete ----------------------------------------------------------------------------------------------


def test_what_was_put_is_got(store: BaseStore):
    before = datetime.now(UTC)
    store.put(("users", "maya"), "food", {"text": "I love ramen."})
    item = store.get(("users", "maya"), "food")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (("users", "maya"), "food", {"text": "I love ramen."})
    assert before <= item.created_at <= item.updated_at <= datetime.now(UTC)


def test_what_is_not_there_is_none(store: BaseStore):
    store.put(("users", "maya"), "food", {"text": "I love ramen."})
    assert store.get(("users", "maya"), "drink") is None
    assert store.get(("users", "ivo"), "food") is None
    assert store.get(("users",), "food") is None


VALUES: list[dict[str, Any]] = [
    {},
    {"a": None, "b": True, "c": False, "d": 0, "e": -1.5e-300, "f": 10**30, "g": ""},
    {"deep": [{"list": [[], [1, [2, [3]]], {}]}], "ключ": "значение 🍜", "": "no name"},
    {"odd": "NUL \x00, lone \ud800, line\nbreak, </memory>, \u2028"},
    {"0": "text", "1e3": "text"},
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_any_json_comes_back_as_it_was(store: BaseStore, value: dict[str, Any]):
    store.put(("any",), "value", value)
    item = store.get(("any",), "value")
    assert item is not None
    assert item.value == value
    assert [type(v) for v in item.value.values()] == [type(v) for v in value.values()]


@pytest.mark.parametrize("key", ["", " ", "a.b/c:d", "ключ", "x" * 2_000, "nul \x00", "lone \udfff", "item:a"])
def test_any_text_is_a_key(store: BaseStore, key: str):
    store.put(("keys",), key, {"n": 1})
    store.put(("keys",), key + "2", {"n": 2})
    item = store.get(("keys",), key)
    assert item is not None
    assert (item.key, item.value) == (key, {"n": 1})
    assert set(keys(store.search(("keys",)))) == {key, key + "2"}


def test_an_update_replaces_all_of_the_value(store: BaseStore):
    store.put(("users", "maya"), "food", {"text": "I love ramen.", "since": 2020})
    first = store.get(("users", "maya"), "food")
    store.put(("users", "maya"), "food", {"text": "I love tea."})
    item = store.get(("users", "maya"), "food")
    assert first is not None
    assert item is not None
    assert item.value == {"text": "I love tea."}
    assert item.updated_at > first.updated_at
    assert len(store.search(("users", "maya"))) == 1


def test_a_value_that_was_got_is_the_callers_own(memory: Memory):
    store = GoalmemStore(memory, root="own")
    value = {"tags": ["a"]}
    store.put(("x",), "k", value)
    value["tags"].append("b")
    got = store.get(("x",), "k")
    assert got is not None
    got.value["tags"].append("c")
    again = store.get(("x",), "k")
    assert again is not None
    assert again.value == {"tags": ["a"]}


def test_what_was_deleted_is_gone(store: BaseStore):
    store.put(("users", "maya"), "food", {"text": "I love ramen."})
    store.delete(("users", "maya"), "food")
    store.delete(("users", "maya"), "never")
    assert store.get(("users", "maya"), "food") is None
    assert store.search(("users", "maya"), query="ramen") == []


def test_a_key_means_something_in_its_namespace_alone(store: BaseStore):
    store.put(("a", "b"), "k", {"n": 1})
    store.put(("a",), "k", {"n": 2})
    store.put(("a", "b", "c"), "k", {"n": 3})
    store.delete(("a", "b"), "k")
    assert store.get(("a", "b"), "k") is None
    assert [item.value["n"] for item in map(store.get, [("a",), ("a", "b", "c")], ["k", "k"]) if item] == [2, 3]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("a", ""), ("a", 1), ("langgraph", "x")])
def test_a_namespace_that_is_none_is_refused(store: BaseStore, namespace: Any):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_what_expires_is_refused_where_nothing_does(store: BaseStore):
    assert store.supports_ttl is False
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"n": 1}, ttl=5)
    assert store.get(("a",), "k") is None


# -- search ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def filled(store: BaseStore) -> BaseStore:
    reports = [
        ("r1", {"kind": "report", "score": 4.5, "text": "Sales of umbrellas rose in spring.", "tags": ["a", "b"]}),
        ("r2", {"kind": "report", "score": 3, "text": "The ferry to Bergen was late again.", "by": {"name": "Ivo"}}),
        ("n1", {"kind": "note", "score": 9, "text": "Buy ramen noodles.", "by": {"name": "Ada", "age": 30}}),
        ("n2", {"kind": "note", "text": "Water the ferns."}),
    ]
    for key, value in reports:
        store.put(("docs", "work"), key, value)
    store.put(("docs", "home"), "h1", {"kind": "note", "text": "The cat is called Biscuit."})
    store.put(("other",), "o1", {"kind": "report", "text": "Nothing to see here."})
    return store


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"kind": "report"}, {"r1", "r2"}),
    ({"kind": {"$eq": "report"}}, {"r1", "r2"}),
    ({"kind": {"$ne": "report"}}, {"n1", "n2"}),
    ({"kind": "note", "score": 9}, {"n1"}),
    ({"kind": "none"}, set()),
    ({"by": {"name": "Ada"}}, {"n1"}),
    ({"by": {"age": {"$gte": 30}}, "kind": "note"}, {"n1"}),
    ({"tags": ["a", "b"]}, {"r1"}),
    ({"tags": ["a"]}, set()),
    ({"missing": None, "kind": "note"}, {"n1", "n2"}),
]
ORDERED: list[tuple[dict[str, Any], set[str]]] = [
    ({"score": {"$gt": 4.5}}, {"n1"}),
    ({"score": {"$gte": 4.5}}, {"r1", "n1"}),
    ({"score": {"$lt": 4.5}}, {"r2"}),
    ({"score": {"$lte": 4.5, "$gt": 3}}, {"r1"}),
]


def named(value: object) -> str:
    """The same in every process, sets too."""
    return str(sorted(value) if isinstance(value, set) else value)


@pytest.mark.parametrize(("wanted", "found"), FILTERS[:6] + FILTERS[7:], ids=named)
def test_filters_choose_by_value(filled: BaseStore, wanted: dict[str, Any], found: set[str]):
    assert set(keys(filled.search(("docs", "work"), filter=wanted))) == found


@pytest.mark.parametrize(("wanted", "found"), ORDERED, ids=named)
def test_operators_compare_numbers(filled: BaseStore, wanted: dict[str, Any], found: set[str]):
    filled.delete(("docs", "work"), "n2")  # what has no such field is an error in LangGraph's own store
    assert set(keys(filled.search(("docs", "work"), filter=wanted))) == found


def test_an_unknown_operator_is_an_error(filled: BaseStore):
    with pytest.raises(ValueError, match=r"\$near"):
        filled.search(("docs", "work"), filter={"score": {"$near": 4}})


def test_a_prefix_finds_all_below_it(filled: BaseStore):
    assert set(keys(filled.search(("docs",)))) == {"r1", "r2", "n1", "n2", "h1"}
    assert set(keys(filled.search((), limit=100))) == {"r1", "r2", "n1", "n2", "h1", "o1"}
    assert filled.search(("doc",)) == []
    assert filled.search(("docs", "work", "more")) == []


def test_pages_put_together_are_the_whole(filled: BaseStore):
    whole = keys(filled.search(("docs", "work"), limit=10))
    assert whole == ["r1", "r2", "n1", "n2"]
    assert [k for n in range(4) for k in keys(filled.search(("docs", "work"), limit=1, offset=n))] == whole
    assert filled.search(("docs", "work"), limit=10, offset=4) == []
    assert keys(filled.search(("docs", "work"), filter={"kind": "note"}, limit=1, offset=1)) == ["n2"]


def test_a_query_ranks_and_scores(filled: BaseStore):
    found = filled.search(("docs",), query="the ferry to Bergen")
    assert all(isinstance(item, SearchItem) for item in found)
    assert found[0].key == "r2"
    assert set(keys(found)) == {"r1", "r2", "n1", "n2", "h1"}
    scores = [item.score for item in found if item.score is not None]
    assert len(scores) == len(found)
    assert scores == sorted(scores, reverse=True)
    assert keys(filled.search(("docs",), query="the ferry to Bergen", limit=1)) == ["r2"]


def test_a_query_with_a_filter_ranks_what_passes(filled: BaseStore):
    found = filled.search(("docs",), query="the ferry to Bergen", filter={"kind": "note"})
    assert set(keys(found)) == {"n1", "n2", "h1"}
    assert filled.search(("docs",), query="ferry", filter={"kind": "none"}) == []


def test_without_a_query_nothing_is_scored(filled: BaseStore):
    assert {item.score for item in filled.search(("docs",))} == {None}


def test_only_the_fields_named_are_indexed(store: BaseStore):
    value = {"title": "Ferries", "body": "Seagulls scream.", "parts": [{"text": "Bergen harbour"}, {"text": "Oslo"}]}
    store.put(("i",), "title", value, index=["title"])
    store.put(("i",), "parts", value, index=["parts[*].text"])
    store.put(("i",), "last", value, index=["parts[-1].text"])
    assert store.search(("i",), query="Bergen harbour", limit=1)[0].key == "parts"
    assert store.search(("i",), query="Ferries", limit=1)[0].key == "title"
    assert set(keys(store.search(("i",), query="Oslo", limit=2))) == {"parts", "last"}


@pytest.mark.parametrize("index", [False, ["nowhere"], []])
def test_what_is_not_indexed_is_there_without_a_score(store: BaseStore, index: Any):
    store.put(("i",), "hidden", {"text": "The ferry to Bergen."}, index=index)
    store.put(("i",), "shown", {"text": "Ferns need water."})
    found = store.search(("i",), query="The ferry to Bergen.")
    assert [(item.key, item.score is None) for item in found] == [("shown", False), ("hidden", True)]
    assert store.get(("i",), "hidden") is not None
    assert set(keys(store.search(("i",)))) == {"hidden", "shown"}


# -- namespaces --------------------------------------------------------------------------------------------------------


@pytest.fixture
def spread(store: BaseStore) -> BaseStore:
    for namespace in [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f")]:
        store.put(namespace, "k", {"n": 1})
    store.put(("b",), "k", {"n": 1})
    return store


def test_namespaces_are_listed(spread: BaseStore):
    listed = spread.list_namespaces()
    assert len(listed) == 6
    assert listed == sorted(listed)
    assert spread.list_namespaces(limit=2, offset=1) == listed[1:3]


def test_namespaces_are_cut_at_a_depth(spread: BaseStore):
    assert spread.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert spread.list_namespaces(max_depth=1) == [("a",), ("b",)]


def test_namespaces_are_listed_by_their_ends(spread: BaseStore):
    assert spread.list_namespaces(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert spread.list_namespaces(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert spread.list_namespaces(prefix=("a", "c"), suffix=("*", "f")) == [("a", "c", "f")]
    assert spread.list_namespaces(suffix=("x", "a", "b", "c")) == []


# -- batches -----------------------------------------------------------------------------------------------------------


def test_a_batch_answers_in_order_and_reads_what_was_there_before(store: BaseStore):
    store.put(("a",), "old", {"n": 1})
    results = store.batch(
        [
            PutOp(("a",), "new", {"n": 2}),
            GetOp(("a",), "old"),
            GetOp(("a",), "new"),
            PutOp(("a",), "new", {"n": 3}),
            PutOp(("a",), "old", None),
            SearchOp(("a",), filter={"n": 1}),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("a",)),)),
        ]
    )
    assert [results[n] for n in (0, 2, 3, 4)] == [None] * 4
    assert results[1].value == {"n": 1}
    assert keys(results[5]) == ["old"]
    assert results[6] == [("a",)]
    assert [(i.key, i.value["n"]) for i in store.search(("a",))] == [("new", 3)]


def test_everything_can_be_awaited(store: BaseStore):
    async def work() -> None:
        await store.aput(("a", "b"), "k", {"text": "Ferns need water."})
        item = await store.aget(("a", "b"), "k")
        assert item is not None
        assert keys(await store.asearch(("a",), query="ferns")) == ["k"]
        assert await store.alist_namespaces() == [("a", "b")]
        await store.adelete(("a", "b"), "k")
        assert await store.abatch([GetOp(("a", "b"), "k")]) == [None]

    asyncio.run(work())


# -- ours alone --------------------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=4), json_values, max_size=3), st.text(st.characters(exclude_categories=())))
def test_any_value_under_any_key_comes_back(memory: Memory, value: dict[str, Any], key: str):
    store = GoalmemStore(memory, root="law")
    store.put(("law",), key, value, index=False)
    item = store.get(("law",), key)
    assert item is not None
    assert (item.key, item.value) == (key, value)
    store.delete(("law",), key)
    assert store.get(("law",), key) is None


@pytest.mark.parametrize(
    "value", [{"at": datetime.now(UTC)}, {"set": {1}}, {"deep": {1: "number"}}, {"bytes": b"x"}, [("a", 1)], "text"]
)
def test_what_json_cannot_hold_is_refused_with_the_whole_batch(memory: Memory, value: Any):
    store = GoalmemStore(memory, root="refused")
    with pytest.raises(InputError, match="'bad'"):
        store.batch([PutOp(("a",), "good", {"n": 1}), PutOp(("a",), "bad", value)])
    with pytest.raises(NotImplementedError):
        store.batch([PutOp(("a",), "good", {"n": 1}), PutOp(("a",), "late", {"n": 1}, ttl=1.0)])
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a",), "good", {"n": 1}), PutOp(("a.b",), "k", {"n": 1})])
    for label in ("x" * 600, "lone \ud800"):
        with pytest.raises(InputError, match="namespace"):
            store.put((label,), "k", {"n": 1})
        with pytest.raises(InputError, match="namespace"):
            store.get((label,), "k")
        assert store.search((label,)) == []
    assert store.search(("a",)) == []


def test_a_field_that_is_missing_is_in_no_order(memory: Memory):
    store = GoalmemStore(memory, root="missing")
    store.put(("a",), "number", {"n": 5})
    store.put(("a",), "text", {"n": "May"})
    store.put(("a",), "none", {})
    assert keys(store.search(("a",), filter={"n": {"$gte": 1}})) == ["number"]
    assert keys(store.search(("a",), filter={"n": {"$lt": "March"}})) == []
    assert keys(store.search(("a",), filter={"n": {"$gt": "March"}})) == ["text"]


def test_an_update_keeps_when_an_item_was_made_and_its_place(memory: Memory):
    store = GoalmemStore(memory, root="times")
    for n in range(3):
        store.put(("a",), str(n), {"n": n})
    first = store.get(("a",), "0")
    store.put(("a",), "0", {"n": 9})
    again = store.get(("a",), "0")
    assert first is not None
    assert again is not None
    assert again.created_at == first.created_at < again.updated_at
    assert keys(store.search(("a",))) == ["0", "1", "2"]
    assert keys(store.search(("a",), filter={"n": {"$gte": 0}})) == ["0", "1", "2"]


def test_what_is_kept_can_be_asked_about_with_a_proof(memory: Memory):
    store = GoalmemStore(memory, root="asked")
    store.put(("users", "maya"), "family", {"text": "My sister Ilse lives in Ghent.", "source": "chat"})
    answer = memory.ask("Where does Ilse live?", space=store.space(("users", "maya")))
    assert answer.text == "Ghent"
    assert memory.verify(answer.proof).ok
    store.put(("users", "maya"), "family", {"text": "My sister Ilse lives in Bruges.", "source": "chat"})
    assert memory.ask("Where does Ilse live?", space=store.space(("users", "maya"))).text == "Bruges"
    assert not memory.verify(answer.proof).ok
    store.delete(("users", "maya"), "family")
    assert not memory.ask("Where does Ilse live?", space=store.space(("users", "maya"))).known
    assert store.space(("users", "maya")) not in memory.spaces()


def test_conversations_beside_the_items_are_left_alone(memory: Memory):
    store = GoalmemStore(memory, root="beside")
    memory.add("I love tea.", space="default")
    memory.add("I love tea.", space=store.space(("a",)), session="talk")
    store.put(("a",), "k", {"text": "I love ramen."})
    assert keys(store.search(("a",))) == ["k"]
    assert keys(store.search(("a",), query="tea")) == ["k"]
    assert store.list_namespaces() == [("a",)]
    store.delete(("a",), "k")
    assert memory.stats(space=store.space(("a",))).turns == 1


def test_whoever_is_killed_between_writing_and_forgetting_leaves_the_new_value(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    store = GoalmemStore(memory, root="killed")
    store.put(("a",), "k", {"text": "The ferry sails to Bergen."})
    with monkeypatch.context() as patch:
        patch.setattr(memory, "forget", lambda **_: (_ for _ in ()).throw(SystemError("killed")))
        with pytest.raises(SystemError):
            store.put(("a",), "k", {"text": "Ferns need water."})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"text": "Ferns need water."}
    for found in (store.search(("a",)), store.search(("a",), query="ferry"), store.search(("a",), filter={})):
        assert [i.value for i in found] == [item.value]
    assert store.search(("a",), query="ferry", filter={"text": "The ferry sails to Bergen."}) == []
    store.put(("a",), "k", {"text": "Moss, too."})
    assert memory.stats(space=store.space(("a",))).turns == 1


def test_a_large_value_is_kept_whole(memory: Memory):
    store = GoalmemStore(memory, root="large")
    value = {"title": "Ferries", "body": "x" * 1_000_000, "rows": list(range(10_000))}
    store.put(("a",), "k", value, index=["title"])
    found = store.search(("a",), query="ferries")[0]
    assert found.value == value
    assert found.score is not None


def test_a_clock_that_was_set_back_makes_no_item_older(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    class Yesterday(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) - timedelta(days=1)

    store = GoalmemStore(memory, root="clock")
    store.put(("a",), "k", {"n": 1})
    monkeypatch.setattr("goalmem.integrations.frameworks.langstore.datetime", Yesterday)
    store.put(("a",), "k", {"n": 2})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"n": 2}
    assert item.created_at <= item.updated_at


def test_several_writers_of_one_item_leave_one_value(tmp_path: Path, analyzer: Analyzer):
    writers, rounds = 3, 4
    memories = [Memory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) for _ in range(writers)]
    stores = [GoalmemStore(memory) for memory in memories]

    def write(writer: int) -> None:
        for n in range(rounds):
            stores[writer].put(("a",), "k", {"writer": writer, "n": n}, index=False)
            assert stores[writer].get(("a",), "k") is not None
            stores[writer].put(("a",), f"own {writer}", {"n": n}, index=False)

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    values = [store.search(("a",), filter={"writer": {"$gte": 0}})[0].value for store in stores]
    assert values[0]["n"] == rounds - 1
    assert values == values[:1] * writers
    assert memories[0].stats(space=stores[0].space(("a",))).turns == 1 + writers
    for memory in memories:
        memory.close()


def test_what_was_put_is_there_when_the_store_is_opened_again(tmp_path: Path, analyzer: Analyzer):
    with Memory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) as memory:
        GoalmemStore(memory).put(("a",), "k", {"text": "Ferns need water."})
        memory.export(tmp_path / "all.jsonl")
    with Memory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) as memory:
        assert keys(GoalmemStore(memory).search(("a",), query="ferns")) == ["k"]
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert keys(GoalmemStore(memory).search(("a",), query="ferns")) == ["k"]


def test_a_memory_of_another_system_keeps_no_items(analyzer: Analyzer):
    with (
        Memory(backend=lambda query, k: [], analyzer=analyzer, settings=PATIENT) as memory,
        pytest.raises(BackendError),
    ):
        GoalmemStore(memory)


def test_an_async_memory_is_refused(analyzer: Analyzer):
    with pytest.raises(InputError, match="async"):
        GoalmemStore(AsyncMemory(analyzer=analyzer))


@pytest.mark.parametrize("root", ["", "a:b", "x" * 600])
def test_a_root_that_is_no_name_is_refused(memory: Memory, root: str):
    with pytest.raises(InputError):
        GoalmemStore(memory, root=root)
