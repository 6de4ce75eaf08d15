"""Prompts of the chat reasoner: the fixed part from files of their own, the material written so that it stays data.

The instructions come first and never change, so that a server that keeps the prefix reads them once. Calls about facts
share theirs, and show the facts before what is asked of them: asked twice about the same facts, a server reads these once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources

from goalmem.errors import ChatReplyError, InputError
from goalmem.models.chat import ChatModel, ChatRequest, Guarded

LONGEST_NAME = 40
"""Characters of a speaker's name that are shown."""
PLAIN = str.maketrans(
    {'"': "'", "“": "'", "”": "'", "‘": "'", "’": "'", "<": "‹", ">": "›", "`": "'", "[": "(", "]": ")"}
)
"""What could end a quotation, open a tag or look like the number of a fact is shown as something that cannot."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One fact as a model sees it."""

    number: int
    day: datetime
    speaker: str
    words: str
    """Any text; it is quoted when it is shown."""
    before: str = ""
    """What was asked or said right before, where the words answer it."""


SHARED = ("facts", "unify", "read")
"""Files that make up the instructions of each call that shows many facts."""


@cache
def instructions(task: str) -> str:
    """The fixed part of a call: `decompose`, `unify`, `refine`, `answer`, `read`, `judge` or `caption`."""
    return "\n\n".join(map(prompt, SHARED if task in SHARED else (task,)))


def prompt(name: str) -> str:
    """One file of instructions."""
    return resources.files("goalmem.models").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()


def quoted(text: str, longest: int = 2_000) -> str:
    """Words of a memory on one line, without anything that could end the quotation."""
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text[: 2 * longest])
    flat = re.sub(r"\s+", " ", kept).strip().translate(PLAIN)
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def lines(facts: Sequence[Shown]) -> str:
    """The facts, one a line."""
    return "\n".join(_line(f) for f in facts)


def _line(fact: Shown) -> str:
    day = f"{fact.day.day} {fact.day:%B %Y}"
    asked = f' (after "{quoted(fact.before)}")' if fact.before else ""
    return f'[{fact.number}] {quoted(fact.speaker, LONGEST_NAME)}, {day}{asked}: "{quoted(fact.words)}"'


LONGEST_CAPTION = 500
"""Characters; what is longer is no sentence of 30 words."""


def caption_of(model: ChatModel, pictures: Sequence[str]) -> str:
    """What pictures show, in one line. Raises InputError where the model takes none, and ChatError."""
    if not getattr(model, "takes_images", False):
        raise InputError(
            f"The chat model {model.name} takes no pictures.", "Give messages a `caption`, or set a model that does."
        )
    request = ChatRequest(
        "caption", instructions("caption"), "What do these show?", max_tokens=120, images=tuple(pictures)
    )
    reply = Guarded(model).reply(request)
    caption = " ".join(reply.text.split())
    if reply.finish != "stop" or not caption or len(caption) > LONGEST_CAPTION:
        raise ChatReplyError(
            f"The chat model {model.name} gave no caption.", "Give the message a `caption`, or try again."
        )
    return caption
