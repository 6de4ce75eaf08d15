"""HTML to blocks: the visible text, without scripts, styles, menus and forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser

from goalmem.io.documents.pieces import BlockKind, Document, TextBlock, author_in, moment_in

UNSEEN = frozenset(
    "script style template noscript nav svg math iframe object audio video canvas select option button textarea title datalist".split()
)
"""Elements whose content is no text of the page (HTML Living Standard, 4.3 to 4.12)."""
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
INLINE = frozenset(
    "a abbr acronym b bdi bdo big center cite code data del dfn em font i img input ins kbd label mark output q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
"""Inline elements (HTML Living Standard, 4.5); all others end a paragraph."""
HEADINGS = {f"h{level}": level for level in range(1, 7)}
DATES = ("article:published_time", "date", "dc.date", "dcterms.date")
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
QUOTING = re.compile(r"gmail_quote|moz-cite|yahoo_quoted|divRplyFwdMsg|appendonsend", re.IGNORECASE)
"""Classes and ids that mail programs use for quotations."""


def html_document(text: str) -> Document:
    """A web page; its `meta` elements say who wrote it, and when."""
    reader = _Reader(text)
    about = reader.about
    at = next((moment for key in DATES if (moment := moment_in(about.get(key, ""))) is not None), None)
    return Document(reader.finished(), author_in(about.get("author", "")), at)


def html_blocks(text: str) -> list[TextBlock]:
    """The blocks of a part of a page, or of an e-mail."""
    return _Reader(text).finished()


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.about: dict[str, str] = {}
        self.blocks: list[TextBlock] = []
        self.words: list[str] = []
        self.open: list[str] = []
        """Elements whose content is not seen, and those within the outermost of them."""
        self.within: list[tuple[str, BlockKind]] = []
        """Enclosing lists, quotes and preformatted text."""
        self.tables: list[list[list[str]] | None] = []
        """Rows of the enclosing tables; None for a layout table."""
        self.cell = False
        """True inside a table cell."""
        self.level = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "meta":
            self.about.setdefault(
                (given.get("name") or given.get("property") or "").casefold(), given.get("content", "")
            )
        if tag in VOID:
            self.void(tag, given)
        elif self.open or tag in UNSEEN or _hidden(given):
            if not self.open or tag == self.open[0]:
                self.open.append(tag)
        elif tag not in INLINE:
            self.begin(tag, given)
        elif tag == "q":
            self.words.append("“")

    def void(self, tag: str, given: Mapping[str, str]) -> None:
        """An element without content."""
        if self.open:
            return
        if tag == "br":
            self.words.append("\n")
        elif tag == "hr":
            self.end_block()
        elif tag == "img":
            self.words.append(given.get("alt", ""))

    @property
    def rows(self) -> list[list[str]] | None:
        """The rows of the innermost table."""
        return self.tables[-1] if self.tables else None

    def begin(self, tag: str, given: Mapping[str, str]) -> None:
        """An element that ends the paragraph before it."""
        if self.rows is not None and tag == "table":
            self.end_table()  # whose cells hold tables, arranges the page
            self.tables[-1] = None
        elif self.rows is not None:
            if tag in ("tr", "td", "th"):
                self.end_cell()
                self.cell = tag != "tr"
            if tag == "tr":
                self.rows.append([])
            self.words.append(" ")  # between paragraphs of a cell
            return
        self.end_block()
        if tag == "table":
            self.tables.append([])
        elif tag in HEADINGS:
            self.level = HEADINGS[tag]
        elif tag in ("li", "dd", "dt"):
            self.within.append((tag, "item"))
        elif tag == "pre":
            self.within.append((tag, "code"))
        elif tag == "blockquote" or QUOTING.search(f"{given.get('class', '')} {given.get('id', '')}"):
            self.within.append((tag, "quote"))
        elif any(tag == held for held, _ in self.within):
            self.within.append((tag, self.kind()))  # so that its end is not taken for theirs

    def handle_endtag(self, tag: str) -> None:
        if self.open:
            if tag == self.open[0]:
                self.open.pop()
            return
        if tag in VOID:
            return
        if tag == "q":
            self.words.append("”")
        if tag in INLINE:
            return
        if self.rows is not None and tag != "table":
            if tag in ("td", "th"):
                self.end_cell()
            return
        if tag == "table" and self.tables:
            self.end_table()
            self.tables.pop()
        self.end_block()
        if any(tag == held for held, _ in self.within):
            while self.within.pop()[0] != tag:
                pass

    def end_cell(self) -> None:
        """End the current cell."""
        text = " ".join("".join(self.words).split())
        self.words.clear()
        if self.rows is not None and (self.cell or text):
            self.rows[-1:] = [[*(self.rows[-1] if self.rows else ()), text]]
        self.cell = False

    def end_table(self) -> None:
        """The rows up to here are a table, or paragraphs, where all have one cell."""
        self.end_cell()
        rows = [" | ".join(cells) for cells in self.rows or () if any(cells)]
        if any(len(cells) > 1 for cells in self.rows or ()):
            self.blocks.append(TextBlock("table", "\n".join(rows)))
        else:
            self.blocks += [TextBlock(self.kind(), row) for row in rows]

    def handle_data(self, data: str) -> None:
        if not self.open:
            self.words.append(data if self.kind() == "code" else re.sub(r"\s+", " ", data))

    def kind(self) -> BlockKind:
        """Kind of the enclosing element: a quotation takes precedence over everything inside it."""
        kinds = [kind for _, kind in self.within]
        return "quote" if "quote" in kinds else kinds[-1] if kinds else "paragraph"

    def end_block(self) -> None:
        """End the current block."""
        text, kind = "".join(self.words), self.kind()
        self.words.clear()
        if kind != "code":
            text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if text.strip():
            level = self.level if kind != "quote" else 0
            self.blocks.append(TextBlock("heading", text, level) if level else TextBlock(kind, text))
        self.level = 0

    def finished(self) -> list[TextBlock]:
        """All blocks, including those of unclosed elements."""
        if self.rows is not None:
            self.end_table()
        self.end_block()
        return self.blocks


def _hidden(given: Mapping[str, str]) -> bool:
    return "hidden" in given or given.get("aria-hidden") == "true" or bool(HIDDEN.search(given.get("style", "")))
