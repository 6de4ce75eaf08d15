"""Spans of a turn's text: trimmed, and with the sentence around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.language.sentences import SENTENCE_BREAK
from goalmem.language.terms import WORD
from goalmem.language.words.function_words import CONNECTIVES, NO_ENDS
from goalmem.language.words.pronouns import PERSONS_AND_OWNERS
from goalmem.records import Fact, Modality
from goalmem.sources.assertion import facts_around, hedged, innermost

MEANT = frozenset({Modality.ASSERTED, Modality.PLANNED, Modality.FORMER})
TAKING = frozenset({Modality.QUESTION, Modality.COMMAND, Modality.WISH})
TAKEN = 0.5
"""Score of words that are only presupposed."""
ASKED_FOR = re.compile(r"\W*(?:(?:and|so|but|oh|hey|well|ok|okay)\W+)*(?:wh\w+|how)\b", re.IGNORECASE)
"""The start of a question, which presupposes the rest (Karttunen 1977, "Syntax and Semantics of Questions")."""
JOINED = re.compile(
    r"(?<!\w)\w+(?:[-‑'’]\w+)+|(?<!\d)\d+(?:[.,:]\d+)+|(?<![\d.,:])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![.,:]?\d)(?:[.,]\d+)?"
)
"""Words that contain a mark or a space: hyphenated or elided words, numbers (`18 000`), hours and versions."""
LEADING_ON = re.compile(r"(?:(?<=\s)|^)[a-z]+(['’]s)(?=\s+\w)")
"""A common noun with a possessive or a shortened `is` before another word: no answer ends with it."""

LONGEST_SENTENCE = 5_000
"""Characters: what goes on for longer without a full stop is no sentence, and is looked at no further from the words that are read."""
LONGEST_WORD = 1_000
"""Characters of words joined by hyphens, and of numbers."""


def assertion_score(facts: Sequence[Fact], start: int, end: int, text: str = "", *, denied: bool = False) -> float:
    """How surely words are asserted: 0 for what is denied or supposed, less than 1 for what is asked or wished, because a question
    presupposes much of it (`How long have you played the piano?`).

    The innermost clause around the words decides; without a clause, the verbs before them in the turn's `text`. With `text`, a yes/no
    question presupposes nothing. `denied`: the question asks what is not so.
    """
    around = innermost(facts_around(facts, start, end), start, end)
    if not around and text and hedged(text[sentence_around(text, start, end)[0] : start]):
        return 0.0
    if not around or any(f.polarity != denied and f.modality in MEANT for f in around):
        return 1.0
    taken = [f for f in around if f.polarity and f.modality in TAKING]
    if text and all(f.modality is Modality.QUESTION for f in taken):
        first, _ = sentence_around(text, start, end)
        taken = taken if ASKED_FOR.match(text, first) else []
    return TAKEN if taken else 0.0


def one_line(text: str) -> str:
    """The text without line breaks, of the same length."""
    return re.sub(r"[\r\n\t\x0b\x0c\x85\u2028\u2029]", " ", text)


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without spaces and punctuation at its ends."""
    start, end = max(0, start), min(len(text), end)
    while start < end and not (text[start].isalnum() or text[start] in "$€£\"“'"):
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] in "%\"”'+)"):
        end -= 1
    return start, end


def trim_function_words(text: str, start: int, end: int, *, of_person: bool = False) -> tuple[int, int]:
    """A span without function words at its ends; empty if it has no others.

    `of_person`: pronouns count as people.
    """
    closing = NO_ENDS - PERSONS_AND_OWNERS if of_person else NO_ENDS
    words = list(WORD.finditer(text, start, end))
    first, last = 0, len(words)
    while first < last and words[first].group().casefold() in CONNECTIVES - (
        PERSONS_AND_OWNERS if of_person else frozenset()
    ):
        first += 1
    while first < last and words[last - 1].group().casefold() in closing:
        last -= 1
    if words and first == last:
        return start, start
    opened = words[first].start() if first else start
    closed = words[last - 1].end() if last < len(words) else end
    return trim_span(text, opened, closed)


SIGN = re.compile(r"(?:(?<!\S)[-−–]|\bminus )$", re.IGNORECASE)
"""The sign before a number below zero."""


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span extended to whole words and numbers: `sixty-two` for `two`, `10.50` for `50`."""
    around = max(0, start - LONGEST_WORD), end + LONGEST_WORD
    for m in JOINED.finditer(text, *around):
        if m.start() < end and start < m.end():
            start, end = min(start, m.start()), max(end, m.end())
    for m in LEADING_ON.finditer(text, *around):
        if m.end() == end and m.start(1) > start:
            end = m.start(1)
    sign = SIGN.search(text, max(0, start - len("minus ")), start) if text[start : start + 1].isdigit() else None
    return (sign.start() if sign is not None else start), end


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of the sentences that contain a span; cut where a sentence goes on for `LONGEST_SENTENCE` before or behind it."""
    first, last = max(0, start - LONGEST_SENTENCE), min(len(text), end + LONGEST_SENTENCE)
    for m in SENTENCE_BREAK.finditer(text, first, last):
        if m.end() <= start:
            first = m.end()
        elif m.start() >= end:
            last = m.start()
            break
    return first, last
