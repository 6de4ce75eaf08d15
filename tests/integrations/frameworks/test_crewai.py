"""CrewAI's tools: those of every framework, over one space."""

from collections.abc import Iterator

import pytest
from crewai.tools import BaseTool
from tests.integrations.frameworks.stand_ins import is_real

from goalmem import Memory
from goalmem.integrations.frameworks.crewai import memory_tools
from goalmem.integrations.frameworks.tools import EVERY, OFFERED, READING, TOOLS
from goalmem.language import Analyzer


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add("My sister Ilse lives in Ghent.", space="maya", at="2024-05-02")
        memory.add("I sold my bike to Quentin.", space="other")
        yield memory


def test_the_tools_are_those_of_every_framework(memory: Memory):
    tools = memory_tools(memory, space="maya")
    assert all(isinstance(tool, BaseTool) for tool in tools)
    assert [tool.name for tool in tools] == list(OFFERED)
    assert [tool.name for tool in memory_tools(memory, names=EVERY)] == list(EVERY)
    assert [tool.name for tool in memory_tools(memory, read_only=True)] == list(READING)
    for tool in tools:
        assert (TOOLS[tool.name].__doc__ or "").strip() in tool.description
        assert "space" not in tool.args_schema.model_json_schema()["properties"]


def test_what_is_remembered_is_asked_and_quoted(memory: Memory):
    tools = {tool.name: tool for tool in memory_tools(memory, space="new", session="desk")}
    told = tools["remember"].run(text="I adopted a beagle.", speaker="Nadia", said_at="2024-05-01")
    assert told.startswith("Remembered as turn t")
    assert tools["ask"].run(question="What did Nadia adopt?").startswith("Answer: beagle (proved")
    assert '2024-05-01, Nadia: "I adopted a beagle."' in tools["search"].run(query="beagle", k=1)
    assert "beagle" in tools["recall"].run(about="What did Nadia adopt?")


def test_nothing_of_another_space_is_told(memory: Memory):
    for tool in memory_tools(memory, space="maya", read_only=True):
        needed = tool.args_schema.model_json_schema().get("required", [])
        assert "bike" not in tool.run(**dict.fromkeys(needed, "Who is Quentin?")).replace("Who is Quentin?", "")


def test_what_a_memory_refuses_says_what_to_do(memory: Memory):
    tools = {tool.name: tool for tool in memory_tools(memory, space="maya")}
    assert "ISO 8601" in tools["remember"].run(text="Hi.", said_at="some day")
    assert "Pass some text" in tools["ask"].run(question=" ")


@pytest.mark.skipif(not is_real("crewai"), reason="needs crewai")
def test_an_agent_takes_them(memory: Memory):
    from crewai import LLM, Agent

    agent = Agent(
        role="Desk",
        goal="Help",
        backstory="A desk.",
        llm=LLM(model="gpt-4o", api_key="none"),
        tools=memory_tools(memory),
    )
    assert [tool.name for tool in agent.tools] == list(OFFERED)
