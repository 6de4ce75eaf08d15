"""A mem0 memory as a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalmem.integrations.backends.passages import metadata_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import TURN, Passage

__all__ = ["Mem0Backend"]


class Mem0Backend:
    """A `mem0.Memory` (2.2 or later) of one user, agent or run.

    What was added there with `infer=False` is verbatim; what mem0's own model made of a conversation is its words, and an answer
    is then as true as they are. `at` and `speaker` in a memory's metadata say when and who; without, `created_at` is when.
    """

    def __init__(self, memory: Any, **owner: str) -> None:
        """`owner`: whose memories are searched, as mem0 has it: `user_id="maya"`, `agent_id=…` or `run_id=…`."""
        if not owner:
            raise TypeError('Mem0Backend needs to know whose memories to search: Mem0Backend(memory, user_id="maya")')
        self._memory = memory
        self._owner = owner

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As mem0 ranks them."""
        found = self._memory.search(query, top_k=k, filters=dict(self._owner))
        return [p for row in found["results"] if (p := passage_of_memory(row)) is not None]

    def get(self, id: str) -> Passage | None:
        """The current memory; None if it belongs to another owner."""
        found = self._memory.get(id)
        if not found or any(found.get(name) != value for name, value in self._owner.items()):
            return None
        return passage_of_memory(found)

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each as a memory of its own, verbatim, without asking mem0's model."""
        for passage in passages:
            held = self._memory.get_all(filters={**self._owner, TURN: passage.id}, top_k=1)
            if not held["results"]:
                self._memory.add(
                    [{"role": passage.role, "content": speaker_text(passage)}],
                    metadata=metadata_of(passage) | {TURN: passage.id or ""},
                    infer=False,
                    **self._owner,
                )


def passage_of_memory(row: Mapping[str, Any]) -> Passage | None:
    """A memory as mem0 returns it."""
    metadata = {"created_at": row.get("created_at"), **(row.get("metadata") or {})}
    return stored_passage(row.get("memory"), row.get("id"), metadata, row.get("score"))
