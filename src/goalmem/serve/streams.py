"""Questions over HTTP as server-sent events, cancelled when the client disconnects."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from goalmem.answer import Answer
from goalmem.asynchronous import EventRelay
from goalmem.engine.events import Event, Listener
from goalmem.errors import GoalmemError
from goalmem.memory import Memory
from goalmem.schema.rows import answer_row, encoded
from goalmem.serve import problems
from goalmem.serve.logs import log, where_raised

EVENTS = "text/event-stream"
HEARTBEAT = 10.0
"""Seconds without an event after which a comment is sent: proxies keep the connection, and a dead one is noticed."""
STALLED = 30.0
"""Seconds for a client to receive one event before it counts as disconnected."""


Run = Callable[[Callable[[Memory], bytes]], Awaitable[bytes]]
"""Has work done in a thread, when it is its turn."""


def wants_events(accept: str) -> bool:
    """True if an Accept header asks for events."""
    return any(part.partition(";")[0].strip().lower() == EVENTS for part in accept.split(","))


class EventStream(Response):
    """A response that streams events and ends with the answer. A disconnect cancels the question."""

    media_type = EVENTS

    def __init__(self, run: Run, ask: Callable[[Memory, Listener], Answer], request_id: str) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._run = run
        self._ask = ask
        self._request_id = request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the answer, or until the client disconnects."""
        told: asyncio.Queue[bytes | None] = asyncio.Queue()
        asking = asyncio.create_task(self._asked(told))
        leaving = asyncio.create_task(gone(receive))
        for task in (asking, leaving):
            task.add_done_callback(lambda _: told.put_nowait(None))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async for part in self._parts(told):
                async with asyncio.timeout(STALLED):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            if not leaving.done():
                await send({"type": "http.response.body", "body": self._failure(asking), "more_body": False})
        except (OSError, TimeoutError):
            pass  # the client disconnected or no longer reads
        finally:
            await ended(leaving, asking)

    async def _asked(self, told: asyncio.Queue[bytes | None]) -> None:
        """Ask in a thread; puts each event and finally the answer on `told`."""
        loop = asyncio.get_running_loop()
        began = loop.time()

        def tell(event: Event) -> None:
            data = {"text": event.text, "data": event.data, "seconds": round(loop.time() - began, 4)}
            told.put_nowait(framed(event.kind, encoded(data)))

        relay = EventRelay(loop, tell)
        try:
            told.put_nowait(
                await self._run(lambda memory: framed("answer", encoded(answer_row(self._ask(memory, relay)))))
            )
        finally:
            relay.ended = True

    @staticmethod
    async def _parts(told: asyncio.Queue[bytes | None]) -> AsyncIterator[bytes]:
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT):
                    part = await told.get()
            except TimeoutError:
                part = b": waiting\n\n"
            if part is None:
                return
            yield part

    def _failure(self, asking: asyncio.Task[None]) -> bytes:
        """The failure as an event; empty if there was none."""
        error = asking.exception() if asking.done() and not asking.cancelled() else None
        if error is None:
            return b""
        if isinstance(error, GoalmemError):
            problem, _ = problems.of_error(error, self._request_id)
        else:
            log(logging.ERROR, "defect", id=self._request_id, **where_raised(error))
            problem = problems.of_status(500, self._request_id)
        return framed("error", encoded(problem))


def framed(kind: str, data: bytes) -> bytes:
    """Encode one event; JSON contains no line breaks."""
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


async def gone(receive: Receive) -> None:
    """Return when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancels tasks and waits until they are."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # retrieve the exception: nobody awaits it any more
