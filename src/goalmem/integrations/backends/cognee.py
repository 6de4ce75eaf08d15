"""A dataset of Cognee as a backend."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from goalmem.errors import BackendError
from goalmem.integrations.backends.coroutines import SECONDS, EventLoopThread
from goalmem.integrations.backends.passages import known_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Passage, package

__all__ = ["CogneeBackend"]

ABOUT = "external_metadata"
"""Key of the metadata that a user added to a document in Cognee."""
CHUNK_TOKENS = 512
"""Maximum tokens of a chunk that `add` makes, for Cognee's embedding engine."""


class CogneeBackend:
    """Datasets of Cognee, as its process is set up: the chunks that its search finds, word for word.

    Cognee is one memory a process, so there is nothing to pass but which datasets. A chunk counts as said when the document's
    `external_metadata` says (`at`, `speaker`, `session`), else nobody dated it. Cognee has no way to look up one chunk: `verify`
    searches for the quoted words.
    """

    def __init__(
        self,
        *datasets: str,
        lexical: bool = False,
        loop: asyncio.AbstractEventLoop | None = None,
        seconds: float = SECONDS,
        **options: Any,
    ) -> None:
        """`datasets`: names; empty: all that the user may read. `lexical`: search by words instead of meaning.

        `options`: as `cognee.search` takes them, such as `user=…` or `node_name=[…]`. `loop`: the running event loop in which Cognee
        is used already. Raises BackendError when cognee is not installed.
        """
        self._cognee = package("cognee", "cognee")
        self._datasets = list(datasets)
        kind = self._cognee.SearchType
        self._options = {"query_type": kind.CHUNKS_LEXICAL if lexical else kind.CHUNKS} | options
        self._awaiting = EventLoopThread(loop, seconds=seconds)

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As Cognee ranks them; of several datasets those of the first come first."""
        within = {"datasets": self._datasets} if self._datasets else {}
        found = self._awaiting.run(self._cognee.search(query, top_k=k, **within, **self._options))
        return [p for row in chunks_of(found) if (p := passage_of_chunk(row)) is not None][:k]

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each as a document of its own, word for word, without asking Cognee's model. The same text is there once."""
        if not self._datasets:
            raise BackendError("Nothing says which dataset to add to.", 'Name one: CogneeBackend("friends").')
        self._awaiting.run(self._save(passages, self._datasets[0]), patient=True)

    async def _save(self, passages: Sequence[Passage], dataset: str) -> None:
        item = package("cognee.tasks.ingestion.data_item", "cognee").DataItem
        kept = [known_of(p) for p in passages]
        # `literal_text`: a message is never interpreted as a URL or a file.
        items = [
            item(data=speaker_text(p), label=p.id, external_metadata=about, literal_text=True)
            for p, about in zip(passages, kept, strict=True)
        ]
        await self._cognee.add(items, dataset_name=dataset, skip_connection_test=True)
        await self._cognee.run_custom_pipeline(tasks=self._tasks(), dataset=dataset, skip_connection_test=True)

    def _tasks(self) -> list[Any]:
        """The tasks of `cognee.cognify` without the two that call its model."""
        task = package("cognee.modules.pipelines.tasks.task", "cognee").Task
        documents = package("cognee.tasks.documents", "cognee")
        return [
            task(documents.classify_documents, needs_llm=False),
            task(
                documents.extract_chunks_from_documents,
                max_chunk_size=CHUNK_TOKENS,
                chunker=package("cognee.modules.chunking.TextChunker", "cognee").TextChunker,
                needs_llm=False,
            ),
            task(package("cognee.tasks.storage", "cognee").add_data_points, needs_llm=False),
        ]


def chunks_of(found: object) -> list[Mapping[str, Any]]:
    """The chunks in the result of `cognee.search`, with and without access control: a list, or one list per dataset."""
    if not isinstance(found, list):
        raise BackendError(
            f"Cognee's `search` returned {type(found).__name__} where a list is wanted.",
            "Use cognee of a version that docs/backends.md names, and no `query_type` that writes an answer.",
        )
    rows: list[Mapping[str, Any]] = []
    for entry in found:
        if isinstance(entry, Mapping) and "search_result" in entry:
            if entry.get("error"):
                raise RuntimeError(f"Cognee, dataset {entry.get('dataset_name')!r}: {entry['error']}")
            inner = entry["search_result"]
            rows += [row for row in inner if isinstance(row, Mapping)] if isinstance(inner, list) else []
        elif isinstance(entry, Mapping):
            rows.append(entry)
    return rows


def passage_of_chunk(row: Mapping[str, Any]) -> Passage | None:
    """A chunk with its document's metadata; None for a row without text."""
    about = {name: value for name, value in _about(row.get(ABOUT)).items() if isinstance(value, str)}
    distance = row.get("score")
    score = -float(distance) if isinstance(distance, int | float) else 0.0
    return stored_passage(row.get("text"), row.get("id"), {"session": row.get("document_name")} | about, score)


def _about(given: object) -> Mapping[str, Any]:
    """The metadata of a document, which Cognee stores as JSON text."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except json.JSONDecodeError:
        return {}
    return read if isinstance(read, Mapping) else {}
