"""Limits: bodies, waiting, rates, time; and what is refused before anything is read."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from goalmem.language import Analyzer
from goalmem.serve.auth import Buckets
from goalmem.serve.refusals import BusyError, StoppingError, TooManyError
from goalmem.serve.workers import Lane, LaneName, LaneWidth, Workers

from .conftest import Serve, problem_of, serving

LONG = {"query": "beagle", "sessions": [f"a session with a long name {n}" for n in range(1000)]}
"""A body that is too long to be parsed where it arrives."""


@pytest.fixture(scope="module")
def client(analyzer: Analyzer) -> Iterator[TestClient]:
    """A client of an empty memory for all tests of this file, which write nothing to it."""
    with serving(analyzer) as client:
        yield client


def test_a_body_that_is_too_large_is_refused(serve: Serve):
    client = serve(serve_body_bytes=2000)
    said = {"messages": "x" * 3000}
    problem_of(client.post("/v1/messages", json=said), 413)
    problem_of(
        client.post("/v1/messages", content=iter([b"{" * 1500] * 2), headers={"Content-Type": "application/json"}), 413
    )
    assert client.get("/v1/stats").json()["turns"] == 0


def test_a_file_that_is_too_large_is_refused_and_leaves_nothing(serve: Serve):
    client = serve(serve_upload_bytes=2000)
    problem_of(client.post("/v1/uploads", content=b"x" * 3000), 413)
    problem_of(client.post("/v1/uploads", content=iter([b"x" * 1500] * 2)), 413)
    problem_of(client.post("/v1/uploads", content=b""), 422)
    assert not list(client.service.ledger.uploads.iterdir())


@pytest.mark.parametrize(
    ("content", "type_", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 422),
        (b'{"query": NaN}', "application/json", 400),
        (b'{"query": "a"}', "text/plain", 415),
        (b'{"query": "a"}', "", 415),
        (b"[" * 100_000, "application/json", 400),
        (b'{"query": "\xff"}', "application/json", 400),
        (b'{"query": "a", "more": 1}', "application/json", 422),
        (b'{"query": "a", "k": "5"}', "application/json", 422),
        (b'{"query": "   "}', "application/json", 422),
        (b'{"query": "a", "k": 0}', "application/json", 422),
        (b'{"query": "a", "at": "someday"}', "application/json", 422),
        (b'{"query": "a", "without": ["nothing"]}', "application/json", 422),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(client: TestClient, content: bytes, type_: str, status: int):
    problem_of(client.post("/v1/search", content=content, headers={"Content-Type": type_}), status)


def test_a_long_body_is_read_in_a_thread(client: TestClient):
    assert client.post("/v1/search", json=LONG).json() == {"items": []}
    broken = b'{"messages": "' + b"x" * 50_000
    problem_of(client.post("/v1/messages", content=broken, headers={"Content-Type": "application/json"}), 400)


def test_few_long_bodies_are_in_memory_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch):
    client = serve()
    most, slots = [], client.service.large.slots
    monkeypatch.setattr(
        client.service.memory, "search", lambda *_, **__: (most.append(client.service.large.running), [])[1]
    )
    threads = [threading.Thread(target=client.post, args=("/v1/search",), kwargs={"json": LONG}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= max(most) <= slots
    assert client.service.large.running == 0
    assert client.post("/v1/search", json={"query": "short"}).status_code == 200
    assert client.service.large.running == client.service.receiving.running == 0


@pytest.mark.parametrize(("path", "method", "status"), [("/nothing", "GET", 404), ("/v1/stats", "PUT", 405)])
def test_what_is_not_there_is_a_problem(client: TestClient, path: str, method: str, status: int):
    problem_of(client.request(method, path), status)


def test_every_method_of_a_path_is_named(client: TestClient):
    assert client.put("/v1/rules").headers["allow"] == "GET, POST"
    assert client.put("/v1/jobs/x").headers["allow"] == "DELETE, GET"
    assert client.put("/health").headers["allow"] == "GET"


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=100000", "space=", "cursor=nothing", "cursor=%ff"])
def test_parameters_are_checked(client: TestClient, query: str):
    problem_of(client.get(f"/v1/turns?{query}"), 422)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[", "a b"])
def test_another_host_is_refused_on_loopback(client: TestClient, host: str):
    problem_of(client.get("/v1/stats", headers={"Host": host}), 400)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1:8765", "[::1]:8765"])
def test_loopback_has_several_names(client: TestClient, host: str):
    assert client.get("/v1/stats", headers={"Host": host}).status_code == 200


def test_without_names_an_address_that_others_reach_is_called_by_any(serve: Serve):
    client = serve(serve_host="0.0.0.0")  # noqa: S104
    for host in ("192.0.2.7:8765", "memory.example", "localhost"):
        assert client.get("/health", headers={"Host": host}).status_code == 200


def test_names_can_be_given(serve: Serve):
    client = serve(serve_host="0.0.0.0", serve_hosts="memory.example, other.example")  # noqa: S104
    for host, status in (("memory.example", 200), ("other.example:443", 200), ("evil.example", 400)):
        assert client.get("/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_what_another_page_sends_is_refused(client: TestClient, headers: dict[str, str]):
    problem_of(client.post("/v1/forget", json={"everything": True}, headers=headers), 403)
    assert "access-control-allow-origin" not in client.options("/v1/stats", headers=headers).headers


def test_the_own_page_may_call(client: TestClient):
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/v1/stats", headers=headers).status_code == 200
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=followed).status_code == 200
    problem_of(client.get("/v1/stats", headers=followed), 403)


@pytest.mark.parametrize("path", ["/", "/v1/stats", "/nothing", "/openapi.json"])
def test_every_answer_says_what_browsers_may_not_do(client: TestClient, path: str):
    headers = client.get(path).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_too_many_open_requests_are_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch):
    client = serve(serve_connections=1)
    begun, end = threading.Event(), threading.Event()
    stats = client.service.memory.stats
    monkeypatch.setattr(client.service.memory, "stats", lambda **given: (begun.set(), end.wait(5), stats(**given))[2])
    first = threading.Thread(target=client.get, args=("/v1/stats",))
    first.start()
    begun.wait(5)
    refused = client.get("/health")
    end.set()
    first.join()
    problem_of(refused, 503)
    assert client.get("/health").status_code == 200


def test_what_takes_too_long_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch):
    client = serve(serve_seconds=0.05)
    monkeypatch.setattr(client.service.memory, "stats", lambda **_: time.sleep(0.2))
    refused = client.get("/v1/stats")
    problem_of(refused, 503)
    assert refused.headers["retry-after"]


@given(st.lists(st.floats(0, 3), max_size=40), st.floats(0.5, 20), st.floats(0.5, 5))
def test_no_caller_gets_more_than_its_rate(pauses: list[float], rate: float, burst: float):
    now = 0.0
    buckets = Buckets(rate, burst, lambda: now)
    taken = 0
    for pause in pauses:
        now += pause
        try:
            buckets.take("a")
            taken += 1
        except TooManyError as refused:
            assert refused.retry_after
            assert refused.retry_after >= 1
    assert taken <= max(1.0, rate * burst) + rate * now + 1e-6


def test_lanes_take_turns_between_callers():
    async def run() -> list[str]:
        lane, order = Lane(LaneWidth(1, 100)), []
        await lane.enter("first")

        async def work(caller: str) -> None:
            await lane.enter(caller)
            order.append(caller)
            lane.leave(0.0, caller)

        tasks = [asyncio.create_task(work(c)) for c in ("many", "many", "many", "many", "few", "few")]
        await asyncio.sleep(0)
        lane.leave(0.0, "first")
        await asyncio.gather(*tasks)
        assert (lane.running, lane.waiting) == (0, 0)
        return order

    assert asyncio.run(run()) == ["many", "few", "many", "few", "many", "many"]


def test_who_has_no_slot_need_not_wait_for_one_of_a_busy_caller():
    async def run() -> list[tuple[str, int]]:
        """Forty requests of a caller come before each of another's: who begins, and how many of the first run then."""
        lane, begun = Lane(LaneWidth(2, 1000, spare=1)), list[tuple[str, int]]()

        async def enter(caller: str) -> None:
            await lane.enter(caller)
            begun.append((caller, lane.running))

        many = [asyncio.create_task(enter("many")) for _ in range(40)]
        await asyncio.sleep(0)
        assert lane.running == 2
        for _ in range(3):
            few = asyncio.create_task(enter("few"))
            await few  # at once: nothing of the other's has ended
            lane.leave(0.0, "many")  # whose place is not taken again while the other works
            await asyncio.sleep(0)
            assert lane.running == 2
            lane.leave(0.0, "few")
            await asyncio.sleep(0)
            assert lane.running == 2
        for task in many:
            task.cancel()
        await asyncio.gather(*many, return_exceptions=True)
        return begun

    assert asyncio.run(run()) == [("many", 1), ("many", 2), *[("few", 3), ("many", 2)] * 3]


def test_the_spare_slot_is_for_one_at_a_time():
    async def run() -> None:
        lane = Lane(LaneWidth(1, 100, spare=1))
        await lane.enter("many")
        await asyncio.wait_for(lane.enter("few"), 1)
        late = asyncio.create_task(lane.enter("third"))
        again = asyncio.create_task(lane.enter("few"))
        await asyncio.sleep(0)
        assert (lane.running, lane.waiting) == (2, 2)
        lane.leave(0.0, "many")
        await asyncio.wait_for(late, 1)
        assert (lane.running, lane.waiting) == (2, 1)
        again.cancel()

    asyncio.run(run())


def test_a_caller_alone_has_the_usual_slots():
    async def run() -> None:
        lane = Lane(LaneWidth(2, 100, spare=1))
        tasks = [asyncio.create_task(lane.enter("many")) for _ in range(5)]
        await asyncio.sleep(0)
        assert (lane.running, lane.waiting) == (2, 3)
        lane.stop()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def test_one_caller_cannot_take_all_places():
    async def run() -> None:
        lane = Lane(LaneWidth(1, 4))
        await lane.enter("many")
        waiting = [asyncio.create_task(lane.enter("many")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError) as refused:
            await lane.enter("many")
        assert (refused.value.status, refused.value.retry_after) == (429, 1)
        waiting += [asyncio.create_task(lane.enter("few")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError) as full:
            await lane.enter("other")
        assert full.value.status == 503
        lane.stop()
        for task in waiting:
            with pytest.raises(StoppingError):
                await task

    asyncio.run(run())


def test_who_goes_away_leaves_its_place():
    async def run() -> None:
        lane = Lane(LaneWidth(1, 100))
        await lane.enter("a")
        gone, stays = asyncio.create_task(lane.enter("b")), asyncio.create_task(lane.enter("c"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        assert lane.waiting == 1
        lane.leave(0.0, "a")
        # Given its turn and cancelled in the same step: the slot is not lost.
        stays.cancel()
        await asyncio.sleep(0)
        await asyncio.wait_for(lane.enter("d"), 1)

    asyncio.run(run())


def test_work_that_was_given_up_keeps_its_slot_until_it_ends():
    async def run() -> None:
        workers = Workers({LaneName.WRITING: LaneWidth(1, 10)})
        started, end, order = threading.Event(), threading.Event(), []

        def long() -> None:
            started.set()
            end.wait(5)
            order.append("long")

        given_up = asyncio.create_task(workers.run(LaneName.WRITING, "a", long))
        await asyncio.to_thread(started.wait, 5)
        given_up.cancel()
        after = asyncio.create_task(workers.run(LaneName.WRITING, "a", lambda: order.append("after")))
        await asyncio.sleep(0.02)
        end.set()
        await after
        assert order == ["long", "after"]
        workers.close()

    asyncio.run(run())
