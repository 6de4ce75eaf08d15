"""A memory as tools for a model, without any framework: typed functions that return text.

Names, arguments and words are those of the MCP server's tools (docs/mcp.md), and `search` beside them. A framework reads
signature and docstring of a method and makes a tool of it. What was said by others comes back quoted, each quotation on
one line, so that it is read as data (docs/agents.md).
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar, cast

from pydantic import Field

from goalmem.answer import Answer, Receipt
from goalmem.answering.context_block import (
    CLOSING,
    EMPTY,
    HEADING,
    LONGEST_QUOTE,
    OPENING,
    Note,
    excerpt,
    inert,
    line_of,
)
from goalmem.io.chat_messages import LONGEST_NAME, When
from goalmem.logic.syntax import format_atom
from goalmem.memory import MAX_TOKENS
from goalmem.proof.document import MissingGoal
from goalmem.records import Hit
from goalmem.store.protocol import Forgotten

if TYPE_CHECKING:
    from goalmem.answering.context import Context

__all__ = [
    "EVERY",
    "HITS",
    "LONGEST_TEXT",
    "MOST_HITS",
    "MOST_TOKENS",
    "READING",
    "About",
    "AnyMemory",
    "Asker",
    "AsyncMemoryLike",
    "AsyncTools",
    "Count",
    "MemoryLike",
    "Query",
    "Question",
    "Said",
    "SaidAt",
    "Speaker",
    "Tokens",
    "Tools",
    "answer_text",
    "awaited",
    "hits_text",
    "message_of",
    "placed",
    "receipt_text",
    "today",
]

LONGEST_TEXT = 100_000
"""Characters of a message or a question, as of the MCP server: more than any model is shown at once."""
MOST_TOKENS = 8_000
"""Of one `recall`, as of the MCP server."""
MOST_HITS = 50
"""Of one `search`: about 6,000 tokens of quotations."""
HITS = 5
"""Of a `search` by default."""
LIKELY = "This is likely, not certain: say so."
"""What a model is told with an answer that is likely, as by the MCP server."""
READING = ("recall", "ask", "search")
"""The tools that change nothing."""
EVERY = (*READING, "remember")
"""All tools."""

T = TypeVar("T")

Said = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="What was said, word for word.")]
Speaker = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, description="Name of who said it.")]
Asker = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
    Field(description='Name of whom "I" and "my" mean. Leave out where only one person speaks.'),
]
SaidAt = Annotated[str | None, Field(description="When, like 2024-05-01T14:03. Leave out for now.")]
About = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TEXT, description="A question, a request or a topic, in plain words."),
]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS, description="Length of what comes back.")]
Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TEXT, description="One question, with names instead of he or she."),
]
Query = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="What the messages should be about.")]
Count = Annotated[int, Field(ge=1, le=MOST_HITS, description="How many messages at most.")]


class MemoryLike(Protocol):
    """What is needed of a memory: `goalmem.Memory` and `goalmem.Client` have it."""

    def add(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        space: str = ...,
        session: str = ...,
        at: When | None = ...,
    ) -> Receipt:
        """As `Memory.add`."""
        ...

    def ask(self, question: str, *, space: str = ..., at: When | None = ..., speaker: str | None = ...) -> Answer:
        """As `Memory.ask`."""
        ...

    def search(
        self, query: str, *, space: str = ..., k: int = ..., at: When | None = ..., speaker: str | None = ...
    ) -> list[Hit]:
        """As `Memory.search`."""
        ...

    def context(
        self,
        utterance: str,
        *,
        space: str = ...,
        max_tokens: int = ...,
        at: When | None = ...,
        speaker: str | None = ...,
    ) -> Context:
        """As `Memory.context`."""
        ...

    def forget(self, *, turn: str | None = ..., session: str | None = ..., space: str = ...) -> Forgotten:
        """As `Memory.forget`."""
        ...


class AsyncMemoryLike(Protocol):
    """The same, awaited: `goalmem.AsyncMemory` and `goalmem.AsyncClient`."""

    def add(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        space: str = ...,
        session: str = ...,
        at: When | None = ...,
    ) -> Awaitable[Receipt]:
        """As `Memory.add`."""
        ...

    def ask(
        self, question: str, *, space: str = ..., at: When | None = ..., speaker: str | None = ...
    ) -> Awaitable[Answer]:
        """As `Memory.ask`."""
        ...

    def search(
        self, query: str, *, space: str = ..., k: int = ..., at: When | None = ..., speaker: str | None = ...
    ) -> Awaitable[list[Hit]]:
        """As `Memory.search`."""
        ...

    def context(
        self,
        utterance: str,
        *,
        space: str = ...,
        max_tokens: int = ...,
        at: When | None = ...,
        speaker: str | None = ...,
    ) -> Awaitable[Context]:
        """As `Memory.context`."""
        ...

    def forget(self, *, turn: str | None = ..., session: str | None = ..., space: str = ...) -> Awaitable[Forgotten]:
        """As `Memory.forget`."""
        ...


AnyMemory: TypeAlias = MemoryLike | AsyncMemoryLike


@dataclass(frozen=True, slots=True)
class Tools:
    """What a model may do with one space of a memory; each method is a tool.

    Errors are GoalmemErrors: `problem` and `remedy` are words that a model can follow.
    """

    memory: MemoryLike
    space: str | None = None
    """None: the memory's own (`default`, or that of a client)."""
    session: str | None = None
    """Of what is remembered; None: one a day, so that the same words on another day are new."""

    def remember(self, text: Said, speaker: Speaker = "user", said_at: SaidAt = None) -> str:
        """Remember something that was said. Use it for every message worth knowing later."""
        messages, session = message_of(text, speaker, said_at), self.session or today()
        return receipt_text(self.memory.add(messages, session=session, **placed(self.space)))

    def recall(self, about: About, max_tokens: Tokens = MAX_TOKENS, speaker: Asker = None) -> str:
        """What is remembered about something, quoted with dates. Use it before you reply."""
        return self.memory.context(about, max_tokens=max_tokens, **placed(self.space, speaker)).text

    def ask(self, question: Question, speaker: Asker = None) -> str:
        """Answer a question from memory, with a proof. Says what is only likely, and "I don't know" without a proof."""
        return answer_text(self.memory.ask(question, **placed(self.space, speaker)))

    def search(self, query: Query, k: Count = HITS, speaker: Asker = None) -> str:
        """Find remembered messages, best first. Use it to see what was said, word for word."""
        return hits_text(self.memory.search(query, k=k, **placed(self.space, speaker)))


@dataclass(frozen=True, slots=True)
class AsyncTools:
    """`Tools` to be awaited, of any memory; one that is not async works in a thread."""

    memory: AnyMemory
    space: str | None = None
    session: str | None = None

    async def remember(self, text: Said, speaker: Speaker = "user", said_at: SaidAt = None) -> str:
        """Remember something that was said. Use it for every message worth knowing later."""
        messages, session = message_of(text, speaker, said_at), self.session or today()
        return receipt_text(await awaited(self.memory.add, messages, session=session, **placed(self.space)))

    async def recall(self, about: About, max_tokens: Tokens = MAX_TOKENS, speaker: Asker = None) -> str:
        """What is remembered about something, quoted with dates. Use it before you reply."""
        where = placed(self.space, speaker)
        return (await awaited(self.memory.context, about, max_tokens=max_tokens, **where)).text

    async def ask(self, question: Question, speaker: Asker = None) -> str:
        """Answer a question from memory, with a proof. Says what is only likely, and "I don't know" without a proof."""
        return answer_text(await awaited(self.memory.ask, question, **placed(self.space, speaker)))

    async def search(self, query: Query, k: Count = HITS, speaker: Asker = None) -> str:
        """Find remembered messages, best first. Use it to see what was said, word for word."""
        return hits_text(await awaited(self.memory.search, query, k=k, **placed(self.space, speaker)))


async def awaited(method: Callable[..., T | Awaitable[T]], *args: Any, **options: Any) -> T:
    """Call a method of any memory; one that is not async works in a thread, so that the event loop goes on."""
    if inspect.iscoroutinefunction(method):
        return await cast("Awaitable[T]", method(*args, **options))
    return cast("T", await asyncio.to_thread(partial(method, *args, **options)))


def placed(space: str | None, speaker: str | None = None) -> dict[str, Any]:
    """The arguments `space` and `speaker` (who asks), each where one is named; else the memory's own holds."""
    named = {"space": space, "speaker": speaker}
    return {name: value for name, value in named.items() if value is not None}


def message_of(text: str, speaker: str, said_at: str | None) -> list[dict[str, Any]]:
    """What `remember` adds."""
    message: dict[str, Any] = {"role": "user", "name": speaker, "content": text}
    if speaker in ("user", "assistant"):
        message["role"] = message.pop("name")
    return [message | ({"at": said_at} if said_at else {})]


def receipt_text(receipt: Receipt) -> str:
    """What was stored, of one message."""
    turn = receipt.turns[0]
    return f"Remembered as turn {turn}." if receipt.new else f"Known already, as turn {turn}."


def answer_text(answer: Answer) -> str:
    """An answer with the words that it rests on, or what is missing."""
    if not answer.known:
        return f"{answer.text}.\n{missing_text(answer.missing)}"
    head = f"Answer: {inert(answer.full or answer.text)} ({answer.status}, confidence {answer.confidence:.2f})"
    quotes = [
        f'- {e.said[:10]}, {inert(e.speaker)}: "{inert(excerpt(e.quote, LONGEST_QUOTE))}" (turn {e.turn})'
        for e in answer.proof.evidence()
    ]
    sure = [LIKELY] if answer.status == "likely" else []
    return "\n".join([head, *sure, *(["It was said:", *quotes] if quotes else [])])


def missing_text(missing: Sequence[MissingGoal]) -> str:
    """What could not be proved."""
    lines = [f"- {inert(format_atom(m.atom))}: {m.stage} ({inert(m.reason)})" for m in missing]
    return "\n".join(["Missing:", *lines]) if lines else "Nothing that is remembered bears on it."


def hits_text(hits: Sequence[Hit]) -> str:
    """The turns found, best first, as a block that cannot act as instructions."""
    lines = [
        line_of(Note(h.turn.id, h.turn.speaker, h.turn.at if h.turn.dated else None, h.turn.content), LONGEST_QUOTE)
        for h in hits
    ]
    return "\n".join([OPENING, HEADING, *(lines or [EMPTY]), CLOSING])


def today() -> str:
    """The session of a day."""
    return f"{datetime.now(UTC):%Y-%m-%d}"
