"""Splits a file into pieces, each of which is remembered as a turn."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from goalmem.io.chat_messages import FIRST_YEAR, LAST_YEAR, LONGEST_NAME
from goalmem.io.dates import read_moment
from goalmem.language.sentences import sentence_spans
from goalmem.records import DOCUMENT, HEADING, PAGE, PART, SOURCE, aware
from goalmem.store.metadata import UNSTORABLE

BlockKind: TypeAlias = Literal["heading", "paragraph", "item", "table", "code", "quote", "signature"]
"""`table`: its rows, one a line, the heads of the columns first. `quote`, `signature`: of an e-mail; not the sender's own words."""

PartKind: TypeAlias = Literal["", "table", "code", "quote", "signature"]
PARTS: Mapping[str, PartKind] = {"table": "table", "code": "code", "quote": "quote", "signature": "signature"}

LONGEST_PIECE = 1_200
"""Characters above which a block is split at sentence ends: about what a judge sees at once."""
LONGEST_SENTENCE = 4_000
"""Maximum characters of a sentence; longer ones are split at blanks."""
LONGEST_HEADING = 200
SEPARATOR = " › "
"""Between a heading and the one above it."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A part of a file at the file's own seams."""

    kind: BlockKind
    text: str
    level: int = 0
    """Level of a heading, from 1."""
    page: int = 0
    """From 1; 0 where the file has no pages."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its blocks: a whole file, or an e-mail of many."""

    blocks: Iterable[TextBlock]
    """Read once, in order."""
    author: str = ""
    """The author, who "I" refers to; empty if unknown."""
    at: datetime | None = None
    """When it was written; None where it does not say."""
    session: str = ""
    """For an e-mail in a mailbox, its name there; empty for a whole file."""
    heading: str = ""
    """Heading of the whole document: an e-mail's subject."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Additional metadata of each piece: the recipient of an e-mail."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document that is remembered as a turn."""

    text: str
    heading: str = ""
    page: int = 0
    part: PartKind = ""
    """Kind of a part that the document does not assert: a quotation, a signature, a table, code."""

    @property
    def authored(self) -> bool:
        """False for quotations and signatures, which are not the author's text."""
        return self.part not in ("quote", "signature")


def pieces_of(document: Document) -> Iterator[Piece]:
    """A document in pieces, in order: a paragraph, an item of a list, a part of a table.

    A heading stands in front of the first piece below it. What leads in the block behind it (`Bring:`) stays with it, and with all
    items of a list, as long as the whole is short. A long paragraph is cut at the ends of sentences, a table between rows, its
    heads repeated.
    """
    return _Cutter(document).pieces()


@dataclass
class _Cutter:
    document: Document
    headings: list[tuple[int, str]] = field(default_factory=list)
    """Level and text of the current headings."""
    front: list[str] = field(default_factory=list)
    """Headings that no block followed yet."""
    leading: Piece | None = None
    """The block that introduces the next one, with the list items so far."""
    listed: bool = False
    """True if some did."""

    def pieces(self) -> Iterator[Piece]:
        for block in self.document.blocks:
            text = block.text.strip()
            if not text:
                continue
            if block.kind == "heading":
                yield from self.begin(block, text)
            elif self.joins(block, text):
                continue
            else:
                yield from self.block(block, text)
        yield from self.flush(0)

    def begin(self, block: TextBlock, text: str) -> Iterator[Piece]:
        """A heading: those of its level and below it end."""
        above = [(level, words) for level, words in self.headings if level < block.level]
        if self.leading is not None or len(above) < len(self.headings):
            yield from self.flush(block.page)
        self.headings = [*above, (block.level, " ".join(text.split()))]
        self.front.append(text)

    def joins(self, block: TextBlock, text: str) -> bool:
        """Add a block to its introduction, if there is one, and allow further items."""
        if self.leading is None or block.kind != "item" or len(self.leading.text) + len(text) >= LONGEST_PIECE:
            return False
        self.leading = replace(self.leading, text=f"{self.leading.text}\n{text}")
        self.listed = True
        return True

    def block(self, block: TextBlock, text: str) -> Iterator[Piece]:
        """Any other block."""
        part = PARTS.get(block.kind, "")
        held = self.leading
        joins = held is not None and held.part == part and not self.listed
        if held is not None and joins and len(held.text) + len(text) < LONGEST_PIECE:
            text, self.leading = f"{held.text}\n{text}", None
        elif held is not None or part:
            yield from self.flush(block.page)
        piece = self.piece("\n".join((*self.front, text)), block.page, part)
        self.front = []
        if block.kind in ("paragraph", "item", "quote") and text.endswith(":"):
            self.leading, self.listed = piece, False
        else:
            yield from _cut(piece, rows=block.kind == "table")

    def flush(self, page: int) -> Iterator[Piece]:
        """Emit an introduction that nothing followed."""
        if self.leading is not None:
            yield from _cut(self.leading, rows=False)
        if self.front:
            yield from _cut(self.piece("\n".join(self.front), page, ""), rows=False)
        self.leading, self.front = None, []

    def piece(self, text: str, page: int, part: PartKind) -> Piece:
        words = [self.document.heading, *(words for _, words in self.headings)]
        return Piece(text, SEPARATOR.join(filter(None, words))[:LONGEST_HEADING], page, part)


def _cut(piece: Piece, *, rows: bool) -> Iterator[Piece]:
    if len(piece.text) <= LONGEST_PIECE:
        yield piece
        return
    texts = _rows(piece.text) if rows else _sentences(piece.text)
    yield from (replace(piece, text=text) for text in texts)


def _rows(table: str) -> Iterator[str]:
    """Parts of a table, each below its first line."""
    heads, *rows = table.split("\n")
    part: list[str] = []
    for row in rows:
        if part and sum(map(len, part)) + len(heads) + len(row) > LONGEST_PIECE:
            yield "\n".join((heads, *part))
            part = []
        part.append(row)
    yield "\n".join((heads, *part))


def _sentences(text: str) -> Iterator[str]:
    """Sentences of a text, with short ones joined."""
    part = ""
    for sentence in _short(text):
        if part and len(part) + len(sentence) > LONGEST_PIECE:
            yield part.strip()
            part = ""
        part += sentence
    if part.strip():
        yield part.strip()


def _short(text: str) -> Iterator[str]:
    """The complete text in sentences with their trailing blanks, none longer than the limit."""
    starts = [start for start, _ in sentence_spans(text)]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        while end - start > LONGEST_SENTENCE:
            blank = text.rfind(" ", start + 1, start + LONGEST_SENTENCE)
            middle = blank + 1 if blank > 0 else start + LONGEST_SENTENCE
            yield text[start:middle]
            start = middle
        yield text[start:end]


def messages_of(document: Document, source: str, noted: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A document's pieces as messages that `parse_messages` takes, each with an id that lasts as long as its words.

    `source` is what answers call the file; `noted` is noted about every piece, beside where in the file it stands.
    """
    seen: Counter[str] = Counter()
    for piece in pieces_of(document):
        author = document.author if piece.authored else ""
        text = UNSTORABLE.sub("\ufffd", piece.text)
        digest = hashlib.blake2b(f"{author}\x1f{text}".encode(), digest_size=12).hexdigest()
        seen[digest] += 1
        where = {SOURCE: source, PAGE: piece.page, HEADING: UNSTORABLE.sub("\ufffd", piece.heading), PART: piece.part}
        yield {
            "role": DOCUMENT,
            "name": author or DOCUMENT,
            "content": text,
            "id": digest if seen[digest] == 1 else f"{digest}-{seen[digest]}",
            "metadata": {**noted, **document.about, **{key: value for key, value in where.items() if value}},
        } | ({"at": document.at} if document.at is not None else {})


SEVERAL = re.compile(r"[,;&\[]|\band\b|\bet al\b", re.IGNORECASE)


def author_in(said: str) -> str:
    """The single author in a field; empty for several, since "I" would be ambiguous."""
    name = " ".join(said.split())
    return "" if SEVERAL.search(name) or len(name) > LONGEST_NAME else name


def moment_in(said: str) -> datetime | None:
    """The time in a field, UTC if it has no zone; None if it is not a time."""
    found = read_moment(said)
    if found is None or not FIRST_YEAR <= found.year <= LAST_YEAR:
        return None
    return aware(found)


ITEM = re.compile(r"\s*(?:[-*+•‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
"""Marker of a list item."""
WIDTH = 60
"""Columns that text is at least as wide as, where it is wrapped: RFC 3676 has 66 at least, most programs 72 to 80."""
LONGEST_LINES = 2_000
"""Lines of a paragraph; a file without blank lines is cut here."""


def paragraphs(lines: Iterable[str]) -> Iterator[TextBlock]:
    """The blocks of plain text, a few lines at a time."""
    held: list[str] = []
    kind: BlockKind = "paragraph"
    for line in lines:
        item = ITEM.match(line)
        if held and (not line.strip() or item or len(held) >= LONGEST_LINES):
            yield TextBlock(kind, unwrapped(held))
            held = []
        if line.strip():
            kind = kind if held else "item" if item else "paragraph"
            held.append(line[item.end() :] if item else line)
    if held:
        yield TextBlock(kind, unwrapped(held))


def unwrapped(lines: Iterable[str], width: int = WIDTH) -> str:
    """Join wrapped lines. A line end is kept if the next word would have fitted on the line."""
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
