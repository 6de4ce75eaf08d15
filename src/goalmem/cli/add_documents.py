"""Which files that `goalmem add` is given are documents."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from goalmem.io.documents import DocumentFile
    from goalmem.settings import Settings

__all__ = ["document_at", "document_on"]


def document_at(name: str, format: str | None, settings: Settings) -> DocumentFile | None:
    """The document in a file; None for a chat, or a folder of one. Raises FormatError."""
    from goalmem.io.documents import open_document

    if os.path.isdir(name):
        return None
    return open_document(name, kind=format, longest=settings.max_file_mb * 2**20)


def document_on(stream: BinaryIO, format: str | None, folder: str, settings: Settings) -> DocumentFile | None:
    """The document on standard input, which can be read again, kept in a folder; None for a chat, then at its beginning."""
    from goalmem.io.documents import begins_document, open_document

    if format is None and not begins_document(stream):
        return None
    kept = Path(folder, "stdin")
    longest = settings.max_file_mb * 2**20
    with kept.open("wb") as out:
        left = longest + 1
        while left > 0 and (part := stream.read(min(left, 1 << 20))):
            out.write(part)
            left -= len(part)
    return open_document(kept, kind=format, longest=longest)
