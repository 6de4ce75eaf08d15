"""Rule-based sentence splitting, without a parser."""

from __future__ import annotations

import re

ABBREVIATED_TITLES = ("St", "Mr", "Ms", "Mrs", "Dr", "Jr", "Sr", "Prof", "Mt", "vs")
"""Abbreviations that end no sentence."""
ABBREVIATIONS = (
    "a.m",
    "p.m",
    "e.g",
    "i.e",
    "approx",
    "etc",
    "inc",
    "ltd",
    "co",
    "dept",
    "est",
    "incl",
    "max",
    "min",
    "nr",
)
"""Abbreviations that do not end a sentence before a lower-case letter."""
SENTENCE_BREAK = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
"""Separators of sentences in messages. Passages are cut here: a change requires re-embedding of stored vectors."""
CLAUSE_BREAK = re.compile(r"(?<=[.!?;…])\s+|\n+")
"""Separators of statements, including semicolons within a sentence."""
QUESTION_BREAK = re.compile(
    r"(?:(?<=[!?])|(?<=\.)(?!\s+\d)(?<!\b[A-Z]\.)"
    + "".join(rf"(?<!\b{title}\.)" for title in ABBREVIATED_TITLES)
    + "".join(rf"(?!(?<=\b(?i:{re.escape(short)})\.)\s+[a-z])" for short in ABBREVIATIONS)
    + r")\s+"
)
"""Separators of a question from preceding text: not after abbreviations and initials, before a number, or at a mere
line end.
"""
_SENTENCE = re.compile(r"(?=\S)(?:[^.!?\n]++|[.!?]++(?!\s|$))*+(?:[.!?]++|\n|$)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the sentences of a text, including their marks."""
    return [m.span() for m in _SENTENCE.finditer(text)]
