"""Remember the demo's conversation and ask its questions."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from goalmem.demo.marks import Question, is_right
from goalmem.io import Options, read_chat

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from goalmem.answer import Answer
    from goalmem.memory import Memory
    from goalmem.proof.check import Verification

__all__ = ["Outcome", "add_background", "ask_all", "remember"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with its answer, marked and verified."""

    question: Question
    answer: Answer
    right: bool
    verification: Verification

    @property
    def passed(self) -> bool:
        """Right, with a proof that holds."""
        return self.right and self.verification.ok


def add_background(memory: Memory, *, space: str = "default") -> None:
    """Add the demo's rules and graph."""
    data = files("goalmem.demo") / "data"
    memory.add_rules((data / "rules.txt").read_text(encoding="utf-8"), space=space)
    rows = (data / "places.psv").read_text(encoding="utf-8").splitlines()
    memory.import_graph([row.split("|") for row in rows], space=space, name="places.psv")


def remember(memory: Memory, *, space: str = "default", source: Traversable | None = None) -> tuple[int, int]:
    """Add the demo's conversation, rules and graph, or another file; the numbers of sessions and of messages."""
    file = source or files("goalmem.demo") / "data" / "conversation.jsonl"
    if source is None:
        add_background(memory, space=space)
    sessions = messages = 0
    for conversation in read_chat(io.BytesIO(file.read_bytes()), Options(name=file.name)):
        memory.add(conversation.messages, space=space, session=conversation.session, at=conversation.at)
        sessions += 1
        messages += len(conversation.messages)
    return sessions, messages


def ask_all(memory: Memory, questions: Iterable[Question], *, space: str = "default") -> Iterator[Outcome]:
    """Ask every question; mark the answer and verify its proof."""
    for question in questions:
        answer = memory.ask(question.question, space=space)
        yield Outcome(question, answer, is_right(question, answer), memory.verify(answer))
