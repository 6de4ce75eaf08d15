"""Answers told as they are found: server-sent events over a real connection."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from goalmem import GoalmemError
from goalmem.engine.events import Event
from goalmem.language import Analyzer
from goalmem.serve import streams
from goalmem.serve.service import Service

from .conftest import TOLD, listening, problem_of

EVENTS = {"Accept": "text/event-stream"}
ASK = {"question": "What did Nadia adopt?"}


def events_of(text: str) -> list[tuple[str, dict]]:
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_what_happens_is_told_and_the_answer_is_last(told: TestClient):
    answer = told.post("/v1/ask", json=ASK, headers=EVENTS)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = events_of(answer.text)
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "question"
    assert {"goal", "subgoals", "retrieval", "binding", "proof"} <= set(kinds)
    assert kinds[-1] == "answer"
    assert all(data.keys() == {"text", "data", "seconds"} for kind, data in events[:-1])
    plain = told.post("/v1/ask", json=ASK).json()
    assert {**events[-1][1], "seconds": 0} == {**plain, "seconds": 0}


def test_what_is_wrong_with_the_request_is_no_stream(told: TestClient):
    problem_of(told.post("/v1/ask", json={"question": ""}, headers=EVENTS), 422)


@pytest.mark.parametrize(
    ("error", "status"), [(GoalmemError("It broke.", "Mend it."), 500), (RuntimeError("secret"), 500)]
)
def test_what_goes_wrong_on_the_way_is_an_event(
    told: TestClient, error: Exception, status: int, monkeypatch: pytest.MonkeyPatch
):
    def failing(*_, on_event, **__):
        on_event(Event("question", "x"))
        raise error

    monkeypatch.setattr(told.service.memory, "ask", failing)
    events = events_of(told.post("/v1/ask", json=ASK, headers=EVENTS).text)
    assert [kind for kind, _ in events] == ["question", "error"]
    assert events[-1][1]["status"] == status
    assert "secret" not in json.dumps(events)


@pytest.fixture(scope="module")
def server(analyzer: Analyzer) -> Iterator[tuple[Service, int]]:
    """A server that listens."""
    with listening(analyzer) as (service, port):
        service.memory.add(TOLD, at="2024-05-08T18:00:00")
        yield service, port


@contextlib.contextmanager
def asking(port: int, accept: str) -> Iterator[socket.socket]:
    body = json.dumps(ASK).encode()
    head = (
        f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(head.encode() + body)
        yield connection


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_the_asking_ends_when_the_client_goes(server, accept: str, monkeypatch: pytest.MonkeyPatch):
    service, port = server
    begun, ended = threading.Event(), threading.Event()

    def endless(*_, on_event, **__):
        begun.set()
        try:
            while True:
                on_event(Event("goal", "on and on"))
                time.sleep(0.005)
        finally:
            ended.set()

    monkeypatch.setattr(service.memory, "ask", endless)
    with asking(port, accept):
        assert begun.wait(10)
    assert ended.wait(10)


def test_who_leaves_while_waiting_is_never_asked_for(server, monkeypatch: pytest.MonkeyPatch):
    service, port = server
    asked, end = [], threading.Event()
    monkeypatch.setattr(service.memory, "ask", lambda *_, **__: (asked.append(1), end.wait(10), 1 / 0))
    lane = service.workers.lanes["asking"]
    slots = lane.slots
    with contextlib.ExitStack() as opened:
        for _ in range(slots):
            opened.enter_context(asking(port, "text/event-stream"))
        wait_until(lambda: len(asked) == slots)
        with asking(port, "text/event-stream"):
            wait_until(lambda: lane.waiting == 1)
        wait_until(lambda: lane.waiting == 0)
        end.set()
        wait_until(lambda: lane.running == 0)
    assert len(asked) == slots


def test_who_waits_is_told_that_it_waits(server, monkeypatch: pytest.MonkeyPatch):
    service, port = server
    monkeypatch.setattr(streams, "HEARTBEAT", 0.02)
    end = threading.Event()
    monkeypatch.setattr(service.memory, "ask", lambda *_, **__: (end.wait(10), 1 / 0))
    with asking(port, "text/event-stream") as connection:
        received = b""
        while b": waiting" not in received:
            received += connection.recv(4096)
        end.set()
        while b"event: error" not in received:
            received += connection.recv(4096)


def test_searches_do_not_wait_for_questions(server, monkeypatch: pytest.MonkeyPatch):
    import urllib.request

    service, port = server
    end = threading.Event()
    monkeypatch.setattr(service.memory, "ask", lambda *_, **__: (end.wait(10), 1 / 0))
    with contextlib.ExitStack() as opened:
        for _ in range(10):
            opened.enter_context(asking(port, "application/json"))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/stats", timeout=5) as answer:
            assert json.load(answer)["turns"] == len(TOLD)
        end.set()


def wait_until(holds) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)
