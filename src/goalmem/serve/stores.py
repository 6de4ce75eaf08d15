"""The store of a memory: what is listed page by page is read from it directly."""

from __future__ import annotations

from goalmem.memory import Memory
from goalmem.store import Store

__all__ = ["store_of"]


def store_of(memory: Memory) -> Store:
    """The store that a memory opened."""
    return memory._store
