"""Plain text in blocks: paragraphs between blank lines, items of lists; lines that were wrapped are put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from goalmem.io.documents.pieces import Block, BlockKind

__all__ = ["paragraphs", "unwrapped"]

ITEM = re.compile(r"\s*(?:[-*+•‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
"""What an item of a list begins with."""
WIDTH = 60
"""Columns that text is at least as wide as, where it is wrapped: RFC 3676 has 66 at least, most programs 72 to 80."""
LONGEST_LINES = 2_000
"""Lines of a paragraph; a file without blank lines is cut here."""


def paragraphs(lines: Iterable[str]) -> Iterator[Block]:
    """The blocks of plain text, a few lines at a time."""
    held: list[str] = []
    kind: BlockKind = "paragraph"
    for line in lines:
        item = ITEM.match(line)
        if held and (not line.strip() or item or len(held) >= LONGEST_LINES):
            yield Block(kind, unwrapped(held))
            held = []
        if line.strip():
            kind = kind if held else "item" if item else "paragraph"
            held.append(line[item.end() :] if item else line)
    if held:
        yield Block(kind, unwrapped(held))


def unwrapped(lines: Iterable[str], width: int = WIDTH) -> str:
    """Lines as one text. A line end stays only where the word behind it would still have fitted: somebody put it there."""
    text, line = "", ""
    for following in map(str.strip, lines):
        first = following.partition(" ")[0]
        if not line:
            text += following
        elif len(line) + 1 + len(first) > width:
            text += f" {following}"
        else:
            text += f"\n{following}"
        line = following or line
    return text
