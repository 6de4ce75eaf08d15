"""The archival memory of a Letta agent as a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalmem.integrations.backends.passages import speaker_text, stored_passage
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.integrations.backends.remote import malformed, remote

__all__ = ["LettaBackend"]

SECONDS = 10.0
"""Default timeout of one request in seconds."""
SPEAKER, SESSION, ROLE = "speaker", "session", "role"


class LettaBackend:
    """An agent's archival memory through `letta_client.Letta` (1.x), on Letta's servers or one's own: passages, word for word.

    A passage counts as said at the time that Letta keeps of it, which is when it was inserted unless `created_at` said otherwise.
    Letta has no way to look up one passage: `verify` searches for the quoted words.
    """

    def __init__(self, client: Any, agent: str, *, tags: Sequence[str] = (), seconds: float = SECONDS) -> None:
        """`agent`: its id, `agent-…`. `tags`: of a passage, one of which it must have to be found; those that are added have all."""
        self._passages = client.agents.passages
        self._agent = agent
        self._tags = list(tags)
        self._seconds = seconds

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Results in Letta's order, by meaning. Raises BackendError for refusals, ConnectionError without a response."""
        limited = {"tags": self._tags, "tag_match_mode": "any"} if self._tags else {}
        return [p for row in self._found(query, k, limited) if (p := passage_of_result(row)) is not None]

    def add(self, passages: Sequence[Passage]) -> None:
        """Insert each as a passage, word for word; its speaker and session become tags."""
        for p in passages:
            known = f"{TURN}:{p.metadata.get(TURN) or p.id}"
            text = speaker_text(p)
            if self._found(text, 1, {"tags": [known], "tag_match_mode": "all"}):
                continue
            about = {SPEAKER: p.speaker, SESSION: p.session, ROLE: p.role}
            tags = [*self._tags, known, *(f"{name}:{value}" for name, value in about.items() if value)]
            dated = {"created_at": p.at.isoformat()} if p.at else {}
            with remote("Letta"):
                self._passages.create(self._agent, text=text, tags=tags, timeout=self._seconds, **dated)

    def _found(self, query: str, k: int, limited: dict[str, Any]) -> list[Any]:
        with remote("Letta"):
            reply = self._passages.search(self._agent, query=query, top_k=k, timeout=self._seconds, **limited)
        results = getattr(reply, "results", None)
        if not isinstance(results, list):
            raise malformed("Letta", f"{type(reply).__name__} without a list of results")
        return results


def passage_of_result(row: Any) -> Passage | None:
    """A passage as Letta's search gives it; None where it has no text."""
    tags = getattr(row, "tags", None) or []
    pairs = (tag.split(":", 1) for tag in tags if isinstance(tag, str) and ":" in tag)
    ours = {name: value for name, value in pairs if name in (TURN, SPEAKER, SESSION, ROLE)}
    about = ours if TURN in ours else {}
    return stored_passage(
        getattr(row, "content", None), getattr(row, "id", None), about | {"at": getattr(row, "timestamp", None)}
    )
