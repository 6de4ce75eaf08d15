"""Which server is called, with which key, and how patiently; one request to it: what is sent, and how its answer is read."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from secrets import token_hex
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from goalmem.client.failures import unreadable
from goalmem.errors import InputError, ServiceError
from goalmem.io.chat_messages import UNSTORABLE, check_name
from goalmem.schema import rows

SECONDS = 150.0
"""What a call may take with all that is tried again: a little more than a server gives one request by default."""
ATTEMPTS = 4
"""How often what is safe to repeat is sent at most."""
CONNECT = 10.0
"""Seconds to reach a server, or to wait for one of the connections to it."""
STALLED = 45.0
"""Seconds without a byte after which a stream counts as broken; a server sends a sign of life every ten."""
_PACKAGES = ("httpx2", "stamina")
_REMEDY = "Give the server's base address, as http://127.0.0.1:8765."


@dataclass(frozen=True, slots=True)
class Server:
    """Where calls go."""

    url: str
    """Base address, without a slash at its end."""
    key: str = field(default="", repr=False)
    """Secret: shown nowhere."""
    space: str | None = None
    """Of calls that name none; None: what the server takes for the key."""
    timeout: float = SECONDS
    attempts: int = ATTEMPTS

    @property
    def headers(self) -> dict[str, str]:
        """What every request says of the caller."""
        said = {"user-agent": "goalmem", "accept-encoding": "identity"}
        return said | ({"authorization": f"Bearer {self.key}"} if self.key else {})


def server_at(url: str, key: str, space: str | None, timeout: float, attempts: int) -> Server:
    """A server whose address, key and limits can be used. Raises InputError."""
    base = url.strip().rstrip("/")
    if "@" in base:
        raise InputError("The server's address holds a name or a password.", f"{_REMEDY} The key is given as `key`.")
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable or any(character.isspace() or not character.isprintable() for character in base):
        raise InputError(f"The server's address {url!r} is none.", _REMEDY)
    secret = key.strip()
    if not secret.isascii() or not secret.isprintable():
        raise InputError("The key holds characters that no key has.", "Pass what `goalmem keys add` printed.")
    if timeout <= 0 or attempts < 1:
        raise InputError(
            f"With a timeout of {timeout} s and {attempts} attempts nothing is asked.", "Give both above zero."
        )
    return Server(base, secret, space, timeout, attempts)


def require_packages() -> None:
    """Raises ServiceError where the extra `client` is not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ServiceError(f"A client needs {' and '.join(missing)}.", "Install goalmem[client].")


PAGE = 500
"""Items asked for at once where a list comes in pages."""

T = TypeVar("T")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """One request."""

    method: str
    path: str
    read: Callable[[Any, str], T]
    """What the answer means. The second argument names the space."""
    space: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None
    writes: bool = False
    """Whether it carries an idempotency key."""
    repeats: bool = True
    """Whether it may be sent again where its answer was lost: it reads, or it is done once for its key."""
    placed: bool = False
    """Whether what it returns names its space, which the server leaves out."""
    listed: bool = False
    """Whether the answer is a page of a list; the call is sent for each."""


def nothing(row: object, space: str) -> None:
    """An answer that says nothing more than that it is done."""
    del row, space


def posted(
    path: str,
    body: Body,
    read: Callable[[Any, str], T],
    space: str | None,
    *,
    writes: bool = False,
    placed: bool = False,
) -> Call[T]:
    """A call that sends a document; what is None is left out, so that the server's default holds."""
    sent = {name: value for name, value in body.items() if value is not None}
    return Call(method="POST", path=path, read=read, space=space, body=sent, writes=writes, placed=placed)


def got(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> Call[T]:
    """A call that reads; what is None is left out."""
    asked = {name: value for name, value in query.items() if value is not None}
    return Call(method="GET", path=path, read=read, space=space, query=asked, placed=placed)


def listed(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> Call[list[T]]:
    """A call for a list, which comes in pages; `read` is of an item."""

    def page(document: Any, space: str) -> list[T]:
        return [read(row, space) for row in document["items"]]

    return replace(got(path, page, space, placed=placed, limit=str(PAGE), **query), listed=True)


_TEXTS = frozenset({"question", "query", "utterance", "text"})
"""Fields in which a memory replaces what cannot be stored; of messages it says so."""


def params_of(call: Call[Any], server: Server, cursor: str | None) -> dict[str, str]:
    """The query of a request. Raises InputError for a space that cannot be one."""
    space = call.space if call.space is not None else server.space
    named = {} if space is None else {"space": check_name(space, "The space")}
    said = {name: UNSTORABLE.sub("\ufffd", value) for name, value in call.query.items()}
    return said | named | ({} if cursor is None else {"cursor": cursor})


def headers_of(call: Call[Any]) -> dict[str, str]:
    """What a call says beside what every request says; a write, which of all writes it is."""
    said = {"content-type": "application/json"} if call.body is not None else {}
    return said | ({"idempotency-key": token_hex(16)} if call.writes else {})


def written(call: Call[Any]) -> bytes | None:
    """The document that a call sends. Raises InputError for what JSON cannot say."""
    if call.body is None:
        return None
    said = {k: UNSTORABLE.sub("\ufffd", v) if k in _TEXTS and isinstance(v, str) else v for k, v in call.body.items()}
    try:
        return json.dumps(said, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"What was to be sent is no JSON: {error}.", "Pass text, numbers, lists and dicts.") from None


def _plain(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"it holds a {type(value).__name__}")


def read_answer(call: Call[T], document: Any, space: str, server: Server) -> T:
    """What a document means. Raises ServiceError for what cannot be read."""
    why = ""
    try:
        return call.read(document, space)
    except rows.UNREADABLE as error:
        why = type(error).__name__
    raise unreadable(server.url, why)


def parsed(body: bytes, server: Server) -> Any:
    """The document of an answer. Raises ServiceError where it is none."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        pass
    raise unreadable(server.url, "it is no JSON")


def known_space(call: Call[Any], server: Server) -> str | None:
    """The space that a call is about; None where only the server knows, and what is returned is to say it."""
    named = call.space or server.space
    return named or ("default" if not (call.placed and server.key) else None)
