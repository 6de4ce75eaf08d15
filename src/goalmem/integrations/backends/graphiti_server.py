"""A Graphiti server as a backend: Graphiti's REST service, which one runs oneself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Self

from goalmem.errors import InputError
from goalmem.integrations.backends.graphiti import WIDER
from goalmem.integrations.backends.passages import has_ended, stored_passage
from goalmem.integrations.backends.protocol import Passage, package
from goalmem.integrations.backends.remote import malformed, remote

__all__ = ["GraphitiServerBackend"]

SYSTEM = "Graphiti"
SECONDS = 10.0
"""Default timeout of one request in seconds."""


class GraphitiServerBackend:
    """The facts that a Graphiti server finds (`POST /search`, image zepai/graphiti), each said when it became true.

    The server does not tell of which partition a fact is, so none is looked up by its id: `verify` searches for the quoted words.
    """

    def __init__(
        self,
        url: str,
        *,
        group_ids: Sequence[str],
        ended: bool = False,
        seconds: float = SECONDS,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`group_ids`: whose partitions are searched. `ended`: also facts that are true no longer. `headers`: such as a key.

        Raises InputError for an empty list of partitions, and BackendError when httpx2 is not installed.
        """
        if isinstance(group_ids, str) or not list(group_ids):
            # Graphiti takes an empty list for all there are.
            raise InputError("`group_ids` names no partition.", 'Give a list of names, as in group_ids=["maya"].')
        self._groups = list(group_ids)
        self._ended = ended
        self._http = package("httpx2", "client").Client(base_url=url, timeout=seconds, headers=dict(headers or {}))

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Results in Graphiti's order. Raises BackendError for refusals, ConnectionError without a response."""
        asked = {"query": query, "group_ids": self._groups, "max_facts": k if self._ended else k * WIDER}
        with remote(SYSTEM):
            reply = self._http.post("/search", json=asked)
            reply.raise_for_status()
            found = reply.json()
        facts = found.get("facts") if isinstance(found, Mapping) else None
        if not isinstance(facts, list):
            raise malformed(SYSTEM, f"a {type(found).__name__} without a list of facts")
        now = datetime.now(UTC)
        kept = [
            f
            for f in facts
            if isinstance(f, Mapping) and (self._ended or not has_ended(f.get("expired_at"), f.get("invalid_at"), now))
        ]
        return [p for fact in kept if (p := passage_of_fact(fact)) is not None][:k]

    def close(self) -> None:
        """Close the connections to the server."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def passage_of_fact(fact: Mapping[str, Any]) -> Passage | None:
    """A fact from the server; None without text."""
    about = {"relation": fact.get("name"), "at": fact.get("valid_at"), "invalid_at": fact.get("invalid_at")}
    return stored_passage(fact.get("fact"), fact.get("uuid"), about)
