"""AutoGen: a memory of agents (docs/frameworks.md#autogen).

    agent = AssistantAgent("desk", model_client=client, memory=[GoalmemMemory(memory, space="maya")])

Needs the package `autogen-core`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autogen_core import CancellationToken
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import UserMessage

from goalmem.errors import InputError, NotFoundError
from goalmem.integrations.frameworks.tools import AnyMemory, awaited, place_arguments, today
from goalmem.memory import MAX_TOKENS
from goalmem.records import Turn

__all__ = ["GoalmemMemory"]

HITS = 10
"""Default number of results of a query."""
SOURCE = "memory"
"""Source of the block in a model's context."""


class GoalmemMemory(Memory):
    """A `Memory` of AutoGen: what is added is remembered as messages, and what bears on the last message of the user is recalled.

    Before each call of an agent's model, what memory has to say is added to its context as a block that quotes with dates, as data.
    """

    component_type = "memory"

    def __init__(
        self,
        memory: AnyMemory,
        *,
        space: str | None = None,
        session: str | None = None,
        user: str | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        """`memory` is a `Memory`, an `AsyncMemory`, or a client of a server; it stays its owner's to close.

        Args:
            memory: what recalls and remembers.
            space: whose memory it is; None: the memory's own.
            session: of what is added; None: one a day, so that the same words on another day are new.
            user: name of the user, whom `I` means.
            max_tokens: of the block.
        """
        self._memory = memory
        self._space = space
        self._session = session
        self._user = user
        self._max_tokens = max_tokens

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Add the context from memory for the last user message to the model's context."""
        messages = await model_context.get_messages()
        texts = [text_of(m.content) for m in messages if isinstance(m, UserMessage) and m.source != SOURCE]
        if not texts or not texts[-1].strip():
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        where = place_arguments(self._space, self._user)
        found = await awaited(self._memory.context, texts[-1], max_tokens=self._max_tokens, **where)
        await model_context.add_message(UserMessage(content=found.text, source=SOURCE))
        told = MemoryContent(content=found.text, mime_type=MemoryMimeType.TEXT, metadata={"turns": list(found.sources)})
        return UpdateContextResult(memories=MemoryQueryResult(results=[told]))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Remembered messages, best first. `kwargs` are those of `Memory.search`: `k`, `at`, `speakers` and so on."""
        del cancellation_token
        words = query if isinstance(query, str) else text_of(query.content)
        options = {"k": HITS} | place_arguments(self._space, self._user) | kwargs
        hits = await awaited(self._memory.search, words, **options)
        return MemoryQueryResult(results=[content_of(hit.turn, hit.score) for hit in hits])

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember a text, or an object as JSON. Its metadata may say `speaker`, `role`, `at`, `id` and `tags`; the rest is kept.

        Raises InputError for pictures and bytes, and for what a memory refuses.
        """
        del cancellation_token
        about = dict(content.metadata or {})
        message: dict[str, Any] = {"role": str(about.pop("role", "user")), "content": text_of(content.content)}
        if name := about.pop("speaker", self._user if message["role"] == "user" else None):
            message["name"] = name
        message |= {key: about.pop(key) for key in ("at", "id", "tags") if key in about}
        message |= {"metadata": about} if about else {}
        await awaited(self._memory.add, [message], session=self._session or today(), **place_arguments(self._space))

    async def clear(self) -> None:
        """Forget the session that was named, or without one all of the space."""
        named: dict[str, Any] = {"session": self._session} if self._session else {"everything": True}
        try:
            await awaited(self._memory.forget, **named, **place_arguments(self._space))
        except NotFoundError:
            return

    async def close(self) -> None:
        """Nothing: the memory is its owner's to close."""


def text_of(content: object) -> str:
    """The text of a content. Raises InputError if it is not text."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        return "\n".join(part for part in content if isinstance(part, str))
    raise InputError(f"A {type(content).__name__} cannot be remembered.", "Add text, or an object as JSON.")


def content_of(turn: Turn, score: float) -> MemoryContent:
    """A message found."""
    metadata = {"id": turn.id, "speaker": turn.speaker, "role": turn.role, "session": turn.session, "score": score}
    metadata |= {"at": turn.at.isoformat()} if turn.dated else {}
    return MemoryContent(content=turn.content, mime_type=MemoryMimeType.TEXT, metadata=metadata | dict(turn.metadata))
