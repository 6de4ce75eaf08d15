"""What is refused before anything of a request is read, and what every answer says to browsers.

A server on loopback is reached by every web page that its owner visits: a page cannot read the answers (there is no CORS),
but it can send. So the Host header must name this machine (a page under a name that was made to point to 127.0.0.1 has
another, "DNS rebinding"), and a request that a browser says comes from another origin is refused.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from goalmem.serve.refusals import BadRequestError, ForbiddenError

__all__ = ["HEADERS", "HEADER_BYTES", "Hosts", "is_loopback", "require_few"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's own files, and nothing else: no inline script, no other host."""
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every answer."""
HEADER_BYTES = 32_768
"""Of a request's headers together."""
MOST_HEADERS = 200
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Hosts:
    """The names by which a server may be called."""

    def __init__(self, bound: str, named: Collection[str] = ()) -> None:
        """`bound`: the address listened on; `named`: further names. On another address than loopback, any will do without these."""
        own = LOOPBACK_NAMES | {bound.strip("[]").casefold()} if is_loopback(bound) else frozenset()
        self._names = {*own, *(n.strip().casefold() for n in named if n.strip())}
        if self._names and not is_loopback(bound):
            self._names |= LOOPBACK_NAMES  # health checks come from the machine itself

    def require(self, headers: Mapping[str, str], path: str) -> None:
        """Raises BadRequestError for another Host, ForbiddenError for what another web page sends; a link to `/` is none."""
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


def require_few(headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Raises BadRequestError for more headers, or larger ones, than any client has reason to send."""
    size = sum(len(name) + len(value) for name, value in headers)
    if len(headers) > MOST_HEADERS or size > HEADER_BYTES:
        raise BadRequestError(
            f"The request has {len(headers):,} headers of {size:,} bytes.",
            f"Send at most {MOST_HEADERS} of {HEADER_BYTES:,} bytes together.",
        )


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    name = host.strip("[]").casefold()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """A Host header without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").casefold()
    except ValueError:
        return ""
