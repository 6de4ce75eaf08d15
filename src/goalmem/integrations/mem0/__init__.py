"""mem0's `Memory` and `AsyncMemory` over a goalmem store: `from goalmem.integrations.mem0 import Memory` (docs/mem0.md)."""

from __future__ import annotations

from goalmem.integrations.mem0.config import MemoryConfig
from goalmem.integrations.mem0.memory import AsyncMemory, Memory
from goalmem.integrations.mem0.scope import MemoryNotFoundError, UnsupportedError, ValidationError

__all__ = ["AsyncMemory", "Memory", "MemoryConfig", "MemoryNotFoundError", "UnsupportedError", "ValidationError"]
