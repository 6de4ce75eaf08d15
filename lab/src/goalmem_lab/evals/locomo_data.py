"""LoCoMo (Maharana et al. 2024): long conversations of two people, with questions and the turns that answer them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError
from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.selection import Selection
from goalmem_lab.train.datasets import Record, read_json

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense", 4: "single-hop", 5: "adversarial"}
NUMBERED = {str(number): name for number, name in CATEGORIES.items()}
"""Categories by the numbers that a command takes for them."""
ADVERSARIAL = 5

_SESSION = re.compile(r"session_(\d+)\Z")
_TURN = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `answer` is empty for an adversarial one, which has none."""

    number: int
    text: str
    category: int
    answer: str
    evidence: tuple[str, ...]
    """Turn ids that are there; empty when the file names none that is."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A sample: sessions in order, and questions."""

    id: str
    sessions: tuple[Told, ...]
    """Their messages have the official turn id (`D1:3`) as `id`."""
    questions: tuple[Question, ...]


Asked = list[tuple[Conversation, Question]]
"""Questions, each with its conversation."""


def chosen(conversations: Sequence[Conversation], selection: Selection) -> Asked:
    """The questions that are measured, with their conversations."""
    pairs = [(c, q) for c in conversations for q in c.questions]
    return selection.choose(
        pairs,
        key=lambda pair: key_of(*pair),
        group=lambda pair: pair[0].id,
        category=lambda pair: CATEGORIES[pair[1].category],
    )


def key_of(conversation: Conversation, question: Question) -> str:
    """Names a question within a run."""
    return f"{conversation.id}/{question.number}"


def read_locomo(path: Path) -> list[Conversation]:
    """Read the official file. Raises FormatError with file and place."""
    document = read_json(path)
    rows = document if isinstance(document, list) else [document]
    samples = [Record.of(row, f"{path.name}, [{number}]") for number, row in enumerate(rows)]
    conversations = [_conversation(sample, number) for number, sample in enumerate(samples)]
    if not conversations:
        raise FormatError(f"{path.name} holds no conversation.", "Name LoCoMo's official JSON file.")
    return conversations


def _conversation(sample: Record, number: int) -> Conversation:
    held = Record.of(sample.get("conversation", dict), f"{sample.place}.conversation")
    names = sorted(
        (key for key in held.value if _SESSION.match(key)), key=lambda key: int(key.removeprefix("session_"))
    )
    sessions = tuple(_session(held, name) for name in names if held.value[name])
    known = {message["id"] for session in sessions for message in session.messages}
    questions = tuple(_question(row, place, known) for place, row in enumerate(sample.records("qa")))
    return Conversation(str(sample.value.get("sample_id", number)), sessions, questions)


def _session(held: Record, name: str) -> Told:
    messages = tuple(_message(row) for row in held.records(name))
    return Told(
        name, held.moment(f"{name}_date_time"), tuple(m for m in messages if m["content"].strip() or "caption" in m)
    )


def _message(row: Record) -> dict[str, Any]:
    message = {
        "role": "user",
        "name": row.get("speaker", str),
        "content": row.get("text", str),
        "id": row.get("dia_id", str),
    }
    caption = row.value.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        message["caption"] = caption
    return message


def _question(row: Record, number: int, known: set[str]) -> Question:
    category = row.get("category", int)
    if category not in CATEGORIES:
        raise FormatError(f"{row.place} is of category {category}.", "Categories go from 1 to 5.")
    answer = "" if category == ADVERSARIAL else row.text("answer")
    return Question(number, row.text("question"), category, answer, _evidence(row, known))


def _evidence(row: Record, known: set[str]) -> tuple[str, ...]:
    """Turn ids in the order named. The official file has several in one string, and some written `D:11:26`."""
    named = row.value.get("evidence") or []
    found = (
        f"D{int(session)}:{int(turn)}"
        for text in (named if isinstance(named, list) else [named])
        for session, turn in _TURN.findall(str(text))
    )
    return tuple(dict.fromkeys(turn for turn in found if turn in known))
