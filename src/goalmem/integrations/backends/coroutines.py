"""Systems that are asynchronous, called from code that is not: their coroutines run in one event loop.

Database drivers, locks and connection pools belong to the loop in which they were first used, so each call of a system must run
in the same one.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, TypeVar

from goalmem.errors import BackendError

Result = TypeVar("Result")

SECONDS = 30.0
"""Default timeout of one call in seconds. A question gives up earlier (`GOALMEM_ASK_SECONDS`); this also ends the
call.
"""
SECONDS_TO_STOP = 2.0
"""Seconds that the end of a program waits for a private loop to close."""


class EventLoopThread:
    """The event loop of one system: the one given, or a private one in a thread of its own. Safe to use from several threads."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None, *, seconds: float = SECONDS) -> None:
        """`loop`: the running loop in which the system was opened. Without it, nothing of the system may have been
        awaited yet.
        """
        self._loop = loop
        self._given = loop is not None
        self._seconds = seconds
        self._lock = threading.Lock()

    def run(self, coroutine: Coroutine[Any, Any, Result], *, patient: bool = False) -> Result:
        """Run a coroutine and return its result; `patient`: without a timeout.

        Raises what it raises, TimeoutError when it took too long and was cancelled, and BackendError where it would wait for
        itself: when called in the thread of the loop.
        """
        loop = self._running()
        problem = self._problem(loop)
        if problem is not None:
            coroutine.close()
            raise problem
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(None if patient else self._seconds)
        except FutureTimeoutError:
            if not future.cancel():
                raise
            raise TimeoutError(f"It did not answer within {self._seconds:g} s.") from None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run, args=(self._loop,), name="goalmem-awaiting", daemon=True)
                thread.start()
                weakref.finalize(self, _stop, self._loop, thread)
            return self._loop

    def _problem(self, loop: asyncio.AbstractEventLoop) -> BackendError | None:
        """The reason why the loop cannot run coroutines; None if it can."""
        if _is_current(loop):
            return BackendError(
                "The memory is asked in the event loop that has to answer.",
                "Ask in another thread (`await asyncio.to_thread(memory.ask, …)`), or leave out `loop`.",
            )
        if self._given and not loop.is_running():
            return BackendError(
                "The event loop in which the memory was opened is not running.",
                "Keep it running while the memory is asked.",
            )
        return None


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, then cancel what remains: some systems have endless workers."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """End a private loop, and wait a moment for it unless this is its own thread."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(SECONDS_TO_STOP)


def _is_current(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
