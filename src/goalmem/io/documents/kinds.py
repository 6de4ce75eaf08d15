"""Detects the kind of a document by its name and its first bytes, which must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from typing import Literal, TypeAlias, get_args

from goalmem.errors import FormatError, InputError, shown
from goalmem.io.conversation import Options
from goalmem.io.documents.mail_parts import MAILBOX_LINE
from goalmem.io.text import first_lines
from goalmem.io.transcript import is_transcript

DocumentKind: TypeAlias = Literal["text", "markdown", "html", "pdf", "email", "mbox"]
DOCUMENT_KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
TITLES: Mapping[DocumentKind, str] = {
    "text": "plain text",
    "markdown": "Markdown",
    "html": "HTML",
    "pdf": "PDF",
    "email": "an e-mail",
    "mbox": "a mailbox",
}
ENDINGS: Mapping[str, DocumentKind] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".eml": "email",
    ".mbox": "mbox",
    ".mbx": "mbox",
}
HEAD = 1 << 14
"""Number of bytes examined."""
LINES = 50
PDF_WITHIN = 1024
"""Bytes that may precede a PDF's header (ISO 32000-1, annex H, note 13)."""
PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
MAIL = re.compile(rb"(?:[!-9;-~]+:[ \t]?.*\r?\n(?:[ \t].*\r?\n)*){2,}")
"""Two fields of a header or more (RFC 5322, section 2.2)."""
FIELDS = (rb"(?mi)^from:", rb"(?mi)^(?:date|received|message-id):")


def document_kind(name: str, head: bytes) -> DocumentKind | None:
    """The kind of a document by its name and beginning; None for other files, such as chats.

    Raises FormatError where the name says another kind than the content.
    """
    named = ENDINGS.get(PurePath(name.replace("\\", "/")).suffix.casefold())
    begun = _begun(head)
    if {begun, named} == {"email", "mbox"}:
        return "email"  # one message alone, or one with the line of a mailbox above it
    if begun is not None and named is not None and begun != named:
        raise FormatError(
            f"{name} is named as {TITLES[named]}, and holds {TITLES[begun]}.",
            f"Rename it, or say what it is: --format {begun}, format={begun!r}.",
        )
    if begun is not None:
        return begun
    if named in ("text", "markdown"):
        return None if _is_chat(name, head) else named
    if named == "pdf":
        raise FormatError(f"{name} is named as a PDF but is not one.", "Save or download it again.")
    return named


def kind_named(name: str) -> DocumentKind:
    """The kind with this name. Raises InputError if it is unknown."""
    found = next((kind for kind in DOCUMENT_KINDS if kind == name), None)
    if found is None:
        raise InputError(f"There is no kind of document {shown(name)}.", f"Choose one of {', '.join(DOCUMENT_KINDS)}.")
    return found


def _begun(head: bytes) -> DocumentKind | None:
    """The kind that the content alone indicates."""
    if b"%PDF-" in head[:PDF_WITHIN]:
        return "pdf"
    if MAILBOX_LINE.match(head.partition(b"\n")[0]):
        return "mbox"
    if PAGE.match(head.removeprefix(b"\xef\xbb\xbf")):
        return "html"
    header = MAIL.match(head)
    return "email" if header and all(re.search(field, header.group()) for field in FIELDS) else None


def _is_chat(name: str, head: bytes) -> bool:
    """True if text begins as JSON or as a transcript does, which are conversations."""
    lines = list(first_lines(head, LINES))
    first = next((line.lstrip() for line in lines if line.strip()), "")
    return first.startswith(("{", "[{", "[[")) or first == "[" or is_transcript(enumerate(lines, 1), Options(name))


@contextmanager
def needs_files(what: str) -> Iterator[None]:
    """Report missing packages of imports within, with the command to install them. Raises InputError."""
    try:
        yield
    except ImportError as error:
        raise InputError(
            f"{what} needs the package {error.name!r}, which is not installed.",
            "Install it: pip install 'goalmem[files]'.",
        ) from error
