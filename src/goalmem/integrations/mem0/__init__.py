"""mem0's `Memory` and `AsyncMemory` over a goalmem store: `from goalmem.integrations.mem0 import Memory` (docs/mem0.md)."""

from __future__ import annotations

from goalmem.integrations.mem0.asynchronous import AsyncMemory
from goalmem.integrations.mem0.config import MemoryConfig
from goalmem.integrations.mem0.errors import MemoryNotFoundError, UnsupportedError, ValidationError
from goalmem.integrations.mem0.memory import Memory

__all__ = ["AsyncMemory", "Memory", "MemoryConfig", "MemoryNotFoundError", "UnsupportedError", "ValidationError"]
