"""OpenAI Agents SDK: a session that remembers, tools for an agent, and what memory says before each reply.

    agent = Agent("Desk", tools=memory_tools(memory, space="maya"))
    session = MemorySession("chat-1", memory, "sessions.db", space="maya")
    run = RunConfig(call_model_input_filter=recalling(memory, space="maya"))
    result = await Runner.run(agent, "Where does my sister live?", session=session, run_config=run)

Needs the package `openai-agents`.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from agents import ModelBehaviorError, RunContextWrapper, Tool, function_tool
from agents.items import TResponseInputItem
from agents.run import CallModelData, ModelInputData

from goalmem.errors import InputError
from goalmem.integrations.frameworks.item_log import ItemLog
from goalmem.integrations.frameworks.openai_session import MemorySession, words_of
from goalmem.integrations.frameworks.tools import READING, TOOLS, AnyMemory, Call, awaited, offered, placed
from goalmem.memory import MAX_TOKENS

__all__ = ["ItemLog", "MemorySession", "memory_tools", "recalling"]

MOST_BLOCKS = 256
"""Runs at a time whose blocks are held."""

Space: TypeAlias = str | Callable[[Any], str] | None
"""Of memory: its name, or a function from the run's context to it; None: the memory's own."""


def memory_tools(
    memory: AnyMemory, *, space: Space = None, session: str | None = None, read_only: bool = False
) -> list[Tool]:
    """The tools `recall`, `ask`, `search` and, unless `read_only`, `remember`, for `Agent(tools=…)`.

    What the model can mend is told it; any other error ends the run. `session`: of what is remembered; default: one a day.
    """

    async def told(context: RunContextWrapper[Any], call: Call) -> str:
        return call.text(await awaited(call.of(memory, _named(space, context.context), session)))

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=RunContextWrapper[Any])
    return [
        function_tool(
            offered(TOOLS[name], told, context),
            failure_error_function=_told,
            strict_mode=False,  # what has a default may be left out
        )
        for name in ("remember", *READING)
        if not read_only or name in READING
    ]


def recalling(
    memory: AnyMemory, *, space: Space = None, max_tokens: int = MAX_TOKENS, speaker: str | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """A `call_model_input_filter` that puts what memory says before the newest message of the user.

    The block is for the calls of a run alone, the same in each, and no part of the session. `speaker`: the user's name, whom
    `I` means; None: as `Memory.context`.
    """
    blocks: OrderedDict[tuple[str | None, str], str] = OrderedDict()

    async def block_for(space: str | None, text: str, *, again: bool) -> str:
        if not again or (space, text) not in blocks:
            found = await awaited(memory.context, text, max_tokens=max_tokens, **placed(space, speaker))
            blocks[space, text] = found.text
            while len(blocks) > MOST_BLOCKS:
                blocks.popitem(last=False)
        return blocks[space, text]

    async def filtered(data: CallModelData[Any]) -> ModelInputData:
        items = data.model_data.input
        spoken = [(place, said[1]) for place, item in enumerate(items) if (said := _by_user(item)) is not None]
        if not spoken:
            return data.model_data
        place, text = spoken[-1]
        # What follows the message says that the model was called for it before.
        block = await block_for(_named(space, data.context), text, again=place + 1 < len(items))
        before: list[TResponseInputItem] = [{"role": "user", "content": block}] if block else []
        return ModelInputData([*items[:place], *before, *items[place:]], data.model_data.instructions)

    return filtered


def _by_user(item: object) -> tuple[str, str] | None:
    said = words_of(item)
    return said if said is not None and said[0] == "user" else None


def _named(space: Space, context: object) -> str | None:
    return space(context) if callable(space) else space


def _told(context: RunContextWrapper[Any], error: Exception) -> str:
    """What a model is told of a call that failed."""
    del context
    if isinstance(error, InputError | ModelBehaviorError):
        return str(error)
    raise error
