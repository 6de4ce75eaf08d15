"""A cancellation signal, a time limit for searches, and locks that respect both.

Long-running code (language analysis, embedding, the engine's loop, the rule solver) calls `checkpoint` at least about
every second. Signals and limits are context variables (`contextvars`): code that hands work to another thread passes
its context.
"""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

from goalmem.errors import GoalmemError, WorkCancelledError

T = TypeVar("T")
Check = Callable[[], None]


class OutOfTimeError(Exception):
    """The time limit was reached. Only the code that set the limit catches it."""


class Cancellation:
    """A signal that ends the work that heeds it, within about a second. Set from any thread, once and for good.

        signal = Cancellation()
        with heeding(signal):
            memory.add(messages)  # raises WorkCancelledError, and nothing is stored, after signal.cancel() elsewhere

    What is being written to the store at that moment is written whole.
    """

    def __init__(self) -> None:
        self._error: GoalmemError | None = None

    @property
    def cancelled(self) -> bool:
        """True if the signal was given."""
        return self._error is not None

    def cancel(self, error: GoalmemError | None = None) -> None:
        """Signal the cancellation; the work raises `error`, or else WorkCancelledError."""
        self._error = self._error or error or WorkCancelledError()

    def check(self) -> None:
        """Raise the error of the cancellation, if signalled."""
        if (error := self._error) is not None:
            own = type(error).__new__(type(error), *error.args)  # several threads may raise it: each its own
            own.__dict__.update(error.__dict__)
            raise own


_checks: contextvars.ContextVar[tuple[Check, ...]] = contextvars.ContextVar("goalmem_checks", default=())


def checkpoint() -> None:
    """Continue, unless the work is cancelled (WorkCancelledError, or the signal's own error) or out of time
    (OutOfTimeError).
    """
    for check in _checks.get():
        check()


def with_checkpoints(results: Iterator[T]) -> Iterator[T]:
    """Yield `results` with a checkpoint before each; if one ends the work, pending work of a pool is dropped."""
    try:
        for result in results:
            checkpoint()
            yield result
    finally:
        if isinstance(results, Generator):
            results.close()


@contextmanager
def cancelled_by(signal: Cancellation) -> Iterator[None]:
    """Checkpoints inside raise once the signal is given; outer signals still apply."""
    with checking(signal.check):
        yield


@contextmanager
def until(over: Callable[[], bool]) -> Iterator[None]:
    """Checkpoints inside raise OutOfTimeError once `over` returns True."""

    def check() -> None:
        if over():
            raise OutOfTimeError

    with checking(check):
        yield


def with_checks_of_caller(work: Callable[[], T]) -> Callable[[], T]:
    """Wrap work for another thread so that the caller's signals and limits apply there."""
    context = contextvars.copy_context()
    return lambda: context.run(work)


@contextmanager
def checking(check: Check) -> Iterator[None]:
    """Checkpoints inside call `check`, after those of outside: it may raise, or wait."""
    token = _checks.set((*_checks.get(), check))
    try:
        yield
    finally:
        _checks.reset(token)


_locks = threading.local()
"""How many locks each thread holds."""


def holds_a_lock() -> bool:
    """True if this thread holds a FairLock, for which others may wait."""
    return bool(getattr(_locks, "held", 0))


def _count(change: int) -> None:
    _locks.held = getattr(_locks, "held", 0) + change


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
        """Number of waiting threads."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._inner:
            if not self._held:
                self._held = True
                _count(1)
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            while not turn.wait(LOOK):
                checkpoint()
        except BaseException:
            self._give_up(turn)
            raise
        _count(1)

    def __exit__(self, *_: object) -> None:
        _count(-1)
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
    """One lock per name, which exists while it is in use."""

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
