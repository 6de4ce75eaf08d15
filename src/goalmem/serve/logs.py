"""Structured logs: one JSON object a line, on stderr. No message, question, answer, name of a space, key or address is in them."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LOGGER = logging.getLogger("goalmem.serve")


class JsonLines(logging.Formatter):
    """A record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, event, and its fields. An exception appears as its type and location."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage() if record.name == LOGGER.name else record.name,
        }
        told = getattr(record, "figures", {})
        if isinstance(told, Mapping):
            fields |= told
        if record.exc_info and record.exc_info[1] is not None:
            fields |= where_raised(record.exc_info[1])
        return json.dumps(fields, default=str)


def begin_logging(level: str) -> None:
    """Log to stderr from now on, including uvicorn's own messages, without those that may quote a request."""
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setFormatter(JsonLines())
    for name in (LOGGER.name, "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [to_stderr]
        logger.propagate = False
        logger.setLevel(level.upper() if name == LOGGER.name else logging.WARNING)
    # These lines contain paths and queries.
    logging.getLogger("uvicorn.access").disabled = True


def log(level: int, event: str, **figures: object) -> None:
    """Write one line."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, event, extra={"figures": figures})


def where_raised(error: BaseException) -> dict[str, Any]:
    """Type and location of an error, without its message, which may quote what was said."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return {
        "error": type(error).__name__,
        "at": [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames],
    }
