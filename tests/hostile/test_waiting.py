"""What one caller's work costs others: who writes to another space does not wait for it, and what nobody waits for ends."""

from __future__ import annotations

import asyncio
import heapq
import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from goalmem import GoalmemError, Memory, StoreClosedError, WorkCancelledError
from goalmem.cancellation import Cancellation, FairLock, FairLocks, OutOfTimeError, cancelled_by, checkpoint, until
from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.graph import imports
from goalmem.language import Analyzer
from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Aggregate, Goal
from goalmem.models import span_reader
from goalmem.serve.workers import Lane, LaneWidth

PATIENCE = 30


class Blocked:
    """An embedder that stops at texts with a word, until it is let go on."""

    name = "blocked"
    dimension = 8

    def __init__(self, word: str = "slow") -> None:
        self.word = word
        self.begun, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]):
        if any(self.word in text for text in texts):
            self.begun.set()
            assert self.go_on.wait(PATIENCE)
        checkpoint()
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]


@pytest.fixture
def blocked(analyzer: Analyzer):
    embedder = Blocked()
    with Memory(embedder=embedder, analyzer=analyzer) as memory, ThreadPoolExecutor(8) as pool:
        try:
            yield memory, embedder, pool
        finally:
            embedder.go_on.set()


def test_writers_of_other_spaces_do_not_wait_for_an_analysis(blocked):
    memory, embedder, pool = blocked
    slow = pool.submit(memory.add, "A slow beagle.", space="one")
    assert embedder.begun.wait(PATIENCE)
    assert memory.add("A quick kayak.", space="two").new == 1
    assert memory.forget(space="two", everything=True).turns == 1
    assert not slow.done()
    embedder.go_on.set()
    assert slow.result(PATIENCE).new == 1


def test_calls_for_one_space_keep_their_order_and_add_nothing_twice(blocked):
    memory, embedder, pool = blocked
    calls = [pool.submit(memory.add, "A slow beagle.", at="2024-01-01")]
    assert embedder.begun.wait(PATIENCE)
    lock = memory._parts.changing.of("default")
    texts = ["First.", "Second.", "A slow beagle.", "Third."]
    for number, text in enumerate(texts, 1):
        calls.append(pool.submit(memory.add, text, at="2024-01-01"))
        while lock.waiting < number:
            assert not embedder.go_on.wait(0.001)
    embedder.go_on.set()
    assert [call.result(PATIENCE).new for call in calls] == [1, 1, 1, 0, 1]
    said = [(turn.position, turn.text) for turn in memory.get_all().items]
    assert said == list(enumerate(["A slow beagle.", "First.", "Second.", "Third."]))


def test_a_cancelled_add_stores_nothing_and_can_be_done_again(blocked):
    memory, embedder, pool = blocked
    signal = Cancellation()

    def add():
        with cancelled_by(signal):
            return memory.add([{"content": "A slow beagle."}, {"content": "A kayak."}])

    adding = pool.submit(add)
    assert embedder.begun.wait(PATIENCE)
    signal.cancel()
    embedder.go_on.set()
    with pytest.raises(WorkCancelledError):
        adding.result(PATIENCE)
    assert memory.stats().turns == 0
    assert memory.add([{"content": "A slow beagle."}, {"content": "A kayak."}]).new == 2


def test_a_closed_memory_ends_what_goes_on(analyzer: Analyzer, tmp_path):
    embedder = Blocked()
    memory = Memory(tmp_path / "life.db", embedder=embedder, analyzer=analyzer)
    with ThreadPoolExecutor() as pool:
        adding = pool.submit(memory.add, "A slow beagle.")
        assert embedder.begun.wait(PATIENCE)
        memory.close()
        embedder.go_on.set()
        with pytest.raises(StoreClosedError):
            adding.result(PATIENCE)
    with Memory(tmp_path / "life.db", embedder=Blocked(), analyzer=analyzer) as memory:
        assert memory.stats().turns == 0


def test_a_cancelled_question_ends(analyzer: Analyzer):
    signal = Cancellation()
    with Memory(analyzer=analyzer) as memory:
        memory.add("I adopted a beagle.", session="one")
        with cancelled_by(signal), pytest.raises(WorkCancelledError):
            memory.ask("What did I adopt?", on_event=lambda _: signal.cancel())
        assert memory.ask("What did I adopt?").known


def test_reading_a_long_turn_ends_when_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch):
    read, forward = list[int](), span_reader._forward
    monkeypatch.setattr(span_reader, "_forward", lambda *given: (read.append(1), forward(*given))[1])
    pairs = [("Who has a kayak?", "I met somebody at the harbour. " * 2000)]
    with pytest.raises(OutOfTimeError), until(lambda: len(read) > 1):
        span_reader.MiniLMReader(threads=1).read(pairs)
    done = len(read)
    span_reader.MiniLMReader(threads=1).read(pairs[:1])
    assert done < (len(read) - done) / 4


def test_an_export_that_nobody_waits_for_leaves_no_file(analyzer: Analyzer, tmp_path):
    with Memory(analyzer=analyzer) as memory:
        memory.add("I adopted a beagle.")
        with pytest.raises(OutOfTimeError), until(lambda: True):
            memory.export(tmp_path / "all.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_graph_that_is_imported_ends_when_nobody_waits_for_it_and_can_be_imported_again(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(imports, "_CHUNK", 100)
    edges, looked = [("Ada", "knows", f"Person {n}") for n in range(1_000)], list[int]()
    with Memory() as memory:
        with pytest.raises(OutOfTimeError), until(lambda: len(looked) > 12 or looked.append(1)):
            memory.import_graph(edges)
        assert memory.stats().triples == 0
        assert memory.import_graph(edges).triples == len(edges)


class Endless:
    """A source that never ends by itself."""

    name = "endless"
    closed = False
    cost = 0

    def steps(self, request):
        while True:
            checkpoint()

    def near_misses(self, request):
        return ()


def test_a_source_that_goes_on_is_ended_at_the_ceiling_of_seconds():
    seconds = iter(range(1_000_000))
    goal = Goal("", (parse_atom("(x:thing) is red"),), None, Aggregate.LIST)
    found = prove(goal, [Endless()], Budget(seconds=50), clock=lambda: next(seconds))
    assert (found.status, found.cut_short, found.exhausted) == ("unknown", True, True)


def test_a_ceiling_inside_another_keeps_the_earlier_one():
    with pytest.raises(OutOfTimeError), until(lambda: True), until(lambda: False):
        checkpoint()
    checkpoint()


def test_a_fair_lock_is_handed_on_in_order_and_waiting_can_be_cancelled():
    lock, signal, order = FairLock(), Cancellation(), list[int]()

    def take(number: int) -> None:
        with lock:
            order.append(number)

    def give_up() -> None:
        with cancelled_by(signal):
            take(-1)

    with ThreadPoolExecutor(8) as pool:
        with lock:
            waiting = []
            for number in range(5):
                waiting.append(pool.submit(take if number != 2 else lambda _: give_up(), number))
                while lock.waiting <= number:
                    pass
            signal.cancel()
            with pytest.raises(WorkCancelledError):
                waiting.pop(2).result(PATIENCE)
        for done in waiting:
            done.result(PATIENCE)
    assert order == [0, 1, 3, 4]
    locks = FairLocks()
    assert locks.of("a") is not (held := locks.of("b"))
    assert locks.of("b") is held


def test_a_lane_does_one_thing_of_a_space_at_a_time_and_keeps_places_for_other_callers():
    async def talk() -> list[str]:
        lane, begun = Lane(LaneWidth(4, 100, 2)), list[str]()

        async def enter(caller: str, space: str) -> None:
            await lane.enter(caller, space)
            begun.append(f"{caller} {space}")

        wanted = [("a", "1"), ("a", "1"), ("a", "2"), ("a", "3"), ("b", "1"), ("b", "4")]
        tasks = [asyncio.create_task(enter(*one)) for one in wanted]
        await asyncio.sleep(0.01)
        assert begun == ["a 1", "a 2", "b 4"]
        lane.leave(0.1, "a", "1")
        await asyncio.sleep(0.01)
        lane.leave(0.1, "a", "1")
        await asyncio.sleep(0.01)
        for caller, space in (("b", "1"), ("a", "2"), ("b", "4")):
            lane.leave(0.1, caller, space)
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
        lane.leave(0.1, "a", "3")
        assert (lane.running, lane.waiting) == (0, 0)
        return begun

    begun = asyncio.run(talk())
    assert begun[:4] == ["a 1", "a 2", "b 4", "a 1"]
    assert sorted(begun) == ["a 1", "a 1", "a 2", "a 3", "b 1", "b 4"]


def test_beside_forty_questions_of_another_caller_one_takes_half_a_turn_longer_at_most():
    """In turns: how long questions take, of which two are answered side by side."""

    async def turns_taken(drawn: random.Random) -> float:
        lane, ends, begun = Lane(LaneWidth(2, 100)), list[tuple[float, int, str]](), list[str]()

        async def ask(caller: str) -> None:
            await lane.enter(caller)
            begun.append(caller)

        asked = [asyncio.create_task(ask("many")) for _ in range(40)]
        now = came = 0.0
        while True:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            for number, caller in enumerate(begun):
                if caller == "few":
                    lane.stop()
                    await asyncio.gather(*asked, return_exceptions=True)
                    return now + 1 - came
                heapq.heappush(ends, (now + drawn.uniform(0.5, 1.5), number, caller))
            begun.clear()
            if not came and now > 5:
                came = now + drawn.uniform(0, ends[0][0] - now)
                asked.append(asyncio.create_task(ask("few")))
                await asyncio.sleep(0)
            now, _, ended = heapq.heappop(ends)
            lane.leave(1.0, ended)
            asked.append(asyncio.create_task(ask("many")))

    taken = [asyncio.run(turns_taken(random.Random(seed))) for seed in range(300)]  # noqa: S311
    assert sum(taken) / len(taken) < 1.5


def test_a_signal_raises_the_error_that_it_carries_however_that_is_made():
    class OddError(GoalmemError):
        def __init__(self) -> None:
            super().__init__("Odd.", "Even it.")

    signal, given = Cancellation(), OddError()
    signal.cancel(given)
    with cancelled_by(signal), pytest.raises(OddError, match=r"Odd\. Even it\.") as raised:
        checkpoint()
    assert raised.value is not given
    assert (raised.value.problem, raised.value.remedy) == ("Odd.", "Even it.")
