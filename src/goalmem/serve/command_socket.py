"""Serves the command line of the same user on a Unix socket beside the store; `client/local_server.py` is the client.

The folder can be entered, and the socket connected to, by its owner alone, who may read the store's file anyway: no key is asked for.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import compare_digest

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from goalmem.client.local_server import HEADER, MISDIRECTED, reachable, settings_digest
from goalmem.settings import Settings
from goalmem.store.location import socket_path

_MARK = "goalmem.command"
BACKLOG = 128
TRIED = 1.0
"""Seconds in which a server that runs accepts a connection."""


class Commands:
    """ASGI middleware: the application as commands reach it."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Raises OSError where the store's file is not there."""
        self._app = app
        self._likeness = settings_digest(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, if it comes from a command that works as this server does."""
        said = Headers(scope=scope).get(HEADER, "") if scope["type"] == "http" else ""
        if not compare_digest(said.encode(), self._likeness.encode()):
            await PlainTextResponse("The server works otherwise.\n", MISDIRECTED)(scope, receive, send)
            return
        scope[_MARK] = True
        await self._app(scope, receive, send)


def is_command(scope: Scope) -> bool:
    """True if a request came over the socket for commands, and so from the owner of the store."""
    return scope.get(_MARK) is True


@contextmanager
def socket_for_commands(settings: Settings) -> Iterator[socket.socket | None]:
    """Open the socket for commands while the block runs; None if none is possible or another server has it."""
    path = socket_path(settings.store, settings.serve_data)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) if path is not None else None
    if path is None or listening is None:
        yield None
        return
    with listening:
        own = _bound(listening, path)
        try:
            yield listening if own is not None else None
        finally:
            with suppress(OSError), _alone(path.parent):
                if own is not None and _identity(path) == own:
                    path.unlink()


def _bound(listening: socket.socket, path: Path) -> tuple[int, int] | None:
    """Bind a socket there; returns the identity of its file, or None if that is impossible."""
    try:
        folder = os.stat(path.parent)
        if folder.st_uid != os.geteuid() or folder.st_mode & 0o022:
            return None  # others could put a socket of theirs there
        with _alone(path.parent), reachable(path) as name:
            if os.path.lexists(path):
                if not stat.S_ISSOCK(os.lstat(path).st_mode) or _answers(name):
                    return None
                path.unlink()
            before = os.umask(0o177)  # from the first moment on only the owner may connect
            try:
                listening.bind(name)
            finally:
                os.umask(before)
            listening.listen(BACKLOG)
            return _identity(path)
    except OSError:
        return None


def _identity(path: Path) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_ino, found.st_mtime_ns


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one server at a time start or stop over one store. Raises OSError."""
    import fcntl  # where there are Unix sockets

    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _answers(name: str) -> bool:
    """True if a server listens there. What one that was killed left behind refuses."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(TRIED)
        try:
            trial.connect(name)
        except ConnectionRefusedError:
            return False
        except OSError:
            return True  # busy: left alone
    return True
