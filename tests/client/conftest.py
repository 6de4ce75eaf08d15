"""A server in this process, and clients of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("httpx2")
pytest.importorskip("stamina")

from goalmem import Client, Memory
from goalmem.language import Analyzer

CHAT = [
    {"role": "user", "name": "Nadia", "content": "I adopted a dog last Saturday! His name is Wotan."},
    {"role": "user", "name": "Ivo", "content": "Congratulations! My sister Lucia lives in Tarnholm."},
    {"role": "user", "name": "Nadia", "content": "I work at the harbour office now."},
]
AT = "2024-04-16T21:10:00"
QUESTION = "Where does Ivo's sister live?"


@dataclass(frozen=True)
class Served:
    """A server, and what it serves."""

    memory: Memory
    url: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, analyzer: Analyzer) -> Iterator[Served]:
    """A server with a conversation in the space `default`, for all tests of a module; tests write to spaces of their own."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("fastapi")
    from goalmem.serve.testing import served

    with Memory(tmp_path_factory.mktemp("served") / "memory.db", analyzer=analyzer) as memory:
        memory.add(CHAT, at=AT)
        with served(memory) as url:
            yield Served(memory, url)


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    """A client of the server."""
    with Client(served.url) as client:
        yield client


@pytest.fixture
def space(request: pytest.FixtureRequest) -> str:
    """A space of a test's own."""
    return str(request.node.name)


Answering = Callable[[Any], Any]


@pytest.fixture
def fake() -> Callable[..., Client]:
    """A client whose server is a function."""
    import httpx2

    def make(answer: Answering, **options: Any) -> Client:
        return Client("http://server.test", transport=httpx2.MockTransport(answer), **options)

    return make
