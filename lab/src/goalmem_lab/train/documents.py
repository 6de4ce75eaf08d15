"""What reading corpora have in common: documents of lines, and questions answered by stretches of those lines."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One turn, printed as `Speaker: text`, or one sentence of prose."""

    text: str
    speaker: str = ""
    """What the line begins with, before its colon; empty for prose."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of one line that answers a question: `document.lines[line].text[start:end]`."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question and every marked answer; without any, it cannot be answered from its document."""

    text: str
    answers: tuple[Mark, ...] = ()
    near: int = 0
    """For a question without an answer: the line that seems to answer it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A dialogue or a paragraph with its questions."""

    corpus: str
    group: str
    """What is held out as a whole: a scene, a dialogue, an article."""
    lines: tuple[Line, ...]
    questions: tuple[Question, ...]
    closed: bool = False
    """Whether a question without marks is known to have no answer here (as in SQuAD 2.0)."""

    @property
    def dialogue(self) -> bool:
        """Whether its lines are turns of speakers."""
        return bool(self.lines) and bool(self.lines[0].speaker)

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks, in order of appearance."""
        return tuple(dict.fromkeys(line.speaker for line in self.lines if line.speaker))


def held_out(documents: Sequence[Document], one_in: int) -> tuple[list[Document], list[Document]]:
    """Documents to train on and those held out: about one group in `one_in`, by a hash of its name, the same always.

    A held-out text that another corpus holds too (XQuAD repeats SQuAD) is trained on in neither.
    """
    held = [document for document in documents if _bucket(document, one_in) == 0]
    texts = {_opening(document) for document in held}
    kept = [document for document in documents if _bucket(document, one_in) and _opening(document) not in texts]
    return kept, held


def _bucket(document: Document, one_in: int) -> int:
    name = f"{document.corpus}/{document.group}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:4], "big") % one_in


def _opening(document: Document) -> str:
    return " ".join(line.text for line in document.lines[:2])
