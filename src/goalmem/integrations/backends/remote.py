"""Errors of server-based systems, converted to a common form.

Problems that the caller can solve (a wrong key, an unknown graph, a different server) are BackendErrors, which the
first question raises. Temporary ones (no connection, overload, timeout) are ConnectionErrors, which mean fewer answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from goalmem.errors import BackendError

MAY_PASS = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the same request may succeed (RFC 9110, RFC 6585, RFC 8470)."""
UNREACHED = frozenset({"TransportError", "APIConnectionError"})
"""Base classes of connection errors: httpx's and httpx2's, and those of Stainless clients."""
UNREADABLE = frozenset({"ValidationError", "ParsingError", "APIResponseValidationError"})
"""Exception classes for responses of the wrong form: pydantic's, Fern's and Stainless's."""


@contextmanager
def remote(system: str) -> Iterator[None]:
    """Call a server through its client. Raises BackendError for refusals and malformed responses, ConnectionError for
    temporary failures.
    """
    try:
        yield
    except BackendError:
        raise
    except Exception as error:
        status = status_of(error)
        if (
            _is_a(error, UNREADABLE)
            or isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            or (status is not None and status < 400)
        ):
            raise malformed(system, f"{type(error).__name__}: {_told(error)}") from error
        if status is not None and status < 500 and status not in MAY_PASS:
            raise BackendError(
                f"{system} refused the request with status {status}: {_told(error)}",
                "Check the address, the key, and whose memory is searched.",
            ) from error
        if status is not None or isinstance(error, OSError) or _is_a(error, UNREACHED):
            said = (
                f"status {status}: {_told(error)}" if status is not None else f"{type(error).__name__}: {_told(error)}"
            )
            raise ConnectionError(f"{system} did not answer ({said})") from error
        raise


def malformed(system: str, what: str) -> BackendError:
    """The error for a response of the wrong form."""
    return BackendError(
        f"{system} sent an unreadable response: {what}",
        "Check that the address is that server's, and its version one that docs/backends.md names.",
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status that came with an error, where one came."""
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


LONGEST = 300
"""Maximum characters of a server's message that are reported."""


def _told(error: BaseException) -> str:
    """The server's message, if any, never its headers, which may contain keys."""
    body = getattr(error, "body", None)
    said = str(error) if body is None else body if isinstance(body, str) else repr(body)
    return said[:LONGEST]


def _is_a(error: BaseException, names: frozenset[str]) -> bool:
    return any(base.__name__ in names for base in type(error).__mro__)
