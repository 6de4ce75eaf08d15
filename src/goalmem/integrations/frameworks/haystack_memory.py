"""The memory of a Haystack component: open already, or named by its place and opened when it is first needed."""

from __future__ import annotations

import inspect
import threading
import weakref
from typing import Any, Self, TypeAlias, cast

from haystack import default_from_dict
from haystack.core.errors import SerializationError
from haystack.utils import Secret

from goalmem.errors import InputError
from goalmem.integrations.frameworks.tools import MemoryLike

__all__ = ["HoldsMemory", "MemoryOrPlace"]

MemoryOrPlace: TypeAlias = MemoryLike | str | Secret
"""A memory that is open, or where one lies: a path, a PostgreSQL URL or the address of a server, or a Secret with one."""


class HoldsMemory:
    """What the components have in common. Those that name the same place share what was opened there.

    They call its `__init__` by name: `@component` makes a class anew, of which `super()` in it knows nothing.
    """

    def __init__(self, memory: MemoryOrPlace, space: str | None, key: Secret | None) -> None:
        """`space`: of calls that name none; None: the memory's own. `key`: of a server."""
        search = getattr(memory, "search", None)
        if not isinstance(memory, str | Secret) and (search is None or inspect.iscoroutinefunction(search)):
            raise InputError(
                f"A {type(memory).__name__} is no memory that components can use.",
                "Pass a Memory, a Client, or a place.",
            )
        self._given = memory
        self._opened: Opened | None = None
        self.space = space
        self.key = key

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote."""
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Open the memory."""
        _ = self.memory

    def close(self) -> None:
        """Let go of what was opened here; who lets go last closes it. A memory that was given open stays open."""
        self._opened = None

    @property
    def memory(self) -> MemoryLike:
        """The memory, opened where it is not yet."""
        if not isinstance(self._given, str | Secret):
            return self._given
        if self._opened is None:
            place = self._given if isinstance(self._given, str) else str(self._given.resolve_value() or "")
            self._opened = opened(place, str((self.key and self.key.resolve_value()) or ""))
        return self._opened.memory

    @property
    def place(self) -> str | Secret:
        """What a pipeline's file says of it. Raises SerializationError for a memory that was given open."""
        if isinstance(self._given, str | Secret):
            return self._given
        raise SerializationError(
            f"A {type(self._given).__name__} that is open cannot be written into a file. Give the component its place "
            'instead: memory="life.db", or the address of a server.'
        )


class Opened:
    """A memory that lives as long as somebody holds it."""

    def __init__(self, memory: MemoryLike) -> None:
        self.memory = memory
        self._finish = weakref.finalize(self, cast("Any", memory).close)


_by_place: weakref.WeakValueDictionary[tuple[str, str], Opened] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def opened(place: str, key: str) -> Opened:
    """The memory at a place: the one that others hold, or a new one."""
    with _opening:
        held = _by_place.get((place, key))
        if held is None:
            held = _by_place[place, key] = Opened(_open(place, key))
        return held


def _open(place: str, key: str) -> MemoryLike:
    from goalmem.client import Client
    from goalmem.memory import Memory

    return Client(place, key=key) if place.startswith(("http://", "https://")) else Memory(place)
