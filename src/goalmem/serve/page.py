"""The page: static files that were built into the package."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

__all__ = ["add_page"]

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
