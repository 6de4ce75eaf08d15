"""Packages of other systems, imported when they are first needed."""

from __future__ import annotations

import importlib
from typing import Any

from goalmem.errors import BackendError

__all__ = ["package"]

ALONE = {"a-mem": "a-mem>=0.2.6,<0.3", "cognee": "cognee>=1.6,<1.7"}
"""Systems without an extra, as they need an `openai` (through litellm) that goalmem's extra `chat` does not: what to install."""


def package(module: str, extra: str) -> Any:
    """A module of another system's package. Raises BackendError that says what to install when it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BackendError(
            f"The package of {module.partition('.')[0]} is not installed (no module {error.name!r}).",
            f"Install it with `pip install '{ALONE.get(extra, f'goalmem[{extra}]')}'`.",
        ) from error
