"""A server in this process, over a memory of its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory, Settings
from goalmem.language import Analyzer

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

import uvicorn
from starlette.testclient import TestClient

from goalmem.serve.app import create_app
from goalmem.serve.auth import Scope
from goalmem.serve.http import HttpServer
from goalmem.serve.ledger import open_ledger
from goalmem.serve.service import Service

TOLD = [
    {"role": "user", "name": "Nadia", "content": "I adopted a beagle last Friday. His name is Comet."},
    {"role": "user", "name": "Ruben", "content": "Lovely! My sister Ilse lives in Bruges."},
    {"role": "user", "name": "Nadia", "content": "I started a new job at a bakery on Monday."},
]

Serve = Callable[..., TestClient]


@contextmanager
def serving(analyzer: Analyzer, store: str | Path = ":memory:", **settings: Any) -> Iterator[TestClient]:
    """A client of a server whose settings are these; `client.service` is what serves."""
    chosen = Settings(**{"serve_data": "", **settings})
    ledger = open_ledger(str(store), chosen.serve_data)
    with Memory(store, settings=chosen, analyzer=analyzer) as memory:
        service = Service(memory, ledger, chosen)
        with TestClient(create_app(service), base_url="http://localhost", raise_server_exceptions=False) as client:
            client.service = service
            yield client
    ledger.close()


@contextmanager
def listening(analyzer: Analyzer, **settings: Any) -> Iterator[tuple[Service, int]]:
    """A server that listens, in a thread of its own, and its port."""
    ledger = open_ledger(":memory:", "")
    with Memory(analyzer=analyzer) as memory, socket.create_server(("127.0.0.1", 0)) as taken:
        service = Service(memory, ledger, Settings(**settings))
        config = uvicorn.Config(create_app(service), log_config=None, access_log=False, lifespan="on", ws="none")
        running = HttpServer(config, service)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [taken]})
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield service, taken.getsockname()[1]
        running.should_exit = True
        thread.join()
    ledger.close()


@pytest.fixture
def goalmem() -> Callable[..., Any]:
    """Run the command line in this process."""
    from typer.testing import CliRunner

    from goalmem.cli.app import app

    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def serve(analyzer: Analyzer) -> Iterator[Serve]:
    """Starts servers that end with the test."""
    from contextlib import ExitStack

    with ExitStack() as opened:
        yield lambda *args, **settings: opened.enter_context(serving(analyzer, *args, **settings))


@pytest.fixture
def client(serve: Serve) -> TestClient:
    """A client of an empty memory."""
    return serve()


@pytest.fixture(scope="session")
def told(analyzer: Analyzer) -> Iterator[TestClient]:
    """A client of a memory that holds a conversation; tests must not write to it."""
    with serving(analyzer) as client:
        add(client, TOLD, session="one", at="2024-05-08T18:00:00")
        yield client


def add(client: TestClient, messages: object, headers: dict[str, str] | None = None, **given: Any) -> dict[str, Any]:
    """Remember messages; the receipt."""
    space = given.pop("space", None)
    params = {} if space is None else {"space": space}
    done = client.post("/v1/messages", json={"messages": messages, **given}, headers=headers, params=params)
    assert done.status_code == 201, done.text
    return done.json()


def key_for(client: TestClient, *spaces: str, scope: Scope = Scope.WRITE, **given: Any) -> dict[str, str]:
    """Headers with a new key."""
    _, text = client.service.keys.add("test", scope, spaces or ("*",), **given)
    return {"Authorization": f"Bearer {text}"}


def problem_of(answer: Any, status: int) -> dict[str, Any]:
    """The problem that an answer is, checked to be one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem.keys() == {"type", "title", "status", "detail", "remedy", "instance"}
    assert problem["status"] == status
    assert problem["detail"]
    assert problem["remedy"]
    assert problem["instance"] == answer.headers["x-request-id"]
    return problem
