"""LangChain: a memory as the middleware of an agent (docs/frameworks-langchain.md).

    agent = create_agent("openai:gpt-5", middleware=[MemoryMiddleware(memory)])
    agent.invoke({"messages": [("user", "Hi!")]}, {"configurable": {"user_id": "maya", "thread_id": "1"}})

Needs the package `langchain`; the nodes of `langgraph.py` do the work.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Annotated, Any, TypedDict

from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config

from goalmem.integrations.frameworks.langchain import memory_tools, place_of
from goalmem.integrations.frameworks.langgraph import MemoryNodes, Update, Work, node, words_of
from goalmem.integrations.frameworks.tools import AnyMemory, place_arguments

__all__ = ["MemoryMiddleware", "MemoryState"]

BLOCK = "goalmem_block"


class MemoryState(TypedDict, total=False):
    """The agent's state with the recalled context."""

    goalmem_block: Annotated[str, PrivateStateAttr]


class MemoryMiddleware(AgentMiddleware):
    """Recalls before an agent runs, and remembers afterwards what was said.

    The context for the last human message precedes it in every call of the model, in a separate human message, since it
    quotes people. It is not part of the message history. After the run, each message of people and of the model is
    remembered once.
    """

    state_schema: Any = MemoryState

    def __init__(self, memory: AnyMemory, *, tools: Collection[str] = (), remembers: bool = True, **nodes: Any) -> None:
        """`memory` is a `Memory`, a `Client`, or (for agents that are awaited) an async one of either.

        Args:
            memory: what recalls and remembers.
            tools: names of the tools that the model gets besides (`ask`, `search`, …); default: none.
            remembers: whether what was said is remembered.
            nodes: `space`, `session`, `speaker`, `max_tokens` and `now` of `MemoryNodes`. By default the space is the run's
                `user_id` and the session its `thread_id`.

        Raises InputError for a name that is no tool's.
        """
        super().__init__()
        self.nodes = MemoryNodes(memory, **nodes)
        self.remembers = remembers
        offered = memory_tools(memory, space=self.nodes.space, session=self.nodes.session, names=tools)
        self.tools = offered if tools else []
        self._recall = node("recall", self._recalled)

    def before_agent(self, state: Any, runtime: Any) -> Update | None:
        """Recall for the last human message."""
        del runtime
        return self._recall.invoke(state, get_config())

    async def abefore_agent(self, state: Any, runtime: Any) -> Update | None:
        """The same, awaited."""
        del runtime
        return await self._recall.ainvoke(state, get_config())

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        """Call the model with the recalled context before the last human message."""
        return handler(shown(request))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]) -> Any:
        """The same, awaited."""
        return await handler(shown(request))

    def after_agent(self, state: Any, runtime: Any) -> Update | None:
        """Remember the run's messages."""
        del runtime
        return self.nodes.remember.invoke(state, get_config()) if self.remembers else None

    async def aafter_agent(self, state: Any, runtime: Any) -> Update | None:
        """The same, awaited."""
        del runtime
        return await self.nodes.remember.ainvoke(state, get_config()) if self.remembers else None

    def _recalled(self, state: Any, config: RunnableConfig) -> Work:
        nodes = self.nodes
        asked = next((words_of(m) for m in reversed(state["messages"]) if m.type == "human"), "")
        if not asked:
            return {BLOCK: ""}
        where = place_arguments(place_of(nodes.space, config), place_of(nodes.speaker, config))
        found = yield partial(nodes.memory.context, asked, max_tokens=nodes.max_tokens, at=nodes.now(), **where)
        return {BLOCK: found.text}


def shown(request: ModelRequest) -> ModelRequest:
    """A request with the recalled context before the last human message; the state is unchanged."""
    block = str(request.state.get(BLOCK) or "")
    last = max((place for place, m in enumerate(request.messages) if m.type == "human"), default=None)
    if not block or last is None:
        return request
    return request.override(messages=[*request.messages[:last], HumanMessage(block), *request.messages[last:]])
