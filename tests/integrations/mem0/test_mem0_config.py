"""mem0's configuration is taken as it is; of it only the place counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalmem import GoalmemError, InputError, NotAStoreError
from goalmem import Memory as GoalMemory
from goalmem.integrations.mem0 import AsyncMemory, Memory, MemoryConfig
from goalmem.integrations.mem0.config import configured, open_memory

from .conftest import MAYA, added, texts

MEM0S: dict[str, Any] = {
    "llm": {"provider": "openai", "config": {"model": "gpt-5-mini", "temperature": 0.1, "api_key": "sk-none"}},
    "embedder": {"provider": "openai", "config": {"model": "text-embedding-3-small"}},
    "reranker": {"provider": "cohere", "config": {"top_n": 5}},
    "vector_store": {"provider": "qdrant", "config": {"collection_name": "notes", "host": "localhost", "port": 6333}},
    "history_db_path": "history.db",
    "custom_instructions": "Only food.",
    "version": "v1.1",
    "unknown": True,
}


def test_nothing_of_a_configuration_is_contacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with Memory.from_config(MEM0S) as memory:
        added(memory, "I like tea.")
    assert [path.name for path in tmp_path.iterdir()] == ["memory.goalmem"]
    with Memory() as again:
        assert texts(again.get_all(filters=MAYA)) == ["I like tea."]


def test_the_folder_of_the_vectors_holds_the_store(tmp_path: Path):
    config = {
        "vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "q"), "collection_name": "notes"}}
    }
    Memory.from_config(config).close()
    assert (tmp_path / "q" / "notes.goalmem").is_file()
    Memory(MemoryConfig.model_validate(config)).close()
    assert [path.name for path in (tmp_path / "q").iterdir()] == ["notes.goalmem"]
    (tmp_path / "vectors.faiss").write_bytes(b"faiss")
    open_memory(configured({"vector_store": {"config": {"path": str(tmp_path / "vectors.faiss")}}})).close()
    assert (tmp_path / "vectors.faiss.goalmem").is_file()


def test_goalmem_has_settings_of_its_own_there(tmp_path: Path):
    with Memory.from_config({"goalmem": {"store": str(tmp_path / "a.db"), "ask_depth": 5}} | MEM0S) as memory:
        assert memory.goalmem.settings.ask_depth == 5
    assert (tmp_path / "a.db").is_file()


def test_a_path_or_a_memory_will_do(tmp_path: Path):
    with Memory(tmp_path / "a.db") as memory:
        added(memory, "I like tea.")
    with GoalMemory(tmp_path / "a.db") as under:
        with Memory(under) as memory:
            assert texts(memory.get_all(filters=MAYA)) == ["I like tea."]
        assert under.spaces() == ["maya"], "it is its owner's to close"


@pytest.mark.parametrize(
    "config",
    [
        5,
        ["a"],
        None,
        {"vector_store": "qdrant"},
        {"vector_store": {"config": "qdrant"}},
        {"vector_store": {"config": {"path": 5}}},
        {"vector_store": {"config": {"path": "here", "collection_name": "../../etc"}}},
        {"goalmem": {"no_such_setting": 1}},
        {"goalmem": {"ask_depth": 1000}},
        {"version": 5},
    ],
)
def test_what_is_no_configuration_is_refused(config: Any):
    for make in (Memory.from_config, AsyncMemory.from_config):
        with pytest.raises(ValueError, match=r"\w") as refused:
            make(config)
        assert isinstance(refused.value, InputError)


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path):
    (tmp_path / "a.txt").write_text("no store" * 1000)
    with pytest.raises(NotAStoreError, match=r"a\.txt"):
        Memory(tmp_path / "a.txt")


def test_after_closing_nothing_works(tmp_path: Path):
    memory = Memory(tmp_path / "a.db")
    memory.close()
    memory.close()
    with pytest.raises(GoalmemError, match="closed"):
        memory.add("I like tea.", **MAYA)
