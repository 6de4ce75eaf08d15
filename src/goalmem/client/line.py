"""The line to a server: requests over `httpx2`, each sent again while that may help.

`Line` is written once, to be awaited. What it sends with is `Blocking`, whose awaiting never waits, or `Waiting`, for asyncio.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
)
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import httpx2

from goalmem.client import calls, exchange, message
from goalmem.client.address import Server
from goalmem.client.call import Call
from goalmem.client.failures import AttemptError, unreachable
from goalmem.client.transfer import Gathered, parts_of
from goalmem.engine.events import Event
from goalmem.errors import GoalmemError
from goalmem.models.process import PerProcess

__all__ = ["Blocking", "Line", "Waiting", "completed"]

R = TypeVar("R")
T = TypeVar("T")
Told = AsyncGenerator[tuple[str, Any], None]
"""Events, as kind and document."""


class Network(Protocol):
    """What a line sends with."""

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """An answer to what `build_request` of a client makes of these arguments; its body is still to come."""
        ...

    async def leave(self, response: httpx2.Response) -> None:
        """Be done with an answer."""
        ...

    async def close(self) -> None:
        """Let go of the connections. A later request opens new ones."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def body(self, parts: Iterator[bytes]) -> Any:
        """The parts of a file as the content of a request."""
        ...

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """The body of an answer as it comes."""
        ...

    def each(self, items: Any) -> AsyncIterator[Any]:
        """What can be iterated with or without awaiting."""
        ...


class Line:
    """Sends calls to one server."""

    def __init__(self, server: Server, network: Network) -> None:
        self.network = network
        self._server = server
        self._learned: str | None = None

    async def send(self, call: Call[R]) -> R:
        """What a call returns; a list is fetched page by page. Raises GoalmemError, and nothing of the libraries."""
        document = await self._document(call)
        found = message.read_answer(call, document, await self._space(call), self._server)
        while call.listed and (cursor := document.get("next")) is not None:
            document = await self._document(call, cursor)
            found += message.read_answer(call, document, await self._space(call), self._server)  # type: ignore[operator]
        return found

    async def told(self, call: Call[R]) -> AsyncGenerator[Event | R, None]:
        """Everything that happens on the way as it happens; the last item is what the call returns."""
        events = self._events(call)
        try:
            async for kind, row in events:
                if kind == exchange.LAST:
                    yield message.read_answer(call, row, await self._space(call), self._server)
                elif event := exchange.event_of(kind, row, self._server):
                    yield event
        finally:
            await events.aclose()

    async def fetch(self, call: Call[None], gathered: Gathered) -> None:
        """Gather an answer that is too large to be held."""
        headers = message.headers_of(call)

        async def once(deadline: float) -> None:
            gathered.begin()
            async with self._opened(call, None, headers, None, exchange.stream_timeout()) as response:
                if not response.is_success:
                    exchange.require_done(response, await self._whole(response, deadline), self._server)
                with exchange.failures_at(self._server):
                    async for part in self.network.bytes_of(response):
                        gathered.feed(part)
            gathered.end()

        await self._persist(once)

    async def upload(self, call: Call[R], origin: Path) -> R:
        """Send a file that is too large to be held."""
        headers = message.headers_of(call) | exchange.BYTES

        async def once(deadline: float) -> R:
            with origin.open("rb") as file:
                parts = self.network.body(parts_of(file))
                async with self._opened(call, None, headers, parts, exchange.stream_timeout()) as response:
                    answered = await self._whole(response, deadline + self._server.timeout)
            exchange.require_done(response, answered, self._server)
            document = message.parsed(answered, self._server)
            return message.read_answer(call, document, await self._space(call), self._server)

        return await self._persist(once)

    async def _space(self, call: Call[Any]) -> str:
        """The space that what a call returns is of."""
        known = message.known_space(call, self._server) or self._learned
        if known is None:
            visible = await self.send(calls.spaces())
            known = self._learned = exchange.only_space(visible)
        return known

    async def _document(self, call: Call[Any], cursor: str | None = None) -> Any:
        """The document that the server answers with."""
        body, headers = message.written(call), message.headers_of(call)

        async def once(deadline: float) -> Any:
            timeout = exchange.timeout_of(self._server, deadline)
            async with self._opened(call, cursor, headers, body, timeout) as response:
                answered = await self._whole(response, deadline)
            exchange.require_done(response, answered, self._server)
            return message.parsed(answered, self._server)

        return await self._persist(once, again=call.repeats)

    async def _events(self, call: Call[Any]) -> Told:
        """Events as they come, as kind and document; the last is the answer. Sent again only before the first."""
        body, headers = message.written(call), message.headers_of(call) | exchange.EVENTS

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

    async def _told(self, call: Call[Any], headers: dict[str, str], body: bytes | None, deadline: float) -> Told:
        async with self._opened(call, None, headers, body, exchange.stream_timeout()) as response:
            if not response.is_success:
                exchange.require_done(response, await self._whole(response, deadline), self._server)
            events = self.network.each(httpx2.EventSource(response, exchange.MOST_EVENT))
            while True:
                with exchange.failures_at(self._server):
                    event = await anext(events, None)
                if event is None:
                    raise unreachable(self._server.url, "the answer broke off")
                exchange.require_time(self._server, deadline)
                yield event.event, exchange.read_event(event, self._server)

    @asynccontextmanager
    async def _opened(
        self, call: Call[Any], cursor: str | None, headers: dict[str, str], body: Any, timeout: httpx2.Timeout
    ) -> AsyncIterator[httpx2.Response]:
        """An answer whose body is still to come."""
        request = {"method": call.method, "url": call.path, "headers": headers, "content": body, "timeout": timeout}
        request["params"] = message.params_of(call, self._server, cursor)
        with exchange.failures_at(self._server):
            response = await self.network.send(request)
        try:
            yield response
        finally:
            await self.network.leave(response)

    async def _whole(self, response: httpx2.Response, deadline: float) -> bytes:
        """The body, however slowly it comes, in the time that the call may take."""
        parts: list[bytes] = []
        with exchange.failures_at(self._server):
            async for part in self.network.bytes_of(response):
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
            async for attempt in self.network.each(exchange.attempts(self._server, deadline)):
                with attempt:
                    return await once(deadline)
            raise AssertionError("an attempt returns or raises")
        except AttemptError as failure:
            error = failure.error
        # Raised here, it drags nothing along that knows the request and its key.
        raise error


class Blocking:
    """A network for programs without an event loop. Safe for many threads, and across a fork."""

    def __init__(self, server: Server, transport: httpx2.BaseTransport | None) -> None:
        self._server, self._transport = server, transport
        self._connection = PerProcess(self._connect)
        self._connected = False

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """See `Network`."""
        client = self._connection.get()
        return client.send(client.build_request(**request), stream=True)

    async def leave(self, response: httpx2.Response) -> None:
        """See `Network`."""
        response.close()

    async def close(self) -> None:
        """See `Network`."""
        if self._connected:
            connection, self._connection = self._connection, PerProcess(self._connect)
            self._connected = False
            connection.get().close()

    async def sleep(self, seconds: float) -> None:
        """See `Network`."""
        time.sleep(seconds)

    def body(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        """See `Network`."""
        return parts

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """See `Network`."""
        return Each(response.iter_bytes())

    def each(self, items: Iterable[T]) -> AsyncIterator[T]:
        """See `Network`."""
        return Each(items)

    def _connect(self) -> httpx2.Client:
        self._connected = True
        return httpx2.Client(**exchange.settings_of(self._server), transport=self._transport)


class Waiting:
    """A network for one event loop."""

    def __init__(self, server: Server, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._server, self._transport = server, transport
        self._client: httpx2.AsyncClient | None = None

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """See `Network`."""
        if self._client is None:
            self._client = httpx2.AsyncClient(**exchange.settings_of(self._server), transport=self._transport)
        return await self._client.send(self._client.build_request(**request), stream=True)

    async def leave(self, response: httpx2.Response) -> None:
        """See `Network`."""
        await response.aclose()

    async def close(self) -> None:
        """See `Network`."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def sleep(self, seconds: float) -> None:
        """See `Network`."""
        await asyncio.sleep(seconds)

    async def body(self, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """See `Network`; the file is read in another thread."""
        while part := await asyncio.to_thread(next, parts, b""):
            yield part

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """See `Network`."""
        return response.aiter_bytes()

    def each(self, items: AsyncIterable[T]) -> AsyncIterator[T]:
        """See `Network`."""
        return aiter(items)


class Each(Generic[T]):
    """Items to be awaited that are there at once."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)

    def __aiter__(self) -> Each[T]:
        return self

    async def __anext__(self) -> T:
        for item in self._items:
            return item
        raise StopAsyncIteration


def completed(work: Coroutine[Any, Any, R]) -> R:
    """What work returns that a line does over a `Blocking` network: nothing in it ever waits for an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: R = done.value
        return result
    raise AssertionError("a blocking network waits by itself")
