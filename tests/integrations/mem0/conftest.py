"""A memory with mem0's methods, and a small conversation in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory as GoalMemory
from goalmem.integrations.mem0 import Memory
from goalmem.language import Analyzer

Opened = Callable[[Path], Memory]

TOLD = [
    {"role": "system", "content": "You are a friendly assistant."},
    {"role": "user", "name": "Nadia", "content": "I adopted a beagle last Friday."},
    {"role": "assistant", "content": "Congratulations! What is his name?"},
    {"role": "user", "name": "Nadia", "content": "His name is Comet."},
]
MAYA = {"user_id": "maya"}


def texts(found: dict[str, Any]) -> list[str]:
    """What the memories of a result say."""
    return [row["memory"] for row in found["results"]]


def added(memory: Memory, text: str, **options: Any) -> str:
    """The id of one message that was added."""
    (row,) = memory.add(text, **({"user_id": "maya"} | options))["results"]
    return str(row["id"])


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    """An empty memory."""
    with GoalMemory(analyzer=analyzer) as under:
        yield Memory(under)


@pytest.fixture
def opened(analyzer: Analyzer) -> Iterator[Opened]:
    """Opens the memory of a file, as often as is wanted."""
    with ExitStack() as stack:
        yield lambda path: Memory(stack.enter_context(GoalMemory(path, analyzer=analyzer)))


@pytest.fixture(scope="session")
def furnished(analyzer: Analyzer) -> Iterator[Memory]:
    """Memories of two users, an agent and a run with metadata; tests must not write to it."""
    with GoalMemory(analyzer=analyzer) as under:
        memory = Memory(under)
        memory.add(
            "I love hiking in the Alps.", metadata={"topic": "sport", "stars": 5, "tags": ["snow", "sun"]}, **MAYA
        )
        memory.add("I hate olives.", metadata={"topic": "food", "stars": 2, "sure": True}, **MAYA)
        memory.add("I play chess with Ruben on Sundays.", metadata={"topic": "Games", "stars": 4.5}, **MAYA)
        memory.add("The train leaves at nine.", user_id="maya", agent_id="guide", run_id="trip")
        memory.add("I love hiking in the Andes.", metadata={"topic": "sport"}, user_id="ruben")
        memory.add("Always answer politely.", agent_id="guide")
        memory.add("The door code was changed.", run_id="trip")
        yield memory
