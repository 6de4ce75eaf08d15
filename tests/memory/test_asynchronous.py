"""The async twin does what the memory does, holds nothing up, and finishes what it began."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from spacy.tokens import Doc

from goalmem import Answer, InputError, Memory, StoreClosedError
from goalmem.asynchronous import AsyncMemory
from goalmem.engine.events import Event
from goalmem.language import Analyzer
from tests.memory.conftest import FIRST

QUESTION = "Where does Ruben's sister live?"


@asynccontextmanager
async def opened(analyzer: Analyzer, store: str | Path = ":memory:", workers: int = 4) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(store, analyzer=analyzer, workers=workers) as memory:
        yield memory


def public(kind: type) -> set[str]:
    return {name for name, member in inspect.getmembers(kind) if not name.startswith("_") and callable(member)}


def test_its_methods_are_those_of_the_memory():
    assert public(AsyncMemory) - {"ask_events"} == public(Memory)
    for name in public(Memory):
        assert inspect.iscoroutinefunction(inspect.unwrap(getattr(AsyncMemory, name))) or name != "close"
        assert inspect.signature(getattr(AsyncMemory, name)).parameters.keys() == (
            inspect.signature(getattr(Memory, name)).parameters.keys()
        ), name


def test_it_is_opened_like_the_memory():
    opened = inspect.signature(Memory.__init__).parameters.keys()
    assert inspect.signature(AsyncMemory.__init__).parameters.keys() == opened | {"workers"}


def test_events_are_asked_for_like_an_answer():
    asked = dict(inspect.signature(Memory.ask).parameters)
    del asked["on_event"], asked["dry_run"]
    assert asked.keys() == inspect.signature(AsyncMemory.ask_events).parameters.keys()


def test_it_remembers_and_answers(analyzer: Analyzer):
    async def talk() -> None:
        async with opened(analyzer) as memory:
            receipt = await memory.add(FIRST, at="2024-05-08")
            assert receipt.new == len(FIRST)
            answer = await memory.ask("What did Nadia adopt?")
            assert answer.text == "beagle"
            assert (await memory.verify(answer.proof)).ok
            assert (await memory.search("library", k=1))[0].turn.speaker == "Ruben"
            assert (await memory.stats()).turns == len(FIRST)
            assert await memory.spaces() == ["default"]
            assert (await memory.forget(turn=receipt.turns[0])).turns == 1

    asyncio.run(talk())


def test_questions_are_answered_while_the_loop_goes_on(analyzer: Analyzer):
    async def talk() -> int:
        beats = 0
        async with opened(analyzer) as memory:
            await memory.add(FIRST)
            asking = asyncio.ensure_future(memory.ask(QUESTION))
            while not asking.done():
                beats += 1
                await asyncio.sleep(0)
        return beats

    assert asyncio.run(talk()) > 1


def test_events_come_in_order_and_end_with_the_answer(analyzer: Analyzer):
    async def talk() -> list[Event | Answer]:
        async with opened(analyzer) as memory:
            await memory.add(FIRST)
            return [event async for event in memory.ask_events(QUESTION)]

    *events, answer = asyncio.run(talk())
    assert isinstance(answer, Answer)
    assert answer.text == "Bruges"
    kinds = [event.kind for event in events if isinstance(event, Event)]
    assert kinds[:3] == ["question", "goal", "subgoals"]
    assert kinds[-1] == "proof"
    assert len(kinds) == len(events)


def test_who_stops_listening_ends_the_asking(analyzer: Analyzer):
    async def talk() -> None:
        async with opened(analyzer, workers=1) as memory:
            await memory.add(FIRST)
            events = memory.ask_events(QUESTION)
            await anext(events)
            await events.aclose()
            assert (await memory.stats()).turns == len(FIRST)

    asyncio.run(talk())


def test_listeners_are_called_in_the_event_loop(analyzer: Analyzer):
    async def talk() -> set[str]:
        heard: set[str] = set()
        async with opened(analyzer) as memory:
            await memory.add(FIRST)
            await memory.ask(QUESTION, on_event=lambda _: heard.add(threading.current_thread().name))
        return heard

    assert asyncio.run(talk()) == {threading.current_thread().name}


@pytest.mark.parametrize("kind", ["question", "proof"])
def test_what_a_listener_raises_ends_the_asking(analyzer: Analyzer, kind: str):
    def listen(event: Event) -> None:
        if event.kind == kind:
            raise LookupError("enough")

    async def talk() -> None:
        async with opened(analyzer) as memory:
            await memory.add(FIRST)
            with pytest.raises(LookupError, match="enough"):
                await memory.ask(QUESTION, on_event=listen)

    asyncio.run(talk())


def test_errors_are_those_of_the_memory(analyzer: Analyzer):
    async def talk() -> None:
        async with opened(analyzer) as memory:
            with pytest.raises(InputError):
                await memory.ask("  ")
            with pytest.raises(InputError):
                async for _ in memory.ask_events(""):
                    pass
        with pytest.raises(StoreClosedError):
            await memory.stats()
        await memory.close()

    asyncio.run(talk())


def test_an_add_that_has_begun_is_finished_when_its_task_is_cancelled(analyzer: Analyzer, tmp_path: Path):
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Analyzer):
        def docs(self, texts: Sequence[str], names: Collection[str] = ()) -> list[Doc]:
            begun.set()
            assert go_on.wait(30)
            return analyzer.docs(texts, names)

    async def talk() -> None:
        async with opened(Slow(), tmp_path / "life.db", workers=1) as memory:
            first = asyncio.ensure_future(memory.add("I live in Oslo."))
            await asyncio.to_thread(begun.wait, 30)
            waiting = asyncio.ensure_future(memory.add("I live in Rome."))
            await asyncio.sleep(0.01)
            for task in (first, waiting):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            go_on.set()

    asyncio.run(talk())
    with Memory(tmp_path / "life.db", analyzer=analyzer) as memory:
        assert memory.search("live", k=5)[0].turn.text == "I live in Oslo."
        assert memory.stats().turns == 1


def test_many_calls_at_once_need_no_more_threads_than_allowed(analyzer: Analyzer):
    async def talk() -> None:
        async with opened(analyzer, workers=2) as memory:
            await asyncio.gather(*(memory.add(f"I own {n} boats.", session=str(n)) for n in range(12)))
            assert (await memory.stats()).turns == 12
            named = [t for t in threading.enumerate() if t.name.startswith("goalmem-async")]
            assert len(named) <= 2

    asyncio.run(talk())


def test_a_pool_without_threads_is_refused():
    with pytest.raises(InputError):
        AsyncMemory(workers=0)
