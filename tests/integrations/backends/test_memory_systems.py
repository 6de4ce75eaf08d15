"""What each adapter makes of the records of its system: ids, dates, scores, and what is left out. Over stubs of their shapes.

The shapes are those of graphiti-core 0.31.1 (`EntityEdge`, `EpisodicNode`), lightrag-hku 1.5.7 (`aquery_data`), hipporag 2.0.0a4
(`QuerySolution`), a-mem 0.2.6 (`AgenticMemorySystem.search`, `MemoryNote`), langmem 0.0.30 over LangGraph's store, and cognee 1.6.5
(`cognee.search`). All but HippoRAG run themselves in test_adapters.py, where their packages are installed.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from goalmem import BackendError, InputError
from goalmem.integrations.backends import Passage, open_backend
from goalmem.integrations.backends import a_mem as a_mems
from goalmem.integrations.backends import cognee as cognees
from goalmem.integrations.backends import graphiti as graphitis
from goalmem.integrations.backends import lightrag as lightrags
from goalmem.integrations.backends.a_mem import AMemBackend
from goalmem.integrations.backends.graphiti import GraphitiBackend
from goalmem.integrations.backends.hipporag import HippoRAGBackend
from goalmem.integrations.backends.langmem import LangMemBackend
from goalmem.integrations.backends.lightrag import LightRAGBackend
from goalmem.integrations.backends.passages import has_ended, transcript_line
from goalmem.integrations.backends.protocol import package
from tests.integrations.backends.conftest import ASKED, AUTUMN, PASSAGES, SPRING, Over

# Graphiti


def fact(**fields: Any) -> SimpleNamespace:
    """An edge as Graphiti's search returns it."""
    known = {"uuid": "f1", "name": "LIVES_IN", "fact": "Ilse lives in Bruges.", "group_id": "g", "attributes": {}}
    times = dict.fromkeys(("valid_at", "invalid_at", "expired_at", "reference_time"))
    return SimpleNamespace(**known | times | {"episodes": ["e1"]} | fields)


def test_a_fact_of_graphiti_counts_as_said_when_it_became_true_else_when_it_was_told():
    assert (graphitis.passage_of_fact(fact(valid_at=SPRING, reference_time=AUTUMN)) or PASSAGES[0]).at == SPRING
    assert (graphitis.passage_of_fact(fact(reference_time=AUTUMN)) or PASSAGES[0]).at == AUTUMN
    undated = graphitis.passage_of_fact(fact(), 0.5)
    assert undated == Passage("Ilse lives in Bruges.", "f1", score=0.5, metadata=undated.metadata if undated else {})


def test_attributes_of_a_users_own_kinds_are_no_speaker_or_date():
    own = {"name": "Ilse", "role": "assistant", "date": "2020-01-01", "speaker": "Ilse"}
    made = graphitis.passage_of_fact(fact(attributes=own))
    assert made is not None
    assert (made.speaker, made.role, made.at) == ("", "user", None)


@pytest.mark.parametrize(
    ("expired", "invalid", "ended"),
    [
        (None, None, False),
        (None, datetime(2024, 9, 2), True),
        (None, "2024-09-02T00:00:00Z", True),
        (None, datetime(2999, 1, 1, tzinfo=UTC), False),
        (None, "one day", False),
        ("2024-09-02T00:00:00Z", None, True),
        ("", "", False),
    ],
)
def test_systems_say_which_facts_have_ended(expired: object, invalid: object, ended: bool):
    assert has_ended(expired, invalid, ASKED) is ended


@pytest.mark.parametrize("groups", [[], (), "maya"])
def test_no_partition_is_not_all_partitions(groups: Any):
    with pytest.raises(InputError, match="partition"):
        GraphitiBackend(SimpleNamespace(), group_ids=groups)


# LightRAG


class Index:
    """A LightRAG with one chunk."""

    rerank_model_func = None

    def __init__(self, found: Any) -> None:
        self.found = found
        self.text_chunks = SimpleNamespace(get_by_ids=self.rows)

    async def initialize_storages(self) -> None:
        return None

    async def aquery_data(self, query: str, param: Any) -> Any:
        return self.found

    async def rows(self, ids: Sequence[str]) -> list[Any]:
        return [{"content": "Ilse lives in Bruges.", "file_path": "a.txt"} if key == "chunk-1" else None for key in ids]


def test_chunks_of_lightrag_are_looked_up_by_their_ids():
    backend = LightRAGBackend(Index({}))
    found = backend.get("chunk-1")
    assert found is not None
    assert (found.text, found.session) == ("Ilse lives in Bruges.", "a.txt")
    assert backend.get("chunk-2") is None


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"status": "failure", "message": "none", "data": {}, "metadata": {"failure_reason": "no_results"}},
        {"status": "success", "data": {"chunks": []}},
        {"status": "success", "data": {"chunks": None}},
    ],
)
def test_where_lightrag_finds_nothing_there_is_nothing(found: Any):
    assert lightrags.chunks_of(found) == []


@pytest.mark.parametrize("found", [None, "an answer", {"response": "an answer"}, []])
def test_what_is_no_data_of_lightrag_is_an_error(found: Any):
    with pytest.raises(BackendError, match="aquery_data"):
        lightrags.chunks_of(found)


def test_a_failure_of_lightrag_is_one():
    with pytest.raises(RuntimeError, match="store is down"):
        lightrags.chunks_of(
            {"status": "failure", "message": "store is down", "data": {}, "metadata": {"failure_reason": "x"}}
        )


# HippoRAG


@dataclass
class Solution:
    """`hipporag.utils.misc_utils.QuerySolution`, less what evaluation adds."""

    question: str
    docs: list[Any]
    doc_scores: Any = None


class Hippo:
    """A HippoRAG that ranks by words, and names documents as HippoRAG does."""

    def __init__(self) -> None:
        self.docs: list[str] = []
        self.chunk_embedding_store = SimpleNamespace(get_all_id_to_rows=self.rows)
        self.inside = 0

    def index(self, docs: list[str]) -> None:
        self.docs += [d for d in docs if d not in self.docs]

    def rows(self) -> dict[str, dict[str, str]]:
        return {
            f"chunk-{hashlib.md5(d.encode(), usedforsecurity=False).hexdigest()}": {"content": d} for d in self.docs
        }

    def retrieve(self, queries: list[str], num_to_retrieve: int | None = None) -> Any:
        self.inside += 1
        assert self.inside == 1
        words = set(queries[0].casefold().replace("?", "").split())
        ranked = sorted(self.docs, key=lambda d: -len(words & set(d.casefold().replace(".", "").split())))
        self.inside -= 1
        return [Solution(queries[0], ranked[:num_to_retrieve], [1.0] * len(ranked))]


def test_goal_mem_works_over_hipporag(over: Over):
    backend = HippoRAGBackend(Hippo())
    backend.add(PASSAGES)
    memory = over(backend)
    for question, answer in {"Where does Ilse live?": "Bruges", "When did Nadia adopt a beagle?": "3 May 2024"}.items():
        found = memory.ask(question, at=ASKED)
        assert answer in found.text
        assert found.citations[0].startswith("chunk-")
        assert memory.verify(found).ok
        assert backend.get(found.citations[0]) is not None
    assert backend.get("chunk-0") is None


def test_hipporag_is_asked_by_one_thread_at_a_time():
    backend = HippoRAGBackend(Hippo())
    backend.add(PASSAGES)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            backend.search("Where does Ilse live?", 3)
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_scores_may_be_missing_and_figures_may_come_along():
    found = ([Solution("q", ["Ilse lives in Bruges.", 7])], {"recall": 1.0})
    backend = HippoRAGBackend(SimpleNamespace(retrieve=lambda queries, num_to_retrieve: found))
    assert [(p.text, p.score) for p in backend.search("Ilse", 3)] == [("Ilse lives in Bruges.", 0.0)]


@pytest.mark.parametrize("found", [None, [], "an answer", [{"docs": []}], ([], {})])
def test_what_is_no_solution_of_hipporag_is_an_error(found: Any):
    hippo = SimpleNamespace(retrieve=lambda queries, num_to_retrieve: found)
    with pytest.raises(BackendError, match="retrieve"):
        HippoRAGBackend(hippo).search("Ilse", 3)


# A-MEM


def note(**fields: Any) -> SimpleNamespace:
    known = {"id": "n1", "content": "Ilse lives in Bruges.", "timestamp": "202409041800", "evolution_history": []}
    return SimpleNamespace(**known | {"tags": ["home"], "context": "General", "keywords": ["Ilse"]} | fields)


@pytest.mark.parametrize("timestamp", ["202409041800", 202409041800])
def test_a_note_of_a_mem_counts_as_said_at_its_timestamp(timestamp: Any):
    assert (a_mems.passage_of_note(note(timestamp=timestamp)) or PASSAGES[0]).at == AUTUMN


@pytest.mark.parametrize("timestamp", [None, "", "yesterday", 7])
def test_another_timestamp_is_none(timestamp: Any):
    assert (a_mems.passage_of_note(note(timestamp=timestamp)) or PASSAGES[0]).at is None


def test_a_mem_ranks_by_distance_and_a_note_that_is_gone_is_left_out():
    notes = {"a": note(id="a"), "b": note(id="b", content="Ilse bought a boat.")}
    rows = [{"id": "b", "score": 0.2}, {"id": "gone", "score": 0.3}, {"id": "a", "score": 0.9}, "noise"]
    backend = AMemBackend(SimpleNamespace(search=lambda query, k: rows, read=notes.get))
    assert [(p.id, p.score) for p in backend.search("boat", 5)] == [("b", -0.2), ("a", -0.9)]
    assert backend.get("gone") is None


# LangMem


class Store:
    """A LangGraph store with given items."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def search(self, namespace: tuple[str, ...], /, *, query: str, limit: int) -> list[Any]:
        return [item for item in self.items if item.namespace[: len(namespace)] == namespace][:limit]

    def get(self, namespace: tuple[str, ...], key: str) -> Any:
        return next((item for item in self.items if (item.namespace, item.key) == (namespace, key)), None)


def item(value: Any, key: str = "k", namespace: tuple[str, ...] = ("memories", "maya"), score: Any = 0.5) -> Any:
    return SimpleNamespace(value=value, key=key, namespace=namespace, updated_at=AUTUMN, created_at=SPRING, score=score)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"content": "Ilse lives in Bruges."}, "Ilse lives in Bruges."),
        ({"kind": "Memory", "content": {"content": "Ilse lives in Bruges."}}, "Ilse lives in Bruges."),
        ({"kind": "Home", "content": {"who": "Ilse", "town": "Bruges", "since": None}}, "who: Ilse\ntown: Bruges"),
    ],
)
def test_memories_of_langmem_are_read_in_the_shapes_in_which_it_keeps_them(value: Any, text: str):
    (passage,) = LangMemBackend(Store(item(value)), "memories", "maya").search("Ilse", 3)
    assert (passage.text, passage.id, passage.at, passage.score) == (text, "k", AUTUMN, 0.5)


@pytest.mark.parametrize("value", [{}, {"content": {}}, {"content": 7}, {"other": "x"}, None])
def test_what_is_no_memory_of_langmem_is_left_out(value: Any):
    assert LangMemBackend(Store(item(value)), "memories").search("Ilse", 3) == []


def test_a_namespace_is_whose_memories_are_searched_and_those_below_have_longer_keys():
    store = Store(
        item({"content": "Ilse lives in Bruges."}),
        item({"content": "Tom lives in Ghent."}, namespace=("memories", "tom")),
        item({"content": "Ilse has a boat."}, namespace=("memories", "maya", "things")),
    )
    backend = LangMemBackend(store, "memories", "maya")
    assert [p.id for p in backend.search("Ilse", 9)] == ["k", "things/k"]
    assert (backend.get("things/k") or PASSAGES[0]).text == "Ilse has a boat."
    assert backend.get("nobody") is None
    assert backend.get("") is None


def test_a_key_may_have_slashes_of_its_own():
    backend = LangMemBackend(Store(item({"content": "Ilse lives in Bruges."}, key="a/b/c")), "memories", "maya")
    assert (backend.get("a/b/c") or PASSAGES[0]).id == "a/b/c"


@pytest.mark.parametrize("namespace", [(), ("memories", "{langgraph_user_id}")])
def test_whose_memories_are_searched_must_be_said(namespace: tuple[str, ...]):
    with pytest.raises(TypeError, match="namespace"):
        LangMemBackend(Store(), *namespace)


# Cognee


CHUNK = {
    "id": "c1",
    "text": "Ilse lives in Bruges.",
    "document_name": "text_1",
    "created_at": 1795356810475,
    "score": 0.25,
    "external_metadata": json.dumps({"at": "2024-09-04T18:00:00+00:00", "speaker": "Ruben", "node_set": ["x"]}),
}


@pytest.mark.parametrize("found", [[CHUNK], [{"search_result": [CHUNK], "dataset_id": "d", "dataset_name": "n"}]])
def test_chunks_of_cognee_are_read_with_and_without_access_control(found: Any):
    (row,) = cognees.chunks_of(found)
    passage = cognees.passage_of_chunk(row)
    assert passage is not None
    assert (passage.id, passage.speaker, passage.at, passage.score) == ("c1", "Ruben", AUTUMN, -0.25)


@pytest.mark.parametrize("about", [None, "", "no json", "[1]", "7", "null"])
def test_when_a_chunk_was_stored_is_not_when_it_was_said(about: Any):
    passage = cognees.passage_of_chunk(CHUNK | {"external_metadata": about})
    assert passage is not None
    assert (passage.at, passage.session) == (None, "text_1")


@pytest.mark.parametrize("found", [None, "an answer", {"search_result": []}])
def test_what_is_no_result_of_cognee_is_an_error(found: Any):
    with pytest.raises(BackendError, match="search"):
        cognees.chunks_of(found)


def test_a_dataset_that_failed_is_a_failure_and_answers_are_no_chunks():
    with pytest.raises(RuntimeError, match="locked"):
        cognees.chunks_of([{"search_result": None, "dataset_name": "n", "error": "locked"}])
    assert cognees.chunks_of(["An answer in words.", {"search_result": ["An answer."]}]) == []


# All


@pytest.mark.parametrize(
    ("extra", "install"), [("cognee", "'cognee>="), ("a-mem", "'a-mem>="), ("zep", r"'goalmem\[zep\]'")]
)
def test_what_is_missing_is_named_as_it_is_installed(extra: str, install: str):
    with pytest.raises(BackendError, match=f"pip install {install}"):
        package("goalmem_no_such_package", extra)


def of_package(name: str, **methods: Any) -> Any:
    """An object whose class is of that package."""
    kind = type("Theirs", (), {"search": lambda self, query, k: []} | methods)
    kind.__module__ = f"{name}.inside"
    return kind()


@pytest.mark.parametrize("name", ["graphiti_core", "langgraph", "letta_client", "mem0", "zep_cloud"])
def test_of_what_holds_memories_of_many_must_be_said_whose(name: str):
    with pytest.raises(BackendError, match="memories of many") as raised:
        open_backend(of_package(name))
    assert "Backend(" in raised.value.remedy


@pytest.mark.parametrize(
    ("name", "method", "adapter"),
    [("agentic_memory", "search_agentic", AMemBackend), ("hipporag", "retrieve", HippoRAGBackend)],
)
def test_what_holds_one_memory_is_recognised(name: str, method: str, adapter: type):
    assert isinstance(open_backend(of_package(name, **{method: lambda self: None})), adapter)


@pytest.mark.parametrize("passage", [PASSAGES[0], replace(PASSAGES[0], at=None), Passage("Hello.", at=SPRING)])
def test_what_is_written_down_is_read_with_its_speaker_and_time(passage: Passage, over: Over):
    backend = SimpleNamespace(search=lambda query, k: [Passage(transcript_line(passage), "x")])
    (hit,) = over(backend).search("beagle")
    assert hit.turn.text == passage.text
    assert hit.turn.speaker == (passage.speaker or "user")
    assert hit.turn.dated is (passage.at is not None)
    assert passage.at is None or hit.turn.at == passage.at
