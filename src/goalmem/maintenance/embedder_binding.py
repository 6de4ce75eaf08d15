"""A memory that goes on when the vectors of its store were made anew with another embedder while it was open."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from goalmem.cancellation import heeding
from goalmem.errors import OtherModelError
from goalmem.maintenance.open_store import embedder_kept, let_go

if TYPE_CHECKING:
    from goalmem.memory import Memory
    from goalmem.models.protocol import Embedder

__all__ = ["Following", "follows"]

CHANGES = 8
"""Changes of the model that one call lives through: each takes a whole re-index."""
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(slots=True)
class Following:
    """Which embedder a memory may go on with."""

    given: Embedder | None
    """The one that it was opened with by whoever made it: no other may take its place."""
    coming: Embedder | None = None
    """The one that it is changing to by itself."""

    def close(self, kept: Embedder) -> None:
        """Let go of the embedder that a memory ends with; one that was given is its owner's to close."""
        if kept is not self.given:
            let_go(kept)


def follows(method: Method) -> Method:
    """A method of `Memory` that ends when the memory is closed, and is called again with the store's new embedder, where that may
    take the place of the old one.

    The store refuses the vectors of the old one before anything is stored or found, so nothing is done twice.
    """

    @functools.wraps(method)
    def following(self: Memory, /, *args: Any, **kwargs: Any) -> Any:
        with heeding(self._ending):
            for _ in range(CHANGES):
                began = self._embedder
                try:
                    return method(self, *args, **kwargs)
                except OtherModelError as error:
                    if self._embedder is began:  # else another thread took the new one while this one worked
                        _follow(self, error)
            return method(self, *args, **kwargs)

    return cast("Method", following)


def _follow(memory: Memory, error: OtherModelError) -> None:
    """Take the store's new embedder. Raises `error` where it is none of ours, or another one was chosen."""
    from goalmem.models.registry import AUTO

    coming, kept = memory._following.coming, memory._embedder
    if kept.name == error.model:  # another thread came first
        found: Embedder | None = kept
    elif coming is not None and coming.name == error.model:
        found = coming
    elif memory._following.given is None and memory.settings.embedder == AUTO:
        found = embedder_kept(error.model, memory.settings)
    else:
        found = None
    if found is None:
        raise error
    memory._take(memory._store.bound_to(found.name, found.dimension), found)
