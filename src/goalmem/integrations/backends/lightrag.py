"""A LightRAG index as a backend."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from goalmem.errors import BackendError
from goalmem.integrations.backends.coroutines import SECONDS, EventLoopThread
from goalmem.integrations.backends.passages import stored_passage, transcript_line
from goalmem.integrations.backends.protocol import TURN, Passage, package

__all__ = ["LightRAGBackend"]


class LightRAGBackend:
    """A `lightrag.LightRAG` whose storages are initialized: the chunks that its search finds, word for word.

    Entities and relations steer the search; what a model wrote about them is no evidence, and not passed on. A chunk has no date
    but those in its text: a transcript (`[2024-05-08 18:00] Maya: …`) is read as one.
    """

    def __init__(
        self,
        rag: Any,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        seconds: float = SECONDS,
        **options: Any,
    ) -> None:
        """`options`: as `QueryParam` takes them, such as `mode="naive"`, which asks no model; `mix` is LightRAG's default and has its
        model find keywords. `loop`: the running event loop in which the storages were initialized; without one, they are here.
        """
        self._rag = rag
        self._options = options
        self._awaiting = EventLoopThread(loop, seconds=seconds)
        if loop is None:
            self._awaiting.run(rag.initialize_storages(), patient=True)

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As LightRAG ranks chunks. Raises BackendError when lightrag-hku is not installed."""
        param = package("lightrag", "lightrag").QueryParam(
            **{"chunk_top_k": k, "enable_rerank": self._reranks()} | self._options
        )
        found = self._awaiting.run(self._rag.aquery_data(query, param))
        chunks = chunks_of(found)[:k]
        rows = self._rows([str(chunk.get("chunk_id")) for chunk in chunks])
        # Chunks have an order but no score.
        ranked = zip(chunks, range(len(chunks), 0, -1), strict=True)
        passages = (passage_of_chunk(chunk, rows.get(str(chunk.get("chunk_id")), {}), place) for chunk, place in ranked)
        return [p for p in passages if p is not None]

    def get(self, id: str) -> Passage | None:
        """The current chunk."""
        row = self._rows([id]).get(id)
        return passage_of_chunk({**row, "chunk_id": id}, row) if row is not None else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each as a chunk of its own with its speaker and time in front, without asking LightRAG's model. A text is there once."""
        chunks = [
            {
                "content": transcript_line(p),
                "source_id": str(p.metadata.get(TURN) or p.id),
                "file_path": p.session or "goalmem",
            }
            for p in passages
        ]
        given = {"chunks": chunks, "entities": [], "relationships": []}
        self._awaiting.run(self._rag.ainsert_custom_kg(given), patient=True)

    def _rows(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """The stored chunks by id."""
        rows = self._awaiting.run(self._rag.text_chunks.get_by_ids(list(ids))) if ids else []
        return {key: row for key, row in zip(ids, rows, strict=True) if isinstance(row, Mapping)}

    def _reranks(self) -> bool:
        """True if a reranker is configured; LightRAG warns if reranking is requested without one."""
        return getattr(self._rag, "rerank_model_func", None) is not None


def chunks_of(found: object) -> list[Mapping[str, Any]]:
    """The chunks in the result of `aquery_data`. Raises BackendError for other values, RuntimeError if LightRAG
    failed.
    """
    if found == {}:  # no keywords were found in the question
        return []
    if not isinstance(found, Mapping) or not isinstance(found.get("data"), Mapping):
        raise BackendError(
            f"LightRAG's `aquery_data` returned {type(found).__name__} without `data`.",
            "Use lightrag-hku of a version that docs/backends.md names.",
        )
    chunks = found["data"].get("chunks", [])
    about = found.get("metadata")
    reason = about.get("failure_reason") if isinstance(about, Mapping) else None
    if found.get("status") == "failure" and reason not in (None, "no_results"):
        raise RuntimeError(f"LightRAG: {found.get('message')}")
    return [chunk for chunk in chunks if isinstance(chunk, Mapping)] if isinstance(chunks, list) else []


def passage_of_chunk(chunk: Mapping[str, Any], row: Mapping[str, Any], score: float = 0.0) -> Passage | None:
    """A chunk; the file that it is of is its session."""
    path = chunk.get("file_path")
    about = {"session": path if path != "unknown_source" else None}
    known = {TURN: row["source_id"]} if row.get("source_id") else {}
    return stored_passage(chunk.get("content"), chunk.get("chunk_id"), about | known, score)
