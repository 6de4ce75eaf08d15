"""mem0's `Memory` and `AsyncMemory` over a goalmem store: `from goalmem.compat.mem0 import Memory` (docs/mem0.md)."""

from __future__ import annotations

from goalmem.compat.mem0_async import AsyncMemory
from goalmem.compat.mem0_config import MemoryConfig
from goalmem.compat.mem0_errors import MemoryNotFoundError, UnsupportedError, ValidationError
from goalmem.compat.mem0_memory import Memory

__all__ = ["AsyncMemory", "Memory", "MemoryConfig", "MemoryNotFoundError", "UnsupportedError", "ValidationError"]
