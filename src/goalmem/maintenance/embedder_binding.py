"""Calls of a memory that go on when the vectors of its store were made anew with another embedder while it was open."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from goalmem.cancellation import heeding
from goalmem.errors import OtherModelError

if TYPE_CHECKING:
    from goalmem.maintenance.memory_parts import MemoryParts

__all__ = ["follows"]

CHANGES = 8
"""Changes of the model that one call lives through: each takes a whole re-index."""
Call = TypeVar("Call", bound=Callable[..., Any])


def follows(call: Call) -> Call:
    """A method of `Memory`, or a function of its parts, that ends when the memory is closed, and is called again with the store's
    new embedder, where that may take the place of the old one.

    The store refuses the vectors of the old one before anything is stored or found, so nothing is done twice.
    """

    @functools.wraps(call)
    def following(memory: Any, /, *args: Any, **kwargs: Any) -> Any:
        parts: MemoryParts = getattr(memory, "_parts", memory)
        with heeding(parts.ending):
            for _ in range(CHANGES):
                began = parts.embedder
                try:
                    return call(memory, *args, **kwargs)
                except OtherModelError as error:
                    if parts.embedder is began:  # else another thread took the new one while this one worked
                        parts.follow(error)
            return call(memory, *args, **kwargs)

    return cast("Call", following)
