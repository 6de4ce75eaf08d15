"""Components in Haystack pipelines, written as YAML and read again. Its telemetry is off before it is imported."""

import asyncio
import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack")

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers import MultiQueryTextRetriever
from haystack.core.errors import DeserializationError, SerializationError
from haystack.dataclasses import ChatMessage
from haystack.errors import FilterError
from haystack.utils import Secret
from haystack.utils.filters import document_matches_filter
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem import AsyncMemory, InputError, Memory
from goalmem.integrations.frameworks.haystack import MemoryAnswerer, MemoryContextBuilder, MemoryRetriever, MemoryWriter
from goalmem.language import Analyzer

CHAT = [
    {"role": "user", "name": "Nadia", "content": "I adopted a beagle.", "at": "2024-04-16T10:00:00"},
    {"role": "user", "name": "Ivo", "content": "My sister Lucia lives in Tarnholm.", "at": "2024-04-17T10:00:00"},
    {"role": "assistant", "content": "Is the beagle well?", "at": "2024-04-18T10:00:00"},
    {"role": "user", "name": "Nadia", "content": "The beagle sleeps all day.", "at": "2024-04-19T10:00:00"},
]
YAML = ["goalmem.*"]


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add(CHAT[:2], space="pets", session="one")
        memory.add(CHAT[2:], space="pets", session="two")
        yield memory


@pytest.fixture
def retriever(memory: Memory) -> Any:
    return MemoryRetriever(memory, space="pets")


def contents(found: dict[str, list[Document]]) -> set[str]:
    return {str(document.content) for document in found["documents"]}


def test_documents_are_turns_best_first(memory: Memory, retriever: Any):
    (best,) = retriever.run("Where does Lucia live?", top_k=1)["documents"]
    assert best.content == CHAT[1]["content"]
    assert memory.turn(best.id, space="pets").text == best.content
    assert best.meta == {
        "session": "one", "speaker": "Ivo", "role": "user", "position": 1, "at": "2024-04-17T10:00:00+00:00",
    }  # fmt: skip
    scores = [document.score for document in retriever.run("beagle")["documents"]]
    assert scores == sorted(scores, reverse=True)
    assert json.loads(json.dumps(best.to_dict()))


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"field": "meta.speaker", "operator": "==", "value": "Nadia"}, {0, 3}),
        ({"field": "meta.session", "operator": "in", "value": ["two"]}, {2, 3}),
        ({"field": "meta.role", "operator": "!=", "value": "user"}, {2}),
        ({"field": "meta.at", "operator": ">", "value": "2024-04-17T10:00:00+00:00"}, {2, 3}),
        ({"field": "meta.at", "operator": "<=", "value": "2024-04-17T10:00:00+00:00"}, {0, 1}),
        (
            {
                "operator": "AND",
                "conditions": [
                    {"field": "meta.speaker", "operator": "==", "value": "Nadia"},
                    {"field": "meta.at", "operator": ">=", "value": "2024-04-18"},
                ],
            },
            {3},
        ),
        (
            {
                "operator": "OR",
                "conditions": [
                    {"field": "meta.speaker", "operator": "==", "value": "Ivo"},
                    {"field": "meta.position", "operator": "==", "value": 0},
                ],
            },
            {0, 1, 2},
        ),
        (
            {"operator": "NOT", "conditions": [{"field": "meta.speaker", "operator": "==", "value": "Nadia"}]},
            {1, 2},
        ),
    ],
)
def test_filters_are_haystacks(retriever: Any, filters: dict[str, Any], wanted: set[int]):
    assert contents(retriever.run("beagle", filters=filters)) == {CHAT[n]["content"] for n in wanted}
    assert len(retriever.run("beagle", filters=filters, top_k=1)["documents"]) == 1


conditions = st.one_of(
    st.builds(
        lambda field, operator, value: {"field": field, "operator": operator, "value": value},
        st.sampled_from(["meta.speaker", "meta.session", "meta.role"]),
        st.sampled_from(["==", "!="]),
        st.sampled_from(["Nadia", "Ivo", "one", "two", "user", "assistant", "nobody"]),
    ),
    st.builds(
        lambda operator, day: {"field": "meta.at", "operator": operator, "value": f"2024-04-{day}T10:00:00+00:00"},
        st.sampled_from(["<", "<=", ">", ">=", "=="]),
        st.integers(15, 20),
    ),
)
trees = st.recursive(
    conditions,
    lambda inner: st.builds(
        lambda operator, several: {"operator": operator, "conditions": several},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=5,
)


@settings(max_examples=60)
@given(trees)
def test_whatever_the_filter_what_passes_it_is_found(memory: Memory, filters: dict[str, Any]):
    retriever = MemoryRetriever(memory, space="pets")
    everything = retriever.run("beagle", top_k=9)["documents"]
    passing = [d.content for d in everything if document_matches_filter(filters, d)]
    assert [d.content for d in retriever.run("beagle", filters=filters, top_k=9)["documents"]] == passing
    assert len(retriever.run("beagle", filters=filters, top_k=1)["documents"]) == min(1, len(passing))


def test_filters_of_a_run_replace_or_narrow_those_of_the_component(memory: Memory):
    mine = {"field": "meta.speaker", "operator": "==", "value": "Nadia"}
    late = {"field": "meta.at", "operator": ">=", "value": "2024-04-18T00:00:00+00:00"}
    for policy, wanted in (("replace", {2, 3}), ("merge", {3})):
        retriever = MemoryRetriever(memory, space="pets", filters=mine, filter_policy=policy)
        assert contents(retriever.run("beagle")) == {CHAT[0]["content"], CHAT[3]["content"]}
        assert contents(retriever.run("beagle", filters=late)) == {CHAT[n]["content"] for n in wanted}


def test_bad_input_is_refused(memory: Memory, retriever: Any):
    assert retriever.run("beagle", top_k=0) == {"documents": []}
    for refused in (lambda: retriever.run("beagle", top_k=-1), lambda: MemoryRetriever(memory, top_k=-1)):
        with pytest.raises(InputError, match="top_k"):
            refused()
    with pytest.raises(InputError):
        retriever.run("  ")
    with pytest.raises(FilterError):
        retriever.run("beagle", filters={"field": "meta.speaker", "operator": "resembles", "value": "Ivo"})
    for none in (Document(content="none"), AsyncMemory()):
        with pytest.raises(InputError, match="not a memory"):
            MemoryRetriever(none)


def test_spaces_are_apart_and_a_run_may_name_another(retriever: Any):
    assert retriever.run("beagle", space="other") == {"documents": []}
    assert retriever.run("beagle")["documents"]


def test_messages_are_written_once(memory: Memory):
    writer = MemoryWriter(memory, space="written", session="chat")
    messages = [
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("I live in Oslo.", name="Ada", meta={"at": "2024-05-01", "id": "m1"}),
        ChatMessage.from_assistant("A fine town.", meta={"at": "2024-05-01"}),
    ]
    first = writer.run(messages)
    assert first["messages_written"] == 2
    assert writer.run(messages) == {"messages_written": 0, "turns": first["turns"]}
    assert writer.run([ChatMessage.from_system("Be brief.")]) == {"messages_written": 0, "turns": []}
    assert memory.ask("Where does Ada live?", space="written").text == "Oslo"
    assert writer.run(messages, session="other", space="elsewhere")["messages_written"] == 2
    with pytest.raises(InputError):
        writer.run([ChatMessage.from_user("Hello", meta={"at": "soon"})])


def test_answers_come_with_a_proof_that_can_be_checked_or_with_what_is_missing(memory: Memory):
    answerer = MemoryAnswerer(memory, space="pets")
    (answer,) = answerer.run("Where does Lucia live?")["answers"]
    assert (answer.data, answer.meta["status"]) == ("Tarnholm", "proved")
    assert [d.meta["speaker"] for d in answer.documents] == ["Ivo"]
    assert memory.verify(answer.meta["proof"]).ok
    unknown = answerer.run("Where does Zelda work?")
    assert unknown["answers"] == []
    assert unknown["missing"]


def test_every_component_runs_async(memory: Memory):
    async def work() -> None:
        for component in (MemoryRetriever, MemoryContextBuilder, MemoryAnswerer):
            made = component(memory, space="pets")
            said, expected = await made.run_async("Where does Lucia live?"), made.run("Where does Lucia live?")
            assert {*said} == {*expected}
        writer = MemoryWriter(memory, space="async")
        assert (await writer.run_async([ChatMessage.from_user("Hello there.")]))["messages_written"] == 1

    asyncio.run(work())


def test_haystacks_own_components_take_the_retriever(retriever: Any):
    several = MultiQueryTextRetriever(retriever=retriever)
    assert CHAT[1]["content"] in contents(several.run(["Lucia", "Tarnholm"]))


def test_a_pipeline_is_written_as_yaml_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PLACE", str(tmp_path / "life.db"))
    place = Secret.from_env_var("PLACE")
    made = Pipeline()
    made.add_component("writer", MemoryWriter(place, space="pets", session="chat"))
    made.add_component("context", MemoryContextBuilder(place, space="pets", max_tokens=300))
    made.add_component(
        "turns", MemoryRetriever(place, space="pets", top_k=2, key=Secret.from_env_var("K", strict=False))
    )
    made.add_component("answers", MemoryAnswerer(place, space="pets"))
    made.add_component("prompt", PromptBuilder("{{ context }}\n{{ documents | length }}", required_variables="*"))
    made.connect("context.context", "prompt.context")
    made.connect("turns.documents", "prompt.documents")
    written = made.dumps()
    assert str(tmp_path) not in written
    with pytest.raises(DeserializationError):
        Pipeline.loads(written)  # the allow-list is the reader's to widen
    pipeline = Pipeline.loads(written, allowed_modules=YAML)
    assert pipeline.dumps() == written
    pipeline.get_component("writer").run([ChatMessage.from_user("I adopted a beagle.", name="Nadia")])
    question = {"query": "What did Nadia adopt?"}
    result = pipeline.run({"context": question, "turns": question, "answers": question, "writer": {"messages": []}})
    assert "beagle" in result["prompt"]["prompt"]
    assert result["prompt"]["prompt"].endswith("\n1")
    assert result["answers"]["answers"][0].data == "beagle"


def test_a_memory_that_is_open_is_not_written(memory: Memory):
    pipeline = Pipeline()
    pipeline.add_component("turns", MemoryRetriever(memory))
    with pytest.raises(SerializationError, match="its place"):
        pipeline.dumps()


def test_who_names_the_same_place_shares_one_memory_until_all_let_go(tmp_path: Path):
    place = str(tmp_path / "life.db")
    first, second = MemoryRetriever(place), MemoryWriter(place)
    first.warm_up()
    second.warm_up()
    shared = first.memory
    assert second.memory is shared
    first.close()
    second.run([ChatMessage.from_user("I adopted a beagle.")])
    assert first.run("beagle")["documents"]  # opened again, where it was closed
    assert first.memory is shared
    first.close()
    second.close()
    gc.collect()
    with pytest.raises(Exception, match="closed"):
        shared.search("beagle")


def test_a_server_is_named_by_its_address(memory: Memory):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    pytest.importorskip("httpx2")
    from goalmem.serve.testing import served

    with served(memory) as url:
        retriever = MemoryRetriever(url, space="pets", top_k=1)
        assert contents(retriever.run("Lucia")) == {CHAT[1]["content"]}
        assert retriever.to_dict()["init_parameters"]["memory"] == url
        retriever.close()
