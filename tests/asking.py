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


def replied(lines: Sequence[str], question: str) -> tuple[str, str]:
    """The same of one conversation: `Ana: …` is said by Ana, `assistant: …` by the assistant, and the rest by the user."""
    with Memory() as memory:
        memory.add([_message(line) for line in lines], session="talk", at=TOLD)
        answer = memory.ask(question, at=TOLD)
        assert memory.verify(answer).ok
        return answer.status, answer.text


def _message(line: str) -> dict[str, str]:
    name, found, text = line.partition(": ")
    if found and name == "assistant":
        return {"role": "assistant", "content": text}
    if found and name in ("Ana", "Tom", "Leo"):
        return {"role": "user", "name": name, "content": text}
    return {"role": "user", "content": line}
