"""The demo on a terminal, and the marks of its answers."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from statistics import median
from typing import TYPE_CHECKING

from goalmem.io import Options, read_chat

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from rich.console import Console

    from goalmem.answer import Answer
    from goalmem.memory import Memory
    from goalmem.proof.check import Verification


def show(memory: Memory, out: Console, *, space: str = "default", proofs: bool = True) -> bool:
    """Remember, ask, print; True when every question was answered rightly with a proof that holds."""
    out.print("Two friends write to each other, February to September 2024.", style="bold")
    began = time.perf_counter()
    sessions, messages = remember(memory, space=space)
    took = time.perf_counter() - began
    out.print(f"Remembered {messages} messages of {sessions} conversations in {took:.1f} s.\n", style="dim")
    outcomes = []
    for outcome in ask_all(memory, read_questions(), space=space):
        outcomes.append(outcome)
        show_outcome(out, len(outcomes), outcome, proof=proofs)
    show_summary(out, outcomes)
    return all(outcome.passed for outcome in outcomes)


def show_outcome(out: Console, number: int, outcome: QuestionOutcome, *, proof: bool) -> None:
    """One question: the answer, whether it is right, its proof, and how long it took."""
    question, answer = outcome.question, outcome.answer
    out.print(f"{number:>2}. {question.question}", style="bold")
    expected = " / ".join(question.accept) or "that it is not known"
    mark, style = ("right", "green") if outcome.right else (f"WRONG, expected: {expected}", "bold red")
    out.print(f"    {answer.text}", style="cyan" if answer.known else "yellow")
    checks = len(outcome.verification.checks)
    verified = f"verified ({checks} checks)" if outcome.verification.ok else "NOT VERIFIED"
    status = f"{answer.status}, {answer.confidence:.2f}" if answer.status == "likely" else answer.status
    out.print(f"    {mark} · {status} · {verified} · {question.kind} · {answer.seconds * 1000:.0f} ms", style=style)
    if proof:
        from rich.padding import Padding

        out.print(Padding(answer.tree(), (0, 0, 1, 4)))


def show_summary(out: Console, outcomes: Sequence[QuestionOutcome]) -> None:
    """How many were right, verified and rightly left open, and the time they took."""
    right = sum(o.right for o in outcomes)
    verified = sum(o.verification.ok for o in outcomes)
    unknowable = [o for o in outcomes if not o.question.accept]
    abstained = sum(o.right for o in unknowable)
    style = "bold green" if all(o.passed for o in outcomes) else "bold red"
    typical = median(o.answer.seconds for o in outcomes) * 1000
    out.print(f"{right} of {len(outcomes)} right, {verified} proofs verified.", style=style)
    out.print(
        f"{abstained} of {len(unknowable)} unanswerable ones left open; a question took {typical:.0f} ms (median).",
        style="dim",
    )


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """One question with its answer, marked and verified."""

    question: DemoQuestion
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


def ask_all(memory: Memory, questions: Iterable[DemoQuestion], *, space: str = "default") -> Iterator[QuestionOutcome]:
    """Ask every question; mark the answer and verify its proof."""
    for question in questions:
        answer = memory.ask(question.question, space=space)
        yield QuestionOutcome(question, answer, is_right(question, answer), memory.verify(answer))


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
