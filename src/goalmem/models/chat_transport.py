"""The HTTP client for model endpoints: sends only required headers and enforces a deadline.

Imports `httpx2`, so it is imported on the first call only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

_SENT_HEADERS = frozenset({"host", "accept", "connection", "content-type", "content-length", "transfer-encoding"})
"""The required request headers. The `openai` package would add the operating system, versions and values of
environment variables. `accept-encoding` is omitted, since a compressed answer can expand to any size.
"""
_LARGEST_ANSWER = 16 * 2**20
"""Bytes; a chat reply of the longest kind is a thousandth of that."""
_DEADLINE = "goalmem.deadline"


def plain_client(key: str, largest: int | None = None) -> httpx2.Client:
    """A client without proxies and redirects; `key`, unless it is empty, is the one thing that it says of the caller.

    An answer of more than `largest` bytes is not read to its end.
    """

    def before(request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name.lower() not in _SENT_HEADERS]:
            del request.headers[name]
        request.headers["user-agent"] = "goalmem"
        if key:
            request.headers["authorization"] = f"Bearer {key}"
        seconds = request.extensions.get("timeout", {}).get("read")
        if seconds is not None:
            request.extensions[_DEADLINE] = time.monotonic() + seconds

    def after(response: httpx2.Response) -> None:
        deadline = response.request.extensions.get(_DEADLINE)
        if deadline is not None and isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _DeadlineStream(response.stream, deadline, largest or _LARGEST_ANSWER)

    return httpx2.Client(
        # Custom certificates (SSL_CERT_FILE) are respected; proxies from the environment are not, since they could read along.
        verify=httpx2.create_ssl_context(trust_env=True),
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [before], "response": [after]},
    )


class _DeadlineStream(httpx2.SyncByteStream):
    """A stream that ends at its deadline even if data trickles in: a read timeout restarts with every byte."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float, largest: int) -> None:
        self._stream = stream
        self._largest = largest
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer did not end in time")
            if size > self._largest:
                raise httpx2.ReadError("the answer does not end")
            yield part

    def close(self) -> None:
        self._stream.close()
