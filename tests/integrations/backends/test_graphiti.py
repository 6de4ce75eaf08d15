"""Graphiti itself, on an embedded graph: partitions, facts that have ended, episodes, and a graph that is used elsewhere."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from goalmem import BackendError
from goalmem.integrations.backends.graphiti import GraphitiBackend
from goalmem.models.minilm import MiniLM
from tests.integrations.backends.conftest import ASKED, PASSAGES, SPRING, Over

for module in ("graphiti_core", "kuzu"):
    pytest.importorskip(module)
offline = importlib.import_module("goalmem_lab.evals.backends_offline_graphs")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def graph(embedder: MiniLM) -> Any:
    """An empty graph."""
    return offline.graphiti_graph(embedder)


def backend_of(graph: Any, *groups: str, **options: Any) -> GraphitiBackend:
    return GraphitiBackend(graph, group_ids=groups or None, config=offline.graphiti_config(), **options)


def changed(backend: GraphitiBackend, graph: Any, uuid: str, **fields: Any) -> None:
    """Change a fact as Graphiti does when a later one contradicts it."""

    async def change() -> None:
        edge = await importlib.import_module("graphiti_core.edges").EntityEdge.get_by_uuid(graph.driver, uuid)
        await edge.load_fact_embedding(graph.driver)
        for name, value in fields.items():
            setattr(edge, name, value)
        await edge.save(graph.driver)

    backend._awaiting.run(change())


def test_what_is_of_another_partition_is_not_found(graph: Any):
    nadia, ruben = backend_of(graph, "nadia"), backend_of(graph, "ruben")
    nadia.add(PASSAGES[:1])
    ruben.add([replace(PASSAGES[2], metadata={})])
    assert [p.id for p in nadia.search("beagle boat", 9)] == ["row-0"]
    assert nadia.get("row-2") is None
    assert {p.id for p in backend_of(graph).search("beagle boat", 9)} == {"row-0", "row-2"}


def test_a_fact_that_has_ended_is_left_out_unless_it_is_asked_for(graph: Any, over: Over):
    backend = backend_of(graph, "friends")
    backend.add([PASSAGES[1]])
    assert "Ghent" in over(backend).ask("Where does Ilse live?", at=ASKED).text
    changed(backend, graph, "row-1", invalid_at=datetime(2024, 9, 2, tzinfo=UTC))
    assert backend.search("Where does Ilse live?", 5) == []
    assert backend.get("row-1") is None
    assert not over(backend).ask("Where does Ilse live?", at=ASKED).known
    (past,) = backend_of(graph, "friends", ended=True).search("Where does Ilse live?", 5)
    assert past.at == SPRING


def test_a_proof_over_a_fact_that_ended_since_does_not_hold(graph: Any, over: Over):
    backend = backend_of(graph)
    backend.add(PASSAGES)
    memory = over(backend)
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    assert memory.verify(answer).ok
    changed(backend, graph, answer.citations[0], expired_at=datetime(2024, 9, 2, tzinfo=UTC))
    assert not memory.verify(answer).ok


def test_episodes_are_passed_on_where_the_configuration_asks_for_them(graph: Any):
    search = importlib.import_module("graphiti_core.search.search_config")
    nodes = importlib.import_module("graphiti_core.nodes")
    words = search.EpisodeSearchConfig(
        search_methods=[search.EpisodeSearchMethod.bm25], reranker=search.EpisodeReranker.rrf
    )
    backend = GraphitiBackend(graph, config=search.SearchConfig(episode_config=words))
    episode = nodes.EpisodicNode(
        uuid="e1",
        name="chat",
        group_id="friends",
        created_at=ASKED,
        source=nodes.EpisodeType.message,
        source_description="chat",
        content="Nadia: I adopted a beagle last Friday.",
        valid_at=SPRING,
    )
    backend._awaiting.run(episode.save(graph.driver))
    (found,) = backend.search("beagle", 5)
    assert (found.id, found.text, found.at) == ("e1", "Nadia: I adopted a beagle last Friday.", SPRING)
    assert backend.get("e1") == replace(found, score=0.0)


def test_a_graph_that_is_used_elsewhere_is_asked_in_its_own_loop(graph: Any, over: Over):
    async def main() -> str:
        backend = backend_of(graph, loop=asyncio.get_running_loop())
        await asyncio.to_thread(backend.add, PASSAGES)
        assert (await graph.search("beagle"))[0].uuid == "row-0"
        with pytest.raises(BackendError, match="to_thread"):
            backend.search("beagle", 3)
        memory = over(backend)
        return (await asyncio.to_thread(memory.ask, "What did Nadia adopt?", at=ASKED)).text

    assert "beagle" in asyncio.run(main())
