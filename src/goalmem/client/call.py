"""The server's address, key and timeouts; a request to it and the parsing of its response."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlsplit

from goalmem.client.failures import unreadable
from goalmem.errors import InputError, ServiceError, shown
from goalmem.io.chat_messages import check_count, check_name
from goalmem.schema import rows
from goalmem.store.metadata import UNSTORABLE

SECONDS = 150.0
"""Timeout in seconds of a call including retries: slightly more than a server's default for one request."""
ATTEMPTS = 4
"""Maximum number of attempts for idempotent requests."""
CONNECT = 10.0
"""Seconds to reach a server, or to wait for one of the connections to it."""
LONGEST = 86_400
"""Seconds of the longest timeout: a day."""
STALLED = 45.0
"""Seconds without a byte after which a stream counts as broken; a server sends a sign of life every ten."""
_PACKAGES = ("httpx2", "stamina")
_REMEDY = "Give the server's base address, as http://127.0.0.1:8765."


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Address and options of a server."""

    url: str
    """Base address, without a slash at its end."""
    key: str = field(default="", repr=False)
    """Secret: shown nowhere."""
    space: str | None = None
    """Space of calls that do not name one; None: the server's default for the key."""
    timeout: float = SECONDS
    attempts: int = ATTEMPTS

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        said = {"user-agent": "goalmem", "accept-encoding": "identity"}
        return said | ({"authorization": f"Bearer {self.key}"} if self.key else {})


def server_at(url: str, key: str, space: str | None, timeout: float, attempts: int) -> ServerAddress:
    """A server whose address, key and limits can be used. Raises InputError."""
    for what, text in (("address", url), ("key", key)):
        if not isinstance(text, str):
            raise InputError(f"The server's {what} is of type {type(text).__name__}.", "Give it as text.")
    base = url.strip().rstrip("/")
    if "@" in base:
        raise InputError(
            "The server's address contains a user name or a password.", f"{_REMEDY} The key is given as `key`."
        )
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable or any(character.isspace() or not character.isprintable() for character in base):
        raise InputError(f"The server's address {url!r} is invalid.", _REMEDY)
    secret = key.strip()
    if not secret.isascii() or not secret.isprintable():
        raise InputError(
            "The key contains characters that are not allowed in a key.", "Pass what `goalmem keys add` printed."
        )
    return ServerAddress(base, secret, space, _seconds(timeout), check_count(attempts, "The number of attempts"))


def _seconds(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= LONGEST:
        raise InputError(f"The timeout is {shown(timeout)}.", f"Give seconds: more than 0, at most {LONGEST:,}.")
    return timeout


def require_packages() -> None:
    """Raises ServiceError where the extra `client` is not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ServiceError(f"A client needs {' and '.join(missing)}.", "Install goalmem[client].")


PAGE = 500
"""Items per page of a list."""

T = TypeVar("T")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall(Generic[T]):
    """One request."""

    method: str
    path: str
    read: Callable[[Any, str], T]
    """Parses the response. The second argument is the space."""
    space: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None
    writes: bool = False
    """True if it carries an idempotency key."""
    repeats: bool = True
    """True if it may be sent again where its answer was lost: it reads, or it is done once for its key."""
    placed: bool = False
    """True if the result contains its space, which the server omits."""
    listed: bool = False
    """True if the answer is a page of a list; the call is sent for each."""


def nothing(row: object, space: str) -> None:
    """Parse a response without content."""
    del row, space


def posted(
    path: str,
    body: Body,
    read: Callable[[Any, str], T],
    space: str | None,
    *,
    writes: bool = False,
    placed: bool = False,
) -> ServerCall[T]:
    """A POST call; fields that are None are omitted, so that the server's default applies."""
    sent = {name: value for name, value in body.items() if value is not None}
    return ServerCall(method="POST", path=path, read=read, space=space, body=sent, writes=writes, placed=placed)


def got(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> ServerCall[T]:
    """A GET call; parameters that are None are omitted."""
    asked = {name: value for name, value in query.items() if value is not None}
    return ServerCall(method="GET", path=path, read=read, space=space, query=asked, placed=placed)


def listed(
    path: str, read: Callable[[Any, str], T], space: str | None, *, placed: bool = False, **query: str | None
) -> ServerCall[list[T]]:
    """A call for a list, which comes in pages; `read` is of an item."""

    def page(document: Any, space: str) -> list[T]:
        return [read(row, space) for row in document["items"]]

    return replace(got(path, page, space, placed=placed, limit=str(PAGE), **query), listed=True)


def uploaded(
    path: str,
    read: Callable[[Any, str], T],
    space: str | None,
    query: Mapping[str, str | None] = MappingProxyType({}),
    *,
    writes: bool = True,
) -> ServerCall[T]:
    """A POST call whose body is a file, or nothing; parameters that are None are omitted."""
    asked = {name: value for name, value in query.items() if value is not None}
    return ServerCall(method="POST", path=path, read=read, space=space, query=asked, writes=writes)


def removed(path: str, read: Callable[[Any, str], T], space: str | None, *, writes: bool = True) -> ServerCall[T]:
    """A DELETE call."""
    return ServerCall(method="DELETE", path=path, read=read, space=space, writes=writes)


def quoted(name: str) -> str:
    """A name or an id as a part of a path."""
    return quote(name, safe="", errors="replace")


_TEXTS = frozenset({"question", "query", "utterance", "text"})
"""Fields in which a memory replaces characters that cannot be stored; for messages it reports this."""


def params_of(call: ServerCall[Any], server: ServerAddress, cursor: str | None) -> dict[str, str]:
    """The query of a request. Raises InputError for a space that cannot be one."""
    space = call.space if call.space is not None else server.space
    named = {} if space is None else {"space": check_name(space, "The space")}
    said = {name: UNSTORABLE.sub("\ufffd", value) for name, value in call.query.items()}
    return said | named | ({} if cursor is None else {"cursor": cursor})


def headers_of(call: ServerCall[Any]) -> dict[str, str]:
    """Headers of a call besides the common ones; for a write, its idempotency key."""
    said = {"content-type": "application/json"} if call.body is not None else {}
    return said | ({"idempotency-key": token_hex(16)} if call.writes else {})


def written(call: ServerCall[Any]) -> bytes | None:
    """The JSON body of a call. Raises InputError for values that JSON cannot represent."""
    if call.body is None:
        return None
    said = {k: UNSTORABLE.sub("\ufffd", v) if k in _TEXTS and isinstance(v, str) else v for k, v in call.body.items()}
    try:
        return json.dumps(said, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"The request cannot be encoded as JSON: {error}.", "Pass text, numbers, lists and dicts."
        ) from None


def _plain(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"it holds a {type(value).__name__}")


def read_answer(call: ServerCall[T], document: Any, space: str, server: ServerAddress) -> T:
    """Parse a result. Raises ServiceError if it is invalid."""
    why = ""
    try:
        return call.read(document, space)
    except rows.UNREADABLE as error:
        why = type(error).__name__
    raise unreadable(server.url, why)


def parsed(body: bytes, server: ServerAddress) -> Any:
    """Parse the body of a response. Raises ServiceError if it is not JSON."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        pass
    raise unreadable(server.url, "it is not valid JSON")


def known_space(call: ServerCall[Any], server: ServerAddress) -> str | None:
    """The space of a call; None if only the server knows it and the result must contain it."""
    named = call.space or server.space
    return named or ("default" if not (call.placed and server.key) else None)
