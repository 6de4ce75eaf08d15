"""A Graphiti graph as a backend."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from goalmem.errors import InputError
from goalmem.integrations.backends.coroutines import SECONDS, EventLoopThread
from goalmem.integrations.backends.passages import has_ended, known_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import TURN, Passage, package

__all__ = ["GraphitiBackend"]

GROUP = "goalmem"
"""The partition of the graph to which messages are added, unless the search is limited to another."""
WIDER = 2
"""Factor by which more is requested, since ended facts are dropped."""
SAID = "SAID"
"""Name of the edge from a speaker to a session under which a message is added."""


class GraphitiBackend:
    """A `graphiti_core.Graphiti`: the facts that its search finds, and the episodes where its configuration asks for them.

    A fact is Graphiti's words, not a speaker's; it counts as said when it became true (`valid_at`), else when it was told
    (`reference_time`). An episode is what was put in, word for word.
    """

    def __init__(
        self,
        graphiti: Any,
        *,
        group_ids: Sequence[str] | None = None,
        config: Any = None,
        ended: bool = False,
        loop: asyncio.AbstractEventLoop | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """`group_ids`: whose partitions are searched; None: all. `config`: a `SearchConfig`; None: Graphiti's hybrid search over facts.

        `ended`: also pass on facts that Graphiti knows to be true no longer. Without, a question about the past may find nothing,
        and none about the present finds what has changed. `loop`: where the graph is used already, the running event loop of that.
        Raises InputError for an empty list of partitions, which to Graphiti means all.
        """
        if group_ids is not None and (isinstance(group_ids, str) or not list(group_ids)):
            # Graphiti takes an empty list for all there are.
            raise InputError(
                "`group_ids` names no partition.", 'Give a list of names, as in group_ids=["maya"], or leave it out.'
            )
        self._graphiti = graphiti
        self._groups = list(group_ids) if group_ids is not None else None
        self._config = config
        self._ended = ended
        self._awaiting = EventLoopThread(loop, seconds=seconds)

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """As Graphiti ranks them. Raises BackendError when graphiti-core is not installed."""
        config = (self._config or self._recipes().EDGE_HYBRID_SEARCH_RRF).model_copy(deep=True)
        config.limit = k if self._ended else k * WIDER
        found = self._awaiting.run(self._graphiti.search_(query, config=config, group_ids=self._groups))
        now = datetime.now(UTC)
        facts = zip(found.edges, _scores(found.edge_reranker_scores, found.edges), strict=True)
        episodes = zip(found.episodes, _scores(found.episode_reranker_scores, found.episodes), strict=True)
        passages = [
            passage_of_fact(e, score)
            for e, score in facts
            if self._ended or not has_ended(e.expired_at, e.invalid_at, now)
        ]
        passages += [passage_of_episode(e, score) for e, score in episodes]
        return sorted((p for p in passages if p is not None), key=lambda p: -p.score)[:k]

    def get(self, id: str) -> Passage | None:
        """The current fact or episode; None if it is outside the searched partitions or has ended."""
        edge = self._found(package("graphiti_core.edges", "graphiti").EntityEdge, id)
        if edge is not None:
            return (
                None
                if not self._ended and has_ended(edge.expired_at, edge.invalid_at, datetime.now(UTC))
                else passage_of_fact(edge)
            )
        episode = self._found(package("graphiti_core.nodes", "graphiti").EpisodicNode, id)
        return passage_of_episode(episode) if episode is not None else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Add each word for word, as a fact between its speaker and its session, without asking Graphiti's model."""
        new = [p for p in passages if p.id is not None and self.get(p.id) is None]
        if new:
            self._awaiting.run(self._save(new, self._groups[0] if self._groups else GROUP), patient=True)

    async def _save(self, passages: Sequence[Passage], group: str) -> None:
        driver, embedder, now = self._graphiti.driver, self._graphiti.embedder, datetime.now(UTC)
        node = package("graphiti_core.nodes", "graphiti").EntityNode
        edge = package("graphiti_core.edges", "graphiti").EntityEdge
        names = dict.fromkeys(name for p in passages for name in (_speaker(p), _session(p)))
        for name in names:
            entity = node(uuid=_node(group, name), name=name, group_id=group, labels=[], summary="", created_at=now)
            await entity.generate_name_embedding(embedder)
            await entity.save(driver)
        for p in passages:
            fact = edge(
                uuid=p.id,
                group_id=group,
                source_node_uuid=_node(group, _speaker(p)),
                target_node_uuid=_node(group, _session(p)),
                created_at=now,
                name=SAID,
                fact=speaker_text(p),
                valid_at=p.at,
                reference_time=p.at,
                attributes=known_of(p),
            )
            await fact.generate_embedding(embedder)
            await fact.save(driver)

    def _found(self, kind: Any, id: str) -> Any:
        """An edge or node by its id; None if it does not exist or is in another partition."""
        errors = package("graphiti_core.errors", "graphiti")
        try:
            found = self._awaiting.run(kind.get_by_uuid(self._graphiti.driver, id))
        except (errors.EdgeNotFoundError, errors.NodeNotFoundError):
            return None
        return found if self._groups is None or found.group_id in self._groups else None

    def _recipes(self) -> Any:
        return package("graphiti_core.search.search_config_recipes", "graphiti")


def passage_of_fact(edge: Any, score: float = 0.0) -> Passage | None:
    """A fact with the time it was stated. Only attributes from `add` are read: others are the user's."""
    attributes = edge.attributes if isinstance(edge.attributes, Mapping) else {}
    ours = {
        name: attributes[name]
        for name in (TURN, "speaker", "session", "role")
        if TURN in attributes and name in attributes
    }
    about = {"relation": edge.name, "valid_at": edge.valid_at, "invalid_at": edge.invalid_at, "episodes": edge.episodes}
    return stored_passage(edge.fact, edge.uuid, about | ours | {"at": edge.valid_at or edge.reference_time}, score)


def passage_of_episode(episode: Any, score: float = 0.0) -> Passage | None:
    """An episode with its time; its text names the speakers."""
    about = {"source": episode.source_description, "at": episode.valid_at}
    return stored_passage(episode.content, episode.uuid, about, score)


def _scores(scores: Sequence[float], ranked: Sequence[object]) -> Sequence[float]:
    """One score per result; some rerankers return none."""
    return scores if len(scores) == len(ranked) else [0.0] * len(ranked)


def _speaker(passage: Passage) -> str:
    return passage.speaker or passage.role


def _session(passage: Passage) -> str:
    return passage.session or "conversation"


def _node(group: str, name: str) -> str:
    """The same id for the same name, which avoids duplicate nodes."""
    return str(uuid5(NAMESPACE_OID, f"{group}\x1f{name}"))
