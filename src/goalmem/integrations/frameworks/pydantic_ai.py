"""Pydantic AI: a toolset, and a capability that recalls before a run, offers the tools, and remembers after it.

    agent = Agent("openai:gpt-5", deps_type=str, capabilities=[MemoryCapability(memory, space=lambda user: user)])
    await agent.run("Where does my sister live?", deps="maya")

Needs the package `pydantic-ai-slim`, version 2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, TypeAlias

from pydantic_ai import AgentRunResult, FunctionToolset, ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextContent, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT

from goalmem.errors import InputError
from goalmem.integrations.frameworks.tools import (
    OFFERED,
    READING,
    TOOLS,
    AnyMemory,
    ToolCall,
    awaited,
    place_arguments,
    today,
    tool_function,
    tool_names,
)
from goalmem.memory import MAX_TOKENS

__all__ = ["MemoryCapability", "MemoryToolset"]

Named: TypeAlias = str | Callable[[Any], str] | None
"""A name, or a function from the run's `deps` to it."""


class MemoryToolset(FunctionToolset[AgentDepsT], Generic[AgentDepsT]):
    """The tools of one space of a memory.

    Arguments that memory refuses are sent back to the model to be mended (ModelRetry); other errors end the run.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        space: Named = None,
        session: Named = None,
        tools: Collection[str] = OFFERED,
        id: str | None = "goalmem",
        max_retries: int | None = None,
    ) -> None:
        """`memory` is a `Memory`, an `AsyncMemory`, or a client of a server.

        Args:
            memory: what is asked and told.
            space: its name, or a function from the run's `deps` to it; default: the memory's own.
            session: of what is remembered; default: one a day.
            tools: names of those to offer, of `goalmem.integrations.frameworks.tools.EVERY`; `READING` are those that change nothing.
            id: of the toolset, for durable execution.
            max_retries: how often a model may mend its arguments; default: as the agent says.
        """
        super().__init__(id=id, max_retries=max_retries)
        self._memory, self._space, self._session = memory, space, session
        context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=RunContext[Any])
        for name in tool_names(tools):
            self.add_function(tool_function(TOOLS[name], self._told, context), name=name)

    async def _told(self, context: RunContext[AgentDepsT], call: ToolCall) -> str:
        """The reply to a model; arguments that memory refuses cause a retry."""
        try:
            made = call.of(self._memory, _named(self._space, context), _named(self._session, context))
            return call.text(await awaited(made))
        except InputError as error:
            raise ModelRetry(str(error)) from error


@dataclass
class MemoryCapability(AbstractCapability[AgentDepsT]):
    """Memory for an agent: what is remembered stands before each prompt, tools look up more, and what is said is kept.

    The context is only part of the model's requests, not of the message history. It is in the user's channel rather
    than the instructions, since it quotes people.
    """

    memory: AnyMemory
    """A `Memory`, an `AsyncMemory`, or a client of a server."""
    _: KW_ONLY
    space: Named = None
    """Its name, or a function from the run's `deps` to it; None: the memory's own."""
    session: Named = None
    """Of what is remembered; None: the run's conversation."""
    user: Named = None
    """Name of who prompts, so that memory knows whom "I" stands for."""
    max_tokens: int = MAX_TOKENS
    """Of what stands before a prompt; 0: nothing does."""
    tools: Collection[str] = READING
    """Names of the tools to offer."""
    remembers: bool = True
    """True if prompts and replies are remembered, when the run is done."""
    _blocks: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    """Context blocks of this run by prompt, stable across its requests."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: a memory cannot be written into an agent's specification."""
        return None

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> MemoryCapability[AgentDepsT]:
        """A separate instance for each run."""
        return replace(self)

    def get_toolset(self) -> MemoryToolset[AgentDepsT] | None:
        """The tools that were chosen."""
        if not self.tools:
            return None
        return MemoryToolset(self.memory, space=self.space, session=self.session, tools=self.tools, id=self.id)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Insert the context before the newest prompt, in this request only."""
        messages = request_context.messages
        prompts = [(place, text) for place, message in enumerate(messages) if (text := prompt_of(message)).strip()]
        if not prompts or self.max_tokens <= 0:
            return request_context
        place, text = prompts[-1]
        if text not in self._blocks:
            where = place_arguments(_named(self.space, ctx), _named(self.user, ctx))
            found = await awaited(self.memory.context, text, max_tokens=self.max_tokens, **where)
            self._blocks[text] = found.text
        if block := self._blocks[text]:
            request_context.messages = [*messages[:place], _with(block, messages[place]), *messages[place + 1 :]]
        return request_context

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Remember the messages of the run, each once, however often this is called."""
        said = list(_spoken(result.new_messages(), _named(self.user, ctx))) if self.remembers else []
        if said:
            numbered = [message | {"id": f"{ctx.run_id}:{number}"} for number, message in enumerate(said)]
            session = _named(self.session, ctx) or ctx.conversation_id or today()
            await awaited(self.memory.add, numbered, session=session, **place_arguments(_named(self.space, ctx)))
        return result


def prompt_of(message: ModelMessage) -> str:
    """The text of a user's prompt in a message; empty if there is none."""
    if not isinstance(message, ModelRequest):
        return ""
    return "\n".join(text for part in message.parts if isinstance(part, UserPromptPart) for text in _texts(part))


def _texts(part: UserPromptPart) -> Iterator[str]:
    """The words of a prompt without its pictures and files."""
    pieces: Sequence[object] = [part.content] if isinstance(part.content, str) else part.content
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, TextContent):
            yield piece.content


def _with(block: str, message: ModelMessage) -> ModelMessage:
    """A message with a block before its prompt."""
    assert isinstance(message, ModelRequest)
    place = next(n for n, part in enumerate(message.parts) if isinstance(part, UserPromptPart))
    prompt = message.parts[place]
    assert isinstance(prompt, UserPromptPart)
    before = UserPromptPart(block, timestamp=prompt.timestamp)
    return replace(message, parts=[*message.parts[:place], before, *message.parts[place:]])


def _spoken(messages: Sequence[ModelMessage], user: str | None) -> Iterator[dict[str, Any]]:
    """The spoken messages of user and model, without tool calls and thoughts."""
    for message in messages:
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            if text.strip():
                yield {"role": "assistant", "content": text, "at": message.timestamp.isoformat()}
        elif (text := prompt_of(message)).strip():
            at = next(part.timestamp for part in message.parts if isinstance(part, UserPromptPart))
            yield {"role": "user", "content": text, "at": at.isoformat()} | ({"name": user} if user else {})


def _named(name: Named, context: RunContext[Any]) -> str | None:
    return name(context.deps) if callable(name) else name
