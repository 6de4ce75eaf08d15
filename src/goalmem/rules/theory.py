"""A theory: rules and facts stated in plain language, asked.

    theory = Theory.read("Big people are rough. Bob is big.")
    theory.ask("Bob is rough: true or false?").text  # "Yes"

Its rules are then the only source, and all that there is to know.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from goalmem.answer import Answer, answer_of
from goalmem.engine.budget import Budget
from goalmem.errors import InputError, RuleError, UnreadableRulesError, shown
from goalmem.proof.check import Verification, verified_by
from goalmem.proof.document import Proof
from goalmem.proof.path import ProofPath
from goalmem.rules.program import Program, World
from goalmem.rules.record import TheoryRecord, goal_of
from goalmem.rules.source import RuleSource
from goalmem.rules.terms import Literal, RuleReader, Unread

if TYPE_CHECKING:
    from goalmem.models.chat import ChatModel


@dataclass(frozen=True)
class Theory(Program):
    """Clauses of one world, by themselves. Safe to use from several threads."""

    @classmethod
    def read(
        cls, text: str, *, world: World = "closed", reader: str | RuleReader = "grammar", partial: bool = False
    ) -> Theory:
        """The theory that a text states. With `partial`, sentences that cannot be read are left out and listed.

        `reader` is `grammar`, `learned`, or a reader of your own.

        Raises:
            UnreadableRulesError: a sentence cannot be read, and `partial` is not set.
        """
        chosen = reader_named(reader)
        reading = chosen.read(text)
        if reading.unread and not partial:
            raise unreadable(reading.unread)
        return cls(reading.clauses, world, reading.unread, chosen).ready()

    def ask(self, question: str) -> Answer:
        """Answer a statement (`Bob is green.`, `Bob is green: true or false?`) or a question (`Who is kind?`) with a
        checked proof; an answer whose proof fails the check is withheld.

        Raises:
            RuleError: the question is none that rules could decide.
            UnstratifiedError: the answer rests on its own denial.
        """
        began = time.perf_counter()
        literal = self.statement(question)
        if literal is None:
            raise RuleError(
                f"“{question}” is not a statement or question that rules could decide.",
                "Ask like “Bob is green.”, “Is Bob green?” or “Who is green?”.",
            )
        return answer_of(self.prove(literal, question, datetime.now(UTC)), time.perf_counter() - began)

    def prove(self, literal: Literal, question: str, at: datetime, budget: Budget | None = None) -> Proof:
        """The checked proof of a statement from the theory; it belongs to no space."""
        source = RuleSource(self, alone=True, literal=literal)
        return ProofPath(question, "", at, self.record).proved(
            goal_of(question, literal), [source], budget or Budget(seconds=math.inf)
        )

    def check(self, proof: Proof) -> Verification:
        """Check a proof about this theory again, without what made it."""
        return verified_by(proof, self.record)

    @cached_property
    def record(self) -> TheoryRecord:
        """The theory as the checker of proofs sees it."""
        return TheoryRecord(self)


def unreadable(unread: Sequence[Unread]) -> UnreadableRulesError:
    """The error for sentences that could not be read."""
    first = unread[0]
    more = f" ({len(unread) - 1} more sentences cannot be read.)" if len(unread) > 1 else ""
    return UnreadableRulesError(
        f"Cannot read the sentence “{first.text}” (characters {first.start} to {first.end}), because {first.reason}.{more}",
        "Put it in simpler words (docs/rules.md shows the English that is read), or keep the others with `partial`.",
    )


READERS = ("grammar", "learned", "chat")


def reader_named(name: str | RuleReader, chat: ChatModel | None = None) -> RuleReader:
    """The reader with this name, or the given reader. Raises InputError for an unknown name, or for `chat` without a
    model.
    """
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
    raise InputError(f"There is no reader {shown(name)}.", f"Choose one of {', '.join(READERS)}, or pass a RuleReader.")
