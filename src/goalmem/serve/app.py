"""The application: calls, errors, limits and headers around one service; and the page, static files that were built into the package.

Traces that a caller began (`traceparent`, W3C Trace Context) go on here, where OpenTelemetry is installed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse
from starlette.routing import compile_path
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goalmem import __version__
from goalmem.errors import GoalmemError
from goalmem.models.tracing import span, tracer_of_process
from goalmem.serve import problems
from goalmem.serve.logs import log, where_raised
from goalmem.serve.openapi import document, route_of
from goalmem.serve.reference_page import reference_page
from goalmem.serve.refusals import HEADERS, BusyError, StoppingError, require_sound
from goalmem.serve.routes import derived, jobs, keys, operations, questions, rules, turns
from goalmem.serve.service import Service

PAGE = Path(__file__).parent / "web" / "dist"


def add_page(app: FastAPI) -> None:
    """Serve the page at `/`, where it was built, and the calls at `/docs`."""

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        page = PAGE / "index.html"
        if page.is_file():
            return FileResponse(page, headers={"Cache-Control": "no-cache"})
        return PlainTextResponse("goalmem serves here; /openapi.json describes the calls. The page is not built in.\n")

    @app.get("/docs", include_in_schema=False)
    async def reference() -> Response:
        return HTMLResponse(reference_page(app.openapi()))

    if (PAGE / "assets").is_dir():
        app.mount("/assets", StaticFiles(directory=PAGE / "assets"), name="assets")


ROUTERS = (
    *((module.router, "/v1") for module in (turns, questions, derived, rules, jobs, keys)),
    (operations.router, ""),
)
DESCRIPTION = "Memory that answers with a proof that can be checked again, or says what is missing."


class Application(FastAPI):
    """FastAPI with an OpenAPI document of our own making."""

    def openapi(self) -> dict[str, Any]:
        """The document, which describes keys if they are used."""
        return document(self, keyed=self.state.service.keys.used())


def create_app(service: Service) -> FastAPI:
    """The application that serves a memory."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.begin(app.openapi)
        try:
            yield
        finally:
            await service.end()

    app = Application(
        title="goalmem",
        description=DESCRIPTION,
        version=__version__,
        docs_url=None,  # these pages load scripts from another host; `add_page` has one that does not
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.service = service
    for router, prefix in ROUTERS:
        app.include_router(router, prefix=prefix)
    app.add_exception_handler(GoalmemError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _plain)
    add_page(app)
    app.add_middleware(Frame, service=service)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, GoalmemError)
    problem, headers = problems.of_error(error, _id(request))
    request.scope["state"]["problem"] = str(problem["type"]).removeprefix(problems.PREFIX)
    return problems.response_of(problem, headers)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = " ".join(str(p) for p in first["loc"])
    detail = f"A parameter cannot be used: {place}: {first['msg']}."
    return problems.response_of(problems.of_status(422, _id(request), detail, "See /openapi.json for the parameters."))


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405 and (taken := methods_of(request.url.path)):
        headers["Allow"] = ", ".join(taken)  # starlette names those of one route alone
    return problems.response_of(problems.of_status(error.status_code, _id(request)), headers)


def methods_of(path: str) -> list[str]:
    """Every method that a path takes."""
    found: set[str] = set()
    for router, prefix in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and compile_path(prefix + route.path)[0].match(path):
                found |= route.methods or set()
    return sorted(found)


def _id(request: Request) -> str:
    return str(request.scope["state"]["request_id"])


OWN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Allowed form of a request id from the caller."""
QUIET = frozenset({"/health", "/ready", "/metrics"})
"""Routes that are asked for every few seconds: logged only when something is wrong."""


class Frame:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if OWN_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        answer = ResponseHeaders(send, request_id, scope["path"])
        began = time.perf_counter()
        self._open += 1
        self._service.metrics.open.inc()
        try:
            with continued(headers), span("request", method=method_of(scope)) as opened:
                await self._served(scope, headers, receive, answer)
                opened.set_attribute("route", route_of(scope))
                opened.set_attribute("status", answer.status)
        finally:
            for leave in scope["state"].pop("places", ()):
                leave()
            self._open -= 1
            self._service.metrics.open.dec()
            self._told(scope, answer, time.perf_counter() - began)

    async def _served(self, scope: Scope, headers: Headers, receive: Receive, answer: ResponseHeaders) -> None:
        request_id = answer.request_id
        try:
            if self._open > self._service.settings.serve_connections:
                raise BusyError("Too many requests are open already.", 1)
            answer.last = True
            require_sound(scope["http_version"], scope["headers"])
            answer.last = False
            self._service.hosts.require(headers, scope["path"])
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if answer.status or not self._service.stopping:
                raise
            stopping = problems.of_error(StoppingError(begun=True), request_id)
            await problems.response_of(*stopping)(scope, receive, answer)
        except GoalmemError as error:
            await problems.response_of(*problems.of_error(error, request_id))(scope, receive, answer)
        except Exception as error:  # noqa: BLE001 - a defect: told to the log, and to the caller without its words
            log(logging.ERROR, "defect", id=request_id, route=route_of(scope), **where_raised(error))
            if not answer.status:
                await problems.response_of(problems.of_status(500, request_id))(scope, receive, answer)

    def _told(self, scope: Scope, answer: ResponseHeaders, seconds: float) -> None:
        route, method = route_of(scope), method_of(scope)
        self._service.metrics.requests.labels(method, route, str(answer.status)).inc()
        self._service.metrics.seconds.labels(method, route).observe(seconds)
        if answer.status >= 400 and (kind := scope["state"].get("problem")):
            self._service.metrics.refused.labels(kind).inc()
        if route in QUIET and answer.status < 400:
            return
        figures: dict[str, Any] = {"id": answer.request_id, "method": method, "route": route, "status": answer.status}
        figures |= {"ms": round(1000 * seconds, 1), "bytes": answer.bytes, "key": scope["state"].get("key", "")}
        log(logging.INFO if answer.status < 500 else logging.WARNING, "request", **figures)


class ResponseHeaders:
    """Sends an answer on, with the headers of all answers, and notes its status and size."""

    def __init__(self, send: Send, request_id: str, path: str) -> None:
        self._send = send
        self._of_page = path == "/" or path.startswith("/assets/")
        self.request_id = request_id
        self.status = 0
        self.bytes = 0
        self.last = False
        """The connection is closed after this answer."""

    async def __call__(self, message: Message) -> None:
        """Pass a message of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers["x-request-id"] = self.request_id
            if self.last:
                headers["connection"] = "close"
            # The page's files are revalidated by ETag; nothing else is cached.
            headers.setdefault("cache-control", "no-cache" if self._of_page else "no-store")
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)


METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


def method_of(scope: Scope) -> str:
    """The method if it is a known one, since it may be any text."""
    return scope["method"] if scope["method"] in METHODS else "other"


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """Make spans within this context children of the caller's trace, if it sent one."""
    if "traceparent" not in headers or tracer_of_process() is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.propagate import extract

    token = context.attach(extract(dict(headers)))
    try:
        yield
    finally:
        context.detach(token)
