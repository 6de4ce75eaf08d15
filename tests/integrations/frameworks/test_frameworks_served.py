"""LangGraph, LangChain and LlamaIndex over a server's memory: what they do with one here, they do there."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("llama_index.core")
pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("stamina")

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.base import ListNamespacesOp, PutOp, SearchOp
from llama_index.core.llms import ChatMessage

from goalmem import AsyncClient, Client, Memory
from goalmem.integrations.frameworks.langchain import GoalmemRetriever, memory_tools
from goalmem.integrations.frameworks.langgraph import TURN, GoalmemStore, MemoryNodes
from goalmem.integrations.frameworks.llama_index import GoalmemMemoryBlock
from goalmem.language import Analyzer
from goalmem.serve.testing import served
from goalmem.settings import Settings

PATIENT = Settings(ask_seconds=120)
"""What is answered does not depend on how busy the machine is."""

SAID = {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."}
QUESTION = "Where does Ilse live?"


@pytest.fixture(scope="module")
def url(analyzer: Analyzer) -> Iterator[str]:
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.add(SAID, space="maya", session="earlier", at="2024-05-02")
        with served(memory) as url:
            yield url


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url) as client:
        yield client


def test_a_store(client: Client):
    store = GoalmemStore(client)
    odd = {"text": "NUL \x00 and \ud800", "n": [1, 2.5, None], "kind": "note"}
    store.batch([PutOp(("a", "b"), "k", odd), PutOp(("a",), "x", {"text": "Ferns need water."})])
    store.put(("a", "b"), "k", odd | {"n": 3})
    item = store.get(("a", "b"), "k")
    assert item is not None
    assert item.value == odd | {"n": 3}
    assert store.get(("nowhere",), "k") is None
    assert [i.key for i in store.search(("a",), query="ferns")] == ["x", "k"]
    assert [i.key for i in store.search(("a",), query="ferns", filter={"kind": "note"})] == ["k"]
    assert store.batch([SearchOp(("a",), filter={"n": {"$gt": 2}}), ListNamespacesOp(max_depth=1)])[1] == [("a",)]
    store.delete(("a", "b"), "k")
    assert store.search(("a", "b")) == []
    assert store.list_namespaces() == [("a",)]


def test_nodes(client: Client):
    nodes, run = MemoryNodes(client), {"configurable": {"user_id": "maya", "thread_id": "t"}}
    recalled = nodes.recall.invoke({"messages": [HumanMessage(QUESTION, id="q")]}, run)
    assert "lives in Ghent" in recalled["messages"][1].text
    state: dict[str, Any] = {"messages": [HumanMessage(QUESTION, id="q"), AIMessage("In Ghent.", id="a")]}
    for _ in range(2):
        marked = nodes.remember.invoke(state, run)
    assert [client.turn(m.response_metadata[TURN], space="maya").text for m in marked["messages"]] == [
        QUESTION,
        "In Ghent.",
    ]
    nodes.remember.invoke({"messages": [HumanMessage("Where does Ivo live?", id="q")]}, run)
    assert sorted(t.text for t in client.turns("t", space="maya")) == ["In Ghent.", "Where does Ivo live?"]


def test_tools_and_a_retriever(client: Client):
    ask = memory_tools(client, space="maya", names=["ask"])[0]
    call = {"name": "ask", "args": {"question": QUESTION}, "id": "c", "type": "tool_call"}
    assert client.verify(ask.invoke(call).artifact["proof"]).ok
    assert GoalmemRetriever(memory=client, space="maya", k=1).invoke(QUESTION)[0].page_content == SAID["content"]


def test_awaited(url: str):
    async def work() -> None:
        async with AsyncClient(url) as client:
            block = GoalmemMemoryBlock(memory=client, space="ivo")
            await block.aput([ChatMessage(role="user", content="My sister Lucia lives in Tarnholm.")], session_id="s")
            assert "Tarnholm" in await block.aget([ChatMessage(role="user", content="Where does Lucia live?")])
            nodes, run = MemoryNodes(client, space="ivo"), {"configurable": {"thread_id": "t"}}
            recalled = await nodes.recall.ainvoke({"messages": [HumanMessage("Where does Lucia live?", id="q")]}, run)
            assert "Tarnholm" in recalled["messages"][1].text

    asyncio.run(work())
