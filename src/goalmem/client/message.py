"""A call as what is sent, and what is answered as what the call returns, however both travel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from secrets import token_hex
from typing import Any, TypeVar

from goalmem.client.address import Server
from goalmem.client.call import Call
from goalmem.client.failures import unreadable
from goalmem.errors import InputError
from goalmem.io.chat_messages import UNSTORABLE, check_name
from goalmem.schema import rows

__all__ = ["headers_of", "known_space", "params_of", "parsed", "read_answer", "written"]

_TEXTS = frozenset({"question", "query", "utterance", "text"})
"""Fields in which a memory replaces what cannot be stored; of messages it says so."""

T = TypeVar("T")


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
