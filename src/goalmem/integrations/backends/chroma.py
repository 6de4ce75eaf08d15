"""A Chroma collection as a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from goalmem.integrations.backends.passages import metadata_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Passage
from goalmem.models.protocol import Embedder, queries_of

__all__ = ["ChromaBackend"]


class Collection(Protocol):
    """The part of `chromadb.Collection` that is used."""

    def query(self, **arguments: Any) -> Mapping[str, Any]:
        """The nearest documents, for each query a list."""

    def get(self, **arguments: Any) -> Mapping[str, Any]:
        """Documents by id."""

    def upsert(self, **arguments: Any) -> None:
        """Add documents, or replace those with the same id."""


class ChromaBackend:
    """A collection; `speaker`, `at` and `session` in a document's metadata say who, when and where.

    The collection's own embedding function is used, unless an embedder is given: `goalmem.models.minilm.MiniLM()` works offline.
    """

    def __init__(
        self, collection: Collection, *, embedder: Embedder | None = None, where: Mapping[str, Any] | None = None
    ) -> None:
        """`where`: Chroma's filter, for a collection in which several users' documents lie."""
        self._collection = collection
        self._embedder = embedder
        self._where = {"where": dict(where)} if where else {}

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Nearest first."""
        if self._embedder is None:
            asked: dict[str, Any] = {"query_texts": [query]}
        else:
            asked = {"query_embeddings": queries_of(self._embedder)([query])}
        found = self._collection.query(
            n_results=k, include=["documents", "metadatas", "distances"], **asked, **self._where
        )
        rows = zip(*((found[name] or [[]])[0] for name in ("ids", "documents", "metadatas", "distances")), strict=True)
        passages = (stored_passage(text, key, metadata, -distance) for key, text, metadata, distance in rows)
        return [p for p in passages if p is not None]

    def get(self, id: str) -> Passage | None:
        """The current document."""
        found = self._collection.get(ids=[id], include=["documents", "metadatas"], **self._where)
        if not found["ids"]:
            return None
        return stored_passage((found["documents"] or [None])[0], id, (found["metadatas"] or [None])[0])

    def add(self, passages: Sequence[Passage]) -> None:
        """Add documents under their ids. A filter of single values (`{"user": "maya"}`) becomes part of their metadata."""
        texts = [speaker_text(p) for p in passages]
        vectors = {"embeddings": self._embedder.embed(texts)} if self._embedder is not None else {}
        owner = {k: v for k, v in self._where.get("where", {}).items() if isinstance(v, str | int | float | bool)}
        self._collection.upsert(
            ids=[p.id for p in passages],
            documents=texts,
            metadatas=[metadata_of(p) | owner for p in passages],
            **vectors,
        )
