"""A LangGraph agent that remembers: recalled before the model is called, remembered after, once, also when it fails half-way.

The model's replies are written beforehand, so that the example runs anywhere; put a real one in its place.
"""

from typing import Any

from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

from goalmem import Memory
from goalmem.integrations.frameworks.langgraph import GoalmemStore, MemoryNodes

EARLIER = [
    {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."},
    {"role": "user", "name": "Maya", "content": "Ilse loves rye bread."},
]
RUN: Any = {"configurable": {"user_id": "maya", "thread_id": "trip"}}


class Model(SimpleChatModel):
    """Stands in for a chat model: it looks into what it is shown. The first call fails, as if the process had ended."""

    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _call(self, messages: list[BaseMessage], *args: Any, **options: Any) -> str:
        del args, options
        self.calls += 1
        if self.calls == 1:
            raise ConnectionError("the model is away")
        shown = " ".join(message.text for message in messages)
        return "Take the train to Ghent." if "lives in Ghent" in shown else "Where does she live?"


def agent(memory: Memory, model: Model, checkpoints: InMemorySaver) -> Any:
    """The graph: recall, model, remember."""
    nodes = MemoryNodes(memory)
    graph = StateGraph(MessagesState)
    graph.add_node("recall", nodes.recall)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("remember", nodes.remember)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "model")
    graph.add_edge("model", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpoints, store=GoalmemStore(memory))


def main() -> None:
    """A run that fails in the model, and goes on from its checkpoint; then what is remembered of it."""
    model, checkpoints = Model(), InMemorySaver()
    with Memory() as memory:
        memory.add(EARLIER, space="maya", session="spring", at="2024-05-02T20:00:00")
        try:
            agent(memory, model, checkpoints).invoke({"messages": [("user", "How do I get to Ilse?")]}, RUN)
        except ConnectionError as error:
            print(f"failed: {error}")
        state = agent(memory, model, checkpoints).invoke(None, RUN)  # a new graph, on the same checkpoints
        print(f"> {state['messages'][-1].text}")
        agent(memory, model, checkpoints).invoke(None, RUN)  # nothing is left to be done
        print(
            "messages remembered of the run:", next(n for name, _, n in memory.sessions(space="maya") if name == "trip")
        )

        answer = memory.ask("Where does Maya's sister live?", space="maya")
        print(f"{answer.text}, {answer.status}; the proof holds: {memory.verify(answer.proof).ok}")

        store = GoalmemStore(memory)  # what agents keep can be asked about, too
        store.put(("profiles", "maya"), "work", {"text": "Maya works at the harbour office.", "since": 2021})
        found = store.search(("profiles", "maya"), query="Where does she work?", filter={"since": {"$gte": 2020}})
        print(found[0].value)
        print(memory.ask("Where does Maya work?", space=store.space(("profiles", "maya"))).text)


if __name__ == "__main__":
    main()
