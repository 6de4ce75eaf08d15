"""Markdown to blocks, according to CommonMark, with tables and front matter (`title: …`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goalmem.io.documents.html_blocks import html_blocks
from goalmem.io.documents.kinds import needs_files
from goalmem.io.documents.pieces import BlockKind, Document, TextBlock, author_in, moment_in

if TYPE_CHECKING:
    from markdown_it.token import Token


FRONT = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^(?P<key>[A-Za-z][\w-]*)[ \t]*:[ \t]+(?P<value>\S.*)$", re.MULTILINE)


def markdown_document(text: str) -> Document:
    """A Markdown file; its front matter says who wrote it, and when. Raises InputError where the reader is not installed."""
    front = FRONT.match(text)
    found = FIELD.finditer(front["fields"]) if front else ()
    fields = {field["key"].casefold(): field["value"].rstrip(" \t").strip("\"'") for field in found}
    blocks = _blocks(text[front.end() :] if front else text)
    return Document(blocks, author_in(fields.get("author", "")), moment_in(fields.get("date", "")))


def _blocks(text: str) -> Iterator[TextBlock]:
    with needs_files("Markdown"):
        from markdown_it import MarkdownIt
    tokens = iter(MarkdownIt("commonmark").enable("table").parse(text))
    depth: Counter[str] = Counter()
    level = 0
    for token in tokens:
        if token.type == "table_open":
            yield TextBlock("table", "\n".join(_rows(tokens)))
        elif token.type in ("fence", "code_block"):
            yield TextBlock("code", token.content)
        elif token.type == "html_block":
            yield from html_blocks(token.content)
        elif token.type == "inline" and token.children is not None:
            words = _words(token.children)
            kind: BlockKind = "quote" if depth["blockquote"] else "item" if depth["list_item"] else "paragraph"
            yield TextBlock("heading", words, level) if depth["heading"] else TextBlock(kind, words)
        else:
            depth[token.type.rpartition("_")[0]] += token.nesting
            level = int(token.tag[1:]) if token.type == "heading_open" else level


def _rows(tokens: Iterator[Token]) -> Iterator[str]:
    """The rows of the table that has begun."""
    cells: list[str] = []
    for token in tokens:
        if token.type == "table_close":
            return
        if token.type == "inline" and token.children is not None:
            cells.append(" ".join(_words(token.children).split()))
        elif token.type == "tr_close":
            yield " | ".join(cells)
            cells = []


def _words(children: Sequence[Token]) -> str:
    """The text of a line of Markdown, without markup and link URLs; a picture's alternative text."""
    return "".join(
        " "
        if child.type == "softbreak"
        else "\n"
        if child.type == "hardbreak"
        else _words(child.children)
        if child.type == "image" and child.children
        else child.content
        for child in children
        if child.type != "html_inline"
    )
