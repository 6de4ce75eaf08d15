"""Use of a server that runs over the same store: commands send their work to it and load no model.

It listens on a Unix socket in its own folder as well, which only the same user can enter and connect to: nothing secret is written
down. Whoever connects says over which store and with which settings it would have worked; a server that works otherwise refuses (421).
Whatever goes wrong on the way, the command does its work by itself, with the same outcome.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlencode

from goalmem.client import calls, uploads
from goalmem.client.call import (
    SECONDS,
    ServerAddress,
    ServerCall,
    headers_of,
    known_space,
    params_of,
    parsed,
    read_answer,
    written,
)
from goalmem.client.failures import of_answer
from goalmem.client.uploads import JoinedExports
from goalmem.errors import ServiceError
from goalmem.store.location import is_postgres, locate

if TYPE_CHECKING:
    from goalmem.memory import Memory
    from goalmem.settings import Settings


HEADER = "goalmem-likeness"
MISDIRECTED = 421
"""Status: the server has another store or configuration (RFC 9110, section 15.5.20)."""
PART = 1 << 16
"""Bytes of an export that are read at a time."""
LONGEST_PATH = 100
"""Bytes of the path of a Unix socket that every system takes (macOS: 104, Linux: 108, with the ending NUL)."""
_OTHERWISE = frozenset({413, MISDIRECTED, 429})
"""Statuses, with those from 500, after which the command does the work itself."""
_OWN = frozenset({"space", "store", "use_server"})
"""Settings that do not affect answers, in addition to those that start with `serve_`."""

R = TypeVar("R")


def settings_digest(settings: Settings) -> str:
    """Digest of everything that affects answers: the store's file or URL, the version and the settings. Raises OSError."""
    from goalmem import __version__

    there = is_postgres(settings.store)
    path = None if there else locate(settings.store).path
    file = os.stat(path) if path is not None else None
    said: list[object] = [__version__, settings.store if there else file and (file.st_dev, file.st_ino)]
    named = (field.name for field in fields(settings))
    said += [(n, getattr(settings, n)) for n in named if n not in _OWN and not n.startswith("serve_")]
    return hashlib.sha256(repr(said).encode("utf-8", "backslashreplace")).hexdigest()


@contextmanager
def reachable(path: Path) -> Iterator[str]:
    """A name of a socket that is short enough to bind and to connect to, while the block runs. Raises OSError."""
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"  # only on Linux
    finally:
        os.close(folder)


def _feed(gathered: JoinedExports, response: http.client.HTTPResponse) -> None:
    """Gather an answer that is too large to be held."""
    gathered.begin()
    while part := response.read(PART):
        gathered.feed(part)
    gathered.end()


class UnservedError(Exception):
    """There is no server that could do this."""


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket of the same user."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        """Raise OSError if no server listens, or one of another user."""
        found = os.lstat(self._path)
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError("the socket is another user's")
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with reachable(self._path) as name:
            self.sock.connect(name)
        if (option := getattr(socket, "SO_PEERCRED", None)) is not None:
            _, user, _ = struct.unpack("3i", self.sock.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
            if user != os.geteuid():
                raise PermissionError("another user listens")


def sent(build: Callable[..., ServerCall[Any]]) -> Callable[..., Any]:
    """A method that has the server do a call, and else does it: its parameters are those of the method of `Memory`."""

    def method(self: LocalServerMemory, /, *args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs.pop("on_event", None) is not None:
                raise UnservedError
            return self._answered(build(*args, **kwargs))
        except UnservedError:
            return getattr(self._own(), build.__name__)(*args, **kwargs)

    return method


class LocalServerMemory:
    """The part of `Memory` that commands use: executed by a running server, or by a memory of this process."""

    def __init__(self, settings: Settings, path: Path, own: Callable[[], Memory]) -> None:
        """`own` opens the memory of this process."""
        self._settings = settings
        self._path: Path | None = path
        self._server = ServerAddress(f"unix:{path}")
        self._open = own
        self._memory: Memory | None = None

    add = sent(calls.add)
    ask = sent(calls.ask)
    context = sent(calls.context)
    forget = sent(calls.forget)
    get_all = sent(calls.get_all)
    history = sent(calls.history)
    profile = sent(calls.profile)
    search = sent(calls.search)
    sessions = sent(calls.sessions)
    spaces = sent(calls.spaces)
    stats = sent(calls.stats)
    turn = sent(calls.turn)
    update = sent(calls.update)
    verify = sent(calls.verify)
    versions = sent(calls.versions)
    why_not = sent(calls.why_not)

    def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """See `Memory.export`."""
        try:
            with JoinedExports(Path(target)) as gathered:
                for name in [space] if space is not None else self.spaces():
                    self._exchanged(uploads.export(space=name), self._server, None, partial(_feed, gathered))
                return gathered.finish()
        except (UnservedError, ServiceError):
            return self._own().export(target, space=space)

    def check(self) -> list[str]:
        """See `Memory.check`: it reads the file, and a server has no call for it."""
        return self._own().check()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._memory is not None:
            self._memory.close()

    def _own(self) -> Memory:
        self._path = None  # a sequence started without a server continues without it
        if self._memory is None:
            self._memory = self._open()
        return self._memory

    def _answered(self, call: ServerCall[R]) -> R:
        """The server's result. Raises UnservedError, and the errors of the call."""
        server = self._server
        document = self._document(call, server, None)
        space = known_space(call, server) or "default"
        try:
            found = read_answer(call, document, space, server)
            while call.listed and (cursor := document.get("next")) is not None:
                document = self._document(call, server, cursor)
                found += read_answer(call, document, space, server)  # type: ignore[operator]
        except ServiceError:
            raise UnservedError from None
        return found

    def _document(self, call: ServerCall[Any], server: ServerAddress, cursor: str | None) -> Any:
        return parsed(self._exchanged(call, server, cursor, http.client.HTTPResponse.read), server)

    def _exchanged(
        self,
        call: ServerCall[Any],
        server: ServerAddress,
        cursor: str | None,
        read: Callable[[http.client.HTTPResponse], R],
    ) -> R:
        """What `read` makes of a response that is no failure. Raises UnservedError, and the errors of the call."""
        if self._path is None:
            raise UnservedError
        body = written(call)
        query = urlencode(params_of(call, server, cursor))
        connection = Connection(self._path)
        try:
            headers = headers_of(call) | {HEADER: settings_digest(self._settings), "connection": "close"}
            connection.request(call.method, f"{call.path}?{query}" if query else call.path, body, headers)
            response = connection.getresponse()
            if 200 <= response.status < 300:
                return read(response)
            content = response.read()
            if response.status in _OTHERWISE or response.status >= 500:
                raise UnservedError
            said = {name.lower(): value for name, value in response.getheaders()}
            failure = of_answer(response.status, said, content, server.url).error
        except (OSError, http.client.HTTPException):
            raise UnservedError from None
        finally:
            connection.close()
        raise failure
