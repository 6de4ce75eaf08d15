"""The readers of rule English by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from goalmem.errors import InputError
from goalmem.rules.terms import RuleReader

if TYPE_CHECKING:
    from goalmem.models.chat import ChatModel

__all__ = ["READERS", "reader_named"]

READERS = ("grammar", "learned", "chat")


def reader_named(name: str | RuleReader, chat: ChatModel | None = None) -> RuleReader:
    """The reader of this name, or the one given. Raises InputError for a name that is none, or `chat` without a model."""
    if not isinstance(name, str):
        return name
    if name == "grammar":
        from goalmem.rules.grammar.reader import GrammarReader

        return GrammarReader()
    if name == "learned":
        from goalmem.rules.grammar.reader import GrammarReader
        from goalmem.rules.learned.reader import LearnedReader

        return LearnedReader(GrammarReader())
    if name == "chat" and chat is not None:
        reader: RuleReader = import_module("goalmem.rules.chat").ChatReader(chat)
        return reader
    if name == "chat":
        raise InputError(
            "No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL, or pass Memory(chat=…)."
        )
    raise InputError(f"There is no reader {name!r}.", f"Choose one of {', '.join(READERS)}, or pass a RuleReader.")
