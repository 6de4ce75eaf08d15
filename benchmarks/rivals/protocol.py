"""What a rival can be asked to do, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from goalmem.models.protocol import Embedder

Unit = Literal["session", "turn"]

FIRST_DEPTH = 50
"""Turns asked for first when sessions are wanted: ten sessions are among the first fifty turns as a rule."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `speaker` is empty where there is only a role."""

    id: str
    role: str
    speaker: str
    text: str
    caption: str = ""

    @property
    def content(self) -> str:
        """The text, with what a shared picture shows behind it: the words that goalmem searches, too."""
        return f"{self.text}\n[shares a picture: {self.caption}]" if self.caption else self.text

    @property
    def spoken(self) -> str:
        """The content behind its speaker's name, as a store without a field for speakers has to hold it."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation at a time."""

    name: str
    at: datetime
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how a rival keeps its store.

    `unit` is what will be asked for. `as_shipped`: memory, disk and time will be measured, so all is done as a user has it;
    otherwise a rival may leave out or keep in memory whatever does not change what is found.
    """

    folder: Path
    embedder: Embedder
    unit: Unit
    as_shipped: bool


class Rival(Protocol):
    """An open store of one memory."""

    def add(self, session: Session) -> None:
        """Take in a session; sessions come in order of time."""
        ...

    def finish(self) -> None:
        """All sessions are in: build what searching needs and put everything on the disk."""
        ...

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """Names of the `k` best sessions for a question asked at a time, best first, each once."""
        ...

    def turns(self, query: str, k: int) -> list[str]:
        """Ids of the `k` best messages, best first."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


class RivalModule(Protocol):
    """A module of this package."""

    PACKAGES: tuple[str, ...]
    """Distributions that must be installed; the first is the one that is compared."""
    HOW: str
    """How the library is used here, for the reader of the table."""

    def open_store(self, place: Place) -> Rival:
        """Open the store in the folder, or make it."""
        ...


def best_sessions(fetch: Callable[[int], Sequence[str]], k: int) -> list[str]:
    """The first `k` sessions of a search for turns: a session stands where its best turn stands.

    `fetch(n)` gives the session of each of the first n turns. It is asked for more until there are k sessions or no more
    turns, so that no session is lost to a neighbour with many turns.
    """
    depth = max(FIRST_DEPTH, k)
    while True:
        owners = fetch(depth)
        found = list(dict.fromkeys(owners))
        if len(found) >= k or len(owners) < depth:
            return found[:k]
        depth *= 2
