"""Packages of other systems, imported when they are first needed."""

from __future__ import annotations

import importlib
from typing import Any

from goalmem.errors import BackendError

__all__ = ["package"]


def package(module: str, extra: str) -> Any:
    """A module of another system's package. Raises BackendError that names the extra when it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BackendError(
            f"The package of {module.partition('.')[0]} is not installed (no module {error.name!r}).",
            f"Install it with `pip install 'goalmem[{extra}]'`.",
        ) from error
