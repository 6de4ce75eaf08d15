"""Asynchronous systems called from ordinary code: one loop for all calls, which no call can block for ever."""

from __future__ import annotations

import asyncio
import gc
import threading
import time

import pytest

from goalmem import BackendError
from goalmem.integrations.backends.coroutines import EventLoopThread


async def loop_of_call() -> int:
    return id(asyncio.get_running_loop())


def test_all_calls_run_in_one_loop_whatever_thread_they_come_from():
    awaiting, loops = EventLoopThread(), set()
    threads = [threading.Thread(target=lambda: loops.add(awaiting.run(loop_of_call()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loops) == 1


def test_what_a_coroutine_raises_is_raised():
    async def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        EventLoopThread().run(fail())


def test_a_coroutine_that_raises_a_timeout_of_its_own_is_not_called_slow():
    async def fail() -> None:
        raise TimeoutError("the database")

    with pytest.raises(TimeoutError, match="the database"):
        EventLoopThread().run(fail())


def test_a_call_that_takes_too_long_is_cancelled():
    ended = threading.Event()

    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(TimeoutError, match=r"0\.05 s"):
        EventLoopThread(seconds=0.05).run(hang())
    assert ended.wait(5)


def test_adding_may_take_as_long_as_it_needs():
    async def slow() -> str:
        await asyncio.sleep(0.1)
        return "done"

    assert EventLoopThread(seconds=0.01).run(slow(), patient=True) == "done"


def test_a_private_loop_ends_with_what_owned_it_and_leaves_no_worker():
    before = threading.active_count()
    awaiting, cancelled = EventLoopThread(), threading.Event()

    async def begin_worker() -> None:
        async def wait_for_ever() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        waiting.append(asyncio.create_task(wait_for_ever()))
        await asyncio.sleep(0)

    waiting: list[asyncio.Task[None]] = []
    awaiting.run(begin_worker())
    del awaiting
    gc.collect()
    assert cancelled.wait(5)
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_a_running_loop_of_the_user_is_used():
    async def main() -> None:
        awaiting = EventLoopThread(asyncio.get_running_loop())
        assert await asyncio.to_thread(lambda: awaiting.run(loop_of_call())) == await loop_of_call()

    asyncio.run(main())


def test_a_loop_that_would_wait_for_itself_is_refused():
    async def main() -> None:
        with pytest.raises(BackendError, match="to_thread"):
            EventLoopThread(asyncio.get_running_loop()).run(loop_of_call())

    asyncio.run(main())


@pytest.mark.parametrize("closed", [True, False])
def test_a_loop_that_does_not_run_is_refused(closed: bool):
    loop = asyncio.new_event_loop()
    if closed:
        loop.close()
    with pytest.raises(BackendError, match="not running"):
        EventLoopThread(loop).run(loop_of_call())
    loop.close()
