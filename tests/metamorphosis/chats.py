"""Chat messages, written by hand, that do not answer the question asked of them; each beside messages that do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from goalmem import Memory

AT = "2024-05-14T12:00:00"
"""When all of it is said."""
PROVED = ("proved", "disproved")


@dataclass(frozen=True)
class Chat:
    """A question with turns that leave it open and turns that answer it, as (speaker, text)."""

    kind: str
    turns: tuple[tuple[str, str], ...]
    question: str
    allowed: tuple[str, ...]
    """What may be answered all the same, in lower case: `no` where the turns deny it."""
    stating: tuple[tuple[str, str], ...]
    expected: str


@dataclass(frozen=True)
class Reply:
    """What was answered to both."""

    chat: Chat
    open: tuple[str, str]
    """Status and text, asked of the turns that leave it open."""
    stated: tuple[str, str]
    """The same, asked of those that state it."""

    @property
    def wrong(self) -> bool:
        """Whether something is called proved that was not said."""
        status, text = self.open
        return status in PROVED and not any(a in text.casefold() for a in self.chat.allowed)

    @property
    def found(self) -> bool:
        """Whether what was said is answered."""
        status, text = self.stated
        return status != "unknown" and self.chat.expected.casefold() in text.casefold()


def chats() -> list[Chat]:
    """All of them, in order."""
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return [_chat(line) for line in lines if line and not line.startswith("#")]


def _chat(line: str) -> Chat:
    kind, turns, question, allowed, stating, expected = (field.strip() for field in line.split("|"))
    return Chat(kind, _turns(turns), question, tuple(filter(None, allowed.split(";"))), _turns(stating), expected)


def _turns(text: str) -> tuple[tuple[str, str], ...]:
    told = (turn.partition(":") for turn in text.split(" / "))
    return tuple((speaker.strip(), said.strip()) for speaker, _, said in told)


def replies(memory: Memory, asked: Iterable[Chat], prefix: str = "chat-") -> list[Reply]:
    """The replies to each, every one of a space of its own."""
    return [
        Reply(
            chat,
            _reply(memory, f"{prefix}{n}-open", chat.turns, chat.question),
            _reply(memory, f"{prefix}{n}-stated", chat.stating, chat.question),
        )
        for n, chat in enumerate(asked)
    ]


def _reply(memory: Memory, space: str, turns: tuple[tuple[str, str], ...], question: str) -> tuple[str, str]:
    memory.add([{"role": "user", "name": who, "content": said} for who, said in turns], space=space, at=AT)
    answer = memory.ask(question, space=space)
    return answer.status, answer.text
