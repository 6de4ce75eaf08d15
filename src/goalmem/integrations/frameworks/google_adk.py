"""Google's Agent Development Kit: a memory service of its runners (docs/frameworks.md#google-adk).

    runner = Runner(agent=agent, app_name="desk", session_service=sessions, memory_service=GoalmemMemoryService(memory))

Needs the package `google-adk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from goalmem.errors import NotFoundError
from goalmem.integrations.frameworks.tools import AnyMemory, awaited, today
from goalmem.records import Turn

__all__ = ["GoalmemMemoryService", "space_of"]

HITS = 10
"""Number of results of a search, as in the kit's own service."""
USER = "user"
"""Author of user events in the kit."""


def space_of(app_name: str, user_id: str) -> str:
    """The space of a user of an application: `app/user`. None may be read across."""
    return f"{app_name}/{user_id}"


class GoalmemMemoryService(BaseMemoryService):
    """A `BaseMemoryService`: sessions are remembered event by event, once, and searched by what they say.

    An event is known by its id, so a session may be added again while it grows. What only calls tools, and thoughts, are left out.
    """

    def __init__(
        self, memory: AnyMemory, *, space: Callable[[str, str], str] = space_of, user: str | None = None, k: int = HITS
    ) -> None:
        """`memory` is a `Memory`, an `AsyncMemory`, or a client of a server.

        Args:
            memory: what finds and remembers.
            space: of an application and a user.
            user: name of the user, where messages are not to be said by `user`.
            k: memories that a search returns at most.
        """
        self._memory = memory
        self._space = space
        self._user = user
        self._k = k

    async def add_session_to_memory(self, session: Any) -> None:
        """Remember the events of a session that are not remembered yet."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember events; `custom_metadata` becomes metadata of each message."""
        messages = list(self._messages(events, custom_metadata))
        await self._add(messages, session_id, app_name, user_id)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember texts with their authors and times."""
        messages = []
        for entry in memories:
            if text := text_of(entry.content):
                noted = {**dict(custom_metadata or {}), **entry.custom_metadata}
                at = entry.timestamp or None
                messages.append(self._message(text, entry.author or USER, entry.id, at, noted))
        await self._add(messages, None, app_name, user_id)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Messages that say most about a query, best first."""
        hits = await awaited(self._memory.search, query, k=self._k, space=self._space(app_name, user_id))
        return SearchMemoryResponse(memories=[entry_of(hit.turn) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget one message, by the id that a search gave. It comes back if its session is added again."""
        if memory_id:
            try:
                await awaited(self._memory.forget, turn=memory_id, space=self._space(app_name, user_id))
            except NotFoundError:
                return

    async def _add(self, messages: list[dict[str, Any]], session: str | None, app_name: str, user_id: str) -> None:
        if messages:
            space = self._space(app_name, user_id)
            await awaited(self._memory.add, messages, session=session or today(), space=space)

    def _messages(self, events: Sequence[Any], noted: Mapping[str, object] | None) -> Iterator[dict[str, Any]]:
        for event in events:
            text = "" if getattr(event, "partial", None) else text_of(event.content)
            if text:
                yield self._message(text, event.author or USER, event.id, event.timestamp, dict(noted or {}))

    def _message(
        self, text: str, author: str, id: str | None, at: float | str | None, noted: Mapping[str, object]
    ) -> dict[str, Any]:
        """A message of an author. `at`: seconds since 1970, or ISO 8601."""
        name = self._user if author == USER else author
        optional = {
            "name": name,
            "id": id,
            "at": datetime.fromtimestamp(at, UTC).isoformat() if isinstance(at, float | int) else at,
            "metadata": dict(noted),
        }
        role = "user" if author == USER else "assistant"
        return {"role": role, "content": text, **{key: value for key, value in optional.items() if value}}


def text_of(content: Any) -> str:
    """The text of a content, without thoughts, calls and files."""
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not getattr(part, "thought", None)).strip()


def entry_of(turn: Turn) -> MemoryEntry:
    """A message found, as the kit shows it to a model."""
    role = "user" if turn.role == "user" else "model"
    content = types.Content(role=role, parts=[types.Part(text=turn.content)])
    about = {**turn.metadata, "session": turn.session}
    at = turn.at.isoformat() if turn.dated else None
    return MemoryEntry(id=turn.id, content=content, author=turn.speaker, timestamp=at, custom_metadata=about)
