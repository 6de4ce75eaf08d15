"""Files as they arrive: streamed to the disk, with no more in memory than a buffer."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fastapi import Request
from starlette.requests import ClientDisconnect

from goalmem.errors import InputError, ReadOnlyStoreError, StoreFullError
from goalmem.serve.refusals import BadRequestError, TooLargeError, TooLongError
from goalmem.serve.requests import take_place

__all__ = ["Received", "receive_file"]

BUFFER = 2**20
"""Bytes gathered before they are written."""
STALLED = 60.0
"""Seconds that the next part of a file may take."""


@dataclass(frozen=True, slots=True)
class Received:
    """A file that is whole and on the disk."""

    path: Path
    size: int
    digest: bytes


async def receive_file(request: Request, folder: Path, most: int) -> Received:
    """Stream the request's body to a new file in `folder`; nothing stays of one that is cut off or too large."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise TooLargeError(most, "GOALMEM_SERVE_UPLOAD_BYTES")
    await take_place(request, request.app.state.service.receiving)
    path = folder / f"{secrets.token_hex(8)}.part"
    try:
        return await _streamed(request, path, most)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _streamed(request: Request, path: Path, most: int) -> Received:
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
    return Received(path, size, hashed.digest())


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except OSError as error:
        raise ReadOnlyStoreError("Uploads cannot be kept here.", "Make GOALMEM_SERVE_DATA writable.") from error
