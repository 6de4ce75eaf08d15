"""JSON bodies: read in bounded memory, and parsed off the event loop where they are long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, TypeVar

from fastapi import Request
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from goalmem.errors import InputError
from goalmem.serve.refusals import BadRequestError, MediaTypeError, TooLargeError, TooLongError
from goalmem.serve.requests import Body
from goalmem.serve.workers import Lane

__all__ = ["json_body", "read_body", "take_place"]

INLINE = 32_768
"""Bytes up to which a body is parsed where it arrives: under a millisecond; longer ones are parsed in a thread."""

B = TypeVar("B", bound=Body)


def json_body(model: type[B]) -> Callable[[Request], Coroutine[Any, Any, B]]:
    """A dependency that reads the request's body as this model."""

    async def body(request: Request) -> B:
        settings = request.app.state.service.settings
        require_json(request)
        content = await read_body(request, settings.serve_body_bytes, settings.serve_seconds)
        if len(content) <= INLINE:
            return parsed(content, model)
        return await asyncio.to_thread(parsed, content, model)

    return body


def require_json(request: Request) -> None:
    """Raises MediaTypeError unless JSON is declared: a form of another web page can send no such request."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared != "application/json" and not (declared.startswith("application/") and declared.endswith("+json")):
        raise MediaTypeError


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body. Raises TooLargeError before more than `most` bytes are held, TooLongError when it comes too slowly."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise TooLargeError(most, "GOALMEM_SERVE_BODY_BYTES")
    content = bytearray()
    placed = False
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                content += chunk
                if len(content) > most:
                    raise TooLargeError(most, "GOALMEM_SERVE_BODY_BYTES")
                if len(content) > INLINE and not placed:
                    placed = True
                    await take_place(request, request.app.state.service.large)
    except TimeoutError:
        raise TooLongError(seconds) from None
    except ClientDisconnect:
        raise BadRequestError("The body ended before it was whole.", "Send all of it.") from None
    return bytes(content)


async def take_place(request: Request, lane: Lane) -> None:
    """Wait for one of few places; it is held until the request is answered."""
    state = request.scope["state"]
    await lane.enter(state.get("key", ""))
    state.setdefault("places", []).append(lane)


def parsed(content: bytes, model: type[B]) -> B:
    """The body as this model. Raises InputError that names the field."""
    try:
        value = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequestError(f"The body is no JSON: {why}.", "Send one JSON object, UTF-8.") from None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _explained(error) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _explained(error: ValidationError) -> InputError:
    """The first thing wrong, without repeating its value: it may be what someone said."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(p) for p in first["loc"]) or "the body"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return InputError(f"The body cannot be used: {place}: {first['msg']}{more}.", "See /openapi.json for the body.")
