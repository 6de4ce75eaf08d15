"""Who began a task: how it is known that workers die on it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from goalmem.errors import StoreError

__all__ = ["MOST_STARTS", "begin", "worker_name"]

MOST_STARTS = 5
"""Times that a task is begun in a run: one on which five workers died would kill a sixth."""


def worker_name() -> str:
    """Host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def begin(path: Path) -> int:
    """Note in the file at `path` that this process begins a task; how often it was begun, with this one.

    Raises StoreError after `MOST_STARTS`, or where the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(worker_name() + "\n")
        starts = len(path.read_text(encoding="utf-8").splitlines())
    except OSError as error:
        raise StoreError(
            f"The work folder {path.parent} cannot be used: {error.strerror or error}.",
            "It must be the same on every machine, and stay until the work is done.",
        ) from error
    if starts > MOST_STARTS:
        raise StoreError(
            f"{MOST_STARTS} workers died on the same work ({path}).",
            "Look for what killed them, such as a lack of memory; then run the command again.",
        )
    return starts
