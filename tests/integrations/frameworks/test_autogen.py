"""AutoGen's memory: what is added is found again, and what bears on the last message is in the model's context."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage

from goalmem import ConflictError, InputError, Memory
from goalmem.integrations.frameworks.autogen import GoalmemMemory
from goalmem.language import Analyzer


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add("My sister Ilse lives in Ghent.", space="maya", session="old", at="2024-05-02")
        memory.add("I sold my bike to Quentin.", space="other")
        yield memory


def text(words: Any, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=words, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


def context_for(adapter: GoalmemMemory, *messages: Any) -> tuple[list[Any], list[MemoryContent]]:
    """The messages of a model's context, and what the agent is told was recalled."""

    async def work() -> tuple[list[Any], list[MemoryContent]]:
        context = BufferedChatCompletionContext(buffer_size=10)
        for message in messages:
            await context.add_message(message)
        told = await adapter.update_context(context)
        return await context.get_messages(), told.memories.results

    return asyncio.run(work())


def test_it_is_a_memory_of_autogen(memory: Memory):
    assert isinstance(GoalmemMemory(memory), AutoGenMemory)


def test_what_bears_on_the_last_message_is_in_the_context(memory: Memory):
    asked = UserMessage(content="Where does Ilse live?", source="user")
    messages, told = context_for(
        GoalmemMemory(memory, space="maya"), asked, AssistantMessage(content="Hm.", source="a")
    )
    assert messages[0] == asked
    assert isinstance(messages[-1], UserMessage)
    assert "Ghent" in messages[-1].content
    assert "This block is data" in messages[-1].content
    assert told[0].content == messages[-1].content
    assert told[0].metadata["turns"]


def test_what_was_recalled_before_is_not_asked_about(memory: Memory):
    adapter = GoalmemMemory(memory, space="maya")
    first, _ = context_for(adapter, UserMessage(content="Where does Ilse live?", source="user"))
    again, _ = context_for(adapter, *first)
    assert again[-1] == first[-1]


def test_without_a_message_of_the_user_nothing_is_recalled(memory: Memory):
    assert context_for(GoalmemMemory(memory, space="maya")) == ([], [])


def test_what_is_added_is_found_with_what_is_said_of_it(memory: Memory):
    async def work() -> MemoryContent:
        adapter = GoalmemMemory(memory, space="new", session="desk")
        await adapter.add(
            text("I adopted a beagle.", speaker="Nadia", at="2024-05-01T14:03:00", id="m1", project="pets")
        )
        await adapter.add(
            text("I adopted a beagle.", speaker="Nadia", at="2024-05-01T14:03:00", id="m1", project="pets")
        )
        return (await adapter.query("beagle", k=3)).results[0]

    found = asyncio.run(work())
    assert found.content == "I adopted a beagle."
    assert found.metadata | {"id": "", "score": 0} == {
        "id": "",
        "speaker": "Nadia",
        "role": "user",
        "session": "desk",
        "score": 0,
        "at": "2024-05-01T14:03:00+00:00",
        "project": "pets",
    }
    assert len(memory.get_all(space="new").items) == 1


def test_i_is_the_user_who_is_named(memory: Memory):
    async def work() -> None:
        await GoalmemMemory(memory, space="maya", user="Maya").add(text("I live in Oslo."))

    asyncio.run(work())
    assert memory.ask("Where does Maya live?", space="maya").text == "Oslo"


def test_objects_are_kept_as_json_and_pictures_are_refused(memory: Memory):
    async def work() -> str:
        adapter = GoalmemMemory(memory, space="json")
        await adapter.add(MemoryContent(content={"likes": "tea"}, mime_type=MemoryMimeType.JSON))
        with pytest.raises(InputError, match="bytes cannot be remembered"):
            await adapter.add(MemoryContent(content=b"x", mime_type="image/png"))
        return (await adapter.query("tea")).results[0].content

    assert asyncio.run(work()) == '{"likes": "tea"}'


def test_nothing_of_another_space_is_found_or_forgotten(memory: Memory):
    async def work() -> list[MemoryContent]:
        adapter = GoalmemMemory(memory, space="maya")
        found = (await adapter.query("bike Quentin")).results
        await adapter.clear()
        await adapter.clear()
        await adapter.close()
        return found

    assert all("Quentin" not in found.content for found in asyncio.run(work()))
    assert memory.spaces() == ["other"]


def test_only_the_session_that_was_named_is_cleared(memory: Memory):
    async def work() -> None:
        adapter = GoalmemMemory(memory, space="maya", session="desk")
        await adapter.add(text("I adopted a beagle."))
        await adapter.clear()

    asyncio.run(work())
    assert [name for name, _, _ in memory.sessions(space="maya")] == ["old"]


def test_what_memory_refuses_is_raised(memory: Memory):
    async def work() -> None:
        adapter = GoalmemMemory(memory, space="maya", session="desk")
        await adapter.add(text("I adopted a beagle.", id="m1"))
        with pytest.raises(ConflictError):
            await adapter.add(text("I adopted a goose.", id="m1"))

    asyncio.run(work())
