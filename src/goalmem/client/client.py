"""`Memory` of a server. `AsyncClient` documents the methods; `Client` is its blocking version."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar, overload

from goalmem.answer import Answer, Estimate, Previous, ReasonerChoice
from goalmem.client import calls, uploads
from goalmem.client.call import ATTEMPTS, SECONDS, ServerCall, require_packages, server_at
from goalmem.client.uploads import Job, JoinedExports, Preview, graph_file, is_done, is_large, pauses, readable
from goalmem.engine.events import Event, Listener
from goalmem.errors import NotFoundError
from goalmem.io.arguments import checked
from goalmem.io.chat_messages import When, parse_when

if TYPE_CHECKING:
    import httpx2

    from goalmem.graph.imports import GraphReport, Progress
    from goalmem.io.documents import DocumentKind
    from goalmem.io.documents.addition import Progress as FileProgress
    from goalmem.io.triples_files import GraphFormatName


def sent(build: Callable[P, ServerCall[R]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    """A method that sends a call: parameters, result and documentation are the call's."""
    request = checked(build)

    @functools.wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._line.send(request(*args, **kwargs))

    return method


def streamed(
    build: Callable[P, ServerCall[Answer]],
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[Event | Answer, None]]:
    """A method that streams the events of a call and ends with the answer.

    Who stops iterating and closes the iterator ends the work, at the server, too.
    """
    request = checked(build)

    @functools.wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[Event | Answer, None]:
        told = self._line.told(request(*args, **kwargs))
        try:
            async for item in told:
                yield item
        finally:
            await told.aclose()

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
        from goalmem.client.connection import AsyncNetwork, ServerConnection

        self._line = ServerConnection(self._server, AsyncNetwork(self._server, transport))

    def __repr__(self) -> str:
        return f"AsyncClient({self._server.url!r})"

    add = sent(calls.add)
    add_rules = sent(calls.add_rules)
    rules = sent(calls.rules)
    search = sent(calls.search)
    recall = sent(calls.recall)
    context = sent(calls.context)
    why_not = sent(calls.why_not)
    verify = sent(calls.verify)
    history = sent(calls.history)
    profile = sent(calls.profile)
    facts = sent(calls.facts)
    entities = sent(calls.entities)
    edges = sent(calls.edges)
    statements = sent(calls.statements)
    turn = sent(calls.turn)
    get = sent(calls.get)
    get_all = sent(calls.get_all)
    turns = sent(calls.turns)
    update = sent(calls.update)
    versions = sent(calls.versions)
    forget = sent(calls.forget)
    purge = sent(calls.purge)
    stats = sent(calls.stats)
    spaces = sent(calls.spaces)
    sessions = sent(calls.sessions)
    remove_graph = sent(calls.remove_graph)
    jobs = sent(uploads.jobs)
    job = sent(uploads.job)
    resume_job = sent(uploads.resume_job)
    remove_job = sent(uploads.remove_job)
    keys = sent(calls.keys)
    add_key = sent(calls.add_key)
    revoke_key = sent(calls.revoke_key)
    ask_events = streamed(calls.ask)

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
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
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
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
        dry_run: Literal[True],
    ) -> Estimate: ...

    @checked
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
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
        dry_run: bool = False,
    ) -> Answer | Estimate:
        """An answer with its proof, or "I don't know" with what is missing, as `Memory.ask`.

        With `on_event` the server tells what happens as it happens; what the listener raises ends the asking there, too.
        """
        if dry_run:
            return await self._line.send(calls.estimate(question, space=space, goals=goals, reasoner=reasoner))
        call = calls.ask(
            question,
            space=space,
            at=at,
            goals=goals,
            reasoner=reasoner,
            assume=assume,
            speaker=speaker,
            where=where,
            previous=previous,
        )
        if on_event is None:
            return await self._line.send(call)
        told = self._line.told(call)
        try:
            async for item in told:
                if not isinstance(item, Event):
                    return item
                on_event(item)
        finally:
            await told.aclose()
        raise AssertionError("the events end with an answer or an error")

    @checked
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

    @checked
    async def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """Write every turn and rule (of one space, or of all that the key is for) as JSONL, as `Memory.export`."""
        with JoinedExports(Path(target)) as gathered:
            for name in [space] if space is not None else await self.spaces():
                await self._line.fetch(uploads.export(space=name), gathered)
            return gathered.finish()

    @checked
    async def import_(self, origin: str | PathLike[str], *, space: str | None = None) -> int:
        """Add what `export` wrote, as `Memory.import_`: the file is sent whole, and remembered in the background.

        Returns the number of new turns when the server is done. Who stops waiting stops nothing.
        """
        job = await self._line.upload(uploads.import_(space=space), readable(Path(origin)))
        return (await self._finished(job, space)).new

    @checked
    async def add_file(
        self,
        file: str | PathLike[str],
        *,
        space: str | None = None,
        session: str | None = None,
        at: When | None = None,
        name: str = "",
        format: DocumentKind | None = None,
        author: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        prune: bool = False,
        progress: FileProgress | None = None,
    ) -> Job:
        """Remember a document, as `Memory.add_file`: it is sent whole, and remembered in the background.

        Returns the job when the server is done with it: `total` pieces, of which `new` were not there. Without `at` a document
        that does not say when it was written counts as written when the file was last changed.
        """
        origin = readable(Path(file))
        moment = parse_when(at if at is not None else origin.stat().st_mtime, "The file").isoformat()
        query = {"name": name or origin.name, "session": session, "at": moment, "document": format, "author": author}
        call = uploads.add_file(query, metadata, tags, prune=prune, space=space)
        job = await self._finished(await self._line.upload(call, origin), space)
        if progress is not None:
            progress("storing", job.total or 0, job.total or 0)
        return job

    @checked
    async def preview(
        self,
        file: str | PathLike[str],
        *,
        space: str | None = None,
        session: str | None = None,
        at: When | None = None,
        name: str = "",
        format: Literal["chat", "document"] = "chat",
    ) -> Preview:
        """The contents of a file of messages, or of a document, without storing anything."""
        origin = readable(Path(file))
        moment = None if at is None else parse_when(at, "The file").isoformat()
        call = uploads.preview(space=space, session=session, at=moment, name=name or origin.name, format=format)
        return await self._line.upload(call, origin)

    async def demo(self, *, space: str | None = None) -> Job:
        """Remember the demo: a made-up conversation of two friends, with rules and a graph. The job, when it is done."""
        return await self._finished(await self._line.send(uploads.demo(space=space)), space)

    @checked
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
            call = uploads.import_graph(space=space, format=format, name=called)
            report = await self._line.upload(call, origin)
        else:
            job = await self._line.upload(uploads.upload_graph(space=space, format=format, name=called), origin)
            job = await self._finished(job, space)
            report = GraphReport(called, job.new, job.total, known=job.new == 0)
        if progress is not None:
            progress("storing", report.entries, report.entries)
        return report

    async def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        await self._line.network.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _finished(self, job: Job, space: str | None) -> Job:
        """A job when it is done."""
        for pause in pauses():
            if is_done(job):
                break
            await self._line.network.sleep(pause)
            job = await self._line.send(uploads.job(job.id, space=space))
        return job


P = ParamSpec("P")
R = TypeVar("R")


def blocking_method(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Client, P], R]:
    """A method of `AsyncClient` over a network that blocks: parameters, result and documentation are its own."""

    @functools.wraps(method)
    def blocking(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from goalmem.client.connection import completed

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
        from goalmem.client.connection import BlockingNetwork, ServerConnection

        self._client._line = ServerConnection(self._client._server, BlockingNetwork(self._client._server, transport))

    def __repr__(self) -> str:
        return f"Client({self._client._server.url!r})"

    add = blocking_method(AsyncClient.add)
    add_rules = blocking_method(AsyncClient.add_rules)
    rules = blocking_method(AsyncClient.rules)
    remove_rules = blocking_method(AsyncClient.remove_rules)
    add_file = blocking_method(AsyncClient.add_file)
    preview = blocking_method(AsyncClient.preview)
    demo = blocking_method(AsyncClient.demo)
    import_graph = blocking_method(AsyncClient.import_graph)
    remove_graph = blocking_method(AsyncClient.remove_graph)
    search = blocking_method(AsyncClient.search)
    recall = blocking_method(AsyncClient.recall)
    ask = blocking_method(AsyncClient.ask)
    context = blocking_method(AsyncClient.context)
    why_not = blocking_method(AsyncClient.why_not)
    verify = blocking_method(AsyncClient.verify)
    history = blocking_method(AsyncClient.history)
    profile = blocking_method(AsyncClient.profile)
    facts = blocking_method(AsyncClient.facts)
    entities = blocking_method(AsyncClient.entities)
    edges = blocking_method(AsyncClient.edges)
    statements = blocking_method(AsyncClient.statements)
    turn = blocking_method(AsyncClient.turn)
    get = blocking_method(AsyncClient.get)
    get_all = blocking_method(AsyncClient.get_all)
    turns = blocking_method(AsyncClient.turns)
    update = blocking_method(AsyncClient.update)
    versions = blocking_method(AsyncClient.versions)
    forget = blocking_method(AsyncClient.forget)
    purge = blocking_method(AsyncClient.purge)
    export = blocking_method(AsyncClient.export)
    import_ = blocking_method(AsyncClient.import_)
    stats = blocking_method(AsyncClient.stats)
    spaces = blocking_method(AsyncClient.spaces)
    sessions = blocking_method(AsyncClient.sessions)
    jobs = blocking_method(AsyncClient.jobs)
    job = blocking_method(AsyncClient.job)
    resume_job = blocking_method(AsyncClient.resume_job)
    remove_job = blocking_method(AsyncClient.remove_job)
    keys = blocking_method(AsyncClient.keys)
    add_key = blocking_method(AsyncClient.add_key)
    revoke_key = blocking_method(AsyncClient.revoke_key)
    close = blocking_method(AsyncClient.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
