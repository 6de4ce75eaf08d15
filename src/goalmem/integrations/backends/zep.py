"""A graph of Zep as a backend."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from goalmem.errors import BackendError, InputError
from goalmem.integrations.backends.passages import has_ended, known_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.integrations.backends.remote import malformed, remote, status_of

__all__ = ["ZepBackend"]

FACTS, EPISODES = "facts", "episodes"
MOST = 50
"""Maximum items that Zep returns per call."""
ABSENT = frozenset({400, 404, 422})
"""Zep's response to an unknown or invalid id."""
SECONDS = 10.0
"""Default timeout of one request in seconds."""


class ZepBackend:
    """A graph through `zep_cloud.Zep` (4.x): facts, or the episodes that were put in, word for word.

    A fact is Zep's words; it counts as said when it became true (`valid_at`). An episode counts as said at its `reference_time`.
    """

    def __init__(
        self,
        client: Any,
        graph: str,
        *,
        of: str = FACTS,
        ended: bool = False,
        seconds: float = SECONDS,
        **options: Any,
    ) -> None:
        """`graph`: the UUID of a graph, or of a user. `of`: "facts" or "episodes". `ended`: also facts that are true no longer.

        `options`: as `graph.search_edges` or `graph.search_episodes` take them, such as `reranker="cross_encoder"`.
        """
        if of not in (FACTS, EPISODES):
            raise InputError(f"Zep is not searched for {of!r}.", f'Choose of="{FACTS}" or of="{EPISODES}".')
        self._client = client
        self._graph = graph
        self._of = of
        self._ended = ended
        self._options = options
        self._limits = {"request_options": {"timeout_in_seconds": seconds, "max_retries": 0}}

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Results in Zep's order. Raises BackendError for refusals, ConnectionError without a response."""
        graph = self._client.graph
        searched = graph.search_edges if self._of == FACTS else graph.search_episodes
        with remote("Zep"):
            page = searched(self._graph, query=query, page_size=min(k, MOST), **self._options, **self._limits)
        return [p for item in items_of(page) if (p := self._passage(item)) is not None][:k]

    def get(self, id: str) -> Passage | None:
        """The current fact or episode."""
        place = self._client.graph.edge if self._of == FACTS else self._client.graph.episode
        try:
            with remote("Zep"):
                found = place.get(self._graph, id, **self._limits)
        except BackendError as error:
            if error.__cause__ is not None and status_of(error.__cause__) in ABSENT:
                return None
            raise
        return self._passage(found)

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each as an episode. Zep makes facts of them some time later, with its own model."""
        for p in passages:
            # Idempotency key: Zep ignores a repeated request.
            key = hashlib.sha256(f"{self._graph}\x1f{p.id}".encode()).hexdigest()
            dated = {"reference_time": p.at.isoformat()} if p.at else {}
            with remote("Zep"):
                self._client.graph.episode.add(
                    self._graph,
                    data=speaker_text(p),
                    type="message",
                    metadata=known_of(p),
                    idempotency_key=key,
                    **dated,
                    **self._limits,
                )

    def _passage(self, item: Any) -> Passage | None:
        if self._of == EPISODES:
            return passage_of_episode(item)
        return (
            passage_of_fact(item)
            if self._ended or not has_ended(item.expired_at, item.invalid_at, datetime.now(UTC))
            else None
        )


def items_of(page: Any) -> Sequence[Any]:
    """The items on a page of results. Raises BackendError for an invalid response."""
    items = getattr(page, "items", None)
    response = getattr(page, "response", None)
    strange = getattr(response, "model_extra", None)
    if items is None and not strange:  # missing on an empty page
        return ()
    if not isinstance(items, list):
        raise malformed(
            "Zep",
            f"{type(page).__name__} with {', '.join(strange or ()) or 'no items'} where a page of results is wanted",
        )
    return items


def passage_of_fact(edge: Any) -> Passage | None:
    """A fact with the time from which it is true."""
    about = {
        "relation": edge.name,
        "at": edge.valid_at,
        "invalid_at": edge.invalid_at,
        "episodes": list(edge.episode_uuids or ()),
    }
    return stored_passage(edge.fact, edge.uuid_, about, _score(edge))


def passage_of_episode(episode: Any) -> Passage | None:
    """An episode with its speaker, if it was added as a message."""
    kept = dict(episode.metadata) if isinstance(episode.metadata, Mapping) else {}
    about = {
        "speaker": kept.get("speaker") or episode.role_name,
        "session": kept.get("session") or episode.thread_uuid,
        "role": kept.get("role") or episode.role or "user",
        "at": kept.get("at") or episode.reference_time or episode.created_at,
    }
    known = {TURN: kept[TURN]} if TURN in kept else {}
    return stored_passage(
        episode.content, episode.uuid_, {n: v for n, v in about.items() if v} | known, _score(episode)
    )


def _score(item: Any) -> float | None:
    score: float | None = item.relevance if item.relevance is not None else item.score
    return score
