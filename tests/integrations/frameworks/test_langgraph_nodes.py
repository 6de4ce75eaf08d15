"""A graph that remembers: what its nodes put into the state and into memory, also when it is interrupted or killed."""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.frameworks.remembered import remembered

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from goalmem import AsyncMemory, InputError, Memory
from goalmem.integrations.frameworks.langchain import memory_tools
from goalmem.integrations.frameworks.langgraph import BLOCK_ID, TURN, MemoryNodes, thread_of, user_of
from goalmem.language import Analyzer
from goalmem.settings import Settings

PATIENT = Settings(ask_seconds=120)
"""What is answered does not depend on how busy the machine is."""

SAID = {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."}
ASKED = {"messages": [HumanMessage("Where does Ilse live?", id="q1")]}


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.add(SAID, space="maya", session="earlier", at="2024-05-02")
        yield memory


def answer(state: MessagesState) -> dict[str, Any]:
    """Stands in for a model: it looks into what it is shown."""
    shown = " ".join(m.text for m in state["messages"])
    return {"messages": [AIMessage("In Ghent." if "lives in Ghent" in shown else "I do not know.")]}


def graph_of(
    nodes: MemoryNodes, model: Callable[..., Any] = answer, saver: InMemorySaver | None = None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(MessagesState)
    builder.add_node("recall", nodes.recall)
    builder.add_node("model", model)
    builder.add_node("remember", nodes.remember)
    for one, other in [(START, "recall"), ("recall", "model"), ("model", "remember"), ("remember", END)]:
        builder.add_edge(one, other)
    return builder.compile(checkpointer=saver)


def run_as(user: str = "maya", thread: str = "t1") -> dict[str, Any]:
    return {"configurable": {"user_id": user, "thread_id": thread}}


def as_maya(config: RunnableConfig) -> RunnableConfig:
    """A checkpoint's config, which names the thread alone, with the user."""
    return {"configurable": {**config["configurable"], "user_id": "maya"}}


def said(memory: Memory, space: str = "maya", session: str = "t1") -> list[tuple[str, str]]:
    return [(t.role, t.text) for t in remembered(memory, space, session)]


def test_the_model_is_shown_what_is_remembered_and_both_messages_are_remembered(memory: Memory):
    state = graph_of(MemoryNodes(memory)).invoke(ASKED, run_as())
    block, question, reply = state["messages"]
    assert (block.type, block.id) == ("system", BLOCK_ID)
    assert "My sister Ilse lives in Ghent." in block.text
    assert reply.text == "In Ghent."
    assert said(memory) == [("user", "Where does Ilse live?"), ("assistant", "In Ghent.")]
    assert memory.turn(question.response_metadata[TURN], space="maya").text == "Where does Ilse live?"


def test_awaited_it_does_the_same(memory: Memory):
    state = asyncio.run(graph_of(MemoryNodes(memory)).ainvoke(ASKED, run_as()))
    assert state["messages"][-1].text == "In Ghent."
    assert len(said(memory)) == 2


def test_an_async_memory_is_awaited(tmp_path: Path, analyzer: Analyzer):
    async def work() -> str:
        async with AsyncMemory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) as memory:
            await memory.add(SAID, space="maya", session="earlier", at="2024-05-02")
            graph = graph_of(MemoryNodes(memory))
            with pytest.raises(InputError, match="async"):
                graph.invoke(ASKED, run_as())
            return (await graph.ainvoke(ASKED, run_as()))["messages"][-1].text

    assert asyncio.run(work()) == "In Ghent."


def test_a_state_holds_one_block_behind_its_own_instructions(memory: Memory):
    graph = graph_of(MemoryNodes(memory), saver=InMemorySaver())
    graph.invoke({"messages": [SystemMessage("Be brief."), *ASKED["messages"]]}, run_as())
    state = graph.invoke({"messages": [("user", "Hello there, friend!")]}, run_as())
    assert [m.type for m in state["messages"]] == ["system", "system", "human", "ai", "human", "ai"]
    assert [m.id == BLOCK_ID for m in state["messages"]].index(True) == 1
    assert len(said(memory)) == 4


def test_users_and_threads_are_kept_apart(memory: Memory):
    graph = graph_of(MemoryNodes(memory))
    assert graph.invoke(ASKED, run_as("ivo", "x"))["messages"][-1].text == "I do not know."
    assert said(memory, "ivo", "x") == [("user", "Where does Ilse live?"), ("assistant", "I do not know.")]
    assert said(memory) == []
    assert memory.sessions(space="maya")[0][0] == "earlier"


def test_without_a_user_nothing_is_recalled_or_remembered(memory: Memory):
    with pytest.raises(InputError, match="user"):
        graph_of(MemoryNodes(memory)).invoke(ASKED, {"configurable": {"thread_id": "t1"}})
    assert memory.spaces() == ["maya"]


def test_a_space_may_be_named_outright(memory: Memory):
    assert graph_of(MemoryNodes(memory, space="maya", session="s")).invoke(ASKED)["messages"][-1].text == "In Ghent."
    assert len(said(memory, session="s")) == 2


def test_what_tools_and_systems_say_is_not_remembered(memory: Memory):
    def model(state: MessagesState) -> dict[str, Any]:
        call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
        return {
            "messages": [AIMessage("", tool_calls=[call]), ToolMessage("secret", tool_call_id="c1"), AIMessage("Done.")]
        }

    graph_of(MemoryNodes(memory), model).invoke(ASKED, run_as())
    assert [text for _, text in said(memory)] == ["Where does Ilse live?", "Done."]


def test_the_block_may_go_elsewhere(memory: Memory):
    recalled = MemoryNodes(memory, into="llm_input_messages").recall.invoke(ASKED, run_as())
    assert [m.type for m in recalled["llm_input_messages"]] == ["system", "human"]


def test_who_talks_may_be_named_by_the_run_or_the_message(memory: Memory):
    nodes = MemoryNodes(memory, speaker=lambda config: config["configurable"]["user_id"].title())
    state = {"messages": [HumanMessage("I run."), AIMessage("Good."), HumanMessage("I swim.", name="Ivo")]}
    nodes.remember.invoke(state, run_as())
    assert [t.speaker for t in remembered(memory, "maya", "t1")] == ["Maya", "assistant", "Ivo"]


def test_without_a_word_from_a_person_nothing_is_recalled(memory: Memory):
    nodes = MemoryNodes(memory)
    assert nodes.recall.invoke({"messages": []}, run_as()) == {}
    assert nodes.recall.invoke({"messages": [HumanMessage([{"type": "image_url", "image_url": "x"}])]}, run_as()) == {}
    assert nodes.remember.invoke({"messages": []}, run_as()) == {}


def test_messages_without_ids_are_remembered_once(memory: Memory):
    remember = MemoryNodes(memory).remember
    state = {"messages": [HumanMessage("I run."), AIMessage("Good."), HumanMessage("I run.")]}
    remember.invoke(state, run_as())
    remember.invoke(state, run_as())
    assert [text for _, text in said(memory)] == ["I run.", "Good.", "I run."]


# -- checkpoints -------------------------------------------------------------------------------------------------------


def test_a_run_that_fails_in_the_model_is_resumed_and_remembered_once(memory: Memory):
    saver, calls = InMemorySaver(), []

    def model(state: MessagesState) -> dict[str, Any]:
        calls.append(state)
        if len(calls) == 1:
            raise ConnectionError("the model is away")
        return answer(state)

    with pytest.raises(ConnectionError):
        graph_of(MemoryNodes(memory), model, saver).invoke(ASKED, run_as())
    assert said(memory) == []
    state = graph_of(MemoryNodes(memory), model, saver).invoke(None, run_as())
    assert state["messages"][-1].text == "In Ghent."
    assert len(said(memory)) == 2


def test_a_run_that_ends_after_remembering_but_before_its_checkpoint_remembers_once(memory: Memory):
    saver, nodes = InMemorySaver(), MemoryNodes(memory)

    class Ends(MemoryNodes):
        @property
        def remember(self) -> Any:
            def work(state: MessagesState, config: RunnableConfig) -> Any:
                nodes.remember.invoke(state, config)
                raise SystemError("killed")

            return work

    with pytest.raises(SystemError):
        graph_of(Ends(memory), saver=saver).invoke(ASKED, run_as())
    assert len(said(memory)) == 2
    state = graph_of(nodes, saver=saver).invoke(None, run_as())
    assert len(said(memory)) == 2
    assert all(TURN in m.response_metadata for m in state["messages"] if m.type != "system")


def test_an_interrupted_run_goes_on_where_it_waited(memory: Memory):
    def model(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"Booked: {interrupt('Really?')}.")]}

    graph = graph_of(MemoryNodes(memory), model, InMemorySaver())
    assert "__interrupt__" in graph.invoke(ASKED, run_as())
    assert said(memory) == []
    state = graph.invoke(Command(resume="yes"), run_as())
    assert state["messages"][-1].text == "Booked: yes."
    assert [text for _, text in said(memory)] == ["Where does Ilse live?", "Booked: yes."]


def test_a_replay_from_an_earlier_checkpoint_adds_only_what_is_new(memory: Memory):
    graph = graph_of(MemoryNodes(memory), saver=InMemorySaver())
    graph.invoke(ASKED, run_as())
    before = next(c for c in graph.get_state_history(run_as()) if c.next == ("remember",))
    graph.invoke(None, as_maya(before.config))
    assert len(said(memory)) == 2
    before = next(c for c in graph.get_state_history(run_as()) if c.next == ("model",))
    graph.invoke(None, as_maya(before.config))  # the model replies anew: a message of its own
    assert [role for role, _ in said(memory)] == ["user", "assistant", "assistant"]


def test_a_message_that_was_replaced_is_replaced_in_memory(memory: Memory):
    graph = graph_of(MemoryNodes(memory), saver=InMemorySaver())
    graph.invoke(ASKED, run_as())
    graph.invoke({"messages": [HumanMessage("Where does Ivo live?", id="q1")]}, run_as())
    texts = [text for _, text in said(memory)]
    assert "Where does Ivo live?" in texts
    assert "Where does Ilse live?" not in texts


def test_what_was_forgotten_is_not_remembered_again_by_the_same_thread(memory: Memory):
    graph = graph_of(MemoryNodes(memory), saver=InMemorySaver())
    state = graph.invoke(ASKED, run_as())
    memory.forget(turn=state["messages"][1].response_metadata[TURN], space="maya")
    graph.invoke({"messages": [HumanMessage("Thank you very much.")]}, run_as())
    assert [text for _, text in said(memory)] == ["In Ghent.", "Thank you very much.", "I do not know."]


def test_a_message_removed_from_the_state_stays_remembered(memory: Memory):
    graph = graph_of(MemoryNodes(memory), saver=InMemorySaver())
    graph.invoke(ASKED, run_as())
    graph.update_state(run_as(), {"messages": [RemoveMessage(id="q1")]})
    graph.invoke({"messages": [("user", "Thanks a lot.")]}, run_as())
    assert len(said(memory)) == 4


def test_a_state_is_what_a_checkpointer_makes_of_it_again(memory: Memory):
    state = graph_of(MemoryNodes(memory)).invoke(ASKED, run_as())
    serializer = JsonPlusSerializer()
    assert serializer.loads_typed(serializer.dumps_typed(state)) == state


def test_tools_and_what_they_answered_are_kept_in_checkpoints(memory: Memory):
    asks = {"name": "ask", "args": {"question": "Where does Ilse live?"}, "id": "c1", "type": "tool_call"}
    tools = memory_tools(memory, space=user_of, session=thread_of)
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda _: {"messages": [AIMessage("", tool_calls=[asks])]})
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    saver = InMemorySaver()
    builder.compile(checkpointer=saver).invoke(ASKED, run_as())
    kept = builder.compile(checkpointer=saver).get_state(run_as()).values["messages"][-1]
    assert kept.status == "success"
    assert memory.verify(kept.artifact["proof"]).ok


class FileSaver(InMemorySaver):
    """Checkpoints in a file, as a database would keep them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.lock = threading.RLock()  # nodes write from threads of their own
        if path.exists():
            kept = pickle.loads(path.read_bytes())  # noqa: S301 - this test wrote it
            for thread, spaces in kept["storage"].items():
                for space, checkpoints in spaces.items():
                    self.storage[thread][space].update(checkpoints)
            self.writes.update(kept["writes"])
            self.blobs.update(kept["blobs"])

    def keep(self) -> None:
        storage = {
            thread: {space: dict(held) for space, held in spaces.items()} for thread, spaces in self.storage.items()
        }
        kept = {"storage": storage, "writes": dict(self.writes), "blobs": dict(self.blobs)}
        waiting = self.path.with_suffix(".new")
        waiting.write_bytes(pickle.dumps(kept))
        waiting.rename(self.path)

    def put(self, *args: Any, **options: Any) -> Any:
        with self.lock:
            result = super().put(*args, **options)
            self.keep()
        return result

    def put_writes(self, *args: Any, **options: Any) -> None:
        with self.lock:
            super().put_writes(*args, **options)
            self.keep()


def killed(folder: str) -> None:
    """In a process of its own: a run that is killed when it has remembered, before that is in a checkpoint."""
    with Memory(Path(folder) / "m.db") as memory:
        nodes = MemoryNodes(memory)

        class Dies(MemoryNodes):
            @property
            def remember(self) -> Any:
                def work(state: MessagesState, config: RunnableConfig) -> None:
                    nodes.remember.invoke(state, config)
                    os.kill(os.getpid(), signal.SIGKILL)

                return work

        graph = graph_of(Dies(memory), saver=FileSaver(Path(folder) / "checkpoints"))
        graph.invoke(ASKED, run_as(), durability="sync")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_process_that_is_killed_is_resumed_by_another(tmp_path: Path, analyzer: Analyzer):
    with Memory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) as memory:
        memory.add(SAID, space="maya", session="earlier", at="2024-05-02")
    script = f"from tests.integrations.frameworks.test_langgraph_nodes import killed; killed({str(tmp_path)!r})"
    ended = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[3], timeout=240, check=False)
    assert ended.returncode == -signal.SIGKILL
    with Memory(tmp_path / "m.db", analyzer=analyzer, settings=PATIENT) as memory:
        assert len(said(memory)) == 2
        graph = graph_of(MemoryNodes(memory), saver=FileSaver(tmp_path / "checkpoints"))
        assert graph.invoke(None, run_as())["messages"][-1].text == "In Ghent."
        assert said(memory) == [("user", "Where does Ilse live?"), ("assistant", "In Ghent.")]


def test_messages_are_dated_by_the_clock_that_is_given(memory: Memory):
    nodes = MemoryNodes(memory, now=lambda: datetime(2024, 6, 3, tzinfo=UTC))
    graph_of(nodes).invoke({"messages": [HumanMessage("I adopted a beagle yesterday.")]}, run_as())
    assert "2 June 2024" in memory.ask("When did I adopt a beagle?", space="maya").text
