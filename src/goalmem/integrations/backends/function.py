"""Any function that searches, as a backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goalmem.integrations.backends.protocol import Adding, Lookup, Passage

__all__ = ["CallableBackend"]


@dataclass(frozen=True)
class CallableBackend:
    """A function `search(query, k)` that returns passages, texts, or dicts with `text`, best first; it may be async.

    Of a dict `id`, `speaker`, `at` and `session` are read, too, under these or similar names, also in its `metadata`.
    """

    function: Callable[[str, int], Any]
    get: Lookup | Callable[[str], Any] | None = None
    """Gives the passage of an id as it is now, or None: then `verify` finds what a proof cites by its id."""
    add: Adding | None = None
    """Remembers passages: then `Memory.add` works."""
    same_thread: bool = False
    """Call it in the thread that asks, for what belongs to one thread. Nothing can then end a call that hangs."""

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """What the function returns; it is read and checked by who calls."""
        returned: Sequence[Passage] = self.function(query, k)
        return returned
