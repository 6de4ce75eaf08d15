"""`Memory` of a server: `AsyncClient` without awaiting."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from goalmem.client.address import ATTEMPTS, SECONDS
from goalmem.client.async_client import AsyncClient

if TYPE_CHECKING:
    import httpx2

__all__ = ["Client"]

P = ParamSpec("P")
R = TypeVar("R")


def twin(method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Client, P], R]:
    """A method of `AsyncClient` over a network that blocks: parameters, result and documentation are its own."""

    @functools.wraps(method)
    def blocking(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from goalmem.client.line import completed

        return completed(method(self._client, *args, **kwargs))

    return blocking


class Client:
    """The memory of a server (`goalmem serve`): the methods of `Memory`, with the same parameters and results.

    Safe for many threads. What fails for a moment is sent again, within `timeout`; a write carries an idempotency key, so
    that it is done once. Errors are those of `Memory`, and ServiceError for what is between.

        with Client("http://127.0.0.1:8765", key="gm_…") as memory:
            memory.add("I adopted a beagle last Friday.")
            print(memory.ask("What did I adopt?"))
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        *,
        key: str = "",
        space: str | None = None,
        timeout: float = SECONDS,
        attempts: int = ATTEMPTS,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Nothing is contacted yet.

        Args:
            url: the server's base address.
            key: what `goalmem keys add` printed; empty where none is needed. Shown nowhere.
            space: of calls that name none; default: the key's only space, else `default`.
            timeout: seconds that a call may take with all that is tried again.
            attempts: how often what may yet succeed is sent at most; 1: never again.
            transport: another way to a server than the network.

        Raises:
            InputError: the address, the key or a limit cannot be used.
            ServiceError: the extra `client` is not installed.
        """
        self._client = AsyncClient(url, key=key, space=space, timeout=timeout, attempts=attempts)
        from goalmem.client.line import Blocking, Line

        self._client._line = Line(self._client._server, Blocking(self._client._server, transport))

    def __repr__(self) -> str:
        return f"Client({self._client._server.url!r})"

    add = twin(AsyncClient.add)
    add_rules = twin(AsyncClient.add_rules)
    rules = twin(AsyncClient.rules)
    remove_rules = twin(AsyncClient.remove_rules)
    add_file = twin(AsyncClient.add_file)
    preview = twin(AsyncClient.preview)
    demo = twin(AsyncClient.demo)
    import_graph = twin(AsyncClient.import_graph)
    remove_graph = twin(AsyncClient.remove_graph)
    search = twin(AsyncClient.search)
    recall = twin(AsyncClient.recall)
    ask = twin(AsyncClient.ask)
    context = twin(AsyncClient.context)
    why_not = twin(AsyncClient.why_not)
    verify = twin(AsyncClient.verify)
    history = twin(AsyncClient.history)
    profile = twin(AsyncClient.profile)
    facts = twin(AsyncClient.facts)
    turn = twin(AsyncClient.turn)
    get = twin(AsyncClient.get)
    get_all = twin(AsyncClient.get_all)
    turns = twin(AsyncClient.turns)
    update = twin(AsyncClient.update)
    versions = twin(AsyncClient.versions)
    forget = twin(AsyncClient.forget)
    export = twin(AsyncClient.export)
    import_ = twin(AsyncClient.import_)
    stats = twin(AsyncClient.stats)
    spaces = twin(AsyncClient.spaces)
    sessions = twin(AsyncClient.sessions)
    keys = twin(AsyncClient.keys)
    add_key = twin(AsyncClient.add_key)
    revoke_key = twin(AsyncClient.revoke_key)
    close = twin(AsyncClient.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
