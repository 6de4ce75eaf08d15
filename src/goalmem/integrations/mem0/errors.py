"""What mem0's callers catch: errors of goalmem that are also of the kinds that mem0 raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalmem.errors import GoalmemError, InputError, NotFoundError

__all__ = ["MemoryNotFoundError", "UnsupportedError", "ValidationError"]


class ValidationError(InputError):
    """An argument cannot be used; with the attributes of mem0's `ValidationError`, and a ValueError besides."""

    def __init__(self, message: str, error_code: str, details: Mapping[str, Any], suggestion: str) -> None:
        super().__init__(message, suggestion)
        self.message = message
        self.error_code = error_code
        self.details = dict(details)
        self.suggestion = suggestion
        self.debug_info: dict[str, Any] = {}

    def __reduce__(self) -> tuple[type[ValidationError], tuple[object, ...]]:
        return type(self), (self.message, self.error_code, self.details, self.suggestion)


class MemoryNotFoundError(NotFoundError, ValueError):
    """There is no memory of that id: mem0's `update` and `delete` raise ValueError then."""


class UnsupportedError(GoalmemError, NotImplementedError):
    """What mem0 names and does not do, either."""
