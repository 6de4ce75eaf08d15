"""The Model Context Protocol over streamable HTTP, as safe as `goalmem serve`.

On loopback the Host and Origin headers are checked; on any other address nothing is served without keys. A key must be
for the space, and for writing unless only reading is offered.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from goalmem.errors import GoalmemError
from goalmem.memory import Memory
from goalmem.serve import problems
from goalmem.serve.auth import Buckets, KeyRing
from goalmem.serve.auth import Scope as KeyScope
from goalmem.serve.http import QUIET, require_safe
from goalmem.serve.ledger import open_ledger
from goalmem.serve.mcp import create_server, models_loading
from goalmem.serve.mcp_tools import Tools
from goalmem.serve.refusals import AllowedHosts, ForbiddenError, UnauthorizedError
from goalmem.settings import Settings

PATH = "/mcp"


def serve_http(
    settings: Settings, host: str, port: int, *, session: str | None = None, read_only: bool = False
) -> None:
    """Serve over streamable HTTP until a signal ends it. Raises InputError where that would not be safe."""
    ledger = open_ledger(settings.store, settings.serve_data)
    try:
        keys = KeyRing(ledger)
        placed = replace(settings, serve_host=host, serve_port=port)
        require_safe(placed, keys)
        with Memory(settings.store, settings=settings) as memory, models_loading(memory, settings.space):
            server = create_server(Tools(memory, settings.space, session), read_only=read_only)
            app = AccessGate(application(server, placed), keys, placed, KeyScope.READ if read_only else KeyScope.WRITE)
            config = uvicorn.Config(
                app,
                host=host,
                port=port,
                **QUIET,
                lifespan="on",
                timeout_graceful_shutdown=round(settings.serve_grace),
            )
            uvicorn.Server(config).run()
    finally:
        ledger.close()


def application(server: MCPServer[None], settings: Settings) -> Starlette:
    """The ASGI application of a server. Who may call it is the business of the gate before it."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.serve_body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


class AccessGate:
    """ASGI middleware: refuses other hosts' pages, and calls without a key where keys are used."""

    def __init__(self, app: ASGIApp, keys: KeyRing, settings: Settings, scope: KeyScope) -> None:
        """`scope`: required scope of a key."""
        self._app = app
        self._keys = keys
        self._space = settings.space
        self._needed = scope
        self._hosts = AllowedHosts(settings.serve_host, settings.serve_hosts.split(","))
        self._buckets = Buckets(settings.serve_rate, settings.serve_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            try:
                await self._admit(Headers(scope=scope), scope["path"])
            except GoalmemError as error:
                await problems.response_of(*problems.of_error(error, ""))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _admit(self, headers: Headers, path: str) -> None:
        self._hosts.require(headers, path)
        kind, _, presented = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not presented:
            if await asyncio.to_thread(self._keys.used):
                raise UnauthorizedError
            return
        key = await asyncio.to_thread(self._keys.opened_by, presented.strip())
        self._buckets.take(key.id, key.rate)
        key.caller.require(self._needed)
        if not key.caller.sees(self._space):
            raise ForbiddenError("The key does not cover what is served here.", "Use another key (goalmem keys add).")
