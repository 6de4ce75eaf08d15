"""Calls of a backend: each with a time limit, none of which can bring down a question.

A backend is somebody else's code. Where it fails, answers become fewer: the question goes on without what the call would have
found. Only before it has ever answered, a mistake in how it is written or set up is raised, since nobody would see it otherwise.
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
"""What code raises that cannot work as it is written or installed; anything else may pass."""
MOST_HANGING = 4
"""Calls that may still be running after they were given up, before no other is begun: a thread cannot be ended."""
REMEDY = "Return a list of Passage, text or dict with `text`, best first; an empty list where nothing is found."


@dataclass
class Patience:
    """What the calls of one question may take together, and what went wrong in them."""

    seconds: float
    """For one call, and for all of them where `together`."""
    together: bool = True
    failures: list[str] = field(default_factory=list)
    spent: float = 0.0
    """Seconds that calls took so far; what is made of their results counts elsewhere."""
    _gone: bool = False

    @property
    def left(self) -> float:
        """Seconds that the next call may take; 0 once a call took too long."""
        return 0.0 if self._gone else max(0.0, self.seconds - (self.spent if self.together else 0.0))

    def give_up(self) -> None:
        """Begin no further call: one that hung would hang again."""
        self._gone = True


class Caller:
    """Calls one backend. Safe to use from several threads, as far as the backend is."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._answered = False
        self._hanging: list[_Call[Any]] = []
        self._same_thread = bool(getattr(backend, "same_thread", False))

    def search(self, query: str, k: int, patience: Patience) -> tuple[Passage, ...]:
        """What the backend finds; nothing where it fails.

        Raises BackendError for a mistake in the backend, as long as it has never answered.
        """
        read = self._call("search", lambda: passages_of(settled(self.backend.search(query, k)), k), patience)
        if read is None:
            return ()
        if read.problem:
            self._failed(f"Of `search`: {read.problem}.", patience, mistake=not read.passages)
        self._answered = True
        return read.passages

    def get(self, passage: str, patience: Patience) -> Passage | None:
        """The passage of an id as it is now; None where there is none, or the call fails."""
        lookup = lookup_of(self.backend)
        return self._call("get", lambda: passage_of(settled(lookup(passage))), patience) if lookup else None

    def add(self, passages: Sequence[Passage]) -> None:
        """Hand on passages, for as long as it takes. Raises BackendError where the backend fails."""
        adding = adding_of(self.backend)
        made = _Call(lambda: settled(adding(passages)) if adding else None)
        made.run()
        if isinstance(made.error, GoalmemError):
            raise made.error
        if made.error is not None:
            raise BackendError(
                f"The backend {type(self.backend).__name__} could not add. {type(made.error).__name__}: {made.error}.",
                "What it has added so far is known to it alone; adding again is safe where it knows passages by their id.",
            ) from made.error

    def _call(self, name: str, call: Callable[[], Result | None], patience: Patience) -> Result | None:
        """What the call gives; None where it fails."""
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

    def _raised(self, name: str, error: BaseException, patience: Patience) -> None:
        if isinstance(error, GoalmemError) and not self._answered:
            raise error
        problem = f"`{name}` raised {type(error).__name__}: {error}."
        self._failed(problem, patience, mistake=isinstance(error, MISTAKES), cause=error)

    def _failed(
        self, problem: str, patience: Patience, *, mistake: bool = False, cause: BaseException | None = None
    ) -> None:
        """Note what went wrong; raise it where it is a mistake in a backend that has never answered."""
        said = f"The backend {type(self.backend).__name__} failed. {problem}"
        if mistake and not self._answered:
            raise BackendError(said, REMEDY) from cause
        log.warning("%s", said)
        patience.failures.append(problem)


class _Call(threading.Thread, Generic[Result]):
    """One call in a thread of its own, which does not keep the program from ending."""

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
        """Keep what was raised for the caller: whatever a backend raises, it ends this call and nothing else."""
        self.error = error
        return not (isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread())


def settled(returned: object) -> object:
    """What a coroutine gives; anything else as it is."""

    async def awaited() -> object:
        return await cast("Awaitable[object]", returned)

    return asyncio.run(awaited()) if inspect.isawaitable(returned) else returned
