"""mem0's `AsyncMemory`: the methods of `Memory`, awaited, each in a thread so that the event loop is never held up."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from goalmem.integrations.mem0.config import DEFAULTS, configured
from goalmem.integrations.mem0.memory import UNSET, Memory

if TYPE_CHECKING:
    from goalmem.answer import Answer
    from goalmem.memory import Memory as GoalMemory

__all__ = ["AsyncMemory"]


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

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """See `Memory.get`."""
        return await asyncio.to_thread(self._memory.get, memory_id)

    async def get_all(
        self,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """See `Memory.get_all`."""
        return await asyncio.to_thread(
            self._memory.get_all, filters=filters, top_k=top_k, show_expired=show_expired, **kwargs
        )

    async def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: dict[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any | None = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """See `Memory.search`."""
        return await asyncio.to_thread(
            self._memory.search,
            query,
            top_k=top_k,
            filters=filters,
            threshold=threshold,
            rerank=rerank,
            explain=explain,
            reference_date=reference_date,
            show_expired=show_expired,
            **kwargs,
        )

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: dict[str, Any] | None = None,
        expiration_date: Any = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """See `Memory.update`."""
        return await asyncio.to_thread(self._memory.update, memory_id, text, metadata, expiration_date, data)

    async def delete(self, memory_id: str) -> dict[str, str]:
        """See `Memory.delete`."""
        return await asyncio.to_thread(self._memory.delete, memory_id)

    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """See `Memory.delete_all`."""
        return await asyncio.to_thread(self._memory.delete_all, user_id, agent_id, run_id)

    async def history(self, memory_id: str) -> list[dict[str, Any]]:
        """See `Memory.history`."""
        return await asyncio.to_thread(self._memory.history, memory_id)

    async def reset(self) -> None:
        """See `Memory.reset`."""
        await asyncio.to_thread(self._memory.reset)

    async def chat(self, query: str) -> Any:
        """See `Memory.chat`."""
        return self._memory.chat(query)

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

    async def ask(
        self,
        question: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        **options: Any,
    ) -> Answer:
        """See `Memory.ask`."""
        return await asyncio.to_thread(
            self._memory.ask, question, user_id=user_id, agent_id=agent_id, run_id=run_id, **options
        )
