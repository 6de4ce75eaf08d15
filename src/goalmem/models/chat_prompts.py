"""Prompts of the chat reasoner: the fixed part from files of their own, the material written so that it stays data.

The instructions come first and are constant, so that servers can cache the prefix. Calls about facts share their
instructions and list the facts before the task, so that repeated calls about the same facts share that prefix, too.
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
from goalmem.models.chat import ChatModel, ChatRequest, GuardedChat

LONGEST_NAME = 40
"""Characters of a speaker's name that are shown."""
PLAIN = str.maketrans(
    {'"': "'", "“": "'", "”": "'", "‘": "'", "’": "'", "<": "‹", ">": "›", "`": "'", "[": "(", "]": ")"}
)
"""Characters that could end a quotation, open a tag or look like a fact's number are replaced by harmless ones."""


@dataclass(frozen=True, slots=True)
class PromptFact:
    """A fact in a prompt."""

    number: int
    day: datetime
    speaker: str
    words: str
    """Any text; it is quoted when it is shown."""
    before: str = ""
    """The preceding question or statement that the words respond to."""


SHARED = ("facts", "unify", "read")
"""Files that make up the instructions of each call that shows many facts."""


@cache
def instructions(task: str) -> str:
    """The fixed part of a call: `decompose`, `unify`, `refine`, `answer`, `read`, `judge` or `caption`."""
    return "\n\n".join(map(prompt, SHARED if task in SHARED else (task,)))


@cache
def prompt(name: str, package: str = "goalmem.models") -> str:
    """The instructions in one file of a package."""
    return resources.files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()


def quoted(text: str, longest: int = 2_000) -> str:
    """Words of a memory on one line, without anything that could end the quotation."""
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text[: 2 * longest])
    flat = re.sub(r"\s+", " ", kept).strip().translate(PLAIN)
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def lines(facts: Sequence[PromptFact]) -> str:
    """The facts, one a line."""
    return "\n".join(_line(f) for f in facts)


def _line(fact: PromptFact) -> str:
    day = f"{fact.day.day} {fact.day:%B %Y}"
    asked = f' (after "{quoted(fact.before)}")' if fact.before else ""
    return f'[{fact.number}] {quoted(fact.speaker, LONGEST_NAME)}, {day}{asked}: "{quoted(fact.words)}"'


LONGEST_CAPTION = 500
"""Maximum number of characters; longer texts are not the requested sentence of 30 words."""


def caption_of(model: ChatModel, pictures: Sequence[str]) -> str:
    """A one-line caption of pictures. Raises InputError if the model does not support images, and ChatError."""
    if not getattr(model, "takes_images", False):
        raise InputError(
            f"The chat model {model.name} does not accept pictures.",
            "Give messages a `caption`, or set a model that does.",
        )
    request = ChatRequest(
        "caption", instructions("caption"), "What do these show?", max_tokens=120, images=tuple(pictures)
    )
    reply = GuardedChat(model).reply(request)
    caption = " ".join(reply.text.split())
    if reply.finish != "stop" or not caption or len(caption) > LONGEST_CAPTION:
        raise ChatReplyError(
            f"The chat model {model.name} gave no caption.", "Give the message a `caption`, or try again."
        )
    return caption
