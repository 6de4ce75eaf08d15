"""Serving the command line of the same user, on a Unix socket beside the store: `client/beside.py` says how it is used.

The folder can be entered, and the socket connected to, by its owner alone, who may read the store's file anyway: no key is asked for.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import compare_digest

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from goalmem.client.beside import HEADER, MISDIRECTED, likeness, reachable
from goalmem.settings import Settings
from goalmem.store.location import socket_path

__all__ = ["Commands", "is_command", "socket_for_commands"]

_MARK = "goalmem.command"
BACKLOG = 128
TRIED = 1.0
"""Seconds in which a server that runs accepts a connection."""


class Commands:
    """ASGI middleware: the application as commands reach it."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Raises OSError where the store's file is not there."""
        self._app = app
        self._likeness = likeness(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, if it comes from a command that works as this server does."""
        if scope["type"] != "http" or not compare_digest(Headers(scope=scope).get(HEADER, ""), self._likeness):
            await PlainTextResponse("The server works otherwise.\n", MISDIRECTED)(scope, receive, send)
            return
        scope[_MARK] = True
        await self._app(scope, receive, send)


def is_command(scope: Scope) -> bool:
    """Whether a request came over the socket for commands, and so from the owner of the store."""
    return scope.get(_MARK) is True


@contextmanager
def socket_for_commands(settings: Settings) -> Iterator[socket.socket | None]:
    """The socket that commands connect to, until the block ends; None where there can be none, or another server has it."""
    path = socket_path(settings.store, settings.serve_data)
    listening = None if path is None else _bound(path)
    if path is None or listening is None:
        yield None
        return
    own = os.lstat(path).st_ino
    try:
        with listening:
            yield listening
    finally:
        with suppress(OSError):
            if os.lstat(path).st_ino == own:
                path.unlink()


def _bound(path: Path) -> socket.socket | None:
    folder = os.stat(path.parent)
    if folder.st_uid != os.geteuid() or folder.st_mode & 0o022:
        return None  # others could put a socket of theirs there
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with reachable(path) as name:
            if os.path.lexists(path):
                if _answers(name):
                    listening.close()
                    return None
                path.unlink()
            before = os.umask(0o177)  # from the first moment on only the owner may connect
            try:
                listening.bind(name)
            finally:
                os.umask(before)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        return None
    return listening


def _answers(name: str) -> bool:
    """Whether a server listens there. What one that was killed left behind refuses."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(TRIED)
        try:
            trial.connect(name)
        except ConnectionRefusedError:
            return False
        except OSError:
            return True  # busy, or no socket: left alone
    return True
