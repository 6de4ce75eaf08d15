"""Opens a file as documents: detects its kind and reads it in bounded memory."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from goalmem.errors import FormatError
from goalmem.io.conversation import Options
from goalmem.io.documents.html_blocks import html_document
from goalmem.io.documents.kinds import HEAD, TITLES, DocumentKind, document_kind, kind_named
from goalmem.io.documents.mail_parts import LONGEST_MAIL, mail_document, mailbox_documents
from goalmem.io.documents.markdown_blocks import markdown_document
from goalmem.io.documents.pdf_pages import pdf_document
from goalmem.io.documents.pieces import Document, paragraphs
from goalmem.io.text import first_lines, lines

LONGEST_WHOLE = 16 * 2**20
"""Maximum bytes of formats that are read whole: Markdown and HTML take about fifty times as much memory."""
CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*(?P<name>[A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
"""Declared encoding of a page, within its first 1,024 bytes (HTML Living Standard, 13.2.3.2)."""
AS_WINDOWS = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254"}
"""Encodings that pages name and that are read as another (Encoding Standard, 4.2), by Python's names."""
DOCUMENT_REMEDY = "Pass Markdown, plain text, HTML, PDF, or an e-mail (.eml, .mbox)"


@dataclass(frozen=True)
class DocumentFile:
    """A file that is one document, or a mailbox of several."""

    path: str
    name: str
    """Name in errors."""
    kind: DocumentKind
    at: datetime
    """When it was last changed."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Number of parts without text by type, as far as the file was read."""

    def documents(self) -> Iterator[Document]:
        """The documents, read from the beginning.

        Raises FormatError, at the place, for what cannot be read, and InputError where a reader is not installed.
        """
        self.passed_over.clear()
        with _opened(self.path, self.name) as stream:
            if self.kind == "mbox":
                yield from mailbox_documents(stream, self.name, self.passed_over)
            elif self.kind == "pdf":
                yield pdf_document(stream, self.name)
            elif self.kind == "text":
                options = Options(self.name, remedy=DOCUMENT_REMEDY)
                yield Document(paragraphs(line for _, line in lines(stream, options)))
            elif self.kind == "email":
                yield mail_document(self._whole(stream, LONGEST_MAIL), self.name, self.passed_over)
            elif self.kind == "html":
                yield html_document(_page(self._whole(stream), self.name))
            else:
                yield markdown_document(self._text(stream))

    def _text(self, stream: BinaryIO) -> str:
        whole = io.BytesIO(self._whole(stream))
        return "\n".join(line for _, line in lines(whole, Options(self.name, remedy=DOCUMENT_REMEDY)))

    def _whole(self, stream: BinaryIO, longest: int = LONGEST_WHOLE) -> bytes:
        data = stream.read(longest + 1)
        if len(data) > longest:
            raise FormatError(
                f"{self.name} is larger than {longest >> 20} MB, the most that is read of {TITLES[self.kind]}.",
                "Split it.",
            )
        return data


def open_document(
    file: str | os.PathLike[str], *, kind: str | None = None, name: str = "", longest: int
) -> DocumentFile | None:
    """The document in a file; None for other files, such as chats. `longest`: bytes.

    Raises FormatError where it cannot be read, is empty or too large, or where its name says another kind than its content.
    """
    path = os.fspath(file)
    called = name or Path(path).name
    with _opened(path, called) as stream:
        about = os.fstat(stream.fileno())
        head = stream.read(HEAD)
    if not head.strip():
        raise FormatError(f"{called} is empty.", "Pass a file with some text.")
    found = kind_named(kind) if kind is not None else document_kind(called, head)
    if found is None:
        return None
    if found in ("text", "markdown") and any("\0" in line for line in first_lines(head, HEAD)):
        raise FormatError(f"{called} is no text.", f"{DOCUMENT_REMEDY}.")
    if about.st_size > longest:
        raise FormatError(
            f"{called} has {about.st_size / 2**20:,.1f} MB; the limit is {longest / 2**20:,.0f} MB.",
            "Split it, or raise GOALMEM_MAX_FILE_MB.",
        )
    return DocumentFile(path, called, found, datetime.fromtimestamp(about.st_mtime, UTC))


def begins_document(stream: BinaryIO) -> bool:
    """True if the content of a seekable stream is a document by itself. Resets the stream to its beginning."""
    head = stream.read(HEAD)
    stream.seek(0)
    return document_kind("", head) is not None


def _opened(path: str, name: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise FormatError(
            f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.", "Check the path."
        ) from error


def _page(data: bytes, name: str) -> str:
    """The text of a page: decoded by its byte order mark, its declaration, or else as UTF-8."""
    said = CHARSET.search(data[:1024])
    encoding = said["name"].decode() if said else "utf-8"
    for mark, marked in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            encoding = marked
    try:
        known = codecs.lookup(encoding).name
        text = data.decode(AS_WINDOWS.get(known, known), "strict")
    except (LookupError, ValueError) as error:
        raise FormatError(
            f"{name} is no text in {encoding}, the encoding that it names.", "Save it as UTF-8."
        ) from error
    if "\0" in text:
        raise FormatError(f"{name} is no text.", f"{DOCUMENT_REMEDY}.")
    return text
