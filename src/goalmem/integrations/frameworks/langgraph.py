"""LangGraph: nodes that recall before the model is called and remember after, and a store (docs/frameworks-langchain.md)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.messages import BaseMessage, RemoveMessage, SystemMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from goalmem.errors import ConflictError, GoalmemError, InputError, NotFoundError
from goalmem.integrations.frameworks.langchain import Place, place_of
from goalmem.integrations.frameworks.langstore import GoalmemStore
from goalmem.integrations.frameworks.tools import AnyMemory, awaited, place_arguments
from goalmem.maintenance.memory_turns import turn_identity
from goalmem.memory import MAX_TOKENS

if TYPE_CHECKING:
    from goalmem.answer import Context

__all__ = ["BLOCK_ID", "TURN", "GoalmemStore", "MemoryNodes", "thread_of", "user_of"]

BLOCK_ID = "goalmem-memory"
"""Id of the message with the recalled context, which is replaced each time."""
TURN = "goalmem_turn"
"""Where a message's `response_metadata` names the turn that it is remembered as. A message with it is not remembered again,
also when its turn was forgotten since."""
SAID = {"human": "user", "ai": "assistant"}
"""Message types that are remembered. Tool results and system instructions are not spoken."""

State: TypeAlias = Any
Update: TypeAlias = dict[str, Any]
Work: TypeAlias = Generator[partial[Any], Any, Update]
"""The work of a node as calls of a memory, which the caller executes, sync or async."""


def user_of(config: RunnableConfig) -> str:
    """The space of a run: the `user_id` in `configurable`. Raises InputError if it is missing: users must not mix."""
    user = (config.get("configurable") or {}).get("user_id")
    if not user:
        raise InputError(
            "The run names no user, so nobody knows whose memory to use.",
            'Pass config={"configurable": {"user_id": …}}, or give the nodes a `space`.',
        )
    return str(user)


def thread_of(config: RunnableConfig) -> str:
    """The session of a run: the `thread_id` in `configurable`, `default` without one."""
    return str((config.get("configurable") or {}).get("thread_id") or "default")


@dataclass(frozen=True)
class MemoryNodes:
    """Nodes of a graph whose state has messages (`MessagesState`): `recall` before the model, `remember` after it.

    `recall` puts what the memory has to say to the last human message into one system message behind those that the state
    begins with. `remember` remembers every message of people and of the model once: a message is known by its id, so that a
    graph that is resumed, replayed or run twice from a checkpoint adds nothing twice. A message that was replaced by
    another with its id is replaced in memory, too. Both can be awaited.

        nodes = MemoryNodes(memory)
        builder.add_node("recall", nodes.recall)
        builder.add_node("remember", nodes.remember)
        graph.invoke({"messages": [("user", "Hi!")]}, {"configurable": {"user_id": "maya", "thread_id": "1"}})
    """

    memory: AnyMemory
    """A `Memory`, a `Client`, or (for graphs that are awaited) an async one."""
    space: Place = user_of
    """Whose memory it is: a name, or a function of the run's config."""
    session: Place = thread_of
    speaker: Place = None
    """Name of the person who talks, for messages that name none (None: `user`), and whom `I` means in what is recalled for."""
    max_tokens: int = MAX_TOKENS
    """Of what is recalled."""
    messages: str = "messages"
    """Where the state has its messages; their reducer is `add_messages`."""
    into: str | None = None
    """Another place in the state for the messages with the block (`llm_input_messages`); None: among the messages."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    """When messages are said, and questions asked."""

    @property
    def recall(self) -> Runnable[State, Update]:
        """The node before the model."""
        return node("recall", self._recalled)

    @property
    def remember(self) -> Runnable[State, Update]:
        """The node after the model."""
        return node("remember", self._remembered)

    def _recalled(self, state: State, config: RunnableConfig) -> Work:
        messages = self._of(state)
        asked = next((words_of(m) for m in reversed(messages) if m.type == "human"), "")
        where = place_arguments(place_of(self.space, config), place_of(self.speaker, config))
        found: Context | None = None
        if asked:
            found = yield partial(self.memory.context, asked, max_tokens=self.max_tokens, at=self.now(), **where)
        return self._shown(messages, found.text if found is not None else "")

    def _shown(self, messages: Sequence[BaseMessage], text: str) -> Update:
        """The state with the recalled context, replacing an earlier one."""
        others = [m for m in messages if m.id != BLOCK_ID]
        block = [SystemMessage(text, id=BLOCK_ID)] if text else []
        first = next((n for n, m in enumerate(others) if m.type != "system"), len(others))
        shown = [*others[:first], *block, *others[first:]]
        if self.into is not None:
            return {self.into: shown}
        if block and len(others) < len(messages):
            return {self.messages: block}  # replaced in place
        return {self.messages: [RemoveMessage(id=REMOVE_ALL_MESSAGES), *shown]} if len(shown) != len(messages) else {}

    def _remembered(self, state: State, config: RunnableConfig) -> Work:
        speaker = place_of(self.speaker, config)
        fresh = [
            (message, raw)
            for place, message in enumerate(self._of(state))
            if TURN not in message.response_metadata and (raw := raw_of(message, place, speaker))
        ]
        if not fresh:
            return {}
        space = place_arguments(place_of(self.space, config))
        session = place_of(self.session, config) or thread_of(config)
        add = partial(self.memory.add, session=session, at=self.now(), **space)
        turns: list[str] = []
        try:
            turns += (yield partial(add, [raw for _, raw in fresh])).turns
        except ConflictError:  # all of it was refused
            for _, raw in fresh:
                try:
                    turns += (yield partial(add, [raw])).turns
                except ConflictError:
                    yield from self._forgotten(raw["id"], session, space)
                    turns += (yield partial(add, [raw])).turns
        return {self.messages: [marked(m, turn) for (m, _), turn in zip(fresh, turns, strict=True)]}

    def _forgotten(self, id: str, session: str, space: dict[str, Any]) -> Generator[partial[Any], Any, None]:
        """Forget the earlier message with this id, which was replaced."""
        memory: Any = self.memory
        try:
            yield partial(
                memory.forget, turn=turn_identity(space.get("space", "default"), session, f"id:{id}"), **space
            )
        except NotFoundError:
            return

    def _of(self, state: State) -> list[BaseMessage]:
        """The messages of a state, be it a mapping or an object."""
        held = state[self.messages] if isinstance(state, dict) else getattr(state, self.messages)
        return list(convert_to_messages(held))


def node(name: str, work: Callable[[State, RunnableConfig], Work]) -> Runnable[State, Update]:
    """A node that makes the calls of some work, or awaits them."""

    def run(state: State, config: RunnableConfig) -> Update:
        steps = work(state, config)
        try:
            call = next(steps)
            while True:
                if inspect.iscoroutinefunction(call):
                    raise InputError(
                        f"The memory of the node {name!r} is async.", "Run the graph with ainvoke or astream."
                    )
                try:
                    result = call()
                except GoalmemError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(result)
        except StopIteration as done:
            return dict(done.value)

    async def arun(state: State, config: RunnableConfig) -> Update:
        steps = work(state, config)
        try:
            call = next(steps)
            while True:
                try:
                    result: Any = await awaited(call)
                except GoalmemError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(result)
        except StopIteration as done:
            return dict(done.value)

    return RunnableLambda(run, afunc=arun, name=name)


def words_of(message: BaseMessage) -> str:
    """The text of a message; empty if it has none."""
    return str(message.text).strip()


def raw_of(message: BaseMessage, place: int, speaker: str | None) -> dict[str, Any] | None:
    """A message for `Memory.add`; None if it is not spoken or has no text."""
    role, text = SAID.get(message.type), words_of(message)
    if role is None or not text:
        return None
    key = message.id or f"{place} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    name = message.name or (speaker if role == "user" else None)
    return {"role": role, "content": text, "id": key} | ({"name": name} if name else {})


def marked(message: BaseMessage, turn: str) -> BaseMessage:
    """A message that says as which turn it is remembered."""
    return message.model_copy(update={"response_metadata": {**message.response_metadata, TURN: turn}})
