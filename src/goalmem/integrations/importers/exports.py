"""Exports where they lie: a file, a folder, or a ZIP archive that is read in place. Nothing is ever unpacked to disk."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from goalmem.errors import FormatError
from goalmem.integrations.importers.protocol import Export

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["open_export"]

LONGEST_LABEL = 200
BUFFER = 1 << 18
NOT_THEIRS = "__MACOSX/"
"""What macOS adds to archives."""
SMALL, MOST_EXPANSION = 1 << 26, 200
"""A file in an archive may be 64 MB; beyond, it may be 200 times as long as it is in the archive. Chats as JSON shrink to a
tenth; what expands a thousandfold, the most that the method can, was made to fill a machine."""
ENCRYPTED = 0x1
"""Bit 0 of a member's flags (APPNOTE 6.3.10, section 4.4.4)."""


@contextmanager
def open_export(path: str | os.PathLike[str], name: str = "") -> Iterator[Export]:
    """The export at a path; errors call it `name`. Raises FormatError when there is none, or it cannot be opened."""
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

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        with _opened_file(self.path, self.label(name)) as stream:
            yield stream


@dataclass(frozen=True)
class _Folder:
    name: str
    path: Path

    @cached_property
    def names(self) -> list[str]:
        """Links are not followed: an export has none."""
        found = []
        for folder, _, files in os.walk(self.path):
            here = Path(folder)
            found += [(here / f).relative_to(self.path).as_posix() for f in files if not (here / f).is_symlink()]
        return sorted(found)

    def label(self, name: str) -> str:
        return f"{self.name.rstrip('/')}/{_printable(name)}"

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        with _opened_file(self.path / name, self.label(name)) as stream:
            yield stream


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
            yield io.BufferedReader(_Checked(stream, self.label(name)), BUFFER)


def _opened_file(path: Path, label: str) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise FormatError(f"{label} cannot be read: {error.strerror}.", "Check the path.") from error


def _printable(name: str) -> str:
    """The name of a file as it may be shown on a terminal: it comes from the export."""
    return "".join(c if c.isprintable() else "�" for c in name[-LONGEST_LABEL:])


class _Checked(io.RawIOBase):
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
