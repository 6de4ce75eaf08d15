"""The line to a server: requests over `httpx2`, each sent again while that may help.

`ServerConnection` is written once, to be awaited. What it sends with is `BlockingNetwork`, whose awaiting never waits, or `AsyncNetwork`, for asyncio.
"""

from __future__ import annotations

import asyncio
import json
import logging
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
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, get_args

import httpx2
import stamina

from goalmem.client import calls
from goalmem.client.call import (
    CONNECT,
    STALLED,
    ServerAddress,
    ServerCall,
    headers_of,
    known_space,
    params_of,
    parsed,
    read_answer,
    written,
)
from goalmem.client.failures import AttemptError, of_answer, of_problem, unreachable, unreadable
from goalmem.client.uploads import JoinedExports, parts_of
from goalmem.engine.events import Event, EventKind
from goalmem.errors import GoalmemError
from goalmem.models.process import PerProcess
from goalmem.schema import rows

EVENTS = {"accept": "text/event-stream"}
BYTES = {"content-type": "application/octet-stream"}
LAST = "answer"
"""The kind of the last event."""
MOST_EVENT = 64 * 2**20
"""Bytes of one server-sent event: an answer holds its whole proof."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 3.0
"""Seconds before the second attempt, and maximum between two attempts, if the server does not say."""


# Stamina logs each retry as a warning, which is for programs that listen, not for the terminal.
logging.getLogger("stamina").addHandler(logging.NullHandler())


def settings_of(server: ServerAddress) -> dict[str, Any]:
    """Arguments for a client of `httpx2`."""
    # Certificates of one's own (SSL_CERT_FILE) are for whom one trusts; a proxy of the environment would read along,
    # and the key does not go where a redirect leads.
    secure = {"verify": httpx2.create_ssl_context(trust_env=True)} if server.url.startswith("https:") else {}
    return {"base_url": server.url, "headers": server.headers, "trust_env": False, "follow_redirects": False} | secure


def attempts(server: ServerAddress, deadline: float) -> Any:
    """Attempts at a call, while one more may help and time is left."""
    return stamina.retry_context(
        partial(patience_of, deadline=deadline),
        attempts=server.attempts,
        timeout=None,
        wait_initial=_FIRST_WAIT,
        wait_max=_LONGEST_WAIT,
        wait_jitter=_FIRST_WAIT,
    )


def patience_of(error: Exception, *, deadline: float) -> bool | float:
    """True to send again: after the wait that the server asks for, after one of our own (True), or not (False)."""
    if not isinstance(error, AttemptError) or not error.again:
        return False
    if error.wait is None:
        return left(deadline) > _LONGEST_WAIT
    if error.wait >= left(deadline):
        error.error.add_note(f"The server asks to wait {error.wait:g} s, which is longer than the call may take.")
        return False
    return error.wait


def left(deadline: float) -> float:
    """Seconds until a deadline, not below zero."""
    return max(0.0, deadline - time.monotonic())


def require_time(server: ServerAddress, deadline: float) -> None:
    """Raises AttemptError where no time is left."""
    if left(deadline) <= 0:
        raise unreachable(server.url, f"the call took longer than {server.timeout:g} s")


def timeout_of(server: ServerAddress, deadline: float) -> httpx2.Timeout:
    """The limits of one attempt. Raises AttemptError where no time is left."""
    require_time(server, deadline)
    seconds = left(deadline)
    return httpx2.Timeout(seconds, connect=min(CONNECT, seconds), pool=min(CONNECT, seconds))


def stream_timeout() -> httpx2.Timeout:
    """The limits of an answer that comes bit by bit: each bit has its own time."""
    return httpx2.Timeout(STALLED, connect=CONNECT, pool=CONNECT)


@contextmanager
def failures_at(server: ServerAddress) -> Iterator[None]:
    """Convert network errors to AttemptError."""
    try:
        yield
    except httpx2.TimeoutException:
        raise unreachable(server.url, "it took too long") from None
    except httpx2.ConnectError as error:
        raise unreachable(server.url, str(error) or "no connection") from None
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise unreachable(server.url, type(error).__name__) from None


def require_done(response: httpx2.Response, body: bytes, server: ServerAddress) -> None:
    """Raise AttemptError for an error status."""
    if not response.is_success:
        raise of_answer(response.status_code, response.headers, body, server.url)


def event_of(kind: str, row: Any, server: ServerAddress) -> Event | None:
    """The event; None for a kind that is unknown, as from a newer server."""
    if kind not in get_args(EventKind):
        return None
    try:
        return rows.event(kind, row)
    except rows.UNREADABLE:
        pass
    raise unreadable(server.url, f"the event {kind!r}")


def read_event(event: httpx2.ServerSentEvent, server: ServerAddress) -> Any:
    """The document of an event. Raises AttemptError for an error event."""
    try:
        document = json.loads(event.data)
    except ValueError:
        raise AttemptError(unreadable(server.url, "an event that is not valid JSON")) from None
    if event.event == "error":
        raise of_problem(document)
    return document


def only_space(visible: Sequence[str]) -> str:
    """The space that a server uses for a key by default: the key's only one, or else `default`.

    Of a key for all spaces only one may hold something. If that is not `default`, nothing was returned of `default`.
    """
    return visible[0] if len(visible) == 1 else "default"


R = TypeVar("R")
T = TypeVar("T")
Told = AsyncGenerator[tuple[str, Any], None]
"""Events, as kind and document."""


class Transport(Protocol):
    """The transport of a line."""

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """Send the request described by these arguments of `build_request`; returns the response before its body."""

    async def leave(self, response: httpx2.Response) -> None:
        """Be done with an answer."""

    async def close(self) -> None:
        """Let go of the connections. A later request opens new ones."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    def body(self, parts: Iterator[bytes]) -> Any:
        """The parts of a file as the content of a request."""

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """The body of an answer as it comes."""

    def each(self, items: Any) -> AsyncIterator[Any]:
        """An iterable that works with and without await."""


class ServerConnection:
    """Sends calls to one server."""

    def __init__(self, server: ServerAddress, network: Transport) -> None:
        self.network = network
        self._server = server
        self._learned: str | None = None

    async def send(self, call: ServerCall[R]) -> R:
        """Send a call and return its result; a list is fetched page by page. Raises only GoalmemError."""
        document = await self._document(call)
        found = read_answer(call, document, await self._space(call), self._server)
        while call.listed and (cursor := document.get("next")) is not None:
            document = await self._document(call, cursor)
            found += read_answer(call, document, await self._space(call), self._server)  # type: ignore[operator]
        return found

    async def told(self, call: ServerCall[R]) -> AsyncGenerator[Event | R, None]:
        """Stream the events of a call; the last item is its result."""
        events = self._events(call)
        try:
            async for kind, row in events:
                if kind == LAST:
                    yield read_answer(call, row, await self._space(call), self._server)
                elif event := event_of(kind, row, self._server):
                    yield event
        finally:
            await events.aclose()

    async def fetch(self, call: ServerCall[None], gathered: JoinedExports) -> None:
        """Gather an answer that is too large to be held."""
        headers = headers_of(call)

        async def once(deadline: float) -> None:
            gathered.begin()
            async with self._opened(call, None, headers, None, stream_timeout()) as response:
                if not response.is_success:
                    require_done(response, await self._whole(response, deadline), self._server)
                with failures_at(self._server):
                    async for part in self.network.bytes_of(response):
                        gathered.feed(part)
            gathered.end()

        await self._persist(once)

    async def upload(self, call: ServerCall[R], origin: Path) -> R:
        """Send a file that is too large to be held."""
        headers = headers_of(call) | BYTES

        async def once(deadline: float) -> R:
            with origin.open("rb") as file:
                parts = self.network.body(parts_of(file))
                async with self._opened(call, None, headers, parts, stream_timeout()) as response:
                    answered = await self._whole(response, deadline + self._server.timeout)
            require_done(response, answered, self._server)
            document = parsed(answered, self._server)
            return read_answer(call, document, await self._space(call), self._server)

        return await self._persist(once)

    async def _space(self, call: ServerCall[Any]) -> str:
        """The space of a call's result."""
        known = known_space(call, self._server) or self._learned
        if known is None:
            visible = await self.send(calls.spaces())
            known = self._learned = only_space(visible)
        return known

    async def _document(self, call: ServerCall[Any], cursor: str | None = None) -> Any:
        """The document that the server answers with."""
        body, headers = written(call), headers_of(call)

        async def once(deadline: float) -> Any:
            timeout = timeout_of(self._server, deadline)
            async with self._opened(call, cursor, headers, body, timeout) as response:
                answered = await self._whole(response, deadline)
            require_done(response, answered, self._server)
            return parsed(answered, self._server)

        return await self._persist(once, again=call.repeats)

    async def _events(self, call: ServerCall[Any]) -> Told:
        """Events as they come, as kind and document; the last is the answer. Sent again only before the first."""
        body, headers = written(call), headers_of(call) | EVENTS

        async def begin(deadline: float) -> tuple[Told, tuple[str, Any]]:
            told = self._told(call, headers, body, deadline)
            return told, await anext(told)

        told, event = await self._persist(begin)
        try:
            while True:
                yield event
                if event[0] == LAST:
                    return
                event = await self._persist(lambda _: anext(told), again=False)
        finally:
            await told.aclose()

    async def _told(self, call: ServerCall[Any], headers: dict[str, str], body: bytes | None, deadline: float) -> Told:
        async with self._opened(call, None, headers, body, stream_timeout()) as response:
            if not response.is_success:
                require_done(response, await self._whole(response, deadline), self._server)
            events = self.network.each(httpx2.EventSource(response, MOST_EVENT))
            while True:
                with failures_at(self._server):
                    event = await anext(events, None)
                if event is None:
                    raise unreachable(self._server.url, "the answer broke off")
                require_time(self._server, deadline)
                yield event.event, read_event(event, self._server)

    @asynccontextmanager
    async def _opened(
        self, call: ServerCall[Any], cursor: str | None, headers: dict[str, str], body: Any, timeout: httpx2.Timeout
    ) -> AsyncIterator[httpx2.Response]:
        """An answer whose body is still to come."""
        request = {"method": call.method, "url": call.path, "headers": headers, "content": body, "timeout": timeout}
        request["params"] = params_of(call, self._server, cursor)
        with failures_at(self._server):
            response = await self.network.send(request)
        try:
            yield response
        finally:
            await self.network.leave(response)

    async def _whole(self, response: httpx2.Response, deadline: float) -> bytes:
        """The body, however slowly it comes, in the time that the call may take."""
        parts: list[bytes] = []
        with failures_at(self._server):
            async for part in self.network.bytes_of(response):
                require_time(self._server, deadline)
                parts.append(part)
        return b"".join(parts)

    async def _persist(self, once: Callable[[float], Awaitable[R]], *, again: bool = True) -> R:
        """Call `once` until it succeeds or the deadline passes, as long as retries may help."""
        deadline = time.monotonic() + self._server.timeout
        error: GoalmemError
        try:
            if not again:
                return await once(deadline)
            async for attempt in self.network.each(attempts(self._server, deadline)):
                with attempt:
                    return await once(deadline)
            raise AssertionError("an attempt returns or raises")
        except AttemptError as failure:
            error = failure.error
        # Raised outside the handler, so that its context does not contain the request and its key.
        raise error


class BlockingNetwork:
    """A network for programs without an event loop. Safe for many threads, and across a fork."""

    def __init__(self, server: ServerAddress, transport: httpx2.BaseTransport | None) -> None:
        self._connection = PerProcess(lambda: httpx2.Client(**settings_of(server), transport=transport))

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """See `Transport`."""
        client = self._connection.get()
        return client.send(client.build_request(**request), stream=True)

    async def leave(self, response: httpx2.Response) -> None:
        """See `Transport`."""
        response.close()

    async def close(self) -> None:
        """See `Transport`."""
        if (connection := self._connection.release()) is not None:
            connection.close()

    async def sleep(self, seconds: float) -> None:
        """See `Transport`."""
        time.sleep(seconds)

    def body(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        """See `Transport`."""
        return parts

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """See `Transport`."""
        return AsyncItems(response.iter_bytes())

    def each(self, items: Iterable[T]) -> AsyncIterator[T]:
        """See `Transport`."""
        return AsyncItems(items)


class AsyncNetwork:
    """A network for one event loop."""

    def __init__(self, server: ServerAddress, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._server, self._transport = server, transport
        self._client: httpx2.AsyncClient | None = None

    async def send(self, request: dict[str, Any]) -> httpx2.Response:
        """See `Transport`."""
        if self._client is None:
            self._client = httpx2.AsyncClient(**settings_of(self._server), transport=self._transport)
        return await self._client.send(self._client.build_request(**request), stream=True)

    async def leave(self, response: httpx2.Response) -> None:
        """See `Transport`."""
        await response.aclose()

    async def close(self) -> None:
        """See `Transport`."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def sleep(self, seconds: float) -> None:
        """See `Transport`."""
        await asyncio.sleep(seconds)

    async def body(self, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """See `Transport`; the file is read in another thread."""
        while part := await asyncio.to_thread(next, parts, b""):
            yield part

    def bytes_of(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """See `Transport`."""
        return response.aiter_bytes()

    def each(self, items: AsyncIterable[T]) -> AsyncIterator[T]:
        """See `Transport`."""
        return aiter(items)


class AsyncItems(Generic[T]):
    """An async iterator over items that are already available."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)

    def __aiter__(self) -> AsyncItems[T]:
        return self

    async def __anext__(self) -> T:
        for item in self._items:
            return item
        raise StopAsyncIteration


def completed(work: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine over a `BlockingNetwork` to its end: nothing in it waits for an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: R = done.value
        return result
    raise AssertionError("a blocking network waits by itself")
