"""Backends by name, each filled with given turns: what evaluation measures Goal-Mem on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence

import numpy as np

from goalmem.errors import InputError
from goalmem.integrations.backends.a_mem import AMemBackend
from goalmem.integrations.backends.bm25 import BM25Backend
from goalmem.integrations.backends.chroma import ChromaBackend
from goalmem.integrations.backends.cognee import CogneeBackend
from goalmem.integrations.backends.graphiti import GraphitiBackend
from goalmem.integrations.backends.langchain import LangChainBackend
from goalmem.integrations.backends.langmem import LangMemBackend
from goalmem.integrations.backends.lightrag import LightRAGBackend
from goalmem.integrations.backends.llama_index import LlamaIndexBackend
from goalmem.integrations.backends.mem0 import Mem0Backend
from goalmem.integrations.backends.mempalace import MemPalaceBackend
from goalmem.integrations.backends.own import MemoryBackend, passage_of_turn
from goalmem.integrations.backends.passages import speaker_text
from goalmem.integrations.backends.protocol import Backend, Passage, adding_of, package
from goalmem.integrations.backends.recognition import CallableBackend
from goalmem.memory import Memory
from goalmem.models.protocol import Embedder, queries_of
from goalmem.records import Turn
from goalmem_lab.evals.backends_offline import (
    a_mem_system,
    chroma_collection,
    embed_palaces_with,
    langchain_store,
    langgraph_store,
    llama_index_embedding,
    mem0_memory,
)
from goalmem_lab.evals.backends_offline_graphs import cognee_dataset, graphiti_config, graphiti_graph, lightrag_index


def make_backend(name: str, turns: Sequence[Turn], embedder: Embedder) -> Backend:
    """A fresh instance of a system, in memory where it can be, that holds these turns. No network is used.

    `embedder` makes the vectors of those that search by vectors. Raises InputError for an unknown name, and BackendError that
    names the extra when the system's package is not installed.
    """
    if name not in _MAKERS:
        raise InputError(f"There is no backend {name!r}.", f"Choose one of {', '.join(NAMES)}.")
    backend = _MAKERS[name](embedder)
    adding = adding_of(backend)
    if adding is not None and turns:
        adding([passage_of_turn(turn) for turn in turns])
    return backend


def _function(embedder: Embedder) -> Backend:
    """The plainest search by vectors, as a function."""
    held: list[Passage] = []
    vectors = np.zeros((0, embedder.dimension), dtype=np.float32)
    asked = queries_of(embedder)

    def add(passages: Sequence[Passage]) -> None:
        nonlocal vectors
        held.extend(passages)
        vectors = np.concatenate([vectors, embedder.embed([speaker_text(p) for p in passages])])

    def search(query: str, k: int) -> list[Passage]:
        closeness = vectors @ asked([query])[0]
        return [held[place] for place in np.argsort(-closeness, kind="stable")[:k].tolist()]

    return CallableBackend(search, add=add)


def _llama_index(embedder: Embedder) -> Backend:
    core = package("llama_index.core", "llama-index")
    return LlamaIndexBackend(core.VectorStoreIndex([], embed_model=llama_index_embedding(embedder)))


def _mempalace(embedder: Embedder) -> Backend:
    backend = MemPalaceBackend(tempfile.mkdtemp(prefix="goalmem-palace-"))
    embed_palaces_with(embedder)
    return backend


_MAKERS: dict[str, Callable[[Embedder], Backend]] = {
    "goalmem": lambda embedder: MemoryBackend(Memory(embedder=embedder)),
    "function": _function,
    "bm25s": lambda _: BM25Backend(),
    "chroma": lambda embedder: ChromaBackend(chroma_collection(), embedder=embedder),
    "langchain": lambda embedder: LangChainBackend(langchain_store(embedder)),
    "llama-index": _llama_index,
    "mem0": lambda embedder: Mem0Backend(mem0_memory(embedder), user_id="goalmem"),
    "mempalace": _mempalace,
    "a-mem": lambda embedder: AMemBackend(a_mem_system(embedder)),
    # Only its first import may be told where to keep things: the dataset is named before the adapter imports it.
    "cognee": lambda embedder: CogneeBackend(cognee_dataset(embedder)),
    "graphiti": lambda embedder: GraphitiBackend(graphiti_graph(embedder), config=graphiti_config()),
    "langmem": lambda embedder: LangMemBackend(langgraph_store(embedder), "memories", "goalmem"),
    # Without a model to find keywords, LightRAG searches its chunks alone.
    "lightrag": lambda embedder: LightRAGBackend(lightrag_index(embedder), mode="naive"),
}
NAMES = tuple(_MAKERS)
"""Every name that `make_backend` knows."""
