"""Promise: who asks one question beside a caller with many waits hardly longer than alone, and the many still get on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from goalmem.cancellation import Cancellation, FairLock, checking, checkpoint
from goalmem.serve import precedence
from goalmem.serve.precedence import Precedence
from goalmem.serve.workers import LaneName, LaneWidth, Workers

SOON = 30.0
"""Seconds that a busy machine may take."""


@contextmanager
def under_way(order: Precedence, caller: str, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(order.under_way(caller))
        yield


@pytest.mark.parametrize(
    ("own", "others", "second"),
    [(40, 1, True), (2, 1, True), (1, 1, False), (3, 2, False), (1, 40, False), (4, 2, True)],
)
def test_who_has_at_least_twice_as_much_comes_second(own: int, others: int, second: bool) -> None:
    order = Precedence()
    with under_way(order, "own", own), under_way(order, "other", others):
        assert not order.comes_second("own")  # nothing of the other runs yet
        order.begin("other")
        assert order.comes_second("own") is second
        order.end("other")
        assert not order.comes_second("own")


def test_what_is_over_is_not_counted() -> None:
    order = Precedence()
    with under_way(order, "few", 1):
        order.begin("few")
        with under_way(order, "many", 5):
            assert order.comes_second("many")
        assert not order.comes_second("many")


@pytest.fixture
def crowded() -> Iterator[Precedence]:
    """`many` has five requests under way, `few` has one, which runs."""
    order = Precedence()
    with under_way(order, "many", 5), under_way(order, "few", 1):
        order.begin("few")
        yield order


def test_work_pauses_until_that_of_the_other_is_done(crowded: Precedence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "LONGEST_PAUSE", SOON)
    done: list[str] = []

    def work() -> None:
        with checking(crowded.pausing("many", Cancellation())):
            checkpoint()
        done.append("many")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(0.2)
    assert not done
    done.append("few")
    crowded.end("few")
    thread.join(SOON)
    assert done == ["few", "many"]


def test_it_pauses_for_a_bounded_time(crowded: Precedence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "LONGEST_PAUSE", 0.1)
    with checking(crowded.pausing("many", Cancellation())):
        for _ in range(100):
            checkpoint()
    assert crowded.comes_second("many")


def test_it_does_not_pause_with_a_lock(crowded: Precedence, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(crowded, "wait", lambda _, seconds: waits.append(seconds))
    with checking(crowded.pausing("many", Cancellation())), FairLock():
        checkpoint()
    assert not waits


def test_cancelled_work_does_not_pause(crowded: Precedence, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(crowded, "wait", lambda _, seconds: waits.append(seconds))
    signal = Cancellation()
    signal.cancel()
    crowded.pausing("many", signal)()
    assert not waits


def test_a_crowd_lets_a_single_request_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of workers: the crowd's pieces run already, and end behind the single one, which came last."""
    monkeypatch.setattr(precedence, "LONGEST_PAUSE", SOON)
    ended: list[str] = []
    started, came = threading.Semaphore(0), threading.Event()

    def long() -> None:
        started.release()
        came.wait(SOON)
        checkpoint()
        ended.append("many")

    def short() -> None:
        came.set()
        threading.Event().wait(0.2)
        ended.append("few")

    async def all_of_them() -> None:
        workers = Workers({LaneName.ASKING: LaneWidth(2, 100, spare=1)})
        crowd = [asyncio.create_task(workers.run(LaneName.ASKING, "many", long)) for _ in range(6)]
        for _ in range(2):
            await asyncio.to_thread(started.acquire)
        await workers.run(LaneName.ASKING, "few", short)
        await asyncio.gather(*crowd)
        workers.close()

    asyncio.run(all_of_them())
    assert ended == ["few", *["many"] * 6]
