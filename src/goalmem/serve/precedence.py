"""Who has little under way goes first: the work of whoever has more pauses meanwhile, at its checkpoints, for a bounded time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from goalmem.cancellation import Cancellation, holds_a_lock

LONGEST_PAUSE = 1.0
"""Seconds that one piece of work pauses in all: afterwards it goes on beside the others."""
MUCH = 2
"""How many times as much a caller has under way as another for whom its work pauses."""
LOOK = 0.05
"""Seconds between two looks at whether the work was cancelled."""


class Precedence:
    """What each caller has under way, waiting or running.

    The slots of a lane divide the server by pieces of work, yet two that run at once share cores and the interpreter: whoever asks one
    question beside a caller with forty would wait about twice as long as alone. Counted in the event loop, read by worker threads.
    """

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._first: tuple[str, ...] = ()
        """Callers with work that runs. Replaced, never changed: threads read it."""
        self._changed = threading.Condition()

    @contextmanager
    def under_way(self, caller: str) -> Iterator[None]:
        """A request of this caller, from its coming until it is answered."""
        self._under_way[caller] += 1
        try:
            yield
        finally:
            self._under_way -= Counter({caller: 1})

    def begin(self, caller: str) -> None:
        """A piece of this caller's work begins to run."""
        self._running[caller] += 1
        self._tell()

    def end(self, caller: str) -> None:
        """It has ended."""
        self._running -= Counter({caller: 1})
        self._tell()

    def comes_second(self, caller: str) -> bool:
        """True while work of another runs who has far less under way."""
        own = self._under_way[caller]
        return any(other != caller and MUCH * self._under_way[other] <= own for other in self._first)

    def pausing(self, caller: str, signal: Cancellation) -> Callable[[], None]:
        """The check of one piece of work, called at each of its checkpoints, which pauses it.

        While the caller comes second; not while others may wait for a lock of this thread.
        """
        left = LONGEST_PAUSE

        def pause() -> None:
            nonlocal left
            while left > 0 and not signal.cancelled and self.comes_second(caller) and not holds_a_lock():
                began = time.monotonic()
                self.wait(caller, min(LOOK, left))
                left -= time.monotonic() - began

        return pause

    def wait(self, caller: str, seconds: float) -> None:
        """Return when the caller no longer comes second, or after some seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self.comes_second(caller), seconds)

    def _tell(self) -> None:
        with self._changed:
            self._first = tuple(self._running)
            self._changed.notify_all()
