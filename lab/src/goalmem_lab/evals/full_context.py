"""The baseline without retrieval: the reader is given all that was said; a chat model as much of it as fits.

Nothing is proved here, so no answer has a proof or a citation.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from goalmem.answer import UNKNOWN
from goalmem.errors import ChatError
from goalmem.models.chat import ChatModel, ChatRequest, object_in, tokens_in
from goalmem.models.protocol import SpanReader
from goalmem_lab.evals.encoded import Told, parsed
from goalmem_lab.evals.judge import prompt

WINDOW, STRIDE = 8, 6
"""Lines that the span reader is given at once, and lines from one window to the next: what it is trained to read."""
LEAST = 0.5
"""Probability from which a span is the answer: more likely than not."""
ATTEMPTS = 4
"""A model that cannot take so much is given half of it, up to an eighth."""
MOST_TOKENS = 128


@dataclass(frozen=True, slots=True)
class Taken:
    """What a reader of everything answered."""

    text: str
    known: bool
    confidence: float
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


class Whole(Protocol):
    """Answers out of all that was said."""

    def __call__(self, question: str, lines: Sequence[str], at: datetime | None) -> Taken:
        """An answer, or "I don't know", out of lines as `lines_of` gives them."""


def lines_of(sessions: Sequence[Told]) -> list[str]:
    """Every message as `date, speaker: text`, in order."""
    return [f"{m.at:%Y-%m-%d}, {m.speaker}: {' '.join(m.text.split())}" for told in sessions for m in parsed(told)]


@dataclass(frozen=True, slots=True)
class SpanWhole:
    """The span reader over windows of the conversation: the best span of any."""

    reader: SpanReader

    def __call__(self, question: str, lines: Sequence[str], at: datetime | None) -> Taken:
        """The most probable span, where it is more likely the answer than not."""
        began = time.perf_counter()
        plain = [line.partition(", ")[2] for line in lines]
        windows = ["\n".join(plain[n : n + WINDOW]) for n in range(0, max(1, len(plain)), STRIDE)]
        readings = self.reader.read([(question, window) for window in windows], limit=1)
        found = [
            (r.spans[0].score, w[r.spans[0].start : r.spans[0].end])
            for r, w in zip(readings, windows, strict=True)
            if r.spans
        ]
        score, text = max(found, default=(0.0, ""))
        known = score >= LEAST
        return Taken(text if known else UNKNOWN, known, score if known else 0.0, seconds=time.perf_counter() - began)


class Reply(BaseModel):
    """What a chat model replies."""

    model_config = ConfigDict(extra="ignore", strict=True)

    answer: str | None


@dataclass(frozen=True, slots=True)
class ChatWhole:
    """A chat model that is given the conversation, the newest part where not all of it fits."""

    model: ChatModel
    most_tokens: int
    """Of the prompt; estimated, so a model that refuses is given less."""

    def __call__(self, question: str, lines: Sequence[str], at: datetime | None) -> Taken:
        """Its answer; "I don't know" where it gives none, or none that can be read."""
        began, room, calls, spent = time.perf_counter(), self.most_tokens, 0, 0
        text = ""
        for _ in range(ATTEMPTS):
            calls += 1
            try:
                reply = self.model.reply(self._request(question, newest(lines, room), at))
            except ChatError:
                room //= 2
                continue
            spent += reply.prompt_tokens + reply.completion_tokens
            text = _answer_in(reply.text)
            break
        known = bool(text)
        return Taken(text or UNKNOWN, known, float(known), calls, spent, time.perf_counter() - began)

    def _request(self, question: str, lines: Sequence[str], at: datetime | None) -> ChatRequest:
        material = {"said": list(lines), "question": question, "asked_on": f"{at:%Y-%m-%d}" if at else None}
        return ChatRequest(
            task="full-context",
            system=prompt("full_context"),
            user=json.dumps(material, ensure_ascii=False),
            schema=Reply.model_json_schema(),
            schema_name="answer",
            max_tokens=MOST_TOKENS,
        )


def newest(lines: Sequence[str], tokens: int) -> list[str]:
    """The last lines that come to at most so many tokens, in order."""
    kept: list[str] = []
    for line in reversed(lines):
        tokens -= tokens_in(line)
        if tokens < 0:
            break
        kept.append(line)
    return kept[::-1]


def _answer_in(text: str) -> str:
    try:
        return " ".join((Reply.model_validate_json(object_in(text)).answer or "").split())
    except ValidationError:
        return ""
