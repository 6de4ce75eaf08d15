"""The async client: the same, awaited."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.client.conftest import AT, CHAT, QUESTION, Served

from goalmem import Answer, AsyncClient, Event, NotFoundError
from goalmem.errors import ServiceUnavailableError

Work = Callable[[AsyncClient], Awaitable[Any]]


@pytest.fixture
def run(served: Served) -> Callable[[Work], Any]:
    def run(work: Work) -> Any:
        async def main() -> Any:
            async with AsyncClient(served.url) as client:
                return await work(client)

        return asyncio.run(main())

    return run


def test_it_remembers_and_answers(run: Callable[[Work], Any], space: str, served: Served):
    async def work(client: AsyncClient) -> None:
        receipt = await client.add(CHAT, space=space, at=AT)
        assert receipt.new == 3
        assert [t.text for t in await client.turns("default", space=space)] == [m["content"] for m in CHAT]
        answer = await client.ask(QUESTION, space=space)
        assert answer.text == "Tarnholm"
        assert (await client.verify(answer)).ok
        assert await client.search("dog", space=space) == served.memory.search("dog", space=space)
        assert await client.ask(QUESTION, dry_run=True) == served.memory.ask(QUESTION, dry_run=True)
        with pytest.raises(NotFoundError):
            await client.turn("t0", space=space)

    run(work)


def test_events_come_in_order_and_end_with_the_answer(run: Callable[[Work], Any], served: Served):
    async def work(client: AsyncClient) -> list[Any]:
        return [item async for item in client.ask_events(QUESTION)]

    *told, last = run(work)
    expected: list[Event] = []
    served.memory.ask(QUESTION, on_event=expected.append)
    assert [(e.kind, e.text) for e in told] == [(e.kind, e.text) for e in expected]
    assert isinstance(last, Answer)
    assert last.text == "Tarnholm"


def test_who_stops_listening_ends_the_asking(run: Callable[[Work], Any]):
    async def work(client: AsyncClient) -> str:
        events = client.ask_events(QUESTION)
        first = await anext(events)
        await events.aclose()
        assert isinstance(first, Event)
        return (await client.ask(QUESTION)).text

    assert run(work) == "Tarnholm"


def test_a_listener_is_called_in_order(run: Callable[[Work], Any]):
    told: list[Event] = []
    answer = run(lambda client: client.ask(QUESTION, on_event=told.append))
    assert told[-1].kind == "proof"
    assert answer.text == "Tarnholm"


def test_many_calls_at_once(run: Callable[[Work], Any], space: str):
    async def work(client: AsyncClient) -> None:
        receipts = await asyncio.gather(*(client.add(f"I saw {n} birds.", space=space) for n in range(20)))
        assert len({r.turns for r in receipts}) == 20

    run(work)


def test_files_go_both_ways(run: Callable[[Work], Any], served: Served, tmp_path: Path, space: str):
    out = tmp_path / "out.jsonl"

    async def work(client: AsyncClient) -> tuple[int, int]:
        return await client.export(out, space="default"), await client.import_(out, space=space)

    assert run(work) == (3, 3)
    assert served.memory.stats(space=space).turns == 3


def test_rules(run: Callable[[Work], Any], space: str):
    async def work(client: AsyncClient) -> list[str]:
        await client.add_rules("Bob is big.", space=space)
        kept = await client.rules(space=space)
        return await client.remove_rules([s.id for s in kept], space=space)

    assert len(run(work)) == 1


def test_what_may_yet_succeed_is_sent_again():
    asked: list[str] = []

    async def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.headers["idempotency-key"])
        if len(asked) == 1:
            raise httpx2.ConnectError("refused")
        return httpx2.Response(201, json={"session": "default", "turns": ["t1"], "new": 1, "repaired": []})

    async def main() -> int:
        async with AsyncClient("http://server.test", transport=httpx2.MockTransport(answer)) as client:
            return (await client.add("Hello")).new

    assert asyncio.run(main()) == 1
    assert len(asked) == 2
    assert len(set(asked)) == 1


def test_a_stream_that_breaks_off_says_so():
    async def content() -> AsyncIterator[bytes]:
        yield b'event: goal\ndata: {"text": "a", "data": {}}\n\n'

    async def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=content())

    async def main() -> None:
        async with AsyncClient("http://server.test", transport=httpx2.MockTransport(answer)) as client:
            with pytest.raises(ServiceUnavailableError, match="broke off"):
                await client.ask("What?", on_event=lambda _: None)

    asyncio.run(main())


def test_a_cancelled_call_leaves_the_client_usable(run: Callable[[Work], Any]):
    async def work(client: AsyncClient) -> str:
        asking = asyncio.ensure_future(client.ask(QUESTION))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return (await client.ask(QUESTION)).text

    assert run(work) == "Tarnholm"
