"""Questions about a few messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from goalmem import Memory

TOLD, ASKED = "2026-03-04T10:00:00", "2026-03-10T10:00:00"


def asked(said: str | Sequence[str], question: str, *, told: str = TOLD, at: str = ASKED) -> tuple[str, str]:
    """Status and text of the answer to a question; its proof verifies.

    Each message is a session on a day of its own, the first on that of `told`.
    """
    with Memory() as memory:
        for days, text in enumerate([said] if isinstance(said, str) else said):
            when = datetime.fromisoformat(told) + timedelta(days=days)
            memory.add({"role": "user", "content": text}, session=f"{days}", at=when.isoformat())
        answer = memory.ask(question, at=at)
        assert memory.verify(answer).ok
        return answer.status, answer.text
