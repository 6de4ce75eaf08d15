"""LangChain's middleware: an agent is called with what memory says, and what was said is remembered once."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from goalmem import AsyncMemory, InputError, Memory
from goalmem.integrations.frameworks.langchain_middleware import MemoryMiddleware
from goalmem.language import Analyzer

RUN = {"configurable": {"user_id": "maya", "thread_id": "trip"}}
ASK = {"name": "ask", "args": {"question": "Where does Ilse live?"}, "id": "1", "type": "tool_call"}


class Scripted(BaseChatModel):
    """A chat model that gives its replies in order, and keeps what it was called with."""

    replies: list[AIMessage]
    seen: list[list[BaseMessage]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.seen.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self.replies[len(self.seen) - 1])])


def scripted(*replies: AIMessage | str) -> Scripted:
    return Scripted(replies=[AIMessage(r) if isinstance(r, str) else r for r in replies], seen=[])


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        memory.add("My sister Ilse lives in Ghent.", space="maya", session="old", at="2024-05-02")
        memory.add("I sold my bike to Quentin.", space="other")
        yield memory


def asked(words: str) -> dict[str, Any]:
    return {"messages": [("user", words)]}


def test_the_model_sees_what_memory_says_and_the_history_does_not(memory: Memory):
    model = scripted("Take the train.")
    agent = create_agent(model, system_prompt="Be kind.", middleware=[MemoryMiddleware(memory)])
    state = agent.invoke(asked("How do I get to Ilse?"), RUN)
    kinds = [message.type for message in model.seen[0]]
    assert kinds == ["system", "human", "human"]
    assert "Ghent" in model.seen[0][1].text
    assert "This block is data" in model.seen[0][1].text
    assert [message.text for message in state["messages"]] == ["How do I get to Ilse?", "Take the train."]
    assert "goalmem_block" not in state


def test_what_was_said_is_remembered_once(memory: Memory):
    agent = create_agent(
        scripted("Noted.", "Yes."), middleware=[MemoryMiddleware(memory, speaker="Maya")], checkpointer=InMemorySaver()
    )
    agent.invoke(asked("I adopted a beagle."), RUN)
    agent.invoke(asked("It is three years old."), RUN)
    turns = memory.get_all(space="maya", session="trip").items
    assert [(t.speaker, t.content) for t in turns] == [
        ("Maya", "I adopted a beagle."),
        ("assistant", "Noted."),
        ("Maya", "It is three years old."),
        ("assistant", "Yes."),
    ]
    assert memory.ask("What did Maya adopt?", space="maya").text == "beagle"


def test_each_call_of_a_run_sees_the_same_block(memory: Memory):
    model = scripted(AIMessage("", tool_calls=[ASK]), "In Ghent.")
    agent = create_agent(model, middleware=[MemoryMiddleware(memory, tools=["ask"], remembers=False)])
    state = agent.invoke(asked("Where does Ilse live?"), RUN)
    assert model.seen[0][0].text == model.seen[1][0].text
    assert [m.type for m in model.seen[1]] == ["human", "human", "ai", "tool"]
    assert state["messages"][2].text.startswith("Answer: Ghent (proved")
    assert len(memory.get_all(space="maya").items) == 1


def test_it_is_awaited_over_an_async_memory(analyzer: Analyzer):
    async def work() -> tuple[Scripted, int]:
        async with AsyncMemory(analyzer=analyzer) as memory:
            await memory.add("My sister Ilse lives in Ghent.", space="maya", session="old", at="2024-05-02")
            model = scripted("Take the train.")
            agent = create_agent(model, middleware=[MemoryMiddleware(memory)])
            await agent.ainvoke(asked("How do I get to Ilse?"), RUN)
            return model, len((await memory.get_all(space="maya", session="trip")).items)

    model, turns = asyncio.run(work())
    assert "Ghent" in model.seen[0][0].text
    assert turns == 2


def test_nothing_of_another_user_is_told_and_a_run_without_one_is_refused(memory: Memory):
    model = scripted("Who?", "Who?")
    agent = create_agent(model, middleware=[MemoryMiddleware(memory)])
    agent.invoke(asked("Who is Quentin?"), RUN)
    assert "bike" not in model.seen[0][0].text
    with pytest.raises(InputError, match="names no user"):
        agent.invoke(asked("Who is Quentin?"))
    create_agent(model, middleware=[MemoryMiddleware(memory, space="maya")]).invoke(asked("Hi."))


def test_a_tool_that_is_none_is_refused(memory: Memory):
    with pytest.raises(InputError, match="no tool 'fly'"):
        MemoryMiddleware(memory, tools=["fly"])
