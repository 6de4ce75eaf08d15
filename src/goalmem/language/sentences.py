"""Where sentences end, without a parser."""

from __future__ import annotations

import re

__all__ = ["QUESTION_BREAK", "SENTENCE_BREAK", "sentence_spans"]

SENTENCE_BREAK = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
"""What parts sentences of messages. Passages, of which stores keep the vectors, are cut here: another cut needs them made anew."""
QUESTION_BREAK = re.compile(
    r"(?<=[.!?])(?<!\bSt\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bJr\.)(?<!\bvs\.)(?<!\b[A-Z]\.)\s+"
)
"""What parts a question from what is said before it: not behind abbreviations and initials, nor at a line end alone."""
_SENTENCE = re.compile(r"\S[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text start and end, marks included."""
    return [m.span() for m in _SENTENCE.finditer(text)]
