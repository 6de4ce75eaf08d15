"""HTTP/1.1 as uvicorn reads it with h11, which refuses two Host headers, and headers over a size that arrive in pieces; and a limit on
how long they take.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

__all__ = ["timed_protocol"]


class TimedProtocol(H11Protocol):
    """uvicorn's, which closes connections whose headers are not there in time, counted from the connection or their first byte."""

    seconds: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        if self._between():
            self._wait()
        else:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _between(self) -> bool:
        """Whether no request is being served."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._late)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        if self._between() and not self.transport.is_closing():
            self.transport.close()


def timed_protocol(seconds: float) -> type[asyncio.Protocol]:
    """The protocol with this limit."""
    return type("TimedProtocol", (TimedProtocol,), {"seconds": seconds})
