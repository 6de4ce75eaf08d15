"""Stand-ins for frameworks that cannot be installed beside the lock: as much of their published protocol as an adapter uses.

Where the package itself is installed, tests run against it: `pip install autogen-core` in an environment of its own, and so on.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from importlib.util import find_spec
from time import time
from types import ModuleType
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field


def require(package: str) -> None:
    """Make a package importable: the real one, else its stand-in."""
    try:
        there = package in sys.modules or find_spec(package) is not None
    except ModuleNotFoundError:  # of a package above it
        there = False
    if not there:
        MAKERS[package]()
        sys.modules[package].__dict__["STANDS_IN"] = True


def is_real(package: str) -> bool:
    """True where a package that is required is no stand-in."""
    return not hasattr(sys.modules.get(package), "STANDS_IN")


def module(name: str, **held: Any) -> None:
    """A module of this name that holds something."""
    made = ModuleType(name)
    made.__dict__.update(held)
    sys.modules[name] = made


def autogen_core() -> None:
    """autogen-core 0.7: `memory`, `models` and `model_context`."""

    class MemoryMimeType(Enum):
        TEXT = "text/plain"
        JSON = "application/json"

    class MemoryContent(BaseModel):
        content: Any
        mime_type: MemoryMimeType | str
        metadata: dict[str, Any] | None = None

    class MemoryQueryResult(BaseModel):
        results: list[MemoryContent]

    class UpdateContextResult(BaseModel):
        memories: MemoryQueryResult

    class Memory(ABC):
        @abstractmethod
        async def update_context(self, model_context: Any) -> Any: ...
        @abstractmethod
        async def query(self, query: Any, cancellation_token: Any = None, **kwargs: Any) -> Any: ...
        @abstractmethod
        async def add(self, content: Any, cancellation_token: Any = None) -> None: ...
        @abstractmethod
        async def clear(self) -> None: ...
        @abstractmethod
        async def close(self) -> None: ...

    class UserMessage(BaseModel):
        content: Any
        source: str

    class AssistantMessage(BaseModel):
        content: Any
        source: str

    class BufferedChatCompletionContext:
        def __init__(self, buffer_size: int) -> None:
            self.messages: list[Any] = []

        async def add_message(self, message: Any) -> None:
            self.messages.append(message)

        async def get_messages(self) -> list[Any]:
            return list(self.messages)

    module("autogen_core", CancellationToken=type("CancellationToken", (), {}))
    held = (MemoryMimeType, MemoryContent, MemoryQueryResult, UpdateContextResult, Memory)
    module("autogen_core.memory", **{one.__name__: one for one in held})
    module("autogen_core.models", UserMessage=UserMessage, AssistantMessage=AssistantMessage)
    module(
        "autogen_core.model_context",
        ChatCompletionContext=BufferedChatCompletionContext,
        BufferedChatCompletionContext=BufferedChatCompletionContext,
    )


def crewai() -> None:
    """CrewAI 1.15: `tools.BaseTool`."""

    class BaseTool(BaseModel, ABC):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        name: str
        description: str
        args_schema: type[BaseModel]

        def run(self, **arguments: Any) -> Any:
            return self._run(**self.args_schema.model_validate(arguments).model_dump())

        @abstractmethod
        def _run(self, **arguments: Any) -> Any: ...

    module("crewai")
    module("crewai.tools", BaseTool=BaseTool)


def google_adk() -> None:
    """google-adk 2.13: `memory.BaseMemoryService`, `events.Event`, and `types` of google-genai 2.34."""

    class Part(BaseModel):
        text: str | None = None
        thought: bool | None = None
        function_call: Any = None

    class Content(BaseModel):
        role: str | None = None
        parts: list[Part] | None = None

    class MemoryEntry(BaseModel):
        content: Content
        custom_metadata: dict[str, Any] = Field(default_factory=dict)
        id: str | None = None
        author: str | None = None
        timestamp: str | None = None

    class SearchMemoryResponse(BaseModel):
        memories: list[MemoryEntry] = Field(default_factory=list)

    class BaseMemoryService(ABC):
        @abstractmethod
        async def add_session_to_memory(self, session: Any) -> None: ...
        @abstractmethod
        async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any: ...

    class Event(BaseModel):
        author: str = ""
        content: Content | None = None
        partial: bool | None = None
        id: str = Field(default_factory=lambda: str(uuid4()))
        timestamp: float = Field(default_factory=time)

    class Session(BaseModel):
        id: str
        app_name: str
        user_id: str
        events: list[Event] = Field(default_factory=list)

    types = ModuleType("google.genai.types")
    types.__dict__.update(Part=Part, Content=Content)
    module("google.genai", types=types)
    module("google.adk")
    module("google.adk.memory")
    module(
        "google.adk.memory.base_memory_service",
        BaseMemoryService=BaseMemoryService,
        SearchMemoryResponse=SearchMemoryResponse,
    )
    module("google.adk.memory.memory_entry", MemoryEntry=MemoryEntry)
    module("google.adk.events", Event=Event)
    module("google.adk.sessions", Session=Session)


MAKERS: dict[str, Callable[[], None]] = {"autogen_core": autogen_core, "crewai": crewai, "google.adk": google_adk}
