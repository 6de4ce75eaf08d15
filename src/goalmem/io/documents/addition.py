"""Documents into a memory: read through first, so that a bad file is refused whole, then stored in portions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from goalmem.answer import FileReceipt
from goalmem.errors import FormatError, InputError
from goalmem.io.chat_messages import InputMessage, When, check_name, noted, parse_messages, parse_when
from goalmem.io.documents.kinds import DocumentKind
from goalmem.io.documents.pieces import messages_of
from goalmem.io.documents.reading import DOCUMENT_REMEDY, DocumentFile, open_document
from goalmem.records import DOCUMENT, SOURCE, UNANALYSED

if TYPE_CHECKING:
    from goalmem.store import Store


Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the phase (`reading`, `storing`), the pieces done, and their total (0: unknown)."""
AT_ONCE = 64
"""Pieces per transaction: some seconds of language analysis, which an interruption loses."""
STORED_AT_ONCE = 2_048
"""Pieces per transaction that are not analysed: about as long."""


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """Options of a document besides its content."""

    session: str | None = None
    """None: named after the file."""
    at: datetime | None = None
    """When it was written, where it does not say; None: when the file was last changed."""
    author: str = ""
    """Author, who "I" refers to, if the document does not state one."""
    noted: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of every piece."""
    longest: int = 10_000_000
    """Characters of a message."""
    analysed: int = 0
    """Characters of a document that are analysed, from its beginning; 0: all. Later pieces are marked as `unanalysed`."""

    @classmethod
    def given(
        cls,
        session: str | None,
        at: When | None,
        author: str | None,
        metadata: Mapping[str, Any] | None,
        tags: Sequence[str] | None,
        longest: int,
        analysed: int,
    ) -> Self:
        """Validate options from a caller. Raises InputError."""
        return cls(
            check_name(session, "The session") if session is not None else None,
            parse_when(at, "The file") if at is not None else None,
            check_name(author, "The author") if author is not None else "",
            noted({"metadata": metadata, "tags": tags}, "The file"),
            longest,
            analysed,
        )


@dataclass(frozen=True, slots=True)
class PiecePortion:
    """Consecutive pieces of one session, each with its place among them."""

    session: str
    messages: tuple[tuple[int, InputMessage], ...]


@dataclass(frozen=True, slots=True)
class DocumentSpace:
    """The space that files are remembered in."""

    store: Store
    space: str
    keep: Callable[[Sequence[tuple[int, InputMessage]], str], int]
    """Stores those pieces of a session that are not there yet; how many these were."""
    forget: Callable[[str], object]
    """Removes a turn."""

    def gone(self, source: str, session: str, said: Collection[str]) -> Iterator[str]:
        """Turns of a file in a session whose external ids are not among these."""
        known = self.store.known(self.space, session)
        left = [turn for key, turn in known.items() if key.startswith("id:") and key.removeprefix("id:") not in said]
        for turn in self.store.turns(self.space, left).values():
            if turn.role == DOCUMENT and turn.metadata.get(SOURCE) == source:
                yield turn.id


def document_at(file: str | PathLike[str], kind: DocumentKind | None, name: str, megabytes: int) -> DocumentFile:
    """The document in a file of at most so many megabytes. Raises FormatError if it is not a document."""
    opened = open_document(file, kind=kind, name=name, longest=megabytes * 2**20)
    if opened is None:
        raise FormatError(
            f"{name or Path(file).name} is not a readable document.",
            f"{DOCUMENT_REMEDY}; conversations are added with `add`.",
        )
    return opened


def portions(file: DocumentFile, options: DocumentOptions) -> Iterator[PiecePortion]:
    """The pieces of a file, checked. Raises FormatError and InputError at the first thing that cannot be read or stored."""
    if options.session is not None and file.kind == "mbox":
        raise InputError(f"{file.name} holds e-mails, each of which is a session.", "Leave out `session`.")
    found = False
    for document in file.documents():
        author = document.author or options.author
        session = options.session or document.session or file.name
        check_name(session, "The session")
        at = document.at or options.at or file.at
        pieces = messages_of(replace(document, author=author, at=None), file.name, options.noted)
        for several in _groups(pieces, options.analysed):
            found = True
            messages = parse_messages(several, at=at, timed=False, longest=options.longest)
            yield PiecePortion(session, tuple(enumerate(messages)))
    if not found:
        raise FormatError(f"{file.name} holds no text.", "Pass a file with some text.")


def _groups(pieces: Iterator[dict[str, Any]], most: int) -> Iterator[list[dict[str, Any]]]:
    """Pieces that are stored together; those behind the first `most` characters are marked as unanalysed."""
    taken, group, size = 0, list[dict[str, Any]](), AT_ONCE
    for piece in pieces:
        taken += len(piece["content"])
        is_over = 0 < most < taken
        if is_over:
            piece["metadata"][UNANALYSED] = True
        if group and (len(group) == size or (is_over and size == AT_ONCE)):
            yield group
            group = []
        size = STORED_AT_ONCE if is_over else AT_ONCE
        group.append(piece)
    if group:
        yield group


def add_document(
    space: DocumentSpace, file: DocumentFile, options: DocumentOptions, *, prune: bool, progress: Progress
) -> FileReceipt:
    """Store a file; with `prune`, forget pieces of an earlier version that it no longer contains."""
    total = 0
    for portion in portions(file, options):
        total += len(portion.messages)
        progress("reading", total, 0)
    done = new = unanalysed = 0
    said: dict[str, set[str]] = {}
    for portion in portions(file, options):
        new += space.keep(portion.messages, portion.session)
        done += len(portion.messages)
        unanalysed += sum(UNANALYSED in message.metadata for _, message in portion.messages)
        ids = said.setdefault(portion.session, set())
        if file.kind != "mbox":  # e-mails do not change
            ids.update(message.external_id for _, message in portion.messages)
        progress("storing", done, total)
    sessions = said.items() if file.kind != "mbox" else ()
    gone = tuple(turn for session, ids in sessions for turn in space.gone(file.name, session, ids))
    for turn in gone if prune else ():
        space.forget(turn)
    return FileReceipt(file.name, file.kind, tuple(said), total, new, gone, dict(file.passed_over), unanalysed)
