"""Where the work of requests runs: threads, so that the event loop is never held up, entered in lanes, fairly between callers."""

from __future__ import annotations

import asyncio
import contextvars
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from goalmem.serve.refusals import BusyError, StoppingError

__all__ = ["Lane", "LaneName", "Width", "Workers", "lanes"]

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds after which to come again where nothing is known of how long work takes here."""
SMOOTHING = 0.1
"""Weight of the newest in the running mean of how long work takes."""


class LaneName(StrEnum):
    """Kinds of work that do not wait for each other."""

    READING = "reading"
    """Searches and look-ups: milliseconds."""
    ASKING = "asking"
    """Reasoning: up to seconds."""
    WRITING = "writing"
    """What changes the store: one at a time, as a store has one writer."""
    LOADING = "loading"
    """Uploaded files read through: one at a time, beside everything else."""


@dataclass(frozen=True, slots=True)
class Width:
    """How much of a lane there is."""

    slots: int
    """Pieces of work side by side."""
    waiting: int
    """Pieces of work that may wait, of all callers together; of one caller half of them."""


def lanes(readers: int, waiting: int) -> Mapping[LaneName, Width]:
    """The lanes of a process that has so many threads for reading, and as many for reasoning."""
    return {
        LaneName.READING: Width(readers, waiting),
        LaneName.ASKING: Width(readers, waiting),
        LaneName.WRITING: Width(1, waiting),
        LaneName.LOADING: Width(1, waiting),
    }


class Lane:
    """Slots that callers take in turn: who has much waiting does not hold up who has little. For one event loop."""

    def __init__(self, width: Width) -> None:
        self._width = width
        self._free = width.slots
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._mean = 0.0
        self._stopped = False

    @property
    def slots(self) -> int:
        """Pieces of work that it does side by side."""
        return self._width.slots

    @property
    def running(self) -> int:
        """Slots taken."""
        return self.slots - self._free

    @property
    def waiting(self) -> int:
        """Pieces of work that wait for a slot."""
        return sum(map(len, self._waiting.values()))

    async def enter(self, caller: str) -> None:
        """Wait for a slot. Raises BusyError when too much waits already, StoppingError when the server ends."""
        if self._stopped:
            raise StoppingError
        if self._free and not self._waiting:
            self._free -= 1
            return
        self._refuse_excess(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(0.0)  # the slot was given just now, and nobody is there to use it
            else:
                self._remove(caller, turn)
            raise

    def leave(self, seconds: float) -> None:
        """Give a slot back, used for so long; whose turn it is gets it."""
        if seconds:
            self._mean += (seconds - self._mean) * (SMOOTHING if self._mean else 1.0)
        while self._waiting:
            caller, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[caller] = turns  # behind all others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def stop(self) -> None:
        """Hand back what waits, and take nothing more."""
        self._stopped = True
        for turn in (t for turns in self._waiting.values() for t in turns):
            if not turn.done():
                turn.set_exception(StoppingError())
        self._waiting.clear()

    def patience(self) -> int:
        """Seconds after which what waits now will be done."""
        ahead = (self.waiting + 1) * self._mean / self.slots
        return max(1, math.ceil(ahead or PATIENCE))

    def _refuse_excess(self, caller: str) -> None:
        own = len(self._waiting.get(caller, ()))
        if self.waiting >= self._width.waiting:
            raise BusyError("Too many requests wait already.", self.patience())
        if own >= max(1, self._width.waiting // 2):
            raise BusyError("Too many requests of this caller wait already.", self.patience(), of_caller=True)

    def _remove(self, caller: str, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(caller)
        if turns is not None and turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[caller]


class Workers:
    """Threads behind lanes."""

    def __init__(self, widths: Mapping[LaneName, Width]) -> None:
        self.lanes = {name: Lane(width) for name, width in widths.items()}
        self._threads = ThreadPoolExecutor(sum(w.slots for w in widths.values()), thread_name_prefix="goalmem-serve")

    async def run(self, lane: LaneName, caller: str, work: Callable[[], T]) -> T:
        """What `work` returns, done in a thread when it is the caller's turn.

        Who is cancelled while it waits has begun nothing. Work that has begun is finished, and holds its slot until then.
        """
        entered = self.lanes[lane]
        await entered.enter(caller)
        loop = asyncio.get_running_loop()
        began = time.perf_counter()
        # Spans opened by the request are the parents of those of the work.
        try:
            job = self._threads.submit(contextvars.copy_context().run, work)
        except BaseException:
            entered.leave(0.0)
            raise
        job.add_done_callback(lambda _: self._left(loop, entered, began))
        return await asyncio.wrap_future(job)

    def stop(self) -> None:
        """Hand back what waits; what has begun goes on."""
        for lane in self.lanes.values():
            lane.stop()

    def close(self) -> None:
        """Wait for what has begun. Blocks."""
        self._threads.shutdown(cancel_futures=True)

    @staticmethod
    def _left(loop: asyncio.AbstractEventLoop, lane: Lane, began: float) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lane.leave, time.perf_counter() - began)
