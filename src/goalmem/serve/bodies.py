"""Request bodies: JSON in bounded memory, long ones parsed off the event loop; files streamed to disk with one buffer
in memory.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from fastapi import Request
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from goalmem.errors import InputError, ReadOnlyStoreError, StoreFullError
from goalmem.serve.refusals import BadRequestError, MediaTypeError, TooLargeError, TooLongError
from goalmem.serve.requests import Body
from goalmem.serve.workers import Lane

INLINE = 32_768
"""Bytes up to which a body is parsed where it arrives: under a millisecond; longer ones are parsed in a thread."""

UTF_8 = ("utf-8", "utf8", "us-ascii")

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
    """Raises MediaTypeError unless JSON in UTF-8 is declared: a form of another web page can send no such request."""
    declared, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    declared = declared.strip()
    if declared != "application/json" and not (declared.startswith("application/") and declared.endswith("+json")):
        raise MediaTypeError
    charset = re.search(r"(?:^|;)\s*charset\s*=\s*\"?([^\s\";]*)", parameters)
    if charset is not None and charset[1] not in UTF_8:
        raise MediaTypeError(f"The content is declared as {charset[1][:40]}.", "Send JSON in UTF-8.")


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body. Raises TooLargeError before more than `most` bytes are held, TooLongError when it comes too slowly."""
    refuse_larger(request, most, "GOALMEM_SERVE_BODY_BYTES")
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


def refuse_larger(request: Request, most: int, setting: str) -> None:
    """Raises TooLargeError for a body that says itself to be larger; `setting` is the limit's."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise TooLargeError(most, setting)


async def take_place(request: Request, lane: Lane) -> None:
    """Wait for one of few places; it is held until the request is answered."""
    state = request.scope["state"]
    caller = state.get("key", "")
    await lane.enter(caller)
    state.setdefault("places", []).append(partial(lane.leave, 0.0, caller))


def parsed(content: bytes, model: type[B]) -> B:
    """The body as this model. Raises InputError that names the field."""
    try:
        value = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequestError(f"The body is not valid JSON: {why}.", "Send one JSON object, UTF-8.") from None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _explained(error) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _explained(error: ValidationError) -> InputError:
    """The first validation error without the value, which may be what someone said."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(p) for p in first["loc"]) or "the body"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return InputError(f"The body cannot be used: {place}: {first['msg']}{more}.", "See /openapi.json for the body.")


def json_of(text: str, name: str) -> Any:
    """Parse a JSON parameter. Raises InputError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"`{name}` is not valid JSON ({error}).", 'Send an object: {"project": "x"}.') from None


BUFFER = 2**20
"""Bytes gathered before they are written."""
STALLED = 60.0
"""Seconds that the next part of a file may take."""


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file that is whole and on the disk."""

    path: Path
    size: int
    digest: bytes


async def receive_file(request: Request, folder: Path, most: int) -> ReceivedFile:
    """Stream the request's body to a new file in `folder`, which is deleted if the body is incomplete or too large."""
    refuse_larger(request, most, "GOALMEM_SERVE_UPLOAD_BYTES")
    await take_place(request, request.app.state.service.receiving)
    path = folder / f"{secrets.token_hex(8)}.part"
    try:
        return await _streamed(request, path, most)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _streamed(request: Request, path: Path, most: int) -> ReceivedFile:
    hashed, size, buffer = hashlib.sha256(), 0, bytearray()
    parts = aiter(request.stream())
    with _opened(path) as file:

        def write(content: bytes, *, last: bool = False) -> None:
            hashed.update(content)
            try:
                file.write(content)
                if last:
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise StoreFullError(f"The file cannot be kept: {error.strerror}.", "Free some space.") from error

        while True:
            try:
                async with asyncio.timeout(STALLED):
                    part = await anext(parts, None)
            except TimeoutError:
                raise TooLongError(STALLED) from None
            except ClientDisconnect:
                raise BadRequestError("The file ended before it was whole.", "Send it again.") from None
            if part is None:
                break
            buffer += part
            size += len(part)
            if size > most:
                raise TooLargeError(most, "GOALMEM_SERVE_UPLOAD_BYTES")
            if len(buffer) >= BUFFER:
                await asyncio.to_thread(write, bytes(buffer))
                buffer.clear()
        await asyncio.to_thread(write, bytes(buffer), last=True)
    if not size:
        raise InputError("The file is empty.", "Send it as the body of the request.")
    return ReceivedFile(path, size, hashed.digest())


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except OSError as error:
        raise ReadOnlyStoreError("Uploads cannot be kept here.", "Make GOALMEM_SERVE_DATA writable.") from error
