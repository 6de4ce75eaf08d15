"""E-mails to blocks: the sender's text, quotations, the signature, and text attachments."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import getaddresses, parseaddr, parsedate_to_datetime
from typing import Any, BinaryIO, Literal, TypeAlias

from goalmem.errors import FormatError
from goalmem.io.chat_messages import FIRST_YEAR, LAST_YEAR, LONGEST_NAME
from goalmem.io.documents.html_blocks import html_blocks
from goalmem.io.documents.pieces import Document, TextBlock, paragraphs
from goalmem.records import aware
from goalmem.store.metadata import UNSTORABLE

MailKind: TypeAlias = Literal["own", "quote", "signature"]

LONGEST_MAIL = 64 * 2**20
"""Maximum bytes of an e-mail with attachments: four times the default limit of mail servers."""
LONGEST_LISTED = 20
"""Recipients that are noted."""
LONGEST_SUBJECT = 120
REPLIED = re.compile(r"(?:(?:re|fwd?|aw|wg|sv|vs|tr|rv)\s*:\s*)+", re.IGNORECASE)
QUOTED = re.compile(r"\A(?:\s*>)+ ?")
"""Prefix of a quoted line (RFC 3676, section 4.5)."""
SIGNATURE = re.compile(r"-- ?\Z")
"""The line above a signature (RFC 3676, section 4.3)."""
INTRODUCES = re.compile(r".*:\s*\Z")
WRAPPED = 50
"""Minimum length of a line that is assumed to be wrapped."""
FORWARDED = re.compile(r"\s*(?:[-_=]{5,}.*|-{2,}\s?\w[^-]*-{2,})\s*\Z")
"""A separator above a forwarded or quoted message: `---------- Forwarded message ---------`, `_______`."""
HEADER = re.compile(r"\s*\*?[^\W\d_][^:]{0,24}:\*?\s+\S")
"""A header line above a quoted message, in any language: `Von: Ilse <ilse@example.org>`."""
LEAST_HEADER = 3
ADDRESS_OR_TIME = re.compile(r"\S@\S|\b\d{1,2}:\d\d\b")
MAILBOX_LINE = re.compile(
    rb"From\s+\S+\s+\w{3}\s+\w{3}\s+\d{1,2}\s+\d{1,2}:\d\d(?::\d\d)?(?:\s+\S+)?\s+\d{4}(?:\s+\S+)?\s*\Z"
)
"""The line above each e-mail of a mailbox, with the time of its delivery as `asctime` writes it (RFC 4155, appendix A), or with a zone."""
ESCAPED_FROM = re.compile(rb"(?m)^>(>*From )")
ENCRYPTED = frozenset(
    {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"}
)
AN_EMAIL = ("From", "Date", "Message-ID", "Received", "Subject")


def mail_document(data: bytes, name: str, passed_over: Counter[str]) -> Document:
    """Parse one e-mail. `passed_over` counts parts without text by type. Raises FormatError."""
    message = message_from_bytes(data, policy=policy.default)
    if not any(message[key] for key in AN_EMAIL):
        raise FormatError(
            f"{name} is not an e-mail: it has no header.", "Pass a message as mail programs save it (.eml)."
        )
    if message.get_content_type() in ENCRYPTED:
        raise FormatError(f"{name} is encrypted.", "Save it decrypted, and add that.")
    return _document(message, passed_over, "")


def mailbox_documents(stream: BinaryIO, name: str, passed_over: Counter[str]) -> Iterator[Document]:
    """The e-mails of a mailbox (mbox), one at a time, each a session. Raises FormatError."""
    seen: set[str] = set()
    for number, data in enumerate(_mails(stream), 1):
        if len(data) > LONGEST_MAIL:
            raise FormatError(f"{name}, e-mail {number}: it is larger than {LONGEST_MAIL >> 20} MB.", "Take it out.")
        message = message_from_bytes(ESCAPED_FROM.sub(rb"\1", data), policy=policy.default)
        identity = _text(message, "Message-ID") or hashlib.blake2b(data, digest_size=8).hexdigest()
        short = hashlib.blake2b(identity.encode("utf-8", "replace"), digest_size=4).hexdigest()
        subject = _text(message, "Subject")[:LONGEST_SUBJECT] or "no subject"
        session = f"{name[:200]}/{subject} ({short})"
        if message.get_content_type() in ENCRYPTED:
            passed_over["encrypted"] += 1
        elif session in seen:
            passed_over["repeated"] += 1
        else:
            seen.add(session)
            yield _document(message, passed_over, session)


def _mails(stream: BinaryIO) -> Iterator[bytes]:
    """The e-mails between the lines that part them, cut behind LONGEST_MAIL.

    Such a line stands below an empty one and has a date: `From the first day on` within an e-mail, which Python's `mailbox` parts at,
    is none.
    """
    held: list[bytes] = []
    size, blank = 0, True
    for line in stream:
        if blank and MAILBOX_LINE.match(line):
            if held:
                yield b"".join(held)
            held, size = [], 0
        elif size <= LONGEST_MAIL:
            held.append(line)
            size += len(line)
        blank = not line.strip()
    if held:
        yield b"".join(held)


def _document(message: EmailMessage, passed_over: Counter[str], session: str) -> Document:
    name, address = parseaddr(_text(message, "From"))
    to = [
        shown or where for shown, where in getaddresses([_text(message, "To"), _text(message, "Cc")]) if shown or where
    ]
    subject = REPLIED.sub("", _text(message, "Subject")).strip()
    about = {"sender": address[:LONGEST_NAME], "to": [one[:LONGEST_NAME] for one in to[:LONGEST_LISTED]]}
    return Document(
        _body(message, passed_over),
        author=(name or address)[:LONGEST_NAME],
        at=_date(message),
        session=session,
        heading=subject,
        about={key: value for key, value in about.items() if value},
    )


def _text(message: EmailMessage, key: str) -> str:
    """A header on one line. Malformed headers are returned as written."""
    try:
        value = str(message[key] or "")
    except (ValueError, IndexError, AttributeError, LookupError, TypeError):  # how `email` fails at damaged headers
        value = next((str(raw) for name, raw in message.raw_items() if name.casefold() == key.casefold()), "")
    return UNSTORABLE.sub("\ufffd", " ".join(value.split()))


def _date(message: EmailMessage) -> datetime | None:
    try:
        moment = parsedate_to_datetime(_text(message, "Date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    return aware(moment)


def _body(message: EmailMessage, passed_over: Counter[str]) -> Iterator[TextBlock]:
    body = message.get_body(("plain", "html"))
    if body is not None:
        yield from _part(body)
    for part in _attachments(message):
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html", "text/markdown") and not part.is_multipart():
            title = part.get_filename() or ""
            yield from [TextBlock("heading", title, 1)] if title else []
            # An attachment may be anybody's words.
            yield from (TextBlock("quote", block.text) for block in _part(part))
        elif part is not body:
            passed_over[kind] += 1


def _attachments(message: EmailMessage) -> list[Any]:
    try:
        return [*message.iter_attachments()] if message.is_multipart() else []
    except (AttributeError, KeyError, TypeError, ValueError):  # errors of `email` for malformed parts
        return []


def _part(part: MIMEPart) -> Iterable[TextBlock]:
    text = _content(part)
    return html_blocks(text) if part.get_content_subtype() == "html" else mail_blocks(text.splitlines())


def _content(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError):  # unknown charset
        data = part.get_payload(decode=True)
        return data.decode("utf-8", "replace") if isinstance(data, bytes) else ""


def mail_blocks(lines: Sequence[str]) -> Iterator[TextBlock]:
    """The text of an e-mail: the sender's own words, quoted lines with the line that introduces them, the signature."""
    held: list[str] = []
    kind: MailKind = "own"
    place = 0
    while place < len(lines):
        line = lines[place]
        if _is_header(lines, place):
            while held and (not held[-1].strip() or FORWARDED.match(held[-1])):
                held.pop()
            yield from _blocks(kind, held)
            yield from _blocks("quote", lines[place:])
            return
        if SIGNATURE.match(line):
            yield from _blocks(kind, held)
            held, kind = [], "signature"
        elif QUOTED.match(line):
            introduced = _introduction(held)
            yield from _blocks(kind, held)
            end = next((n for n in range(place, len(lines)) if not QUOTED.match(lines[n])), len(lines))
            yield from _blocks("quote", [*introduced, "", *lines[place:end]])
            # A quotation ends the signature: the sender may continue below.
            held, kind, place = [], "own", end - 1
        else:
            held.append(line)
        place += 1
    yield from _blocks(kind, held)


def _blocks(kind: MailKind, lines: Iterable[str]) -> Iterator[TextBlock]:
    if kind == "own":
        yield from paragraphs(lines)
        return
    for block in paragraphs(QUOTED.sub("", line) for line in lines):
        yield TextBlock(kind, block.text)


def _introduction(held: list[str]) -> list[str]:
    """Take from the sender's words the line that introduces a quote (`On Monday Bob wrote:`), on one line or wrapped on two."""
    while held and not held[-1].strip():
        held.pop()
    if not held or not INTRODUCES.match(held[-1]):
        return []
    taken = [held.pop()]
    if held and len(held[-1]) >= WRAPPED > len(taken[0]):
        taken.insert(0, held.pop())
    return taken


def _is_header(lines: Sequence[str], place: int) -> bool:
    """True if the header of another e-mail begins here: lines `Name: value`, one of them with an address or a time."""
    if place and lines[place - 1].strip() and not FORWARDED.match(lines[place - 1]):
        return False
    block = lines[place : place + LEAST_HEADER]
    return len(block) == LEAST_HEADER and all(map(HEADER.match, block)) and any(map(ADDRESS_OR_TIME.search, block))
