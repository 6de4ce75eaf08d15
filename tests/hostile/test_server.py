"""What a hostile client sends before it is known who it is, and what keys and problems may not tell."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from select import select

import pytest

from goalmem.cancellation import checkpoint
from goalmem.language import Analyzer
from goalmem.serve.auth import Scope
from goalmem.serve.routes import turns

from ..serve.conftest import key_for, listening, problem_of, serve
from ..serve.process import running

__all__ = ["serve"]

PATIENCE = 60
LONG = json.dumps({"messages": "I own a kayak. " * 3000}).encode()
"""A body that takes one of few places."""


def answered(port: int, content: bytes) -> bytes:
    """The first line that the server answers with, if any, until it closes the connection or answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(content)
            return connection.recv(4096).split(b"\r\n")[0]
        except ConnectionError:
            return b""


@pytest.mark.slow
def test_headers_that_are_doubled_or_too_large_are_refused_and_half_sent_ones_closed(tmp_path: Path):
    with running(tmp_path / "store.goalmem", GOALMEM_SERVE_HEADER_SECONDS="0.5") as server:
        head = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
        assert b" 200 " in answered(server.port, head + b"\r\n")
        assert b" 400 " in answered(server.port, head + b"Host: other.example\r\n\r\n")
        assert b" 505 " in answered(server.port, head.replace(b"HTTP/1.1", b"HTTP/2.0") + b"\r\n")
        for large in (b"X-Large: " + b"x" * 1_000_000, b"\r\n".join(b"X-%d: y" % n for n in range(10_000))):
            line = answered(server.port, head + large + b"\r\n\r\n")
            assert not line or b" 400 " in line
        smuggled = b"GET /v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n"
        lengths = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
            connection.sendall(head.replace(b"GET /health", b"POST /v1/messages") + lengths + smuggled)
            said = b"".join(iter(lambda: connection.recv(4096), b""))
        assert said.startswith(b"HTTP/1.1 400 ")
        assert said.count(b"HTTP/1.1 ") == 1
        with ExitStack() as opened:
            half = [
                opened.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE)) for _ in range(40)
            ]
            for number, connection in enumerate(half):
                connection.sendall(head if number % 2 else b"")
            for connection in half:
                assert connection.recv(1) == b"", "closed by the server"
        slow = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
            connection.sendall(slow + b'{"query"')
            time.sleep(1)  # only headers have so little time
            connection.sendall(b':"tea"}')
            assert b" 200 " in connection.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "host",
    ["localhost:evil.com", "localhost/evil", "localhost@evil.com", "localhost, evil.com", "[::1", "localhost:999999"],
)
def test_a_host_header_with_anything_but_a_port_behind_the_name_is_refused(host: str, serve):
    client = serve()
    problem_of(client.get("/v1/stats", headers={"Host": host}), 400)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "localhost:"])
def test_a_host_header_that_names_this_machine_is_served(host: str, serve):
    assert serve().get("/v1/stats", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Encoding": "gzip"}, 415),
        ({"Content-Type": "application/json; charset=utf-16"}, 415),
        ({"Content-Type": 'application/json; charset="UTF-8"'}, 200),
        ({"Content-Encoding": "identity"}, 200),
        ({"Expect": "200-ok"}, 417),
        ({"Expect": "100-Continue"}, 200),
    ],
)
def test_a_body_that_cannot_be_read_as_it_is_declared_is_refused(headers: dict[str, str], status: int, serve):
    content = b'{"query": "tea"}'
    said = serve().post("/v1/search", content=content, headers={"Content-Type": "application/json", **headers})
    assert said.status_code == status
    if status != 200:
        assert problem_of(said, status)["remedy"]


def test_an_admin_key_of_one_space_does_not_read_the_figures_of_all(serve):
    client = serve()
    own, every = key_for(client, "maya", scope=Scope.ADMIN), key_for(client, scope=Scope.ADMIN)
    problem_of(client.get("/metrics", headers=own), 403)
    assert client.get("/metrics", headers=every).status_code == 200


def test_a_key_for_a_space_whose_name_would_open_all_is_refused(tmp_path: Path):
    from typer.testing import CliRunner

    from goalmem.cli.app import app

    done = CliRunner().invoke(app, ["keys", "add", "x", "--space", "*", "--store", str(tmp_path / "a.goalmem")])
    assert done.exit_code == 3
    assert "--all-spaces" in done.output


def test_over_http_too_a_key_for_every_space_is_not_made_from_a_name(serve):
    client = serve()
    every = key_for(client, scope=Scope.ADMIN)
    for spaces in (["*"], ["maya", "*"]):
        problem_of(client.post("/v1/keys", json={"name": "x", "scope": "read", "spaces": spaces}, headers=every), 422)
    made = client.post("/v1/keys", json={"name": "x", "scope": "read"}, headers=every).json()
    assert made["key"]["spaces"] == ["*"]


def test_a_failed_job_names_no_path_of_the_server(analyzer: Analyzer, serve):
    client = serve()
    for content, name in ((b"\xff\xfe\x00broken", "a.txt"), (b'{"version": 99}', "b.jsonl")):
        for kind in ("chat", "export", "graph"):
            job = client.post(f"/v1/uploads?name={name}&format={kind}", content=content).json()
            while (told := client.get(f"/v1/jobs/{job['id']}").json())["state"] not in ("failed", "done"):
                time.sleep(0.01)
            said = told["problem"] + told["remedy"]
            assert str(client.service.ledger.uploads) not in said
            assert f"{job['id']}.data" not in said


def test_slow_messages_of_one_key_do_not_stop_the_writes_of_another(serve, monkeypatch: pytest.MonkeyPatch):
    client = serve()
    begun, go_on, add = threading.Event(), threading.Event(), client.service.memory.add

    def slow(messages, *, space, **given):
        if space != "quick":
            begun.set()
            assert go_on.wait(PATIENCE)
        return add(messages, space=space, **given)

    monkeypatch.setattr(client.service.memory, "add", slow)
    spaces = [f"slow {n}" for n in range(5)]
    headers = {"one": key_for(client, *spaces), "other": key_for(client, "quick")}

    def told(space: str, key: str) -> int:
        body = {"messages": "I own a kayak."}
        return client.post("/v1/messages", json=body, headers=headers[key], params={"space": space}).status_code

    with ThreadPoolExecutor(8) as pool:
        slowly = [pool.submit(told, space, "one") for space in (*spaces, *spaces)]
        assert begun.wait(PATIENCE)
        try:
            assert told("quick", "other") == 201
            assert not any(done.done() for done in slowly)
        finally:
            go_on.set()
        assert [done.result(PATIENCE) for done in slowly] == [201] * 10


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/uploads?name=a.txt"])
def test_bodies_of_one_key_that_stall_do_not_make_another_wait(analyzer: Analyzer, path: str):
    with listening(analyzer) as (service, port), ExitStack() as opened:
        one, other = (service.keys.add("test", Scope.WRITE, ("*",))[1] for _ in range(2))

        def begun(key: str) -> socket.socket:
            """A connection on which a long body was begun."""
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            connection.sendall(f"{head}Content-Length: {len(LONG)}\r\n\r\n".encode() + LONG[:-1])
            return connection

        stalled = [begun(one) for _ in range(40)]
        lane = service.large if "messages" in path else service.receiving
        while not lane.waiting:
            time.sleep(0.005)
        quick = begun(other)
        quick.sendall(LONG[-1:])
        assert quick.recv(4096).split()[1] in (b"201", b"202")
        assert not select(stalled, [], [], 0)[0]


@pytest.mark.parametrize("leaves", ["made", "sent"])
def test_nothing_of_an_export_is_left_whose_client_left(
    leaves: str, analyzer: Analyzer, serve, monkeypatch: pytest.MonkeyPatch
):
    """It leaves when the file was made, or while it is sent."""
    client, made, left = serve(), threading.Event(), threading.Event()
    client.post("/v1/messages", json={"messages": "I own a kayak."})

    def last_checkpoint() -> None:
        made.set()
        assert leaves == "sent" or left.wait(PATIENCE)

    async def receive() -> dict[str, object]:
        if leaves == "sent" or not await asyncio.to_thread(made.wait, PATIENCE):
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.body":
            raise OSError

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/export",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }

    async def leave() -> None:
        try:
            with contextlib.suppress(Exception):
                await client.app(scope, receive, send)
        finally:
            left.set()

    monkeypatch.setattr(turns, "checkpoint", last_checkpoint)
    client.portal.call(leave)
    assert made.is_set()
    assert not list(client.service.ledger.uploads.iterdir())


def test_a_write_whose_client_left_ends(analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch):
    begun, ended = threading.Event(), threading.Event()

    def endless(*_, **__):
        begun.set()
        try:
            while True:
                checkpoint()
                time.sleep(0.005)
        finally:
            ended.set()

    with listening(analyzer) as (service, port):
        monkeypatch.setattr(service.memory, "add", endless)
        body = b'{"messages": "I own a kayak."}'
        head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            connection.sendall(head.encode() + body)
            assert begun.wait(PATIENCE)
        assert ended.wait(PATIENCE)
