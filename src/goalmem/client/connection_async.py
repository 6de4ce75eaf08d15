"""The line to a server, for asyncio: as `line`, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from goalmem.client import calls, exchange
from goalmem.client.address import Server
from goalmem.client.calls import Call
from goalmem.client.failures import AttemptError, unreachable
from goalmem.client.transfer import Gathered, parts_of
from goalmem.engine.events import Event, Listener
from goalmem.errors import GoalmemError

__all__ = ["AsyncLine"]

R = TypeVar("R")
Told = AsyncGenerator[tuple[str, Any], None]
"""Events, as kind and document."""


class AsyncLine:
    """Sends calls to one server, in one event loop."""

    def __init__(self, server: Server, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._server = server
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None
        self._learned: str | None = None

    async def send(self, call: Call[R]) -> R:
        """What a call returns. Raises GoalmemError, and nothing of the libraries."""
        document = await self._document(call)
        return exchange.read_answer(call, document, await self._space(call), self._server)

    async def list(self, call: Call[R]) -> list[R]:
        """All items of a list, fetched page by page."""
        found: list[R] = []
        cursor: str | None = None
        while True:
            document = await self._document(call, cursor)
            items, cursor = exchange.page_of(call, document, await self._space(call), self._server)
            found += items
            if cursor is None:
                return found

    async def listen(self, call: Call[R], listener: Listener) -> R:
        """What a call returns, with everything that happens on the way told as it happens."""
        told = self.told(call)
        try:
            async for item in told:
                if not isinstance(item, Event):
                    return item
                listener(item)
        finally:
            await told.aclose()
        raise AssertionError("the events end with an answer or an error")

    async def told(self, call: Call[R]) -> AsyncGenerator[Event | R, None]:
        """Everything that happens on the way as it happens; the last item is what the call returns."""
        events = self._events(call)
        try:
            async for kind, row in events:
                if kind == exchange.LAST:
                    yield exchange.read_answer(call, row, await self._space(call), self._server)
                elif event := exchange.event_of(kind, row, self._server):
                    yield event
        finally:
            await events.aclose()

    async def _events(self, call: Call[Any]) -> Told:
        """Events as they come, as kind and document; the last is the answer. Sent again only before the first."""
        body, headers = exchange.written(call), exchange.headers_of(call) | exchange.EVENTS

        async def begin(deadline: float) -> tuple[Told, tuple[str, Any]]:
            told = self._told(call, headers, body, deadline)
            return told, await anext(told)

        told, event = await self._persist(begin)
        try:
            while True:
                yield event
                if event[0] == exchange.LAST:
                    return
                event = await self._persist(lambda _: anext(told), again=False)
        finally:
            await told.aclose()

    async def fetch(self, call: Call[None], gathered: Gathered) -> None:
        """Gather an answer that is too large to be held."""
        headers = exchange.headers_of(call)

        async def once(deadline: float) -> None:
            gathered.begin()
            async with self._opened(call, None, headers, None, exchange.stream_timeout()) as response:
                if not response.is_success:
                    exchange.require_done(response, await self._whole(response, deadline), self._server)
                with exchange.failures_at(self._server):
                    async for part in response.aiter_bytes():
                        gathered.feed(part)
            gathered.end()

        await self._persist(once)

    async def upload(self, call: Call[R], origin: Path) -> R:
        """Send a file that is too large to be held."""
        headers = exchange.headers_of(call) | exchange.BYTES

        async def once(deadline: float) -> R:
            with origin.open("rb") as file:
                parts = awaited(parts_of(file))
                async with self._opened(call, None, headers, parts, exchange.stream_timeout()) as response:
                    answered = await self._whole(response, deadline + self._server.timeout)
            exchange.require_done(response, answered, self._server)
            return exchange.read_answer(
                call, exchange.parsed(answered, self._server), await self._space(call), self._server
            )

        return await self._persist(once)

    async def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _space(self, call: Call[Any]) -> str:
        """The space that what a call returns is of."""
        known = exchange.known_space(call, self._server) or self._learned
        if known is None:
            known = self._learned = exchange.only_space(await self.list(calls.spaces()))
        return known

    async def _document(self, call: Call[Any], cursor: str | None = None) -> Any:
        """The document that the server answers with."""
        body, headers = exchange.written(call), exchange.headers_of(call)

        async def once(deadline: float) -> Any:
            timeout = exchange.timeout_of(self._server, deadline)
            async with self._opened(call, cursor, headers, body, timeout) as response:
                answered = await self._whole(response, deadline)
            exchange.require_done(response, answered, self._server)
            return exchange.parsed(answered, self._server)

        return await self._persist(once)

    async def _told(self, call: Call[Any], headers: dict[str, str], body: bytes | None, deadline: float) -> Told:
        async with self._opened(call, None, headers, body, exchange.stream_timeout()) as response:
            if not response.is_success:
                exchange.require_done(response, await self._whole(response, deadline), self._server)
            events = aiter(httpx2.EventSource(response, exchange.MOST_EVENT))
            while True:
                with exchange.failures_at(self._server):
                    event = await anext(events, None)
                if event is None:
                    raise unreachable(self._server.url, "the answer broke off")
                exchange.require_time(self._server, deadline)
                yield event.event, exchange.read_event(event, self._server)

    @asynccontextmanager
    async def _opened(
        self,
        call: Call[Any],
        cursor: str | None,
        headers: dict[str, str],
        body: bytes | AsyncIterator[bytes] | None,
        timeout: httpx2.Timeout,
    ) -> AsyncIterator[httpx2.Response]:
        """An answer whose body is still to come."""
        client = self._client
        if client is None:
            client = self._client = httpx2.AsyncClient(**exchange.settings_of(self._server), transport=self._transport)
        with exchange.failures_at(self._server):
            request = client.build_request(
                call.method,
                call.path,
                params=exchange.params_of(call, self._server, cursor),
                headers=headers,
                content=body,
                timeout=timeout,
            )
            response = await client.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    async def _whole(self, response: httpx2.Response, deadline: float) -> bytes:
        """The body, however slowly it comes, in the time that the call may take."""
        parts: list[bytes] = []
        with exchange.failures_at(self._server):
            async for part in response.aiter_bytes():
                exchange.require_time(self._server, deadline)
                parts.append(part)
        return b"".join(parts)

    async def _persist(self, once: Callable[[float], Awaitable[R]], *, again: bool = True) -> R:
        """What `once` returns by a deadline, tried again while that may help."""
        deadline = time.monotonic() + self._server.timeout
        error: GoalmemError
        try:
            if not again:
                return await once(deadline)
            async for attempt in exchange.attempts(self._server, deadline):
                with attempt:
                    return await once(deadline)
            raise AssertionError("an attempt returns or raises")
        except AttemptError as failure:
            error = failure.error
        # Raised here, it drags nothing along that knows the request and its key.
        raise error


async def awaited(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The parts of a file, read in another thread."""
    while part := await asyncio.to_thread(next, parts, b""):
        yield part
