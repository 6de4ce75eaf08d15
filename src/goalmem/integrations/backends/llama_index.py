"""A LlamaIndex index or retriever as a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalmem.integrations.backends.passages import metadata_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Adding, Lookup, Passage, package

__all__ = ["LlamaIndexBackend"]


class LlamaIndexBackend:
    """An index or a retriever; `speaker`, `at` and `session` in a node's metadata say who, when and where.

    An index is asked for as many nodes as are wanted, looks them up again, and takes new ones; a retriever returns as many as it
    is set to (`index.as_retriever(similarity_top_k=40)`).
    """

    def __init__(self, searched: Any) -> None:
        """`searched`: a `VectorStoreIndex`, or any `BaseRetriever`."""
        index = hasattr(searched, "as_retriever")
        self._index: Any = searched if index else None
        self._retriever: Any = None if index else searched
        self.get: Lookup | None = self._by_id if index else None
        self.add: Adding | None = self._add if index else None

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As the retriever ranks them."""
        # A retriever of an index knows only the nodes that were there when it was made.
        retriever = self._retriever or self._index.as_retriever(similarity_top_k=k)
        found = retriever.retrieve(query)[:k]
        return [p for scored in found if (p := passage_of_node(scored.node, scored.score)) is not None]

    def _by_id(self, id: str, /) -> Passage | None:
        node = self._index.docstore.get_node(id, raise_error=False)
        return passage_of_node(node, None) if node is not None else None

    def _add(self, passages: Sequence[Passage], /) -> None:
        node = package("llama_index.core.schema", "llama-index").TextNode
        new = [p for p in passages if not (p.id and self._index.docstore.document_exists(p.id))]
        self._index.insert_nodes([node(id_=p.id, text=speaker_text(p), metadata=metadata_of(p)) for p in new])


def passage_of_node(node: Any, score: float | None) -> Passage | None:
    """A node with text; None for one without."""
    return stored_passage(getattr(node, "text", None), node.node_id, node.metadata, score)
