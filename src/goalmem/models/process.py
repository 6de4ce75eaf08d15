"""Objects created once per process on first use, and again after a fork."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value made on first use. A fork makes its own: the threads of a runtime do not live on in it."""

    def __init__(self, make: Callable[[], T]) -> None:
        """`make` runs once a process; when it raises, the next use tries again."""
        self._make = make
        self._held: tuple[T] | None = None
        self._lock = threading.Lock()
        _all.add(self)

    def get(self) -> T:
        """The value of this process. Safe to call from several threads."""
        held = self._held
        if held is None:
            with self._lock:
                held = self._held
                if held is None:
                    held = self._held = (self._make(),)
        return held[0]

    def release(self) -> T | None:
        """Let go of the value of this process, and return it; None if none was made. The next use makes another."""
        with self._lock:
            held, self._held = self._held, None
        return held[0] if held is not None else None

    def _after_fork(self) -> None:
        # In the parent a thread that is not here may have held it.
        self._lock = threading.Lock()
        if self._held is not None:
            # Never released: closing a runtime would wait for threads that do not exist in this process.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._held))
            self._held = None


_all: weakref.WeakSet[PerProcess[Any]] = weakref.WeakSet()


def _after_fork() -> None:
    for value in list(_all):
        value._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
