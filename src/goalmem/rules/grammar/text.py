"""A text as sentences, and a sentence as words; places are kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from goalmem.rules.english import CONTRACTIONS

MAX_WORDS = 200
"""Words of a sentence that is still read; the longest of controlled English have about 60."""
MAX_CHARS = 4000
ABBREVIATIONS = frozenset("mr mrs ms dr st prof jr sr vs e.g i.e".split())
_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s|$)|;(?=\s|$)|\n")
_MARKER = re.compile(r"\s*(?:[-*•–]|\(?\d{1,4}[.)]|#+)?\s*")
_LIST = re.compile(r"(?:[-*•–]|\(?\d{1,4}[.)])\s")
_WORD = re.compile(r"[^\W_]+(?:[-&/.'’][^\W_]+)*|\S")
_QUOTES = '"“”()[]'
_AROUND = _QUOTES + " .!?;"
_INITIAL = re.compile(r"[A-T]")
"""Not U to Z, which rules use for variables."""
_NOT = re.compile(r"(.+)n't$")


class UnreadableError(Exception):
    """Why a sentence cannot be read; the message completes "because …"."""


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A sentence and its character offsets in the text."""

    text: str
    start: int
    end: int


def sentences(text: str) -> Iterator[TextSentence]:
    """The sentences of a text in order. They end with `.`, `!`, `?` or `;`, or at the end of a line unless the next
    line starts in lower case.
    """
    start = 0
    for found in _END.finditer(text):
        if _ends(text, start, found):
            yield from _trimmed(text, start, found.end())
            start = found.end()
    yield from _trimmed(text, start, len(text))


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    if found[0] == "\n":
        after = text[found.end() : found.end() + 80].lstrip(" \t\r")
        return not after[:1].islower() or bool(_LIST.match(after))
    if found[0] == ".":
        before = text[max(start, found.start() - 8) : found.start()]
        last = before.split()[-1] if before.split() else ""
        if last.lower() in ABBREVIATIONS and found.end() < len(text):
            return False
        if _INITIAL.fullmatch(last):  # J. Smith
            return not text[found.end() : found.end() + 2].strip()[:1].isupper()
        return not text[start : found.start()].strip().isdigit()  # the number of a list's item
    return True


def _trimmed(text: str, start: int, end: int) -> Iterator[TextSentence]:
    marker = _MARKER.match(text, start, end)
    start = marker.end() if marker else start
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start and any(c.isalnum() or not c.isspace() for c in text[start:end]):
        yield TextSentence(text[start:end], start, end)


def words_of(sentence: str) -> list[str]:
    """The words and commas of a sentence, contractions taken apart, the end mark left out. Raises UnreadableError."""
    if len(sentence) > MAX_CHARS:
        raise UnreadableError(f"it is too long ({len(sentence)} characters; at most {MAX_CHARS})")
    if not sentence.isascii():
        _check_letters(sentence)
    if sentence.isupper() and " " in sentence:
        sentence = sentence.capitalize()
    if any(c in sentence.strip(_AROUND) for c in "()[]"):
        raise UnreadableError("it holds a remark in brackets")
    words: list[str] = []
    for found in _WORD.finditer(sentence):
        if found[0] == "." and words and (words[-1].lower() in ABBREVIATIONS or _INITIAL.fullmatch(words[-1])):
            words[-1] += "."
        else:
            words += _split(found[0])
    while words and words[-1] in ".!?;:,":
        words.pop()
    if len(words) > MAX_WORDS:
        raise UnreadableError(f"it is too long ({len(words)} words; at most {MAX_WORDS})")
    for word in words:
        if not word[0].isalnum() and word not in (",", "'s", "?", ":", "."):
            raise UnreadableError(f"{_named(word)} is not part of a plain sentence")
    if not words:
        raise UnreadableError("it has no words")
    return words


def _split(word: str) -> list[str]:
    if word in _QUOTES:
        return []
    word = word.replace("’", "'")
    low = word.lower()
    if low in CONTRACTIONS:
        return _cased(word, list(CONTRACTIONS[low]))
    if negated := _NOT.match(low):
        return [word[: negated.end(1)], "not"]
    return [word[:-2], "'s"] if low.endswith("'s") else [word]


def _cased(word: str, parts: list[str]) -> list[str]:
    return [parts[0].capitalize(), *parts[1:]] if word[0].isupper() else parts


def _check_letters(sentence: str) -> None:
    for char in sentence:
        if char.isascii() or char in "’‘“”–—…•":
            continue
        category = unicodedata.category(char)
        if category[0] == "L" and "LATIN" not in unicodedata.name(char, ""):
            raise UnreadableError(f"it is not English ({_named(char)})")
        if category[0] not in "LMZN":
            raise UnreadableError(f"{_named(char)} is not part of a plain sentence")


def _named(char: str) -> str:
    return repr(char) if len(char) > 1 or char.isprintable() else f"the character U+{ord(char):04X}"
