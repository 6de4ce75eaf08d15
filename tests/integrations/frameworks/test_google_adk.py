"""The memory service of Google's Agent Development Kit: sessions are remembered event by event, once, for each user alone."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from google.adk.events import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types
from tests.integrations.frameworks.stand_ins import is_real

from goalmem import Memory
from goalmem.integrations.frameworks.google_adk import GoalmemMemoryService
from goalmem.language import Analyzer

AT = 1714651200.0
"""2 May 2024, 12:00 UTC."""
MAYA = {"app_name": "desk", "user_id": "maya"}
TEXT = "My sister Ilse lives in Ghent."


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        yield memory


@pytest.fixture
def service(memory: Memory) -> GoalmemMemoryService:
    return GoalmemMemoryService(memory, user="Maya")


def event(id: str, author: str, *parts: Any, **fields: Any) -> Event:
    role = "user" if author == "user" else "model"
    return Event(id=id, author=author, content=types.Content(role=role, parts=list(parts)), timestamp=AT, **fields)


def session(*events: Event, user: str = "maya") -> Session:
    return Session(id="s1", app_name="desk", user_id=user, events=list(events))


def said() -> Session:
    return session(
        event("e1", "user", types.Part(text=TEXT)),
        event("e2", "concierge", types.Part(text="Let me think.", thought=True), types.Part(text="Good to know.")),
        event("e3", "concierge", types.Part(text="Good to k"), partial=True),
        Event(id="e4", author="concierge", timestamp=AT),
    )


def found(service: GoalmemMemoryService, query: str, **user: str) -> list[MemoryEntry]:
    return asyncio.run(service.search_memory(**{**MAYA, **user}, query=query)).memories


def test_it_is_a_memory_service_of_the_kit(service: GoalmemMemoryService):
    assert isinstance(service, BaseMemoryService)


def test_a_session_is_remembered_and_searched(service: GoalmemMemoryService, memory: Memory):
    asyncio.run(service.add_session_to_memory(said()))
    turns = memory.get_all(space="desk/maya").items
    assert [(t.speaker, t.role, t.content, t.session) for t in turns] == [
        ("Maya", "user", TEXT, "s1"),
        ("concierge", "assistant", "Good to know.", "s1"),
    ]
    entry = found(service, "Where does Ilse live?")[0]
    assert (entry.author, entry.content.parts[0].text, entry.content.role) == ("Maya", TEXT, "user")
    assert entry.timestamp == "2024-05-02T12:00:00+00:00"
    assert memory.ask("Where does Maya's sister live?", space="desk/maya").text == "Ghent"


def test_a_session_that_grows_is_remembered_once(service: GoalmemMemoryService, memory: Memory):
    async def work() -> None:
        held = said()
        await service.add_session_to_memory(held)
        held.events.append(event("e5", "user", types.Part(text="I adopted a beagle.")))
        await service.add_session_to_memory(held)
        await service.add_events_to_memory(**MAYA, events=held.events[-1:], session_id="s1")

    asyncio.run(work())
    assert len(memory.get_all(space="desk/maya").items) == 3


def test_users_and_applications_never_meet(service: GoalmemMemoryService):
    asyncio.run(service.add_session_to_memory(said()))
    assert found(service, "Ilse", user_id="tom") == []
    assert found(service, "Ilse", app_name="other") == []


def test_memories_are_added_with_what_is_noted_of_them(service: GoalmemMemoryService, memory: Memory):
    entry = MemoryEntry(
        content=types.Content(parts=[types.Part(text="I like rye bread.")]),
        author="user",
        timestamp="2024-05-02T12:00:00",
        custom_metadata={"project": "food"},
    )
    asyncio.run(service.add_memory(**MAYA, memories=[entry], custom_metadata={"source": "form"}))
    (turn,) = memory.get_all(space="desk/maya", where={"project": "food", "source": "form"}).items
    assert (turn.speaker, turn.at.day) == ("Maya", 2)
    assert found(service, "bread")[0].custom_metadata["project"] == "food"


def test_a_memory_is_forgotten_by_the_id_that_a_search_gave(service: GoalmemMemoryService, memory: Memory):
    asyncio.run(service.add_session_to_memory(said()))
    entry = found(service, "Where does Ilse live?")[0]
    for _ in range(2):
        asyncio.run(service.delete_memory(**MAYA, memory_id=entry.id))
    asyncio.run(service.delete_memory(**MAYA))
    assert [turn.content for turn in memory.get_all(space="desk/maya").items] == ["Good to know."]


def test_nothing_said_is_nothing_remembered(service: GoalmemMemoryService, memory: Memory):
    asyncio.run(service.add_session_to_memory(session()))
    assert memory.spaces() == []


@pytest.mark.skipif(not is_real("google.adk"), reason="needs google-adk")
def test_a_runner_finds_what_an_earlier_session_said(memory: Memory):
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.adk.tools.preload_memory_tool import PreloadMemoryTool

    seen: list[str] = []

    class Scripted(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            seen.append(str(llm_request.config.system_instruction) + str(llm_request.contents))
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Noted.")]))

    async def work() -> None:
        agent = LlmAgent(name="concierge", model=Scripted(model="scripted"), tools=[PreloadMemoryTool()])
        sessions = InMemorySessionService()
        runner = Runner(
            agent=agent, app_name="desk", session_service=sessions, memory_service=GoalmemMemoryService(memory)
        )
        for name, words in (("s1", TEXT), ("s2", "Where does Ilse live?")):
            await sessions.create_session(**MAYA, session_id=name)
            message = types.Content(role="user", parts=[types.Part(text=words)])
            async for _ in runner.run_async(user_id="maya", session_id=name, new_message=message):
                pass
            held = await sessions.get_session(**MAYA, session_id=name)
            await runner.memory_service.add_session_to_memory(held)

    asyncio.run(work())
    assert "Ghent" not in seen[1].partition("PAST_CONVERSATIONS")[0]
    assert "Ghent" in seen[1]
