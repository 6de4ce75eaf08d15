"""Failures between a client and its server, as the errors of a memory."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from goalmem import errors
from goalmem.errors import (
    AccessDeniedError,
    GoalmemError,
    InputError,
    ServiceError,
    ServiceUnavailableError,
    UnstratifiedError,
)
from goalmem.records import aware

_PREFIX = "urn:goalmem:problem:"
_BUSY = frozenset({429, 502, 503, 504})
"""Statuses after which the same request may succeed (RFC 9110, sections 15.6.3 to 15.6.5; RFC 6585, section 4)."""
_DENIED = frozenset({401, 403})
_UNUSABLE = frozenset({413, 422})


class AttemptError(Exception):
    """A failed request: its error, whether to retry, and after how many seconds."""

    def __init__(self, error: GoalmemError, *, again: bool = False, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.wait = wait
        """As the server asks; None: as the client sees fit."""


def of_answer(status: int, headers: Mapping[str, str], body: bytes, url: str) -> AttemptError:
    """The failure for a response with this status."""
    wait = _seconds(headers.get("retry-after", ""))
    again = status in _BUSY or (status == 409 and wait is not None)
    problem = _problem(headers.get("content-type", ""), body)
    if problem is None:
        return AttemptError(_foreign(status, url), again=again, wait=wait)
    return AttemptError(as_error(problem, status), again=again, wait=wait)


def of_problem(problem: Any) -> AttemptError:
    """The failure for a problem document inside a stream."""
    document: Mapping[str, Any] = problem if isinstance(problem, dict) else {}
    status = document.get("status")
    code = status if isinstance(status, int) else 0
    return AttemptError(as_error(document, code), again=code in _BUSY)


def as_error(problem: Mapping[str, Any], status: int) -> GoalmemError:
    """The error for a problem document (RFC 9457): the class that the server raised, with its message."""
    said = str(problem.get("detail") or problem.get("title") or "The server refused.")
    remedy = str(problem.get("remedy") or "")
    kind = str(problem.get("type", "")).removeprefix(_PREFIX)
    error = _of_kind(kind, status, said, remedy, problem)
    if request := problem.get("instance"):
        error.add_note(f"The server's log calls the request {request}.")
    return error


def unreachable(url: str, why: str) -> AttemptError:
    """The failure to reach the server, or to hear from it in time."""
    return AttemptError(
        ServiceUnavailableError(
            f"The server at {url} did not answer: {why}.", "See that `goalmem serve` runs there, and try again."
        ),
        again=True,
    )


def unreadable(url: str, why: str) -> ServiceError:
    """The error for a response of the wrong form."""
    return ServiceError(
        f"The server at {url} sent an unreadable response: {why}.", "Use a client and a server of the same version."
    )


def _of_kind(kind: str, status: int, said: str, remedy: str, problem: Mapping[str, Any]) -> GoalmemError:
    known = _KINDS.get(kind)
    if known is UnstratifiedError:
        return UnstratifiedError(said, remedy, tuple(map(str, problem.get("cycle") or ())))
    if known is not None:
        return known(said, remedy)
    if status in _DENIED:
        return AccessDeniedError(said, remedy)
    if status in _UNUSABLE:
        return InputError(said, remedy)
    if status in _BUSY:
        return ServiceUnavailableError(said, remedy)
    return ServiceError(said, remedy)


def _kinds() -> dict[str, type[GoalmemError]]:
    """Errors by the kind that a problem names; those with more to them than words are left out, but for one."""
    named: dict[str, type[GoalmemError]] = {}
    for name in errors.__all__:
        found = getattr(errors, name)
        if found.__init__ is GoalmemError.__init__ or found is UnstratifiedError:
            named[re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.removesuffix("Error")).lower()] = found
    return named


_KINDS = _kinds()


def _problem(content_type: str, body: bytes) -> Mapping[str, Any] | None:
    if content_type.partition(";")[0].strip() != "application/problem+json":
        return None
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _foreign(status: int, url: str) -> GoalmemError:
    if status in _BUSY:
        return ServiceUnavailableError(
            f"A proxy before the server at {url} answered with {status}.", "Try again later."
        )
    return ServiceError(
        f"The server at {url} is not a goalmem server (status {status}).", "Check the address and the port."
    )


def _seconds(retry_after: str) -> float | None:
    """A Retry-After header in seconds from now (RFC 9110, section 10.2.3); None if there is none."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (aware(moment) - datetime.now(UTC)).total_seconds())
