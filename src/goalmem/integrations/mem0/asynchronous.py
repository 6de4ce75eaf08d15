"""mem0's `AsyncMemory`: the methods of `Memory`, awaited, each in a thread so that the event loop is never held up."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from goalmem.integrations.mem0.config import DEFAULTS, configured
from goalmem.integrations.mem0.memory import Memory

if TYPE_CHECKING:
    from goalmem.memory import Memory as GoalMemory

__all__ = ["AsyncMemory"]

P = ParamSpec("P")
R = TypeVar("R")


def twin(method: Callable[Concatenate[Memory, P], R]) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """A method of `Memory`, awaited: parameters, result, errors and documentation are its own."""

    @functools.wraps(method)
    async def awaited(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self._memory, *args, **kwargs)

    return awaited


class AsyncMemory:
    """A drop-in for `mem0.AsyncMemory`. What has begun when its task is cancelled is finished and kept."""

    def __init__(self, config: Any = DEFAULTS) -> None:
        """As `Memory`."""
        self._memory = Memory(config)
        self.config = self._memory.config

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> Self:
        """See `Memory.from_config`."""
        return cls(configured(config_dict))

    async def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        timestamp: Any | None = None,
        expiration_date: Any | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
        llm: Any = None,
    ) -> dict[str, Any]:
        """See `Memory.add`. `llm` is of no use: no model is needed."""
        del llm
        return await asyncio.to_thread(
            self._memory.add,
            messages,
            user_id=user_id,
            agent_id=agent_id,
            run_id=run_id,
            metadata=metadata,
            timestamp=timestamp,
            expiration_date=expiration_date,
            infer=infer,
            memory_type=memory_type,
            prompt=prompt,
        )

    get = twin(Memory.get)
    get_all = twin(Memory.get_all)
    search = twin(Memory.search)
    update = twin(Memory.update)
    delete = twin(Memory.delete)
    delete_all = twin(Memory.delete_all)
    history = twin(Memory.history)
    reset = twin(Memory.reset)
    chat = twin(Memory.chat)

    def close(self) -> None:
        """See `Memory.close`."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    # -- beyond mem0 ---------------------------------------------------------------------------------------------

    @property
    def goalmem(self) -> GoalMemory:
        """See `Memory.goalmem`."""
        return self._memory.goalmem

    def space_of(self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> str:
        """See `Memory.space_of`."""
        return self._memory.space_of(user_id=user_id, agent_id=agent_id, run_id=run_id)

    ask = twin(Memory.ask)
