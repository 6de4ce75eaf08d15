"""How much of a text is analysed: counted in characters, tokens and levels, never in seconds, so that the same text gives the same facts.

What is over the budget is stored and searched as it was written, and gives no facts. As each sentence is bounded, what
components do for a sentence may grow with its square, and the work for a text still grows with its length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

__all__ = ["CHARACTERS", "DEPTH", "SENTENCE_TOKENS", "TOKENS", "blanked", "cut", "excess"]

CHARACTERS = 20_000
"""Of one text, cut at the last sentence end before. The parser needs about 2 KB of memory a character."""
TOKENS = 5_000
"""Of one text: what 20,000 characters of English hold, at some 4 characters a token with its blank."""
SENTENCE_TOKENS = 200
"""Of one sentence. The longest sentence of the Penn Treebank has 141 words."""
DEPTH = 40
"""Words that hang one on another in a sentence. Components descend by recursion, up to four frames a word."""

_SENTENCE_ENDS = (". ", "! ", "? ", ".\n", "!\n", "?\n", "\n")


def cut(text: str, limit: int = CHARACTERS) -> str:
    """At most `limit` characters, up to the last sentence end when there is one in the second half."""
    if len(text) <= limit:
        return text
    end = max(text.rfind(mark, limit // 2, limit) + 1 for mark in _SENTENCE_ENDS)
    return text[: end or limit]


def excess(doc: Doc) -> Iterator[tuple[int, int]]:
    """Character ranges of the sentences of a parsed text that are over the budget."""
    for sentence in doc.sents:
        if len(sentence) > SENTENCE_TOKENS or (len(sentence) > DEPTH and _is_deep(sentence)):
            yield sentence.start_char, sentence.end_char


def _is_deep(sentence: Span) -> bool:
    """Whether more than `DEPTH` words hang one on another."""
    level, waiting = 0, [sentence.root]
    while waiting and level <= DEPTH:
        level, waiting = level + 1, [child for word in waiting for child in word.children]
    return bool(waiting)


def blanked(text: str, ranges: list[tuple[int, int]]) -> str:
    """The text with a line end and blanks in place of these ranges: every other character keeps its place, and starts anew."""
    for start, end in ranges:
        text = f"{text[:start]}\n{' ' * (end - start - 1)}{text[end:]}"
    return text
