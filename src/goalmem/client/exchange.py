"""What one request is made of and what its answer is taken for, whether it is awaited or not.

Imports `httpx2` and `stamina`, which come with the extra `client`.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, get_args

import httpx2
import stamina

from goalmem.client.address import CONNECT, STALLED, Server
from goalmem.client.failures import AttemptError, of_answer, of_problem, unreachable, unreadable
from goalmem.engine.events import Event, EventKind
from goalmem.schema import rows

EVENTS = {"accept": "text/event-stream"}
BYTES = {"content-type": "application/octet-stream"}
LAST = "answer"
"""The kind of the last event."""
MOST_EVENT = 64 * 2**20
"""Bytes of one server-sent event: an answer holds its whole proof."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 3.0
"""Seconds before the second attempt, and between two at most, where the server names none."""

T = TypeVar("T")

# Stamina tells of each retry as a warning; unless a program listens, that is not for the terminal.
logging.getLogger("stamina").addHandler(logging.NullHandler())


def settings_of(server: Server) -> dict[str, Any]:
    """How a client of `httpx2` is made."""
    # Certificates of one's own (SSL_CERT_FILE) are for whom one trusts; a proxy of the environment would read along,
    # and the key does not go where a redirect leads.
    secure = {"verify": httpx2.create_ssl_context(trust_env=True)} if server.url.startswith("https:") else {}
    return {"base_url": server.url, "headers": server.headers, "trust_env": False, "follow_redirects": False} | secure


def attempts(server: Server, deadline: float) -> Any:
    """Attempts at a call, while one more may help and time is left."""
    return stamina.retry_context(
        partial(patience_of, deadline=deadline),
        attempts=server.attempts,
        timeout=None,
        wait_initial=_FIRST_WAIT,
        wait_max=_LONGEST_WAIT,
        wait_jitter=_FIRST_WAIT,
    )


def patience_of(error: Exception, *, deadline: float) -> bool | float:
    """Whether to send again: after the wait that the server asks for, after one of our own (True), or not (False)."""
    if not isinstance(error, AttemptError) or not error.again:
        return False
    if error.wait is None:
        return left(deadline) > _LONGEST_WAIT
    if error.wait >= left(deadline):
        error.error.add_note(f"The server asks to wait {error.wait:g} s, which is longer than the call may take.")
        return False
    return error.wait


def left(deadline: float) -> float:
    """Seconds until a deadline, not below zero."""
    return max(0.0, deadline - time.monotonic())


def require_time(server: Server, deadline: float) -> None:
    """Raises AttemptError where no time is left."""
    if left(deadline) <= 0:
        raise unreachable(server.url, f"the call took longer than {server.timeout:g} s")


def timeout_of(server: Server, deadline: float) -> httpx2.Timeout:
    """The limits of one attempt. Raises AttemptError where no time is left."""
    require_time(server, deadline)
    seconds = left(deadline)
    return httpx2.Timeout(seconds, connect=min(CONNECT, seconds), pool=min(CONNECT, seconds))


def stream_timeout() -> httpx2.Timeout:
    """The limits of an answer that comes bit by bit: each bit has its own time."""
    return httpx2.Timeout(STALLED, connect=CONNECT, pool=CONNECT)


@contextmanager
def failures_at(server: Server) -> Iterator[None]:
    """Make what the network does a AttemptError."""
    try:
        yield
    except httpx2.TimeoutException:
        raise unreachable(server.url, "it took too long") from None
    except httpx2.ConnectError as error:
        raise unreachable(server.url, str(error) or "no connection") from None
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise unreachable(server.url, type(error).__name__) from None


def require_done(response: httpx2.Response, body: bytes, server: Server) -> None:
    """Raises AttemptError unless the server did what was asked."""
    if not response.is_success:
        raise of_answer(response.status_code, response.headers, body, server.url)


def event_of(kind: str, row: Any, server: Server) -> Event | None:
    """What happened; None for a kind that is not known here: a newer server may tell of more."""
    if kind not in get_args(EventKind):
        return None
    try:
        return rows.event(kind, row)
    except rows.UNREADABLE:
        pass
    raise unreadable(server.url, f"the event {kind!r}")


def read_event(event: httpx2.ServerSentEvent, server: Server) -> Any:
    """The document of an event. Raises AttemptError for an error that the server tells of."""
    try:
        document = json.loads(event.data)
    except ValueError:
        raise AttemptError(unreadable(server.url, "an event that is no JSON")) from None
    if event.event == "error":
        raise of_problem(document)
    return document


def only_space(visible: Sequence[str]) -> str:
    """What a server takes for a key where no space is named: the key's only one, else `default`.

    Of a key for all spaces only one may hold something. If that is not `default`, nothing was returned of `default`.
    """
    return visible[0] if len(visible) == 1 else "default"
