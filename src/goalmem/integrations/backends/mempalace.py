"""A MemPalace palace as a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import Any

from goalmem.integrations.backends.passages import metadata_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Passage, package

__all__ = ["MemPalaceBackend"]

WING, ROOM = "conversations", "goalmem"
"""Default location of messages that goalmem adds, unless the search is restricted to another."""


class MemPalaceBackend:
    """A palace, through `mempalace.searcher.search_memories`. A passage is a drawer, word for word.

    When it was said is `at` or `authored_at` in the drawer's metadata, else its `content_date`; when it was filed says nothing.
    """

    def __init__(self, palace: str | PathLike[str], **options: Any) -> None:
        """`palace`: its folder. `options`: as `search_memories` takes them, such as `wing="maya"` or `candidate_strategy="union"`.

        Raises BackendError when mempalace is not installed.
        """
        self._searcher = package("mempalace.searcher", "mempalace")
        self._palace = fspath(palace)
        self._options = options

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As MemPalace ranks them. What it shows around a hit is left out: the text is the drawer's."""
        found = self._searcher.search_memories(query, palace_path=self._palace, n_results=k, **self._options)
        if problem := found.get("error"):
            raise RuntimeError(str(problem))
        scores = {row["drawer_id"]: row.get("similarity") for row in found["results"] if row.get("drawer_id")}
        held = self._drawers(list(scores))
        return [p for key, score in scores.items() if key in held and (p := passage_of_drawer(key, *held[key], score))]

    def get(self, id: str) -> Passage | None:
        """The current drawer."""
        held = self._drawers([id])
        return passage_of_drawer(id, *held[id]) if id in held else None

    def add(self, passages: Sequence[Passage]) -> None:
        """File each as a drawer of its own."""
        filed = datetime.now(UTC).isoformat()
        about = {"wing": self._options.get("wing", WING), "room": self._options.get("room", ROOM), "filed_at": filed}
        palace = package("mempalace.palace", "mempalace")
        palace.get_collection(self._palace, create=True).upsert(
            ids=[p.id for p in passages],
            documents=[speaker_text(p) for p in passages],
            metadatas=[
                {**about, **metadata_of(p), "source_file": p.session, "chunk_index": n, "added_by": "goalmem"}
                for n, p in enumerate(passages)
            ],
        )

    def _drawers(self, ids: Sequence[str]) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Text and metadata of drawers by id, those outside the wing and room that are searched left out."""
        if not ids:
            return {}
        palace = package("mempalace.palace", "mempalace")
        found = palace.get_collection(self._palace, create=False, read_only=True).get(
            ids=list(ids), include=["documents", "metadatas"]
        )
        rows = zip(found["ids"], found["documents"], found["metadatas"], strict=True)
        limits = {name: self._options[name] for name in ("wing", "room") if self._options.get(name)}
        return {
            key: (text, about or {})
            for key, text, about in rows
            if all((about or {}).get(name) == value for name, value in limits.items())
        }


def passage_of_drawer(id: str, text: str, metadata: Mapping[str, Any], score: float | None = None) -> Passage | None:
    """A drawer with the time of its message, if known."""
    at = metadata.get("at") or metadata.get("authored_at") or metadata.get("content_date")
    about = {"speaker": metadata.get("speaker"), "role": metadata.get("role"), "at": at}
    return stored_passage(text, id, about | {"session": metadata.get("session") or metadata.get("source_file")}, score)
