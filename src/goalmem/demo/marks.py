"""Questions with what counts as a right answer. Used after the answer is there, and only to mark it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from goalmem.answer import Answer


YES_OR_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question, what it tries, and the answers that count as right; none means that it cannot be answered."""

    question: str
    kind: str
    accept: tuple[str, ...]


def read_questions(source: Traversable | None = None) -> list[DemoQuestion]:
    """The demo's questions, or those of another file of the same form."""
    text = (source or files("goalmem.demo") / "data" / "questions.jsonl").read_text(encoding="utf-8")
    rows = (json.loads(line) for line in text.splitlines())
    return [DemoQuestion(row["question"], row["kind"], tuple(row["accept"])) for row in rows]


def is_right(question: DemoQuestion, answer: Answer) -> bool:
    """True when the answer says an accepted thing and no other value, or rightly says that it does not know."""
    if not question.accept:
        return not answer.known
    return (
        answer.known and _says(answer.text, question.accept) and all(_says(v, question.accept) for v in answer.values)
    )


def _says(text: str, accepted: Sequence[str]) -> bool:
    """True when an accepted answer stands in the text, word for word; `yes` and `no` must come first."""
    words = _words(text)
    return any(
        words[:1] == [right] if right in YES_OR_NO else _contains(words, _words(right))
        for right in (a.casefold() for a in accepted)
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _contains(words: list[str], part: list[str]) -> bool:
    return any(words[i : i + len(part)] == part for i in range(len(words) - len(part) + 1))
