"""LightRAG itself, with a graph: entities and relations steer the search, and what is passed on are the chunks."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest

from goalmem.integrations.backends.lightrag import LightRAGBackend
from goalmem.models.minilm import MiniLM
from tests.integrations.backends.conftest import ASKED, PASSAGES, Over

pytest.importorskip("lightrag.lightrag")
offline = importlib.import_module("goalmem_lab.evals.backends_offline_graphs")
pytestmark = pytest.mark.filterwarnings("ignore")

SAID = "[2024-05-08 18:00] Ruben: Ilse bought a sailing boat."
GRAPH = {
    "chunks": [
        {"content": SAID, "source_id": "a", "file_path": "chat.txt"},
        {"content": "[2024-05-08 18:00] Nadia: I love olives.", "source_id": "b", "file_path": "chat.txt"},
    ],
    "entities": [
        {"entity_name": "Ilse", "entity_type": "person", "description": "A sister of Ruben.", "source_id": "a"},
        {"entity_name": "boat", "entity_type": "thing", "description": "A yacht.", "source_id": "a"},
    ],
    "relationships": [
        {
            "src_id": "Ilse",
            "tgt_id": "boat",
            "description": "Ilse owns a yacht.",
            "keywords": "owns",
            "source_id": "a",
            "weight": 1.0,
        }
    ],
}


@pytest.fixture
def rag(embedder: MiniLM, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty index."""
    monkeypatch.chdir(tmp_path)
    return offline.lightrag_index(embedder)


@pytest.mark.parametrize("mode", ["local", "global", "hybrid", "mix"])
def test_chunks_are_found_over_the_graph(rag: Any, over: Over, mode: str):
    backend = LightRAGBackend(rag, mode=mode, ll_keywords=["Ilse"], hl_keywords=["owns"])
    backend._awaiting.run(rag.ainsert_custom_kg(GRAPH))
    passages = backend.search("What does Ilse have?", 5)
    assert passages[0].text == SAID
    assert passages[0].session == "chat.txt"
    assert not any("yacht" in p.text for p in passages)
    answer = over(backend).ask("What did Ilse buy?", at=ASKED)
    assert "boat" in answer.text
    assert over(backend).verify(answer).ok


def test_an_empty_index_finds_nothing(rag: Any):
    assert LightRAGBackend(rag, mode="naive").search("What does Ilse have?", 5) == []


def test_an_index_that_is_used_elsewhere_is_asked_in_its_own_loop(rag: Any):
    async def main() -> list[str]:
        await rag.initialize_storages()
        backend = LightRAGBackend(rag, mode="naive", loop=asyncio.get_running_loop())
        await asyncio.to_thread(backend.add, PASSAGES)
        found = await asyncio.to_thread(backend.search, "beagle", 1)
        await rag.finalize_storages()
        return [p.metadata["goalmem_turn"] for p in found]

    assert asyncio.run(main()) == ["row-0"]
