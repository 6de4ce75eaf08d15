"""An A-MEM memory as a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from goalmem.integrations.backends.passages import known_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Passage, package

__all__ = ["AMemBackend"]

TIME = "%Y%m%d%H%M"
"""Time format of A-MEM, without a zone, hence UTC."""

ADDED_BY = "added_by"
"""Marks the entry in a note's history in which `add` stores speaker and time."""


class AMemBackend:
    """An `agentic_memory.memory_system.AgenticMemorySystem` (package a-mem): its notes, word for word.

    A note counts as said at its `timestamp`, which is when it was added unless `add_note(…, time=…)` said otherwise. Keywords, tags
    and context that A-MEM's model made help to find a note, and are not passed on as evidence.
    """

    def __init__(self, system: Any) -> None:
        self._system = system

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As A-MEM ranks them, by distance."""
        found = [row for row in self._system.search(query, k=k) if isinstance(row, Mapping)]
        scores = {str(row["id"]): -float(row.get("score") or 0.0) for row in found if row.get("id") is not None}
        notes = ((self._system.read(key), score) for key, score in scores.items())
        return [p for note, score in notes if note is not None and (p := passage_of_note(note, score)) is not None]

    def get(self, id: str) -> Passage | None:
        """The current note."""
        note = self._system.read(id)
        return passage_of_note(note) if note is not None else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each text as a note, verbatim: A-MEM's model is not called, and other notes do not change."""
        kind = package("agentic_memory.memory_system", "a-mem").MemoryNote
        for p in passages:
            if p.id is not None and self._system.read(p.id) is not None:
                continue
            kept = known_of(p) | {ADDED_BY: "goalmem"}
            at = p.at.astimezone(UTC).strftime(TIME) if p.at else None
            # The history of a note is stored but not searched: tags or context would be embedded with the text.
            note = kind(content=speaker_text(p), id=p.id, timestamp=at, evolution_history=[kept])
            self._system.retriever.add_document(note.content, vars(note), note.id)


def passage_of_note(note: Any, score: float = 0.0) -> Passage | None:
    """A note with A-MEM's time; a note from `add` with all its metadata."""
    history = note.evolution_history if isinstance(note.evolution_history, list) else []
    kept = next((entry for entry in history if isinstance(entry, Mapping) and ADDED_BY in entry), {})
    return stored_passage(note.content, note.id, {"at": _moment(note.timestamp)} | dict(kept), score)


def _moment(timestamp: object) -> datetime | None:
    """A time as A-MEM writes it, which comes back as a number where its cache does not hold the note."""
    try:
        return datetime.strptime(str(timestamp), TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
