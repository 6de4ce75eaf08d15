"""LangMem itself: what its tools remember is found, asked and checked, and what is added is found by its tools."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from goalmem.integrations.backends.langmem import LangMemBackend
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals.backends_offline import langgraph_store
from tests.integrations.backends.conftest import ASKED, PASSAGES, Over

pytest.importorskip("langmem")
pytestmark = pytest.mark.filterwarnings("ignore")

NAMESPACE = ("memories", "maya")


@pytest.fixture
def store(embedder: MiniLM) -> Any:
    """An empty store."""
    return langgraph_store(embedder)


def test_what_langmems_tool_remembers_answers(store: Any, over: Over):
    remember = importlib.import_module("langmem").create_manage_memory_tool(namespace=NAMESPACE, store=store)
    said = remember.invoke({"content": "Ilse moved to Bruges.", "action": "create"})
    memory = over(LangMemBackend(store, *NAMESPACE))
    answer = memory.ask("Where did Ilse move?")
    assert answer.text == "Bruges"
    assert answer.citations[0] in said
    assert memory.verify(answer).ok
    remember.invoke({"content": "Ilse moved to Lier.", "action": "update", "id": answer.citations[0]})
    assert not memory.verify(answer).ok


def test_what_is_added_is_found_by_langmems_tool(store: Any, over: Over):
    backend = LangMemBackend(store, *NAMESPACE)
    backend.add(PASSAGES)
    search = importlib.import_module("langmem").create_search_memory_tool(namespace=NAMESPACE, store=store)
    assert "beagle" in search.invoke({"query": "beagle", "limit": 1})
    assert "3 May 2024" in over(backend).ask("When did Nadia adopt a beagle?", at=ASKED).text
