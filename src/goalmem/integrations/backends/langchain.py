"""A LangChain retriever as a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalmem.integrations.backends.passages import metadata_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Adding, Lookup, Passage, package

__all__ = ["LangChainBackend"]


class LangChainBackend:
    """A `BaseRetriever` or `VectorStore`; `speaker`, `at` and `session` in a document's metadata say who, when and where.

    A retriever over a vector store is asked for as many documents as are wanted, and finds them again by their ids; any other
    returns what it is set to return.
    """

    def __init__(self, searched: Any) -> None:
        """`searched`: a vector store, or anything with `invoke(query)` that gives documents."""
        retriever = searched.as_retriever() if hasattr(searched, "as_retriever") else searched
        self._retriever = retriever
        self._counts = hasattr(retriever, "search_kwargs")
        """True if each call can set the number of documents (`VectorStoreRetriever`)."""
        self._store = getattr(retriever, "vectorstore", None)
        self.get: Lookup | None = self._by_id if hasattr(self._store, "get_by_ids") else None
        self.add: Adding | None = self._add if hasattr(retriever, "add_documents") else None

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As the retriever ranks them."""
        found = self._retriever.invoke(query, k=k) if self._counts else self._retriever.invoke(query)
        return [p for document in found if (p := passage_of_document(document)) is not None]

    def _by_id(self, id: str, /) -> Passage | None:
        found = list(self._store.get_by_ids([id])) if self._store is not None else []
        return passage_of_document(found[0]) if found else None

    def _add(self, passages: Sequence[Passage], /) -> None:
        document = package("langchain_core.documents", "langchain").Document
        self._retriever.add_documents(
            [document(id=p.id, page_content=speaker_text(p), metadata=metadata_of(p)) for p in passages]
        )


def passage_of_document(document: Any) -> Passage | None:
    """A LangChain document; None for anything else."""
    metadata = getattr(document, "metadata", None) or {}
    key = getattr(document, "id", None) or metadata.get("id")
    return stored_passage(getattr(document, "page_content", None), key, metadata)
