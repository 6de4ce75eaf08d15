"""The process that serves: address, event loop, signals."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from goalmem.errors import InputError
from goalmem.memory import Memory
from goalmem.serve.app import create_app
from goalmem.serve.auth import KeyRing
from goalmem.serve.command_socket import Commands, socket_for_commands
from goalmem.serve.ledger import open_ledger
from goalmem.serve.logs import begin_logging, log
from goalmem.serve.refusals import HEADER_BYTES, is_loopback
from goalmem.serve.service import Service
from goalmem.settings import Settings

SWITCH = 0.001
"""Seconds until a computing thread yields to another (Python's default: .005): the latency of the event loop."""
QUIET: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "ws": "none"}
"""uvicorn's options: own logs, no server header, no web sockets."""
ENDING = (signal.SIGINT, signal.SIGTERM)
BACKLOG = 2048
"""Connections that the system keeps waiting for us."""
KEEP_ALIVE = 75
"""Seconds that an idle connection is kept: longer than common proxies reuse one (60)."""

CLOSING = 2.0
"""Seconds before the end of the grace period in which running work is cancelled and the store is closed."""


class HttpServer(uvicorn.Server):
    """A server that rejects waiting requests as soon as it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service, commands: socket.socket | None = None) -> None:
        """`commands`: the socket on which commands are served, too."""
        super().__init__(config)
        self._service = service
        self._commands = commands

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self._commands is None or not self.started:
            return
        of_all = self.config
        config = uvicorn.Config(
            Commands(of_all.loaded_app, self._service.settings),
            **QUIET,
            date_header=True,
            lifespan="off",
            proxy_headers=False,
        )
        config.load()
        make = partial(
            config.http_protocol_class,  # type: ignore[call-arg]
            config=config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        loop = asyncio.get_running_loop()
        # asyncio's own loop would look for the file by the name that it was bound by, which may have been good for a moment only.
        cleaning = sys.version_info >= (3, 13) and isinstance(loop, asyncio.BaseEventLoop)
        own: dict[str, Any] = {"cleanup_socket": False} if cleaning else {}
        self.servers.append(await loop.create_unix_server(make, sock=self._commands, **own))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """While serving, signals end it in order; uvicorn would raise them again then, and leave the store open."""
        if threading.current_thread() is not threading.main_thread():
            yield  # no other thread is sent any
            return
        before = {number: signal.signal(number, self.handle_exit) for number in ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully; on the second signal immediately."""
        asyncio.get_running_loop().call_soon_threadsafe(self._service.stop)
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Serve the store until a signal ends it. Raises InputError where that would not be safe, StoreErrors as `Memory`."""
    ledger = open_ledger(settings.store, settings.serve_data)
    try:
        require_safe(settings, KeyRing(ledger))
        listening = _listening(settings.serve_host, settings.serve_port)
        begin_logging(settings.serve_log)
        sys.setswitchinterval(SWITCH)
        with (
            listening,
            Memory(settings.store, settings=settings) as memory,
            socket_for_commands(settings) as commands,
        ):
            service = Service(memory, ledger, settings)
            config = uvicorn.Config(
                create_app(service),
                **QUIET,
                date_header=True,
                lifespan="on",
                http=timed_protocol(settings.serve_header_seconds),
                h11_max_incomplete_event_size=HEADER_BYTES,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=max(1, round(settings.serve_grace - CLOSING)),
            )
            host, port = listening.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            log(logging.INFO, "serving", url=f"http://{shown}:{port}/", host=host, port=port, keys=service.keys.used())
            HttpServer(config, service, commands).run(sockets=[listening])
    finally:
        ledger.close()


def require_safe(settings: Settings, keys: KeyRing) -> None:
    """Raise InputError for a public address without keys."""
    if not is_loopback(settings.serve_host) and not any(key.valid for key in keys.list()):
        raise InputError(
            f"Without keys nothing is served on {settings.serve_host}: everybody who reaches it could read and change all.",
            "Make a key first (goalmem keys add), or serve on 127.0.0.1.",
        )


def _listening(host: str, port: int) -> socket.socket:
    """Bind the socket before models are loaded, so that an address in use is reported immediately."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(found[4][:2], family=found[0], backlog=BACKLOG)
    except OSError as error:
        raise InputError(
            f"Nothing can be served on {host} port {port}: {error.strerror or error}.",
            "Choose another --host or --port.",
        ) from error


# -- HTTP/1.1 as uvicorn reads it with h11 ---------------------------------------------------------------------------
# h11 refuses two Host headers and limits the size of headers that arrive in pieces; here, the time for headers is limited, too.


class TimedProtocol(H11Protocol):
    """uvicorn's, which closes connections whose headers are not there in time, counted from the connection or their first byte."""

    seconds: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        if self._between():
            self._wait()
        else:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _between(self) -> bool:
        """True if no request is being served."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._late)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        if self._between() and not self.transport.is_closing():
            self.transport.close()


def timed_protocol(seconds: float) -> type[asyncio.Protocol]:
    """The protocol with this limit."""
    return type("TimedProtocol", (TimedProtocol,), {"seconds": seconds})
