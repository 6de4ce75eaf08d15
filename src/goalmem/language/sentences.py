"""Where sentences end, without a parser."""

from __future__ import annotations

import re

TITLES = ("St", "Mr", "Ms", "Mrs", "Dr", "Jr", "Sr", "Prof", "Mt", "vs")
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
"""Abbreviations that end none before a small letter."""
SENTENCE_BREAK = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
"""What parts sentences of messages. Passages, of which stores keep the vectors, are cut here: another cut needs them made anew."""
CLAUSE_BREAK = re.compile(r"(?<=[.!?;…])\s+|\n+")
"""What parts statements, also those that one sentence joins by a semicolon."""
QUESTION_BREAK = re.compile(
    r"(?:(?<=[!?])|(?<=\.)(?!\s+\d)(?<!\b[A-Z]\.)"
    + "".join(rf"(?<!\b{title}\.)" for title in TITLES)
    + "".join(rf"(?!(?<=\b(?i:{re.escape(short)})\.)\s+[a-z])" for short in ABBREVIATIONS)
    + r")\s+"
)
"""What parts a question from what is said before it: not behind abbreviations and initials, before a number, nor at a line end alone."""
_SENTENCE = re.compile(r"\S[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text start and end, marks included."""
    return [m.span() for m in _SENTENCE.finditer(text)]
