"""The application: calls, errors, limits and headers around one service; and the page, static files that were built into the package."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import compile_path
from starlette.staticfiles import StaticFiles

from goalmem import __version__
from goalmem.errors import GoalmemError
from goalmem.serve import problems
from goalmem.serve.frame import Frame
from goalmem.serve.openapi import document
from goalmem.serve.routes import derived, jobs, keys, operations, previews, questions, rules, turns
from goalmem.serve.service import Service

__all__ = ["add_page", "create_app"]

PAGE = Path(__file__).parent / "web" / "dist"


def add_page(app: FastAPI, folder: Path | None = None) -> None:
    """Serve the page at `/`, where it was built: the package's own, or another folder."""
    folder = folder or PAGE

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        page = folder / "index.html"
        if page.is_file():
            return FileResponse(page, headers={"Cache-Control": "no-cache"})
        return PlainTextResponse("goalmem serves here; /openapi.json describes the calls. The page is not built in.\n")

    if (folder / "assets").is_dir():
        app.mount("/assets", StaticFiles(directory=folder / "assets"), name="assets")


ROUTERS = (
    *((module.router, "/v1") for module in (turns, questions, derived, rules, jobs, previews, keys)),
    (operations.router, ""),
)
DESCRIPTION = "Memory that answers with a proof that can be checked again, or says what is missing."


class Application(FastAPI):
    """FastAPI with an OpenAPI document of our own making."""

    def openapi(self) -> dict[str, Any]:
        """The document, which tells of keys where they are used."""
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
        docs_url=None,  # these pages load scripts from another host
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
    problem, _, headers = problems.of_error(error, _id(request))
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
