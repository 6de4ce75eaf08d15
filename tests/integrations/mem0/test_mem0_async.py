"""The async twin does the same, and holds nothing up."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from goalmem import InputError
from goalmem import Memory as GoalMemory
from goalmem.integrations.mem0 import AsyncMemory, Memory
from goalmem.language import Analyzer

from .conftest import MAYA, TOLD, texts


def test_its_methods_are_those_of_the_memory():
    def public(kind: type) -> dict[str, list[tuple[str, object]]]:
        members = inspect.getmembers(kind, inspect.isroutine)
        return {
            name: [(p.name, p.default) for p in inspect.signature(member).parameters.values() if p.name != "llm"]
            for name, member in members
            if not name.startswith("_")
        }

    assert public(AsyncMemory) == public(Memory)


def test_it_does_the_same(analyzer: Analyzer):
    async def use(memory: AsyncMemory) -> None:
        rows = (await memory.add(TOLD, metadata={"topic": "pets"}, llm=None, **MAYA))["results"]
        assert len(rows) == 3
        id_ = rows[0]["id"]
        await memory.update(id_, text="I adopted a poodle.")
        kept = await memory.get(id_)
        assert kept is not None
        assert kept["memory"] == "I adopted a poodle."
        assert "I adopted a poodle." in texts(await memory.search("poodle", filters=MAYA, top_k=3))
        assert [row["event"] for row in await memory.history(id_)] == ["ADD", "UPDATE"]
        assert (await memory.ask("What did Nadia adopt?", user_id="maya")).text == "poodle"
        assert memory.goalmem.spaces()[0] == memory.space_of(user_id="maya")
        await asyncio.gather(*(memory.add(f"I like number {n}.", user_id=f"u{n}") for n in range(4)))
        assert texts(await memory.get_all(filters={"user_id": "u3"})) == ["I like number 3."]
        await memory.delete(id_)
        assert await memory.get(id_) is None
        await memory.delete_all(user_id="u3")
        assert await memory.get_all(filters={"user_id": "u3"}) == {"results": []}
        with pytest.raises(InputError):
            await memory.search("tea")
        with pytest.raises(NotImplementedError):
            await memory.chat("Hello?")
        await memory.reset()
        assert await memory.get_all(filters=MAYA) == {"results": []}

    with GoalMemory(analyzer=analyzer) as under:
        asyncio.run(use(AsyncMemory(under)))


def test_it_closes_what_it_opened(tmp_path: Path):
    async def use() -> None:
        async with AsyncMemory.from_config({"goalmem": {"store": str(tmp_path / "a.db")}}) as memory:
            assert await memory.get("nothing") is None

    asyncio.run(use())
    assert (tmp_path / "a.db").is_file()
