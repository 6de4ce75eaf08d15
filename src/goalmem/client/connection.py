"""The line to a server: requests over `httpx2`, each sent again while that may help."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from goalmem.client import calls, exchange
from goalmem.client.address import Server
from goalmem.client.calls import Call
from goalmem.client.failures import AttemptError, unreachable
from goalmem.client.transfer import Gathered, parts_of
from goalmem.engine.events import Listener
from goalmem.errors import GoalmemError
from goalmem.models.process import PerProcess

__all__ = ["Line"]

R = TypeVar("R")
Told = Generator[tuple[str, Any], None, None]
"""Events, as kind and document."""


class Line:
    """Sends calls to one server. Safe for many threads, and across a fork."""

    def __init__(self, server: Server, transport: httpx2.BaseTransport | None) -> None:
        self._server = server
        self._transport = transport
        self._connection = PerProcess(self._connect)
        self._connected = False
        self._learned: str | None = None

    def send(self, call: Call[R]) -> R:
        """What a call returns. Raises GoalmemError, and nothing of the libraries."""
        document = self._document(call)
        return exchange.read_answer(call, document, self._space(call), self._server)

    def list(self, call: Call[R]) -> list[R]:
        """All items of a list, fetched page by page."""
        found: list[R] = []
        cursor: str | None = None
        while True:
            document = self._document(call, cursor)
            items, cursor = exchange.page_of(call, document, self._space(call), self._server)
            found += items
            if cursor is None:
                return found

    def listen(self, call: Call[R], listener: Listener) -> R:
        """What a call returns, with everything that happens on the way told as it happens."""
        events = self._events(call)
        try:
            for kind, row in events:
                if kind == exchange.LAST:
                    return exchange.read_answer(call, row, self._space(call), self._server)
                if event := exchange.event_of(kind, row, self._server):
                    listener(event)
        finally:
            events.close()
        raise AssertionError("the events end with an answer or an error")

    def fetch(self, call: Call[None], gathered: Gathered) -> None:
        """Gather an answer that is too large to be held."""
        headers = exchange.headers_of(call)

        def once(deadline: float) -> None:
            gathered.begin()
            with self._opened(call, None, headers, None, exchange.stream_timeout()) as response:
                if not response.is_success:
                    exchange.require_done(response, self._whole(response, deadline), self._server)
                with exchange.failures_at(self._server):
                    for part in response.iter_bytes():
                        gathered.feed(part)
            gathered.end()

        self._persist(once)

    def upload(self, call: Call[R], origin: Path) -> R:
        """Send a file that is too large to be held."""
        headers = exchange.headers_of(call) | exchange.BYTES

        def once(deadline: float) -> R:
            with (
                origin.open("rb") as file,
                self._opened(call, None, headers, parts_of(file), exchange.stream_timeout()) as response,
            ):
                answered = self._whole(response, deadline + self._server.timeout)
            exchange.require_done(response, answered, self._server)
            return exchange.read_answer(call, exchange.parsed(answered, self._server), self._space(call), self._server)

        return self._persist(once)

    def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        if self._connected:
            connection, self._connection = self._connection, PerProcess(self._connect)
            self._connected = False
            connection.get().close()

    def _space(self, call: Call[Any]) -> str:
        """The space that what a call returns is of."""
        known = exchange.known_space(call, self._server) or self._learned
        if known is None:
            known = self._learned = exchange.only_space(self.list(calls.spaces()))
        return known

    def _document(self, call: Call[Any], cursor: str | None = None) -> Any:
        """The document that the server answers with."""
        body, headers = exchange.written(call), exchange.headers_of(call)

        def once(deadline: float) -> Any:
            timeout = exchange.timeout_of(self._server, deadline)
            with self._opened(call, cursor, headers, body, timeout) as response:
                answered = self._whole(response, deadline)
            exchange.require_done(response, answered, self._server)
            return exchange.parsed(answered, self._server)

        return self._persist(once)

    def _events(self, call: Call[Any]) -> Told:
        """Events as they come, as kind and document; the last is the answer. Sent again only before the first."""
        body, headers = exchange.written(call), exchange.headers_of(call) | exchange.EVENTS

        def begin(deadline: float) -> tuple[Told, tuple[str, Any]]:
            told = self._told(call, headers, body, deadline)
            return told, next(told)

        told, event = self._persist(begin)
        try:
            while True:
                yield event
                if event[0] == exchange.LAST:
                    return
                event = self._persist(lambda _: next(told), again=False)
        finally:
            told.close()

    def _told(self, call: Call[Any], headers: dict[str, str], body: bytes | None, deadline: float) -> Told:
        with self._opened(call, None, headers, body, exchange.stream_timeout()) as response:
            if not response.is_success:
                exchange.require_done(response, self._whole(response, deadline), self._server)
            events = iter(httpx2.EventSource(response, exchange.MOST_EVENT))
            while True:
                with exchange.failures_at(self._server):
                    event = next(events, None)
                if event is None:
                    raise unreachable(self._server.url, "the answer broke off")
                exchange.require_time(self._server, deadline)
                yield event.event, exchange.read_event(event, self._server)

    @contextmanager
    def _opened(
        self,
        call: Call[Any],
        cursor: str | None,
        headers: dict[str, str],
        body: bytes | Iterator[bytes] | None,
        timeout: httpx2.Timeout,
    ) -> Iterator[httpx2.Response]:
        """An answer whose body is still to come."""
        client = self._connection.get()
        with exchange.failures_at(self._server):
            request = client.build_request(
                call.method,
                call.path,
                params=exchange.params_of(call, self._server, cursor),
                headers=headers,
                content=body,
                timeout=timeout,
            )
            response = client.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    def _whole(self, response: httpx2.Response, deadline: float) -> bytes:
        """The body, however slowly it comes, in the time that the call may take."""
        parts: list[bytes] = []
        with exchange.failures_at(self._server):
            for part in response.iter_bytes():
                exchange.require_time(self._server, deadline)
                parts.append(part)
        return b"".join(parts)

    def _connect(self) -> httpx2.Client:
        self._connected = True
        return httpx2.Client(**exchange.settings_of(self._server), transport=self._transport)

    def _persist(self, once: Callable[[float], R], *, again: bool = True) -> R:
        """What `once` returns by a deadline, tried again while that may help."""
        deadline = time.monotonic() + self._server.timeout
        error: GoalmemError
        try:
            if not again:
                return once(deadline)
            for attempt in exchange.attempts(self._server, deadline):
                with attempt:
                    return once(deadline)
            raise AssertionError("an attempt returns or raises")
        except AttemptError as failure:
            error = failure.error
        # Raised here, it drags nothing along that knows the request and its key.
        raise error
