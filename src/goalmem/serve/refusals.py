"""Refusals of the server itself: errors with their HTTP status; allowed host names; security headers."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from goalmem.errors import GoalmemError


class RefusalError(GoalmemError):
    """A request that is not served."""

    status = 400
    retry_after: int | None = None
    """Seconds after which the same request may succeed."""


class UnauthorizedError(RefusalError):
    """The key is missing or unknown. The response does not say which."""

    status = 401

    def __init__(self) -> None:
        super().__init__(
            "The request carries no key that is valid.", "Send `Authorization: Bearer <key>`; see `goalmem keys add`."
        )


class ForbiddenError(RefusalError):
    """The key is not for this."""

    status = 403


class PreconditionError(RefusalError):
    """`If-Match` does not match the current state."""

    status = 412

    def __init__(self) -> None:
        super().__init__(
            "The space has changed since the ETag of If-Match was given.",
            "Read again, decide again, and send the new ETag.",
        )


class IdempotencyError(RefusalError):
    """An idempotency key was used before, or is in use now."""

    def __init__(self, problem: str, remedy: str, status: int, retry_after: int | None = None) -> None:
        super().__init__(problem, remedy)
        self.status = status
        self.retry_after = retry_after


class TooLargeError(RefusalError):
    """The request is larger than allowed."""

    status = 413

    def __init__(self, most: int, setting: str) -> None:
        super().__init__(
            f"The request's body is larger than {most:,} bytes.",
            f"Send less at once, upload a file (POST /v1/uploads), or raise {setting}.",
        )


class MediaTypeError(RefusalError):
    """The content is of another type, encoding or charset than can be read."""

    status = 415

    def __init__(
        self,
        problem: str = "The content is not declared as JSON.",
        remedy: str = "Send `Content-Type: application/json`.",
    ) -> None:
        super().__init__(problem, remedy)


class ExpectationError(RefusalError):
    """The request expects what is not done here."""

    status = 417

    def __init__(self) -> None:
        super().__init__("The request expects other than 100-continue.", "Leave out the Expect header.")


class VersionError(RefusalError):
    """The request is of another version of HTTP."""

    status = 505

    def __init__(self, version: str) -> None:
        super().__init__(f"The request line names HTTP/{version}.", "Send HTTP/1.1.")


class BadRequestError(RefusalError):
    """The request is malformed, or comes from where it may not."""


class TooManyError(RefusalError):
    """A caller asks more than its share."""

    status = 429

    def __init__(self, retry_after: int) -> None:
        super().__init__("This key asks more often than it may.", f"Wait {retry_after} s and go slower.")
        self.retry_after = retry_after


class BusyError(RefusalError):
    """Too much waits already."""

    def __init__(self, problem: str, retry_after: int, *, of_caller: bool = False) -> None:
        super().__init__(problem, f"Try again in {retry_after} s.")
        self.status = 429 if of_caller else 503
        self.retry_after = retry_after


class TooLongError(RefusalError):
    """It took longer than a request may take."""

    status = 503
    retry_after = 5

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The request took longer than {seconds:g} s.",
            "Try again later; what it was to write may have been written, and writing it again adds nothing.",
        )


class StoppingError(RefusalError):
    """The server is stopping; the request was not started, or was cancelled."""

    status = 503
    retry_after = 5

    def __init__(self, begun: bool = False) -> None:
        how = (
            "the request was ended, and all of it or nothing is stored" if begun else "nothing of the request was begun"
        )
        super().__init__(f"The server is stopping; {how}.", "Send it again in a few seconds.")


class ClientGoneError(RefusalError):
    """The client disconnected: the work was cancelled. Appears only in logs."""

    status = 499  # as other servers log it

    def __init__(self) -> None:
        super().__init__(
            "The client went away before it was answered.", "Send the request again, and wait for the answer."
        )


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy: only the page's own files, no inline scripts, no other hosts."""
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every response."""
HEADER_BYTES = 32_768
"""Maximum total bytes of a request's headers."""
MOST_HEADERS = 200
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class AllowedHosts:
    """The names by which a server may be called."""

    def __init__(self, bound: str, named: Collection[str] = ()) -> None:
        """`bound`: the address listened on; `named`: further names. On another address than loopback, any will do without these."""
        own = LOOPBACK_NAMES | {bound.strip("[]").casefold()} if is_loopback(bound) else frozenset()
        self._names = {*own, *(n.strip().casefold() for n in named if n.strip())}
        if self._names and not is_loopback(bound):
            self._names |= LOOPBACK_NAMES  # health checks come from the machine itself

    def require(self, headers: Mapping[str, str], path: str) -> None:
        """Raise BadRequestError for a wrong Host, ForbiddenError for requests from other web pages, except links to
        `/`.
        """
        host = headers.get("host", "")
        if self._names and _name(host) not in self._names:
            raise BadRequestError(
                "The Host header names another server.", "Call it by its address, or name it with GOALMEM_SERVE_HOSTS."
            )
        origin = headers.get("origin")
        elsewhere = origin is not None and urlsplit(origin).netloc.casefold() != host.casefold()
        followed = path == "/" and headers.get("sec-fetch-mode") == "navigate" and origin is None
        foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not followed
        if elsewhere or foreign:
            raise ForbiddenError(
                "The request comes from another web page.", "Call from a program, or from the page served here."
            )


def require_sound(version: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Raises RefusalErrors for another version than HTTP/1, for a compressed body, for unknown expectations; for more headers, or larger ones, than any client has reason to send, and for two ways to find the end
    of the body: where a proxy before us takes the other one, what follows is another request to it (RFC 9112, 6.1 and 11.2).
    """
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
        raise BadRequestError("The request has both a Content-Length and a Transfer-Encoding.", "Send one of the two.")
    if version.partition(".")[0] != "1":
        raise VersionError(version)
    if {v.strip().lower() for k, v in headers if k == b"expect"} - {b"100-continue"}:
        raise ExpectationError
    if {v.strip().lower() for k, v in headers if k == b"content-encoding"} - {b"", b"identity"}:
        raise MediaTypeError("The content is compressed or encoded.", "Send it without a Content-Encoding.")
    size = sum(len(name) + len(value) for name, value in headers)
    if len(headers) > MOST_HEADERS or size > HEADER_BYTES:
        raise BadRequestError(
            f"The request has {len(headers):,} headers of {size:,} bytes.",
            f"Send at most {MOST_HEADERS} of {HEADER_BYTES:,} bytes together.",
        )


def is_loopback(host: str) -> bool:
    """True if an address is reached from this machine alone."""
    name = host.strip("[]").casefold()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^][:/?#@\\\s,]+))(?::\d{0,5})?", re.IGNORECASE)
"""A Host header (RFC 9110, 7.2): a name or an address, and perhaps a port."""


def _name(host: str) -> str:
    """A Host header without its port; empty if it is malformed."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]).casefold() if found is not None else ""
