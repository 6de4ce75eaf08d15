"""Locks that are handed on in the order in which they were asked for: who has much to do does not starve who has little."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from types import TracebackType

from goalmem.cancellation import checkpoint

__all__ = ["FairLock", "FairLocks"]

LOOK = 0.25
"""Seconds between two looks at whether who waits was cancelled."""


class FairLock:
    """A lock for `with`, first come, first served; not reentrant. Waiting for it is a checkpoint."""

    def __init__(self) -> None:
        self._inner = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Event] = deque()

    @property
    def waiting(self) -> int:
        """How many wait for it."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._inner:
            if not self._held:
                self._held = True
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            while not turn.wait(LOOK):
                checkpoint()
        except BaseException:
            self._give_up(turn)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._inner:
            self._hand_on()

    def _give_up(self, turn: threading.Event) -> None:
        with self._inner:
            if turn.is_set():
                self._hand_on()
            else:
                self._waiting.remove(turn)

    def _hand_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._held = False


class FairLocks:
    """A lock for each name, there as long as somebody uses it."""

    def __init__(self) -> None:
        self._inner = threading.Lock()
        self._locks: weakref.WeakValueDictionary[str, FairLock] = weakref.WeakValueDictionary()

    def of(self, name: str) -> FairLock:
        """The lock of a name, the same for all who hold or wait for it now."""
        with self._inner:
            lock = self._locks.get(name)
            if lock is None:
                lock = self._locks[name] = FairLock()
            return lock
