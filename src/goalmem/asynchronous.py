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
from goalmem.errors import InputError, StoreClosedError
from goalmem.io.chat_messages import When
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


def twin(method: Callable[Concatenate[Memory, P], R]) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """A method of `Memory`, awaited: parameters, result, errors and documentation are its own."""

    @functools.wraps(method)
    async def awaited(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._run(method, *args, **kwargs)

    return awaited


class AsyncMemory:
    """The async twin of `Memory`. Work runs in a pool of threads, so that the event loop is never held up.

    An `add` (or `forget`, or `import_`) that has begun when its task is cancelled is finished and kept; one that waited
    for a thread is not begun. `close` waits for what has begun.

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
        if workers < 1:
            raise InputError(f"A pool of {workers} threads does nothing.", "Give workers=1 or more.")
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
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="goalmem-async")
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False

    add = twin(Memory.add)
    add_file = twin(Memory.add_file)
    add_rules = twin(Memory.add_rules)
    rules = twin(Memory.rules)
    remove_rules = twin(Memory.remove_rules)
    import_graph = twin(Memory.import_graph)
    graph = twin(Memory.graph)
    remove_graph = twin(Memory.remove_graph)
    search = twin(Memory.search)
    recall = twin(Memory.recall)
    ask = twin(Memory.ask)
    context = twin(Memory.context)
    why_not = twin(Memory.why_not)
    verify = twin(Memory.verify)
    history = twin(Memory.history)
    profile = twin(Memory.profile)
    turn = twin(Memory.turn)
    get = twin(Memory.get)
    get_all = twin(Memory.get_all)
    update = twin(Memory.update)
    versions = twin(Memory.versions)
    forget = twin(Memory.forget)
    purge = twin(Memory.purge)
    export = twin(Memory.export)
    import_ = twin(Memory.import_)
    stats = twin(Memory.stats)
    spaces = twin(Memory.spaces)
    sessions = twin(Memory.sessions)
    check = twin(Memory.check)
    reindex = twin(Memory.reindex)

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
        relay = Relay(loop, options.get("on_event"))
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
    """Ends an asking whose answer nobody waits for any more."""


class Relay:
    """A listener in the thread that asks, which passes events on to one in the event loop, in order.

    As with a listener of `Memory`, what that one raises ends the asking.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, listener: Listener | None) -> None:
        self._loop = loop
        self._listener = listener
        self.ended = False
        """Set when nobody waits for the answer any more."""
        self.error: Exception | None = None
        """What the listener raised."""

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
