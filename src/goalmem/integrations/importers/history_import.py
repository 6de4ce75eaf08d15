"""An export into a memory: read through first, so that a bad one is refused whole, then stored conversation by conversation.

Messages have stable ids, so that importing again adds only new ones: an interrupted import, and a later export of the
same conversations, continue where the last one stopped.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Protocol, TypeAlias

from goalmem.errors import BackendError, ConflictError, FormatError, InputError
from goalmem.integrations.importers.protocol import Chat, Export, Format, ImportOptions, Place, Reading, Skipped
from goalmem.integrations.importers.registry import format_of, recognise
from goalmem.io.chat_messages import check_name, parse_messages

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from goalmem.answer import Receipt


Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the phase (`reading`, `storing`), the messages done, and their total (0: unknown)."""
LONGEST_MESSAGE = 10_000_000
"""Characters, where the memory does not say."""
DEFAULT_SPACE = "default"
USER, CONVERSATION = "{user}", "{conversation}"
KEY_AT_END = re.compile(r"\(([^()]+)\)\Z")
MOST_CHANGED = 100
"""Changed messages that are listed one by one."""


class ImportTarget(Protocol):
    """The part of `goalmem.Memory` that imports need."""

    def add(self, messages: Sequence[Mapping[str, Any]], *, space: str, session: str, at: datetime | None) -> Receipt:
        """Store messages of a session, those that are not there yet."""

    def sessions(self, *, space: str) -> list[tuple[str, datetime, int]]:
        """Name, time and number of turns of each session."""


@dataclass(slots=True)
class ImportReport:
    """The contents of an export, and the result of importing it."""

    file: str
    format: str
    conversations: int = 0
    messages: int = 0
    first: datetime | None = None
    last: datetime | None = None
    speakers: Counter[str] = field(default_factory=Counter)
    users: Counter[str] = field(default_factory=Counter)
    """The users in the export, if it names them."""
    undated: int = 0
    """Messages that no time is known of."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Parts without content, by kind."""
    bad: int = 0
    """Parts that could not be read and were left out on request."""
    skipped: list[Skipped] = field(default_factory=list)
    """The skipped parts, up to a limit."""
    new: int = 0
    """Messages stored now."""
    known: int = 0
    """Messages that had been there already."""
    changed: int = 0
    """Of these, messages whose text differed; the stored text was kept."""
    changes: list[Place] = field(default_factory=list)


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    options: ImportOptions | None = None,
    reading: Reading | None = None,
    name: str = "",
) -> Generator[Chat, None, None]:
    """The conversations of an export, in bounded memory; long ones come in portions of 500 messages.

    Without a `format` it is told by the content. `reading`, where given, has the options and collects what was left out;
    `name` is what errors call the export.

    Raises:
        FormatError: something cannot be read (with `skip_bad`, only when nothing can); names file and line.
        InputError: there is no such format.
    """
    run = reading or Reading(options or ImportOptions())
    with open_export(path, name) as export:
        yield from _chosen(export, _format(export, format), run)


def look_through(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    options: ImportOptions | None = None,
    longest: int = LONGEST_MESSAGE,
    progress: Progress = lambda *_: None,
    name: str = "",
) -> ImportReport:
    """Read an export without storing anything: its contents, and whether all of it can be stored.

    Raises FormatError and InputError at the first thing that cannot be read or stored.
    """
    run = Reading(options or ImportOptions())
    with open_export(path, name) as export:
        chosen = _format(export, format)
        report = ImportReport(export.name, chosen.name)
        seen: set[tuple[str, str]] = set()
        for chat in _storable(_chosen(export, chosen, run), run, longest):
            seen.add((chat.user, chat.key))
            _count(report, chat)
            progress("reading", report.messages, 0)
    report.conversations = len(seen)
    report.passed_over, report.bad, report.skipped = run.passed_over, run.bad, run.skipped
    if not report.messages and not report.bad:
        raise FormatError(
            f"{report.file} holds no messages to import{_why(run)}.", "Pass an export with some, or other filters."
        )
    return report


def import_history(
    memory: ImportTarget,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    space: str | None = None,
    options: ImportOptions | None = None,
    progress: Progress = lambda *_: None,
    name: str = "",
) -> ImportReport:
    """Remember the conversations of an export: a session each, named after them, at the time when they began.

    `space` may hold `{user}` and `{conversation}`, for a space each. Importing again adds what is new: messages are known by
    their ids. One that has changed since keeps the words that it had; the report counts it.

    Raises:
        FormatError, InputError: the export cannot be read or stored; nothing was.
        StoreError: what was stored so far is kept, and the same call goes on from there.
    """
    chosen = options or ImportOptions()
    longest = getattr(getattr(memory, "settings", None), "max_message_characters", LONGEST_MESSAGE)
    report = look_through(path, format, options=chosen, longest=longest, progress=progress, name=name)
    spaces = _Spaces(memory, space, report)
    run, done = Reading(chosen), 0
    with closing(read(path, report.format, reading=run, name=name)) as chats:
        for chat in _storable(chats, run, longest):
            where = spaces.of(chat)
            at = chat.at or chosen.at
            call: dict[str, Any] = {"space": where, "session": spaces.session(where, chat), "at": at}
            try:
                new = memory.add(chat.messages, **call).new
            except ConflictError:
                new = _add_unchanged(memory, chat, call, report)
            report.new += new
            report.known += len(chat.messages) - new
            done += len(chat.messages)
            progress("storing", done, report.messages)
    return report


def _format(export: Export, name: str | None) -> Format:
    return format_of(name) if name else recognise(export)


def _chosen(export: Export, format: Format, run: Reading) -> Iterator[Chat]:
    """The conversations that the options ask for."""
    options = run.options
    wanted = options.only.casefold()
    for chat in format.read(export, run):
        if wanted and wanted not in f"{chat.title}\n{chat.key}".casefold():
            continue
        messages = chat.messages
        if options.since or options.until:
            messages = tuple(m for m in messages if _within(m.get("at") or chat.at, options))
        if messages:
            yield Chat(chat.key, chat.title, messages, chat.at, chat.place, chat.user)


def _within(at: datetime | None, options: ImportOptions) -> bool:
    since, until = options.since, options.until
    return at is not None and (since is None or at >= since) and (until is None or at < until)


def _storable(chats: Iterable[Chat], run: Reading, longest: int) -> Iterator[Chat]:
    """Chats with those messages that can be stored; any other is rejected with its place."""
    for chat in chats:
        good = chat.messages
        if _fault(good, chat, longest):
            good = tuple(m for m in good if not _rejected(m, chat, run, longest))
        if good:
            yield Chat(chat.key, chat.title, good, chat.at, chat.place, chat.user)


def _fault(messages: Sequence[Mapping[str, Any]], chat: Chat, longest: int) -> InputError | None:
    try:
        parse_messages(messages, at=chat.at or datetime.now(UTC), timed=chat.at is not None, longest=longest)
    except InputError as error:
        return error
    return None


def _rejected(message: Mapping[str, Any], chat: Chat, run: Reading, longest: int) -> bool:
    fault = _fault([message], chat, longest)
    if fault is None:
        return False
    said = fault.problem.removesuffix(".")
    run.reject(
        chat.place, f"in the conversation here, the message {message.get('id')!r}: {said}", "Correct or remove it"
    )
    return True


def _count(report: ImportReport, chat: Chat) -> None:
    report.messages += len(chat.messages)
    if chat.user:
        report.users[chat.user] += len(chat.messages)
    for message in chat.messages:
        report.speakers[message.get("name") or message["role"]] += 1
        at = message.get("at") or chat.at
        if at is None:
            report.undated += 1
            continue
        report.first = min(report.first or at, at)
        report.last = max(report.last or at, at)


def _why(run: Reading) -> str:
    left = ", ".join(f"{count} {kind}" for kind, count in run.passed_over.most_common())
    return f" (passed over: {left})" if left else ""


def _add_unchanged(memory: ImportTarget, chat: Chat, call: Mapping[str, Any], report: ImportReport) -> int:
    """Add messages one by one; stored ones with another text are unchanged. Returns the number of new ones."""
    new = 0
    for message in chat.messages:
        try:
            new += memory.add([message], **call).new
        except ConflictError:
            report.changed += 1
            if len(report.changes) < MOST_CHANGED:
                report.changes.append(chat.place)
    return new


class _Spaces:
    """Assigns conversations to spaces and sessions, whose names survive changes of titles."""

    def __init__(self, memory: ImportTarget, space: str | None, report: ImportReport) -> None:
        users = list(report.users)
        if space is None and len(users) > 1:
            some = ", ".join(users[:3]) + (" …" if len(users) > 3 else "")
            raise InputError(
                f"{report.file} holds what {len(users)} users said ({some}), and nothing may be read across users.",
                "Pass the space '{user}' for a space each, or one space for all of them.",
            )
        if space is not None and USER in space and report.users.total() < report.messages:
            raise InputError(
                f"{report.file} does not say of everything whose it is, so there is no {USER}.", "Pass a space."
            )
        self.memory = memory
        self.template = check_name(DEFAULT_SPACE if space is None else space, "The space")
        self.names: dict[str, dict[str, str]] = {}

    def of(self, chat: Chat) -> str:
        """The space of a conversation."""
        named = self.template.replace(USER, chat.user).replace(CONVERSATION, chat.title or chat.key)
        return check_name(named, "The space")

    def session(self, space: str, chat: Chat) -> str:
        """`Title (key)`; a conversation that has been imported keeps the name that it was given then."""
        if not chat.title:
            return chat.key
        key = chat.key.translate(NO_BRACKETS)
        if space not in self.names:
            self.names[space] = {found[1]: name for name in self._held(space) if (found := KEY_AT_END.search(name))}
        return self.names[space].setdefault(key, f"{chat.title} ({key})")

    def _held(self, space: str) -> list[str]:
        try:
            return [name for name, _, _ in self.memory.sessions(space=space)]
        except BackendError:  # a memory elsewhere does not list them
            return []


NO_BRACKETS = str.maketrans("()", "[]")


LONGEST_LABEL = 200
BUFFER = 1 << 18
NOT_THEIRS = "__MACOSX/"
"""Files that macOS adds to archives."""
SMALL, MOST_EXPANSION = 1 << 26, 200
"""A file in an archive may be 64 MB; above, at most 200 times its compressed size. Chats as JSON compress to a tenth;
a factor near the method's limit of a thousand indicates a decompression bomb.
"""
ENCRYPTED = 0x1
"""Bit 0 of a member's flags (APPNOTE 6.3.10, section 4.4.4)."""


@contextmanager
def open_export(path: str | os.PathLike[str], name: str = "") -> Iterator[Export]:
    """Open the export at a path; `name` is used in errors. Raises FormatError if it is missing or cannot be opened."""
    with ExitStack() as opened:
        yield _opened(Path(path), name or str(path), opened)


def _opened(place: Path, name: str, opened: ExitStack) -> Export:
    try:
        if place.is_dir():
            return _Folder(name, place)
        if zipfile.is_zipfile(place):
            return _Archive(name, opened.enter_context(zipfile.ZipFile(place)))
        place.open("rb").close()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise FormatError(f"{name} is a damaged ZIP archive: {error}.", "Download it again.") from error
    except (OSError, ValueError) as error:
        raise FormatError(
            f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.", "Check the path."
        ) from error
    return _File(name, place)


@dataclass(frozen=True)
class _File:
    name: str
    path: Path

    @property
    def names(self) -> list[str]:
        return [self.path.name]

    def label(self, name: str) -> str:
        return self.name

    def open(self, name: str) -> BinaryIO:
        return _opened_file(self.path, self.label(name))


@dataclass(frozen=True)
class _Folder:
    name: str
    path: Path

    @cached_property
    def names(self) -> list[str]:
        """Links are not followed."""
        found = []
        for folder, _, files in os.walk(self.path):
            here = Path(folder)
            found += [(here / f).relative_to(self.path).as_posix() for f in files if not (here / f).is_symlink()]
        return sorted(found)

    def label(self, name: str) -> str:
        return f"{self.name.rstrip('/')}/{_printable(name)}"

    def open(self, name: str) -> BinaryIO:
        return _opened_file(self.path / name, self.label(name))


@dataclass(frozen=True)
class _Archive:
    name: str
    archive: zipfile.ZipFile

    @cached_property
    def names(self) -> list[str]:
        members = self.archive.infolist()
        return sorted({m.filename for m in members if not m.is_dir() and not m.filename.startswith(NOT_THEIRS)})

    def label(self, name: str) -> str:
        return f"{self.name}/{_printable(name)}"

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        member = self.archive.getinfo(name)
        if member.flag_bits & ENCRYPTED:
            raise FormatError(f"{self.label(name)} is encrypted.", "Unpack the archive with its password first.")
        if member.file_size > SMALL and member.file_size > MOST_EXPANSION * max(member.compress_size, 1):
            times = member.file_size // max(member.compress_size, 1)
            raise FormatError(
                f"{self.label(name)} expands to {times} times its size, as no export does.", "Export again."
            )
        try:
            stream = self.archive.open(member)
        except (NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
            raise FormatError(f"{self.label(name)} cannot be unpacked: {error}.", "Export again.") from error
        with stream:
            yield io.BufferedReader(_ArchiveMember(stream, self.label(name)), BUFFER)


def _opened_file(path: Path, label: str) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise FormatError(f"{label} cannot be read: {error.strerror}.", "Check the path.") from error


def _printable(name: str) -> str:
    """The name of a file as it may be shown on a terminal: it comes from the export."""
    return "".join(c if c.isprintable() else "�" for c in name[-LONGEST_LABEL:])


class _ArchiveMember(io.RawIOBase):
    """A file of an archive whose damage, found while it is read, is a FormatError."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._stream = stream
        self._label = label

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into `buffer`; 0 at the end."""
        view = memoryview(buffer).cast("B")
        try:
            data = self._stream.read(len(view))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise FormatError(f"{self._label} is damaged: {error}.", "Download or export it again.") from error
        view[: len(data)] = data
        return len(data)
