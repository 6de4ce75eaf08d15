"""PDF in blocks: the text of each page, below the bookmarks that point to it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from goalmem.errors import FormatError
from goalmem.io.documents.kinds import needs_files
from goalmem.io.documents.pieces import ITEM, Document, TextBlock, unwrapped

if TYPE_CHECKING:
    from pypdf import PdfReader


SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]*\Z")
BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-\Z")
NARROWEST = 24
"""Columns of the narrowest lines that are taken for wrapped."""
USUAL = 0.75
"""Share of a page's lines, from the shortest, that are no longer than its text is wide: some run over."""


def pdf_document(stream: BinaryIO, name: str) -> Document:
    """A PDF. Nobody says `I` in it: the author that a PDF names is mostly whose computer made it.

    Raises FormatError where it is damaged, encrypted or holds no text, InputError where the reader is not installed.
    """
    with needs_files("PDF"):
        from pypdf import PdfReader
    # What pypdf warns of is told in an error of our own; without a handler Python would print it.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    with _damage(name, "The file"):
        reader = PdfReader(stream)
        locked = reader.is_encrypted and not reader.decrypt("")
    if locked:
        raise FormatError(f"{name} is encrypted.", "Save it without a password, and add that.")
    return Document(_blocks(reader, name))


def _blocks(reader: PdfReader, name: str) -> Iterator[TextBlock]:
    with _damage(name, "The file"):
        count = len(reader.pages)
    try:
        titles = dict(_titles(reader))
    except Exception:  # noqa: BLE001 - bookmarks that cannot be read are no loss of text
        titles = {}
    said = False
    for number in range(1, count + 1):
        with _damage(name, f"Page {number}"):
            text = reader.pages[number - 1].extract_text()
        for block in _page(text, number, titles.get(number, [])):
            said = said or block.kind != "heading"
            yield block
    if not said:
        raise FormatError(
            f"{name} holds no text on its {count} pages: they may be pictures.",
            "Run text recognition (OCR) on it first.",
        )


@contextmanager
def _damage(name: str, what: str) -> Iterator[None]:
    """Whatever reading damaged PDF ends in is a FormatError."""
    from pypdf.errors import DependencyError

    try:
        yield
    except DependencyError as error:
        raise FormatError(f"{name} is encrypted: {error}.", "Save it without a password, and add that.") from error
    except Exception as error:  # pypdf raises many exception types for invalid files
        problem = str(error).rstrip(".") or type(error).__name__
        raise FormatError(
            f"{name} is damaged. {what} cannot be read: {problem}.", "Save or download it again."
        ) from error


def _titles(reader: PdfReader) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """By page, from 1, the bookmarks that point to it, each with its level."""
    found: dict[int, list[tuple[int, str]]] = {}

    def walk(entries: list[Any], level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
            elif (page := reader.get_destination_page_number(entry)) is not None and page >= 0:
                found.setdefault(page + 1, []).append((level, str(entry.title or "")))

    walk(reader.outline, 1)
    yield from found.items()


def _page(text: str, number: int, titles: list[tuple[int, str]]) -> Iterator[TextBlock]:
    """The paragraphs of a page. A bookmark becomes the heading at its text, or else at the top."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    places = {_letters(line): place for place, line in reversed([*enumerate(lines)])}
    above: dict[int, list[tuple[int, str]]] = {}
    for level, title in titles:
        above.setdefault(places.get(_letters(title), -1), []).append((level, title))
    yield from (TextBlock("heading", title, level, number) for level, title in above.pop(-1, ()))
    lengths = sorted(len(line) for line in lines if line)
    width = max(NARROWEST, lengths[int(USUAL * (len(lengths) - 1))]) if lengths else NARROWEST
    held: list[str] = []
    for place, line in enumerate(lines):
        heads = above.get(place, ())
        if held and (heads or _ends(held[-1], line, width)):
            yield _paragraph(held, number, width)
            held = []
        yield from (TextBlock("heading", title, level, number) for level, title in heads)
        if line and not heads:
            held.append(line)
    if held:
        yield _paragraph(held, number, width)


def _ends(line: str, following: str, width: int) -> bool:
    """True if a paragraph ends with a line: behind a sentence, where the next word would still have fitted."""
    fitted = len(line) + 1 + len(following.partition(" ")[0]) <= width
    return ITEM.match(following) is not None or (bool(SENTENCE_END.search(line)) and (fitted or not following))


def _paragraph(lines: list[str], number: int, width: int) -> TextBlock:
    item = ITEM.match(lines[0])
    lines = [lines[0][item.end() :], *lines[1:]] if item else lines
    whole: list[str] = []
    for line in lines:
        if whole and BROKEN_WORD.search(whole[-1]) and line[:1].islower():
            whole[-1] = whole[-1][:-1] + line
        else:
            whole.append(line)
    return TextBlock("item" if item else "paragraph", unwrapped(whole, width), page=number)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
