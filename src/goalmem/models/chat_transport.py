"""The HTTP client of calls of models: it sends what is asked for, where it is told to, and waits no longer than it may.

Imports `httpx2`, so it is imported on the first call only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

_SENT_HEADERS = frozenset({"host", "accept", "connection", "content-type", "content-length", "transfer-encoding"})
"""What an HTTP request needs. The `openai` package adds the operating system and the versions of what runs, and what
its environment variables say; those do not go out. Nor does `accept-encoding`: a packed answer can be any size."""
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
            response.stream = _Bounded(response.stream, deadline, largest or _LARGEST_ANSWER)

    return httpx2.Client(
        # Certificates of one's own (SSL_CERT_FILE) are for whom one trusts; proxies decide who reads along.
        verify=httpx2.create_ssl_context(trust_env=True),
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [before], "response": [after]},
    )


class _Bounded(httpx2.SyncByteStream):
    """An answer that ends by its deadline, also when it trickles: a read timeout starts anew with every byte."""

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
