"""`Memory` for programs that run on asyncio: the same methods, awaited."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from goalmem.answer import Answer, Previous, ReasonerChoice
from goalmem.engine.events import Event, Listener
from goalmem.errors import StoreClosedError
from goalmem.io.chat_messages import When, check_count
from goalmem.memory import Memory
from goalmem.settings import Settings

if TYPE_CHECKING:
    from goalmem.language import Analyzer
    from goalmem.models.chat import ChatModel
    from goalmem.models.protocol import Embedder, Judge, SpanReader


WORKERS = 4
"""Threads by default: reading scales to the cores, writing takes turns anyway."""

P = ParamSpec("P")
R = TypeVar("R")


def async_method(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """A method of `Memory`, awaited: parameters, result, errors and documentation are its own."""

    @functools.wraps(method)
    async def awaited(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._run(method, *args, **kwargs)

    return awaited


class AsyncMemory:
    """The async twin of `Memory`. Work runs in a pool of threads, so that the event loop is never held up.

    If the task of a running `add` (or `forget`, or `import_`) is cancelled, the operation completes anyway; one that
    waits for a thread is dropped. `close` waits for running operations.

        async with AsyncMemory("life.db") as memory:
            await memory.add("I adopted a beagle last Friday.")
            print(await memory.ask("What did I adopt?"))
    """

    def __init__(
        self,
        store: str | PathLike[str] = ":memory:",
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        analyzer: Analyzer | None = None,
        backend: object | None = None,
        chat: ChatModel | str | object | None = None,
        reader: SpanReader | None = None,
        judge: Judge | None = None,
        workers: int = WORKERS,
    ) -> None:
        """Like `Memory`; the store is opened by the first call, or by `async with`. `workers`: threads at most."""
        threads = check_count(workers, "The number of threads")
        self._open = functools.partial(
            Memory,
            store,
            settings=settings,
            embedder=embedder,
            analyzer=analyzer,
            backend=backend,
            chat=chat,
            reader=reader,
            judge=judge,
        )
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="goalmem-async")
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False

    add = async_method(Memory.add)
    add_file = async_method(Memory.add_file)
    add_rules = async_method(Memory.add_rules)
    rules = async_method(Memory.rules)
    remove_rules = async_method(Memory.remove_rules)
    import_graph = async_method(Memory.import_graph)
    graph = async_method(Memory.graph)
    remove_graph = async_method(Memory.remove_graph)
    search = async_method(Memory.search)
    recall = async_method(Memory.recall)
    ask = async_method(Memory.ask)
    context = async_method(Memory.context)
    why_not = async_method(Memory.why_not)
    verify = async_method(Memory.verify)
    history = async_method(Memory.history)
    profile = async_method(Memory.profile)
    turn = async_method(Memory.turn)
    get = async_method(Memory.get)
    get_all = async_method(Memory.get_all)
    update = async_method(Memory.update)
    versions = async_method(Memory.versions)
    forget = async_method(Memory.forget)
    purge = async_method(Memory.purge)
    export = async_method(Memory.export)
    import_ = async_method(Memory.import_)
    stats = async_method(Memory.stats)
    spaces = async_method(Memory.spaces)
    sessions = async_method(Memory.sessions)
    check = async_method(Memory.check)
    reindex = async_method(Memory.reindex)

    async def ask_events(
        self,
        question: str,
        *,
        space: str = "default",
        at: When | None = None,
        goals: bool = True,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
    ) -> AsyncGenerator[Event | Answer, None]:
        """`ask`, with everything that happens on the way as it happens; the last item is the Answer.

        Who stops iterating and closes the iterator ends the asking.
        """
        told: asyncio.Queue[Event | None] = asyncio.Queue()
        on_event: Listener = told.put_nowait
        asking = asyncio.ensure_future(
            self.ask(
                question,
                space=space,
                at=at,
                goals=goals,
                on_event=on_event,
                reasoner=reasoner,
                assume=assume,
                speaker=speaker,
                where=where,
                previous=previous,
            ),
        )
        asking.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (event := await told.get()) is not None:
                yield event
            yield await asking
        finally:
            asking.cancel()

    async def close(self) -> None:
        """Finish what has begun and release the store. Closing twice is fine."""
        self._closed = True
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._release))

    async def __aenter__(self) -> Self:
        await self._run(lambda _: None)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- threads -------------------------------------------------------------------------------------------------

    async def _run(self, method: Callable[Concatenate[Memory, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a method of the memory in a thread; listeners are called in the event loop."""
        if self._closed:
            raise StoreClosedError("This memory was closed.", "Open a new AsyncMemory on the same store.")
        loop = asyncio.get_running_loop()
        options: dict[str, Any] = dict(kwargs)
        relay = EventRelay(loop, options.get("on_event"))
        if "on_event" in inspect.signature(method).parameters:
            options["on_event"] = relay
        call: Callable[..., R] = method
        work = functools.partial(self._work, lambda memory: call(memory, *args, **options))
        try:
            # Spans opened by the caller are the parents of ours.
            result = await loop.run_in_executor(self._pool, contextvars.copy_context().run, work)
        finally:
            relay.ended = True
        if relay.error is not None:
            raise relay.error
        return result

    def _work(self, call: Callable[[Memory], R]) -> R:
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
        return call(self._memory)

    def _release(self) -> None:
        self._pool.shutdown()
        with self._opening:
            if self._memory is not None:
                self._memory.close()


class AbandonedError(Exception):
    """Raised in work whose result nobody waits for any more."""


class EventRelay:
    """A listener in the thread that asks, which passes events on to one in the event loop, in order.

    As with a listener of `Memory`, what that one raises ends the asking.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, listener: Listener | None) -> None:
        self._loop = loop
        self._listener = listener
        self.ended = False
        """Set when nobody waits for the answer any more."""
        self.error: Exception | None = None
        """Exception from the listener."""

    def __call__(self, event: Event) -> None:
        """Pass an event on."""
        if self.error is not None:
            raise self.error
        if self.ended:
            raise AbandonedError
        if self._listener is not None:
            self._loop.call_soon_threadsafe(self._tell, self._listener, event)

    def _tell(self, listener: Listener, event: Event) -> None:
        if self.ended or self.error is not None:
            return
        try:
            listener(event)
        except Exception as error:  # noqa: BLE001 - raised again where it is asked
            self.error = error
