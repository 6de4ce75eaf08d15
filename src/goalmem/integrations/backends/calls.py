"""Calls of a backend with time limits; their failures never end a question.

A backend is external code. If it fails, the question continues without its results, which means fewer answers. Only
programming and configuration errors before its first success are raised, since nobody would notice them otherwise.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from goalmem.errors import BackendError, GoalmemError
from goalmem.integrations.backends.passages import passage_of, passages_of
from goalmem.integrations.backends.protocol import Backend, Passage, adding_of, lookup_of

Result = TypeVar("Result")
log = logging.getLogger(__name__)

MISTAKES = (TypeError, AttributeError, NameError, NotImplementedError, ImportError)
"""Exceptions of broken code or installations; any other may be temporary."""
MOST_HANGING = 4
"""Calls that may still be running after they were given up, before no other is begun: a thread cannot be ended."""
REMEDY = "Return a list of Passage, text or dict with `text`, best first; an empty list where nothing is found."


@dataclass
class CallAllowance:
    """Time budget of the calls of one question, and their failures."""

    seconds: float
    """For one call, and for all of them where `together`."""
    together: bool = True
    failures: list[str] = field(default_factory=list)
    spent: float = 0.0
    """Seconds spent in calls so far, without the processing of their results."""
    _gone: bool = False

    @property
    def left(self) -> float:
        """Seconds that the next call may take; 0 once a call took too long."""
        return 0.0 if self._gone else max(0.0, self.seconds - (self.spent if self.together else 0.0))

    def give_up(self) -> None:
        """Start no further call: one that hung would hang again."""
        self._gone = True


class BackendCaller:
    """Calls one backend. Safe to use from several threads, as far as the backend is."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._answered = False
        self._hanging: list[_Call[Any]] = []
        self._same_thread = bool(getattr(backend, "same_thread", False))

    def search(self, query: str, k: int, patience: CallAllowance) -> tuple[Passage, ...]:
        """Search the backend; returns nothing on failure.

        Raises BackendError for a mistake in the backend, as long as it has never answered.
        """
        read = self._call("search", lambda: passages_of(await_result(self.backend.search(query, k)), k), patience)
        if read is None:
            return ()
        if read.problem:
            self._failed(f"Of `search`: {read.problem}.", patience, mistake=not read.passages)
        self._answered = True
        return read.passages

    def get(self, passage: str, patience: CallAllowance) -> Passage | None:
        """The current passage with an id; None if there is none or the call fails."""
        lookup = lookup_of(self.backend)
        return self._call("get", lambda: passage_of(await_result(lookup(passage))), patience) if lookup else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Hand on passages, for as long as it takes. Raises BackendError where the backend fails."""
        adding = adding_of(self.backend)
        made = _Call(lambda: await_result(adding(passages)) if adding else None)
        made.run()
        if isinstance(made.error, GoalmemError):
            raise made.error
        if made.error is not None:
            raise BackendError(
                f"The backend {type(self.backend).__name__} could not add. {type(made.error).__name__}: {made.error}.",
                "What it has added so far is known to it alone; adding again is safe where it knows passages by their id.",
            ) from made.error

    def _call(self, name: str, call: Callable[[], Result | None], patience: CallAllowance) -> Result | None:
        """The result of a call; None if it fails."""
        self._hanging = [c for c in self._hanging if c.is_alive()]
        if patience.left <= 0:
            if not patience.failures:
                self._failed(f"The time for searching it, {patience.seconds:g} s, was spent.", patience)
            return None
        if len(self._hanging) >= MOST_HANGING:
            self._failed(f"{len(self._hanging)} earlier calls still hang; `{name}` was not called.", patience)
            patience.give_up()
            return None
        made = _Call(call)
        began = time.monotonic()
        if self._same_thread:
            made.run()
        else:
            made.start()
            made.join(patience.left)
            if made.is_alive():
                self._hanging.append(made)
                self._failed(f"`{name}` did not return within {patience.seconds:g} s.", patience)
                patience.give_up()
                return None
        patience.spent += time.monotonic() - began
        if made.error is not None:
            self._raised(name, made.error, patience)
        return made.returned

    def _raised(self, name: str, error: BaseException, patience: CallAllowance) -> None:
        if isinstance(error, GoalmemError) and not self._answered:
            raise error
        problem = f"`{name}` raised {type(error).__name__}: {error}."
        self._failed(problem, patience, mistake=isinstance(error, MISTAKES), cause=error)

    def _failed(
        self, problem: str, patience: CallAllowance, *, mistake: bool = False, cause: BaseException | None = None
    ) -> None:
        """Record a failure; raise it if it is a mistake in a backend that never succeeded."""
        said = f"The backend {type(self.backend).__name__} failed. {problem}"
        if mistake and not self._answered:
            raise BackendError(said, REMEDY) from cause
        log.warning("%s", said)
        patience.failures.append(problem)


class _Call(threading.Thread, Generic[Result]):
    """One call in a daemon thread, which does not keep the program from ending."""

    def __init__(self, call: Callable[[], Result | None]) -> None:
        super().__init__(name="goalmem-backend", daemon=True)
        self._made = call
        self._context = copy_context()
        self.returned: Result | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Also called directly, to stay in the thread of the caller."""
        with self:
            self.returned = self._context.run(self._made)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Store the exception for the caller: nothing a backend raises propagates from its thread."""
        self.error = error
        return not (isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread())


def await_result(returned: object) -> object:
    """The result of a coroutine; any other value unchanged."""

    async def awaited() -> object:
        return await cast("Awaitable[object]", returned)

    return asyncio.run(awaited()) if inspect.isawaitable(returned) else returned
