"""Every adapter, over the system itself where its package is installed: what it finds, looks up, takes and proves."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalmem import BackendError, InputError, Memory, NotFoundError, Turn
from goalmem.integrations.backends import Backend, Passage, open_backend
from goalmem.integrations.backends.bm25 import BM25Backend
from goalmem.integrations.backends.chroma import ChromaBackend
from goalmem.integrations.backends.langchain import LangChainBackend
from goalmem.integrations.backends.llama_index import LlamaIndexBackend
from goalmem.integrations.backends.mem0 import Mem0Backend
from goalmem.integrations.backends.own import MemoryBackend
from goalmem.integrations.backends.protocol import adding_of, lookup_of, package
from goalmem.language import Analyzer
from goalmem.models.minilm import MiniLM
from goalmem.settings import Settings
from goalmem_lab.evals.backends import NAMES, make_backend
from goalmem_lab.evals.backends_offline import chroma_collection, langchain_store, llama_index_embedding, mem0_memory
from tests.integrations.backends.conftest import ASKED, PASSAGES, Over

# What the packages of others warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

PACKAGES = {
    "a-mem": ("chromadb", "agentic_memory.memory_system"),
    "bm25s": ("bm25s",),
    "chroma": ("chromadb",),
    "cognee": ("cognee",),
    "graphiti": ("graphiti_core", "kuzu"),
    "langchain": ("langchain_core",),
    "langmem": ("langgraph.store.memory",),
    "lightrag": ("lightrag.lightrag",),
    "llama-index": ("llama_index.core",),
    "mem0": ("mem0", "qdrant_client", "fastembed", "bm25s"),
    "mempalace": ("mempalace",),
}
TURNS = [
    Turn(p.id or "", "default", "chat", n, p.speaker, "user", p.text, p.at or ASKED) for n, p in enumerate(PASSAGES)
]


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These systems keep files in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))


def needed(name: str) -> None:
    """Skip where a system is not installed."""
    for module in PACKAGES.get(name, ()):
        pytest.importorskip(module)


@pytest.fixture(params=NAMES)
def made(request: pytest.FixtureRequest, embedder: MiniLM) -> tuple[str, Backend]:
    """Every system, with the conversation in it."""
    needed(request.param)
    return request.param, make_backend(request.param, TURNS, embedder)


@pytest.fixture
def patient(analyzer: Analyzer, embedder: MiniLM) -> Over:
    """Memories that give a question a minute: on a busy machine some systems need more than the five seconds that are usual."""
    return lambda backend: Memory(
        backend=backend, analyzer=analyzer, embedder=embedder, settings=Settings(ask_seconds=60)
    )


def test_goal_mem_works_over_every_system(made: tuple[str, Backend], patient: Over):
    name, backend = made
    memory = patient(backend)
    hits = memory.search("Who likes olives?", k=3)
    assert {"row-3", "row-4"} & {hit.turn.external_id for hit in hits}
    for question, answer in {
        "Where does Ilse live?": "Bruges",
        "What does Ruben's sister own?": "boat",
        "Does Nadia like olives?": "No",
        "When did Nadia adopt a beagle?": "3 May 2024",
    }.items():
        found = memory.ask(question, at=ASKED)
        assert answer in found.text, (name, question)
        assert memory.verify(found.proof.to_json()).ok
        if lookup_of(backend) is not None:
            assert {memory.turn(cited).speaker for cited in found.citations} <= {"Nadia", "Ruben"}
    # What is added again is there once.
    adding = adding_of(backend)
    assert adding is not None
    adding([replace(PASSAGES[0], session="chat")])
    held = [hit for hit in memory.search("I adopted a beagle last Friday.", k=10) if "beagle" in hit.turn.text]
    assert len({hit.turn.id for hit in held}) == 1
    if lookup_of(backend) is not None:
        with pytest.raises(NotFoundError):
            memory.turn("row-99")


def test_an_unknown_system_is_named(embedder: MiniLM):
    with pytest.raises(InputError, match="bm25s"):
        make_backend("redis", [], embedder)


def test_a_missing_package_names_its_extra():
    with pytest.raises(BackendError, match=r"goalmem\[mempalace\]"):
        package("goalmem_no_such_package", "mempalace")


def test_an_empty_system_answers_nothing(embedder: MiniLM, over: Over):
    assert not over(make_backend("function", [], embedder)).ask("Where does Ilse live?", at=ASKED).known


def recognised(name: str, embedder: MiniLM) -> Any:
    """What a user of a system has at hand."""
    needed(name)
    if name == "chroma":
        return chroma_collection()
    store = langchain_store(embedder) if name == "langchain" else None
    if store is not None:
        return store.as_retriever()
    index = importlib.import_module("llama_index.core").VectorStoreIndex
    return index([], embed_model=llama_index_embedding(embedder))


@pytest.mark.parametrize(
    ("name", "adapter"),
    [("chroma", ChromaBackend), ("langchain", LangChainBackend), ("llama-index", LlamaIndexBackend)],
)
def test_what_a_user_has_at_hand_is_recognised(name: str, adapter: type, embedder: MiniLM):
    assert isinstance(open_backend(recognised(name, embedder)), adapter)


def test_of_a_mem0_memory_must_be_said_whose(embedder: MiniLM):
    needed("mem0")
    with pytest.raises(BackendError, match="Mem0Backend"):
        open_backend(mem0_memory(embedder))


def test_memories_of_others_are_not_looked_up():
    class OfTom:
        def get(self, id: str) -> dict[str, Any]:
            return {"id": id, "memory": "I live in Ghent.", "user_id": "tom"}

    assert Mem0Backend(OfTom(), user_id="tom").get("a")
    assert Mem0Backend(OfTom(), user_id="maya").get("a") is None
    with pytest.raises(TypeError, match="whose"):
        Mem0Backend(OfTom())


def test_documents_of_others_are_not_found_in_chroma(embedder: MiniLM):
    needed("chroma")
    collection = chroma_collection()
    backends = {name: ChromaBackend(collection, embedder=embedder, where={"user": name}) for name in ("maya", "tom")}
    for name, backend in backends.items():
        backend.add([Passage(f"I am {name}.", f"{name}-1", name)])
    assert [p.id for p in backends["maya"].search("Who am I?", 9)] == ["maya-1"]
    assert backends["maya"].get("tom-1") is None


def test_a_langchain_retriever_of_any_kind_will_do(over: Over):
    needed("langchain")
    retrievers = importlib.import_module("langchain_core.retrievers")
    document = importlib.import_module("langchain_core.documents").Document

    class Noted(retrievers.BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            return [document(page_content=p.text, metadata={"speaker": p.speaker, "date": p.at}) for p in PASSAGES]

    memory = over(Noted())
    answer = memory.ask("Where does Ilse live?", at=ASKED)
    assert "Bruges" in answer.text
    assert memory.verify(answer).ok


def test_a_llama_index_retriever_of_any_kind_will_do(over: Over):
    needed("llama-index")
    base = importlib.import_module("llama_index.core.retrievers").BaseRetriever
    schema = importlib.import_module("llama_index.core.schema")

    class Noted(base):
        def _retrieve(self, query_bundle: Any) -> list[Any]:
            nodes = [schema.TextNode(id_=p.id, text=f"{p.speaker}: {p.text}", metadata={"at": p.at}) for p in PASSAGES]
            return [schema.NodeWithScore(node=node, score=0.5) for node in nodes]

    memory = over(Noted())
    answer = memory.ask("Where does Ilse live?", at=ASKED)
    assert "Bruges" in answer.text
    assert memory.verify(answer).ok


def test_bm25_takes_texts_and_finds_nothing_for_words_that_nobody_said():
    needed("bm25s")
    backend = BM25Backend(["Maya adopted a beagle.", Passage("Tom has a boat.", "b")])
    assert [p.text for p in backend.search("beagle", 5)] == ["Maya adopted a beagle."]
    assert backend.search("zeppelin", 5) == []
    assert backend.search("the", 5) == []
    assert BM25Backend().search("beagle", 5) == []
    assert BM25Backend(["the"]).search("beagle", 5) == []


@pytest.mark.parametrize("given", [7, None, {"id": "a"}])
def test_bm25_refuses_what_is_no_passage(given: Any):
    needed("bm25s")
    with pytest.raises(InputError, match="not a passage"):
        BM25Backend([given])


def test_our_own_memory_is_a_backend_like_any_other(over: Over, analyzer, embedder: MiniLM):
    with Memory(analyzer=analyzer, embedder=embedder) as ours:
        for p in PASSAGES:
            ours.add(
                [{"role": "user", "name": p.speaker, "content": p.text}], at=p.at, space="friends", session=p.id or ""
            )
        memory = over(MemoryBackend(ours, space="friends"))
        answer = memory.ask("Where does Ilse live?", at=ASKED)
        assert "Bruges" in answer.text
        assert memory.verify(answer).ok
        ours.forget(space="friends", turn=answer.citations[0])
        assert not memory.verify(answer).ok
