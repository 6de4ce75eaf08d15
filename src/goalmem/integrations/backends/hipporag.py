"""A HippoRAG index as a backend."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Any

from goalmem.errors import BackendError
from goalmem.integrations.backends.passages import stored_passage, transcript_line
from goalmem.integrations.backends.protocol import Passage

__all__ = ["HippoRAGBackend"]

PREFIX = "chunk-"
"""In front of the hash of a document's text, in HippoRAG's own ids (`hipporag.utils.misc_utils.compute_mdhash_id`)."""


class HippoRAGBackend:
    """A `hipporag.HippoRAG` (2.0): the documents that `retrieve` ranks, word for word, under HippoRAG's ids.

    A document has no date but those in its text: a transcript (`[2024-05-08 18:00] Maya: …`) is read as one.
    """

    def __init__(self, hipporag: Any) -> None:
        """Calls are made one after the other: HippoRAG is not for several threads."""
        self._hipporag = hipporag
        self._lock = threading.Lock()

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As HippoRAG ranks them. Raises BackendError where `retrieve` returns no solution of the question."""
        with self._lock:
            found = self._hipporag.retrieve(queries=[query], num_to_retrieve=k)
        # With `do_eval_retrieval` set and gold documents given, figures come along.
        solutions = found[0] if isinstance(found, tuple) and found else found
        if not isinstance(solutions, Sequence) or not solutions or not hasattr(solutions[0], "docs"):
            raise BackendError(
                f"HippoRAG's `retrieve` returned {type(found).__name__} without a solution that has `docs`.",
                "Pass a hipporag.HippoRAG of a version that docs/backends.md names.",
            )
        documents = list(solutions[0].docs or [])
        given = solutions[0].doc_scores
        scores = [0.0] * len(documents) if given is None else [float(score) for score in given]
        passages = (passage_of_document(text, score) for text, score in zip(documents, scores, strict=False))
        return [p for p in passages if p is not None]

    def get(self, id: str) -> Passage | None:
        """The document of an id, as long as HippoRAG holds it."""
        with self._lock:
            row = self._hipporag.chunk_embedding_store.get_all_id_to_rows().get(id)
        return passage_of_document(row["content"]) if row else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Index each as a document of its own with its speaker and time in front. HippoRAG asks its model about each."""
        with self._lock:
            self._hipporag.index(docs=[transcript_line(p) for p in passages])


def passage_of_document(text: object, score: float = 0.0) -> Passage | None:
    """A document with HippoRAG's id; None if it is not text."""
    if not isinstance(text, str):
        return None
    # Not for secrecy: HippoRAG names documents so.
    name = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return stored_passage(text, PREFIX + name, {}, score)
