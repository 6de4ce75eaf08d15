"""Agents of the Agents SDK with tools and recall, driven by the SDK's own scripted model. Nothing is traced."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

pytest.importorskip("agents")

from agents import Agent, RunConfig, Runner, UserError
from agents.testing import ModelCall, ScriptedModel, assistant_message, function_call

from goalmem import Memory, StoreClosedError
from goalmem.integrations.frameworks.openai_agents import MemorySession, memory_tools, recalling
from goalmem.integrations.frameworks.tools import READING
from goalmem.language import Analyzer

QUIET = RunConfig(tracing_disabled=True)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add("My sister Lucia lives in Tarnholm.", space="maya", session="old", at="2024-04-16")
        memory.add("My sister Lucia lives in Oslo.", space="ruben", session="old", at="2024-04-16")
        yield memory


def calling(name: str, **arguments: Any) -> list[Any]:
    return [function_call(name, arguments, call_id=f"call-{name}")]


def asked(memory: Memory, name: str, **arguments: Any) -> str:
    """What a tool tells the model."""
    model = ScriptedModel([calling(name, **arguments), [assistant_message("Done.")]])
    agent: Agent[str] = Agent("Desk", model=model, tools=[*memory_tools(memory, space=lambda user: user)])
    run(Runner.run(agent, "Go.", context="maya", run_config=QUIET))
    last = model.calls[-1].input[-1]
    assert isinstance(last, dict)
    return str(last["output"])


def test_tools_are_of_the_space_that_the_runs_context_names(memory: Memory):
    assert asked(memory, "ask", question="Where does Lucia live?").startswith("Answer: Tarnholm")
    assert "Tarnholm" in asked(memory, "search", query="Lucia")
    assert "Tarnholm" in asked(memory, "recall", about="Lucia")
    assert asked(memory, "remember", text="I like tea.", said_at="2024-05-01").startswith("Remembered")


def test_a_model_is_told_what_it_can_mend(memory: Memory):
    assert "ISO 8601" in asked(memory, "remember", text="Hello", said_at="soon")
    assert "Invalid JSON input" in asked(memory, "search", query="", k=1_000)
    assert "no argument 'wehre'" in asked(memory, "search", query="Lucia", wehre={"project": "x"})


def test_what_it_cannot_mend_ends_the_run(analyzer: Analyzer):
    closed = Memory(analyzer=analyzer)
    closed.close()
    with pytest.raises((UserError, StoreClosedError)) as caught:
        asked(closed, "ask", question="Who?")
    assert "closed" in str(caught.value)


def test_the_tools_that_only_read_change_nothing(memory: Memory):
    tools = memory_tools(memory, read_only=True)
    assert {tool.name for tool in tools} == {*READING}
    for tool in memory_tools(memory):
        assert tool.description
        fields = tool.params_json_schema["properties"]
        assert all("description" in field for field in fields.values())
        assert "space" not in json.dumps(tool.params_json_schema)


def shown(call: ModelCall) -> list[str]:
    return [str(item.get("content")) for item in call.input if isinstance(item, dict)]


def test_what_memory_says_stands_before_the_newest_message_and_is_not_kept(memory: Memory):
    async def work() -> None:
        model = ScriptedModel([calling("ask", question="Where?"), *[[assistant_message("Tarnholm.")]] * 2])
        agent: Agent[str] = Agent("Desk", model=model, tools=[*memory_tools(memory, space="maya")])
        session = MemorySession("today", memory, ":memory:", space="maya")
        config = RunConfig(tracing_disabled=True, call_model_input_filter=recalling(memory, space=lambda user: user))
        for question in ("Where does Lucia live?", "Thanks for Lucia!"):
            await Runner.run(agent, question, session=session, run_config=config, context="maya")
        blocks = [[place for place, text in enumerate(shown(c)) if text.startswith("<memory>")] for c in model.calls]
        assert blocks == [[0], [0], [4]]  # once a call, also after a call of a tool; none of an earlier run
        assert "Tarnholm" in shown(model.calls[0])[0]
        kept = await session.get_items()
        assert "<memory>" not in str(kept)
        assert len(kept) == 6
        session.close()

    run(work())


def test_a_run_without_words_is_left_as_it_is(memory: Memory):
    async def work() -> None:
        model = ScriptedModel([[assistant_message("A picture.")]])
        config = RunConfig(tracing_disabled=True, call_model_input_filter=recalling(memory, space="maya"))
        picture: Any = [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,", "detail": "auto"}]}]
        await Runner.run(Agent("Desk", model=model), picture, run_config=config)
        assert len(model.calls[0].input) == 1

    run(work())
