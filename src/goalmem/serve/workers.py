"""Worker threads for requests, so that the event loop is never blocked: entered through lanes, fairly between
callers.
"""

from __future__ import annotations

import asyncio
import contextvars
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from goalmem.cancellation import Cancellation, cancelled_by, checking
from goalmem.serve.precedence import Precedence
from goalmem.serve.refusals import BusyError, StoppingError

T = TypeVar("T")

PATIENCE = 1.0
"""Default Retry-After in seconds if the duration of work is not yet known."""
SMOOTHING = 0.1
"""Weight of the newest in the running mean of how long work takes."""


class LaneName(StrEnum):
    """Kinds of work that do not wait for each other."""

    READING = "reading"
    """Searches and look-ups: milliseconds."""
    ASKING = "asking"
    """Reasoning: up to seconds."""
    WRITING = "writing"
    """Writes: one at a time per space, so that its turns keep their order, and few per caller."""
    LOADING = "loading"
    """Loading uploaded files: one at a time, in addition to everything else."""


@dataclass(frozen=True, slots=True)
class LaneWidth:
    """Capacity of a lane."""

    slots: int
    """Pieces of work side by side."""
    waiting: int
    """Pieces of work that may wait, of all callers together; of one caller half of them."""
    of_caller: int = 2**31
    """Maximum number of slots per caller."""
    spare: int = 0
    """Further slots, for callers that have none: work of others that has begun does not hold up their first."""

    @property
    def threads(self) -> int:
        """Pieces of work side by side at most."""
        return self.slots + self.spare


WRITERS, WRITERS_OF_CALLER = 4, 2
"""Spaces that are written to side by side, and how many of them by one caller: the others' writes do not wait for it."""

SPARE = 1
"""Slots for reading and reasoning that only a caller may take who has none; while it is taken, who has more gets no further slot."""


def lanes(readers: int, waiting: int) -> Mapping[LaneName, LaneWidth]:
    """The lanes of a process that has so many threads for reading, and as many for reasoning."""
    return {
        LaneName.READING: LaneWidth(readers, waiting, spare=SPARE),
        LaneName.ASKING: LaneWidth(readers, waiting, spare=SPARE),
        LaneName.WRITING: LaneWidth(WRITERS, waiting, WRITERS_OF_CALLER),
        LaneName.LOADING: LaneWidth(1, waiting),
    }


@dataclass(frozen=True, slots=True, eq=False)
class LaneTurn:
    """A piece of work that waits for a slot."""

    caller: str
    about: str
    come: asyncio.Future[None]
    """Done when its slot is there."""


class Lane:
    """Slots that callers take in turn: who has much waiting does not hold up who has little. For one event loop.

    The next slot goes to the caller who has fewest, and among equals to the one who was served longest ago. A caller without a slot need
    not wait for one of the usual slots while a spare one is free. Work on one thing (`about`, a space) is done one piece at a time, in the order in which it came.
    """

    def __init__(self, width: LaneWidth) -> None:
        self._width = width
        self._waiting: OrderedDict[str, deque[LaneTurn]] = OrderedDict()
        self._free = width.slots
        self._callers: Counter[str] = Counter()
        self._about: set[str] = set()
        self._mean = 0.0
        self._stopped = False

    @property
    def slots(self) -> int:
        """Pieces of work that it does side by side, without the spare ones."""
        return self._width.slots

    @property
    def running(self) -> int:
        """Slots taken."""
        return self.slots - self._free

    @property
    def waiting(self) -> int:
        """Pieces of work that wait for a slot."""
        return sum(map(len, self._waiting.values()))

    async def enter(self, caller: str, about: str = "") -> None:
        """Wait for a slot. Raises BusyError when too much waits already, StoppingError when the server ends."""
        if self._stopped:
            raise StoppingError
        turn = LaneTurn(caller, about, asyncio.get_running_loop().create_future())
        # A new caller may be unable to run although slots are free.
        if self._may_run(turn):
            self._begin(turn)
            return
        self._refuse_excess(caller)
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn.come
        except asyncio.CancelledError:
            if turn.come.done() and not turn.come.cancelled() and turn.come.exception() is None:
                self.leave(0.0, caller, about)  # the slot was assigned to a caller that is gone
            else:
                self._remove(turn)
            raise

    def leave(self, seconds: float, caller: str, about: str = "") -> None:
        """Give back a slot, used for so long; whose turn it is gets it. `caller` and `about` are those that entered."""
        if seconds:
            self._mean += (seconds - self._mean) * (SMOOTHING if self._mean else 1.0)
        self._free += 1
        self._callers -= Counter({caller: 1})  # remove empty queues
        self._about.discard(about)
        while (turn := min(filter(self._may_run, self._next_of_each()), key=self._held, default=None)) is not None:
            self._remove(turn)
            if turn.caller in self._waiting:
                self._waiting.move_to_end(turn.caller)  # behind all others
            if not turn.come.done():
                self._begin(turn)
                turn.come.set_result(None)

    def stop(self) -> None:
        """Reject what waits, and accept nothing more."""
        self._stopped = True
        for turn in (t for turns in self._waiting.values() for t in turns):
            if not turn.come.done():
                turn.come.set_exception(StoppingError())
        self._waiting.clear()

    def patience(self) -> int:
        """Estimated seconds until the current queue is done."""
        ahead = (self.waiting + 1) * self._mean / self.slots
        return max(1, math.ceil(ahead or PATIENCE))

    def _next_of_each(self) -> Iterator[LaneTurn]:
        """Candidates for the next slot: the first request of each caller, and the first per space that is not busy."""
        for turns in self._waiting.values():
            seen: set[str] = set()
            for turn in turns:
                if turn.about not in seen:
                    seen.add(turn.about)
                    yield turn

    def _held(self, turn: LaneTurn) -> int:
        """Slots that its caller has."""
        return self._callers[turn.caller]

    def _may_run(self, turn: LaneTurn) -> bool:
        held = self._callers[turn.caller]
        free = self._free if held else self._free + self._width.spare
        return free > 0 and held < self._width.of_caller and turn.about not in self._about

    def _begin(self, turn: LaneTurn) -> None:
        self._free -= 1
        self._callers[turn.caller] += 1
        self._about |= {turn.about} if turn.about else set()

    def _refuse_excess(self, caller: str) -> None:
        own = len(self._waiting.get(caller, ()))
        if self.waiting >= self._width.waiting:
            raise BusyError("Too many requests wait already.", self.patience())
        if own >= max(1, self._width.waiting // 2):
            raise BusyError("Too many requests of this caller wait already.", self.patience(), of_caller=True)

    def _remove(self, turn: LaneTurn) -> None:
        turns = self._waiting.get(turn.caller)
        if turns is not None and turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[turn.caller]


class Workers:
    """Threads behind lanes."""

    def __init__(self, widths: Mapping[LaneName, LaneWidth]) -> None:
        self.lanes = {name: Lane(width) for name, width in widths.items()}
        self._precedence = Precedence()
        self._threads = ThreadPoolExecutor(sum(w.threads for w in widths.values()), thread_name_prefix="goalmem-serve")

    async def run(self, lane: LaneName, caller: str, work: Callable[[], T], about: str = "") -> T:
        """Run `work` in a thread when the caller has a slot and the space is free; returns its result.

        Who is cancelled while it waits has begun nothing. Work that has begun is cancelled, too: it holds its slot until it ends,
        within about a second, and has stored nothing or all.
        """
        with self._precedence.under_way(caller):
            return await self._run(self.lanes[lane], caller, work, about)

    async def _run(self, entered: Lane, caller: str, work: Callable[[], T], about: str) -> T:
        await entered.enter(caller, about)
        signal = Cancellation()
        pauses = self._precedence.pausing(caller, signal)

        def heeded() -> T:
            with cancelled_by(signal), checking(pauses):
                return work()

        loop = asyncio.get_running_loop()
        began = time.perf_counter()

        def leave(seconds: float) -> None:
            self._precedence.end(caller)
            entered.leave(seconds, caller, about)

        self._precedence.begin(caller)
        # Spans opened by the request are the parents of those of the work.
        try:
            job = self._threads.submit(contextvars.copy_context().run, heeded)
        except BaseException:
            leave(0.0)
            raise
        job.add_done_callback(lambda _: self._left(loop, leave, began))
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            signal.cancel()
            raise

    def stop(self) -> None:
        """Reject what waits; running work continues."""
        for lane in self.lanes.values():
            lane.stop()

    def close(self) -> None:
        """Wait for running work. Blocks."""
        self._threads.shutdown(cancel_futures=True)

    @staticmethod
    def _left(loop: asyncio.AbstractEventLoop, leave: Callable[[float], None], began: float) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(leave, time.perf_counter() - began)
