"""Bytes to lines of text: encodings, line endings, and files that are no text."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from goalmem.errors import FormatError
from goalmem.io.conversation import Options

Line = tuple[int, str]
"""Number, from 1, and text without its ending."""

CHUNK = 1 << 16
SAMPLE = 4096
UTF16_NULS = 0.2
"""Share of NUL bytes from which text is taken for UTF-16: mostly ASCII would have one half."""
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""In an order in which no mark hides a longer one."""
KNOWN_BINARIES = (
    (b"SQLite format 3\0", "a database; to open a store pass --store"),
    (b"PK\x03\x04", "a ZIP archive, as .docx and .xlsx are, too; unpack it, or save it as PDF, HTML or text"),
    (b"\x1f\x8b", "compressed; unpack it first"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"%PDF", "a PDF, which is added as a document"),
)
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
"""Replacement of an invalid UTF-8 byte by `surrogateescape`."""


def lines(stream: BinaryIO, options: Options) -> Iterator[Line]:
    """The lines of a text file, one at a time.

    Raises FormatError for a file that is no text and for a byte that is not valid UTF-8 (with its line).
    """
    reader = io.BufferedReader(cast("io.RawIOBase", stream), CHUNK)
    head = reader.peek(CHUNK)
    for magic, what in KNOWN_BINARIES:
        if head.startswith(magic):
            raise FormatError(f"{options.name} is {what}.", f"{options.remedy}.")
    encoding = _encoding(head)
    # Wrong bytes in UTF-8 are found by line below; a lone surrogate in UTF-16 is repaired when it is stored.
    text = io.TextIOWrapper(reader, encoding, "surrogateescape" if "8" in encoding else "surrogatepass", newline=None)
    number = 0
    try:
        for line in text:
            number += 1
            if escaped := ESCAPED_BYTE.search(line):
                byte = ord(escaped.group()) - 0xDC00
                options.reject(number, f"byte 0x{byte:02X} is not valid UTF-8", "Save the file as UTF-8")
            else:
                yield number, line.removesuffix("\n")
    except UnicodeDecodeError as error:
        options.refuse(number + 1, f"the text is no {encoding.upper()} ({error.reason})", "Save the file as UTF-8")
    finally:
        # Dropping the wrapper would close a stream that belongs to the caller.
        text.detach().detach()


def first_lines(head: bytes, most: int) -> list[str]:
    """At most so many lines from the beginning of a text; invalid bytes are replaced."""
    return head.decode(_encoding(head), "replace").splitlines()[:most]


def _encoding(head: bytes) -> str:
    return next((name for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None) or _guessed(head)


def _guessed(head: bytes) -> str:
    """UTF-16 without a byte order mark is recognised by NUL beside every ASCII character; otherwise UTF-8."""
    sample = head[:SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if not even and odd > UTF16_NULS * len(sample):
        return "utf-16-le"
    if not odd and even > UTF16_NULS * len(sample):
        return "utf-16-be"
    return "utf-8"
