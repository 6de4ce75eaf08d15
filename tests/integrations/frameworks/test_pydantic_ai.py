"""Agents of Pydantic AI with tools, recall and remembering, driven by its own function and test models."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, models
from pydantic_ai.messages import (
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from goalmem import AsyncMemory, Memory, StoreClosedError
from goalmem.integrations.frameworks.pydantic_ai import MemoryCapability, MemoryToolset
from goalmem.integrations.frameworks.tools import OFFERED, READING
from goalmem.language import Analyzer


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", False)


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add("My sister Lucia lives in Tarnholm.", space="maya", session="old", at="2024-04-16")
        memory.add("My sister Lucia lives in Oslo.", space="ruben", session="old", at="2024-04-16")
        yield memory


class Scripted:
    """Replies from a list of parts, one a request; `seen` holds what each request showed."""

    def __init__(self, *replies: list[Any]) -> None:
        self.replies = list(replies)
        self.seen: list[list[ModelMessage]] = []
        self.model = FunctionModel(self.reply)

    def reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append(messages)
        return ModelResponse(parts=self.replies.pop(0))


def prompts(messages: list[ModelMessage]) -> list[str]:
    """Every user part of a request, in order."""
    return [
        str(p.content)
        for m in messages
        if isinstance(m, ModelRequest)
        for p in m.parts
        if isinstance(p, UserPromptPart)
    ]


def asked(toolset: MemoryToolset[str], name: str, **arguments: Any) -> Any:
    """What a tool sends back to the model: the part of the message."""
    script = Scripted([ToolCallPart(name, arguments)], [TextPart("Done.")])
    agent: Agent[str, str] = Agent(script.model, deps_type=str, toolsets=[toolset])
    asyncio.run(agent.run("Go.", deps="maya"))
    return script.seen[-1][-1].parts[0]


def of_user(user: str) -> str:
    return user


def test_tools_are_of_the_space_that_deps_name(memory: Memory):
    toolset = MemoryToolset[str](memory, space=of_user, session="desk")
    assert asked(toolset, "ask", question="Where does Lucia live?").content.startswith("Answer: Tarnholm")
    assert "Tarnholm" in asked(toolset, "search", query="Lucia").content
    assert "Tarnholm" in asked(toolset, "recall", about="Lucia", max_tokens=200).content
    assert asked(toolset, "remember", text="I like tea.", said_at="2024-05-01").content.startswith("Remembered")
    assert [name for name, _, _ in memory.sessions(space="maya")] == ["old", "desk"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remember", {"text": "Hello", "said_at": "soon"}),
        ("ask", {"question": "   "}),
        ("search", {"query": "Lucia", "k": 0}),
        ("recall", {"about": "Lucia", "max_tokens": "many"}),
    ],
)
def test_arguments_that_cannot_be_used_are_sent_back(memory: Memory, name: str, arguments: dict[str, Any]):
    part = asked(MemoryToolset[str](memory), name, **arguments)
    assert isinstance(part, RetryPromptPart) or (isinstance(part, ToolReturnPart) and part.outcome != "success")


def test_what_a_model_cannot_mend_ends_the_run(analyzer: Analyzer):
    closed = Memory(analyzer=analyzer)
    closed.close()
    with pytest.raises(StoreClosedError):
        asked(MemoryToolset[str](closed), "ask", question="Who?")


def test_every_tool_and_argument_is_described(memory: Memory):
    shown: list[AgentInfo] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        shown.append(info)
        return ModelResponse(parts=[TextPart("Done.")])

    asyncio.run(Agent(FunctionModel(model), toolsets=[MemoryToolset(memory)]).run("Go."))
    assert {tool.name for tool in shown[0].function_tools} == {*OFFERED}
    for tool in shown[0].function_tools:
        assert tool.description
        fields = tool.parameters_json_schema["properties"]
        assert all("description" in field for field in fields.values())
        assert "space" not in json.dumps(tool.parameters_json_schema)


def test_pydantic_ais_test_model_calls_every_tool(memory: Memory):
    agent = Agent(TestModel(), toolsets=[MemoryToolset(memory, space="tried")])
    result = asyncio.run(agent.run("Go."))
    assert {*json.loads(result.output)} == {*OFFERED}


def test_what_memory_says_stands_before_the_prompt_in_every_request_of_a_run_and_in_no_history(memory: Memory):
    script = Scripted(
        [ToolCallPart("ask", {"question": "Where does Lucia live?"})], [TextPart("There.")], [TextPart("Yes.")]
    )
    capability = MemoryCapability[str](memory, space=of_user, remembers=False)
    agent: Agent[str, str] = Agent(script.model, deps_type=str, capabilities=[capability])

    async def work() -> None:
        first = await agent.run("Where does Lucia live?", deps="maya")
        second = await agent.run("Is Lucia still there?", deps="ruben", message_history=first.all_messages())
        assert prompts(second.all_messages()) == ["Where does Lucia live?", "Is Lucia still there?"]

    asyncio.run(work())
    shown = [prompts(messages) for messages in script.seen]
    assert [len(p) for p in shown] == [2, 2, 3]
    assert shown[0] == shown[1]
    assert shown[0][0].startswith("<memory>\n")
    assert "Tarnholm" in shown[0][0]
    assert shown[2][0] == "Where does Lucia live?"
    assert "Oslo" in shown[2][1]
    assert "Tarnholm" not in shown[2][1]


def test_runs_at_the_same_time_do_not_see_each_other(memory: Memory):
    script = Scripted(*[[TextPart("Yes.")] for _ in range(2)])
    capability = MemoryCapability[str](memory, space=of_user, remembers=False)
    agent: Agent[str, str] = Agent(script.model, deps_type=str, capabilities=[capability])

    async def work() -> None:
        await asyncio.gather(*(agent.run("Where does Lucia live?", deps=user) for user in ("maya", "ruben")))

    asyncio.run(work())
    blocks = [prompts(messages)[0] for messages in script.seen]
    assert {("Tarnholm" in block, "Oslo" in block) for block in blocks} == {(True, False), (False, True)}


def test_what_is_said_in_a_run_is_remembered_by_who_said_it(memory: Memory):
    script = Scripted([ThinkingPart("Hm."), TextPart("A fine dog!")], [TextPart("Yes.")])
    capability = MemoryCapability[str](memory, space="pets", user=lambda user: user, tools=(), max_tokens=0)
    agent: Agent[str, str] = Agent(script.model, deps_type=str, capabilities=[capability])

    async def work() -> None:
        picture = ImageUrl("https://example.org/dog.png")
        first = await agent.run(["I adopted a beagle.", picture], deps="Nadia")
        await agent.run("His name is Wotan.", deps="Nadia", message_history=first.all_messages())

    asyncio.run(work())
    ((session, _, turns),) = memory.sessions(space="pets")
    said = {(hit.turn.speaker, hit.turn.text) for hit in memory.search("dog beagle Wotan yes", space="pets", k=9)}
    assert turns == 4
    assert session
    assert said == {
        ("Nadia", "I adopted a beagle."),
        ("assistant", "A fine dog!"),
        ("Nadia", "His name is Wotan."),
        ("assistant", "Yes."),
    }


def test_without_a_prompt_or_room_nothing_is_shown(memory: Memory):
    for limit, prompt in ((0, "Where does Lucia live?"), (5, "Where does Lucia live?"), (800, None)):
        script = Scripted([TextPart("Yes.")])
        capability = MemoryCapability[str](memory, space="maya", max_tokens=limit, remembers=False)
        agent: Agent[str, str] = Agent(script.model, deps_type=str, instructions="Reply.", capabilities=[capability])
        asyncio.run(agent.run(prompt, deps="maya"))
        assert prompts(script.seen[0]) == ([prompt] if prompt else [])


def test_an_async_memory_does_as_well(analyzer: Analyzer):
    async def work() -> None:
        async with AsyncMemory(analyzer=analyzer) as memory:
            script = Scripted([TextPart("Noted.")])
            agent = Agent(script.model, capabilities=[MemoryCapability[Any](memory, session="chat", user="Ada")])
            await agent.run("I live in Oslo.")
            assert (await memory.ask("Where does Ada live?")).text == "Oslo"
            assert [name for name, _, _ in await memory.sessions()] == ["chat"]

    asyncio.run(work())


def test_the_tools_that_only_read_are_those_of_the_capability(memory: Memory):
    toolset = MemoryCapability[str](memory).get_toolset()
    assert toolset is not None
    assert {*toolset.tools} == {*READING}
    assert MemoryCapability[str](memory, tools=()).get_toolset() is None
