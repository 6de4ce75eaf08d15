"""`AsyncMemory` of a server."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar, overload

from goalmem.answer import Answer, Estimate
from goalmem.client import calls
from goalmem.client.address import ATTEMPTS, SECONDS, require_packages, server_at
from goalmem.client.calls import Call
from goalmem.client.replies import Job
from goalmem.client.transfer import Gathered, graph_file, is_done, is_large, pauses, readable
from goalmem.engine.events import Event, Listener
from goalmem.errors import NotFoundError
from goalmem.io.chat_messages import When
from goalmem.memory import ReasonerChoice

if TYPE_CHECKING:
    import httpx2

    from goalmem.graph.imports import GraphReport, Progress
    from goalmem.io.graph_inputs import GraphFormatName

__all__ = ["AsyncClient"]

P = ParamSpec("P")
R = TypeVar("R")


def sent(build: Callable[P, Call[R]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    """A method that sends a call: parameters, result and documentation are the call's."""

    @functools.wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._line.send(build(*args, **kwargs))

    return method


def listed(build: Callable[P, Call[R]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, list[R]]]:
    """A method that fetches a list, page by page."""

    @functools.wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        return await self._line.list(build(*args, **kwargs))

    return method


class AsyncClient:
    """The async twin of `Client`: the methods of `AsyncMemory`, of a server's memory. For one event loop.

    async with AsyncClient("http://127.0.0.1:8765", key="gm_…") as memory:
        await memory.add("I adopted a beagle last Friday.")
        print(await memory.ask("What did I adopt?"))
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        *,
        key: str = "",
        space: str | None = None,
        timeout: float = SECONDS,
        attempts: int = ATTEMPTS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """As `Client`."""
        self._server = server_at(url, key, space, timeout, attempts)
        require_packages()
        from goalmem.client.connection_async import AsyncLine

        self._line = AsyncLine(self._server, transport)

    def __repr__(self) -> str:
        return f"AsyncClient({self._server.url!r})"

    add = sent(calls.add)
    add_rules = sent(calls.add_rules)
    rules = listed(calls.rules)
    search = sent(calls.search)
    recall = sent(calls.recall)
    context = sent(calls.context)
    why_not = sent(calls.why_not)
    verify = sent(calls.verify)
    history = listed(calls.history)
    facts = listed(calls.facts)
    turn = sent(calls.turn)
    turns = listed(calls.turns)
    forget = sent(calls.forget)
    stats = sent(calls.stats)
    spaces = listed(calls.spaces)
    sessions = listed(calls.sessions)

    @overload
    async def ask(
        self,
        question: str,
        *,
        space: str | None = None,
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        dry_run: Literal[False] = False,
    ) -> Answer: ...

    @overload
    async def ask(
        self,
        question: str,
        *,
        space: str | None = None,
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        dry_run: Literal[True],
    ) -> Estimate: ...

    async def ask(
        self,
        question: str,
        *,
        space: str | None = None,
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        dry_run: bool = False,
    ) -> Answer | Estimate:
        """An answer with its proof, or "I don't know" with what is missing, as `Client.ask`."""
        if dry_run:
            return await self._line.send(calls.estimate(question, space=space, goals=goals, reasoner=reasoner))
        call = calls.ask(question, space=space, at=at, goals=goals, reasoner=reasoner, assume=assume, speaker=speaker)
        if on_event is None:
            return await self._line.send(call)
        return await self._line.listen(call, on_event)

    async def ask_events(
        self,
        question: str,
        *,
        space: str | None = None,
        at: When | None = None,
        goals: bool = True,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
    ) -> AsyncGenerator[Event | Answer, None]:
        """`ask`, with everything that happens on the way as it happens; the last item is the Answer.

        Who stops iterating and closes the iterator ends the asking, at the server, too.
        """
        call = calls.ask(question, space=space, at=at, goals=goals, reasoner=reasoner, assume=assume, speaker=speaker)
        told = self._line.told(call)
        try:
            async for item in told:
                yield item
        finally:
            await told.aclose()

    async def remove_rules(self, ids: str | Sequence[str], *, space: str | None = None) -> list[str]:
        """Remove sentences by id, as `Memory.remove_rules`; returns those that were there."""
        gone: list[str] = []
        for rule in dict.fromkeys([ids] if isinstance(ids, str) else ids):
            try:
                await self._line.send(calls.remove_rule(rule, space=space))
            except NotFoundError:
                continue
            gone.append(rule)
        return gone

    async def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """Write every turn and rule (of one space, or of all that the key is for) as JSONL, as `Memory.export`."""
        with Gathered(Path(target)) as gathered:
            for name in [space] if space is not None else await self.spaces():
                await self._line.fetch(calls.export(space=name), gathered)
            return gathered.finish()

    async def import_(self, origin: str | PathLike[str], *, space: str | None = None) -> int:
        """Add what `export` wrote, as `Memory.import_`: the file is sent whole, and remembered in the background.

        Returns the number of new turns when the server is done. Who stops waiting stops nothing.
        """
        job = await self._line.upload(calls.import_(space=space), readable(Path(origin)))
        return (await self._finished(job, space)).new

    async def import_graph(
        self,
        graph: str | PathLike[str] | Iterable[Any],
        *,
        space: str | None = None,
        format: GraphFormatName | None = None,
        name: str = "",
        progress: Progress | None = None,
    ) -> GraphReport:
        """Add the triples of a file to the graph of a space, as `Memory.import_graph`.

        A large file is worked off in the background; `progress` is told how many entries there are when all is done.
        """
        from goalmem.graph.imports import GraphReport

        origin = graph_file(graph)
        called = name or origin.name
        if not is_large(origin):
            call = calls.import_graph(space=space, format=format, name=called)
            report = await self._line.upload(call, origin)
        else:
            job = await self._line.upload(calls.upload_graph(space=space, format=format, name=called), origin)
            job = await self._finished(job, space)
            report = GraphReport(called, job.new, job.total, known=job.new == 0)
        if progress is not None:
            progress("storing", report.entries, report.entries)
        return report

    remove_graph = sent(calls.remove_graph)

    async def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        await self._line.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _finished(self, job: Job, space: str | None) -> Job:
        """A job when it is done."""
        for pause in pauses():
            if is_done(job):
                break
            await asyncio.sleep(pause)
            job = await self._line.send(calls.job(job.id, space=space))
        return job
