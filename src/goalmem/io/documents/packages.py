"""What the extra `files` brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from goalmem.errors import InputError

__all__ = ["needs_files"]


@contextmanager
def needs_files(what: str) -> Iterator[None]:
    """Say how to install what is imported within, where it is not there. Raises InputError."""
    try:
        yield
    except ImportError as error:
        raise InputError(
            f"{what} needs the package {error.name!r}, which is not installed.",
            "Install it: pip install 'goalmem[files]'.",
        ) from error
