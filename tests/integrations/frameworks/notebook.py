"""The least of a memory that a framework's session needs, kept in a dict: real ones are slower than a thousand examples."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from goalmem import ConflictError, NotFoundError, Receipt
from goalmem.store import Forgotten


class Notebook:
    """Remembers messages by their ids, as `Memory` does; `fails` is raised by what changes it."""

    def __init__(self) -> None:
        self.turns: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.fails: Exception | None = None
        self._lock = threading.Lock()

    def add(
        self, messages: Sequence[Mapping[str, Any]], *, space: str = "default", session: str = "default", at: Any = None
    ) -> Receipt:
        if self.fails:
            raise self.fails
        with self._lock:
            known = len(self.turns)
            for message in messages:
                held = self.turns.setdefault((space, session, message["id"]), dict(message))
                if held["content"] != message["content"]:
                    raise ConflictError("The id is known with other content.", "Use another.")
            return Receipt(session, tuple(f"{session}/{m['id']}" for m in messages), len(self.turns) - known)

    def forget(self, *, turn: str | None = None, session: str | None = None, space: str = "default") -> Forgotten:
        if self.fails:
            raise self.fails
        named, _, identity = str(turn).partition("/")
        with self._lock:
            if self.turns.pop((space, named, identity), None) is None:
                raise NotFoundError("There is no such turn.", "Check the name.")
        return Forgotten(turns=1)

    def said(self, session: str, space: str = "default") -> list[tuple[str, str]]:
        """What a session says, by role, in the order it was told."""
        kept = [m for (held, named, _), m in self.turns.items() if (held, named) == (space, session)]
        return [(m["role"], m["content"]) for m in kept]

    def ask(self, question: str, **options: Any) -> Any:
        raise NotImplementedError

    def search(self, query: str, **options: Any) -> Any:
        raise NotImplementedError

    def context(self, utterance: str, **options: Any) -> Any:
        raise NotImplementedError
