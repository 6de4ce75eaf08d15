"""Memory systems over a graph set up to run on one machine, with goalmem's own vectors, no language model, and nothing fetched."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from goalmem.integrations.backends.protocol import package
from goalmem.models.protocol import Embedder
from goalmem_lab.evals.backends_offline import SILENT, Vectors

NEAREST = 0.0
"""Least cosine of what vectors find. Systems that set a bound (Graphiti .6, LightRAG .2) chose it for other models than MiniLM,
in which a question and the words that answer it often are at .2 or .3."""


def graphiti_graph(embedder: Embedder) -> Any:
    """An empty Graphiti graph in memory (Kuzu), with vectors of ours and no language model."""
    os.environ.update(SILENT)
    clients = {
        "embedder": _embedder_client(embedder),
        "llm_client": _speechless("graphiti_core.llm_client.client", "LLMClient", "_generate_response"),
        "cross_encoder": _speechless("graphiti_core.cross_encoder.client", "CrossEncoderClient", "rank"),
    }
    with warnings.catch_warnings():
        # Graphiti will give up Kuzu one day; of its drivers, it is the one that needs no server.
        warnings.simplefilter("ignore", DeprecationWarning)
        driver = package("graphiti_core.driver.kuzu_driver", "graphiti").KuzuDriver()
    # What `Graphiti.build_indices_and_constraints` leaves out for Kuzu, and its search needs.
    queries = package("graphiti_core.graph_queries", "graphiti").get_fulltext_indices(driver.provider)
    connection = package("kuzu", "graphiti").Connection(driver.db)
    for query in queries:
        connection.execute(query)
    connection.close()
    return package("graphiti_core", "graphiti").Graphiti(graph_driver=driver, **clients)


def graphiti_config() -> Any:
    """Graphiti's own hybrid search over facts, with no bound on how near a vector must be."""
    config = package("graphiti_core.search.search_config_recipes", "graphiti").EDGE_HYBRID_SEARCH_RRF
    config = config.model_copy(deep=True)
    config.edge_config.sim_min_score = NEAREST
    return config


def _embedder_client(embedder: Embedder) -> Any:
    """An embedder as Graphiti wants one: its classes check the type."""
    vectors = Vectors(embedder)

    async def create(self: Any, input_data: Any) -> list[float]:
        del self
        return vectors.embed_query(input_data if isinstance(input_data, str) else input_data[0])

    async def create_batch(self: Any, input_data_list: list[str]) -> list[list[float]]:
        del self
        return vectors.embed_documents(input_data_list)

    base = package("graphiti_core.embedder.client", "graphiti").EmbedderClient
    return type("GoalmemEmbedder", (base,), {"create": create, "create_batch": create_batch})()


def _speechless(module: str, base: str, method: str) -> Any:
    """A client of Graphiti's whose model is never asked: without one, Graphiti makes a client of OpenAI's."""

    async def refuse(self: Any, *given: Any, **options: Any) -> Any:
        raise RuntimeError("There is no model: messages are added word for word.")

    kind = type(
        "NoModel", (getattr(package(module, "graphiti"), base),), {method: refuse, "__init__": lambda self: None}
    )
    return kind()


def lightrag_index(embedder: Embedder) -> Any:
    """An empty LightRAG index in a temporary folder, with vectors of ours and no language model."""
    os.environ.update(SILENT)
    utilities = package("lightrag.utils", "lightrag")
    vectors = Vectors(embedder)

    async def embed(texts: list[str], **options: Any) -> Any:
        del options
        return np.asarray(vectors.embed_documents(texts), dtype=np.float32)

    async def refuse(*given: Any, **options: Any) -> Any:
        raise RuntimeError("There is no model: messages are added word for word.")

    return package("lightrag", "lightrag").LightRAG(
        working_dir=tempfile.mkdtemp(prefix="goalmem-lightrag-"),
        llm_model_func=refuse,
        embedding_func=utilities.EmbeddingFunc(embedding_dim=embedder.dimension, func=embed),
        # Its own tokenizer would be fetched.
        tokenizer=utilities.Tokenizer("bytes", _Bytes()),
        vector_db_storage_cls_kwargs={"cosine_better_than_threshold": NEAREST},
    )


class _Bytes:
    """A tokenizer that counts bytes."""

    def encode(self, content: str) -> list[int]:
        return list(content.encode())

    def decode(self, tokens: list[int]) -> str:
        return bytes(tokens).decode(errors="ignore")


def cognee_dataset(embedder: Embedder) -> str:
    """The name of a new dataset. Cognee is set up once a process: in a temporary folder, with vectors of ours and no model."""
    folder = Path(tempfile.mkdtemp(prefix="goalmem-cognee-"))
    own = {
        "COGNEE_LOGS_DIR": str(folder / "logs"),
        "DATA_ROOT_DIRECTORY": str(folder / "data"),
        "EMBEDDING_DIMENSIONS": str(embedder.dimension),
        "EMBEDDING_MODEL": "goalmem",
        "EMBEDDING_PROVIDER": "fastembed",
        "LLM_API_KEY": "not-used",
        "LOG_LEVEL": "ERROR",
        "SYSTEM_ROOT_DIRECTORY": str(folder / "system"),
        "TELEMETRY_DISABLED": "1",
    }
    if "cognee" not in sys.modules:
        os.environ.update(SILENT | own)
    engines = package("cognee.infrastructure.databases.vector.embeddings.get_embedding_engine", "cognee")
    engine = _CogneeEngine(embedder)
    engines.create_embedding_engine = lambda *given, **options: engine
    return f"goalmem-{uuid4()}"


class _CogneeEngine:
    """An embedder as Cognee wants one."""

    max_completion_tokens = 512

    def __init__(self, embedder: Embedder) -> None:
        self._vectors = Vectors(embedder)
        self.model = embedder.name
        self.dimensions = embedder.dimension
        self.tokenizer = _Words()

    async def embed_text(self, text: list[str]) -> Any:
        result = package("cognee.infrastructure.databases.vector.embeddings.EmbeddingEngine", "cognee").EmbeddingResult
        return result(self._vectors.embed_documents(text), tokens=0)

    def get_vector_size(self) -> int:
        return self.dimensions

    def get_batch_size(self) -> int:
        return 64

    async def input_limit(self) -> int:
        return self.max_completion_tokens


class _Words:
    """A tokenizer that counts words."""

    def extract_tokens(self, text: str) -> list[str]:
        return text.split()

    def count_tokens(self, text: str) -> int:
        return len(text.split())
