"""What reading gives: messages of one session, and what had to be left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from goalmem.errors import FormatError

__all__ = ["MESSAGES_AT_ONCE", "Conversation", "Options", "Skipped"]

MESSAGES_AT_ONCE = 500
"""Longer sessions are handed on in portions of so many messages: memory stays bounded, and what interrupts the work
costs at most one portion."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of one session, in order; a long session comes as several of these."""

    session: str
    messages: tuple[dict[str, Any], ...]
    """OpenAI chat messages with optional `name`, `id`, `at` (datetime) and `caption`."""
    at: datetime | None
    """When the session took place; None when the file does not say."""
    line: int
    """Line of the file where it begins, from 1."""

    @property
    def dated(self) -> bool:
        """True when the file says when every message was sent."""
        return self.at is not None or all("at" in message for message in self.messages)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the file that was left out on request."""

    line: int
    problem: str


def _ignore(_: Skipped) -> None:
    """For callers that do not want to hear of it."""


@dataclass(frozen=True)
class Options:
    """How to read a file."""

    name: str = "-"
    """What errors call the file; its stem names sessions that have no name of their own."""
    skip_bad: bool = False
    """Leave out what cannot be read, and go on, instead of refusing the file."""
    day_first: bool = False
    """Read 03/04/2024 as 3 April instead of March 4."""
    on_skip: Callable[[Skipped], None] = _ignore
    remedy: str = "Pass a chat file: JSON, JSONL or a transcript"
    """What to do with a file that is no text."""

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        if self.name == "-":
            return "stdin"
        return self.name.replace("\\", "/").rstrip("/").rpartition("/")[2].rpartition(".")[0] or self.name

    def reject(self, line: int, problem: str, remedy: str) -> None:
        """Refuse the file at `line`, or report the part as skipped. `problem` is a clause: `is no JSON`."""
        if not self.skip_bad:
            self.refuse(line, problem, f"{remedy}, or leave it out with --skip-bad")
        self.on_skip(Skipped(line, problem))

    def refuse(self, line: int, problem: str, remedy: str) -> NoReturn:
        """Refuse the file at `line`; there is nothing to go on with."""
        raise FormatError(f"{self.name}, line {line}: {problem}.", f"{remedy}.")
