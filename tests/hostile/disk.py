"""A disk that fails and a machine that loses its power, below SQLite: a VFS (sqlite.org/vfs.html) that hands everything on.

It keeps what was written and synced, in order, so that a file can be made as it may lie after a loss of power at any
moment: what was synced is there, and of every other sector it is open (after SQLite's own crash tests,
sqlite.org/testing.html, section 3.3).
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SECTOR = 512
"""Bytes that a disk writes as a whole."""
CREATE, DELETE_ON_CLOSE = 0x4, 0x8
FULL, CANNOT_OPEN = 13, 14
IO_ERROR = {"read": 266, "write": 778, "sync": 1034, "truncate": 1546, "delete": 2570, "create": CANNOT_OPEN}
"""Result codes (sqlite.org/rescode.html)."""

_OPEN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_DELETE = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_TRANSFER = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)


class _Methods(ctypes.Structure):
    """sqlite3_io_methods; those after xSync are handed on as they are."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", _TRANSFER),
        ("write", _TRANSFER),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", c_void_p * 13),
    )


class _File(ctypes.Structure):
    """sqlite3_file."""

    _fields_ = (("methods", POINTER(_Methods)),)


class _Vfs(ctypes.Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("path_length", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", c_void_p * 13),
    )


def sqlite_library() -> Any:
    """The library that Python's module uses; skips the test where it cannot be reached."""
    import _sqlite3

    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        library.sqlite3_vfs_register.argtypes = (POINTER(_Vfs), c_int)
        library.sqlite3_vfs_unregister.argtypes = (POINTER(_Vfs),)
    except (AttributeError, OSError):
        pytest.skip("SQLite is built into this Python: use one that loads the library of SQLite")
    return library


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that was done to a file of the store; `what` is create, write, truncate, sync or delete."""

    what: str
    file: str = ""
    place: int = 0
    """Where it was written; the length that it was truncated to."""
    content: bytes = b""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """An operation that fails."""

    at: int
    """Which operation that can fail: 0 is the first."""
    kinds: frozenset[str]
    lasting: bool = False
    """Whether later ones fail, too."""
    full: bool = False
    """Whether a write fails as the disk is full; it is a broken disk otherwise."""


@dataclass
class Disk:
    """What was done to the files in a folder, and what of it fails."""

    folder: Path
    done: list[Operation] = field(default_factory=list)
    fault: Fault | None = None
    count: int = 0
    """Operations of the fault's kinds so far."""
    struck: int = 0
    _names: dict[int, str] = field(default_factory=dict)
    _methods: dict[int, Any] = field(default_factory=dict)
    _held: list[Any] = field(default_factory=list)

    def fail(self, fault: Fault | None) -> None:
        """From now on, count anew and let this fail; None mends the disk."""
        self.fault, self.count = fault, 0

    @contextmanager
    def mounted(self) -> Iterator[Disk]:
        """For as long as it lasts, files that are opened lie on this disk."""
        library = sqlite_library()
        below = library.sqlite3_vfs_find(None)
        mine = _Vfs.from_buffer_copy(below.contents)
        mine.name = b"failing disk"
        mine.open = self._opener(below.contents.open)
        mine.delete = self._deleter(below.contents.delete)
        self._held.append(mine)
        assert library.sqlite3_vfs_register(ctypes.byref(mine), 1) == 0
        try:
            yield self
        finally:
            library.sqlite3_vfs_unregister(ctypes.byref(mine))
            library.sqlite3_vfs_register(below, 1)

    def _strikes(self, kind: str) -> int:
        """The code that this operation fails with, or 0."""
        fault = self.fault
        if fault is None or kind not in fault.kinds:
            return 0
        self.count += 1
        if self.count - 1 < fault.at or (self.count - 1 > fault.at and not fault.lasting):
            return 0
        self.struck += 1
        return FULL if fault.full and kind == "write" else IO_ERROR[kind]

    def _named(self, path: bytes | None) -> str:
        """The name of a file in the folder; empty for temporary files and files elsewhere."""
        if not path or Path(path.decode()).parent != self.folder:
            return ""
        return Path(path.decode()).name

    def _opener(self, below: Callable[..., int]) -> Any:
        def open_(vfs: int, path: int | None, file: int, flags: int, out: Any) -> int:
            name = self._named(ctypes.string_at(path) if path else None)
            new = bool(name) and flags & CREATE and not (self.folder / name).exists()
            if new and (code := self._strikes("create")):
                _File.from_address(file).methods = POINTER(_Methods)()
                return code
            code = below(vfs, path, file, flags, out)
            if code == 0 and name:
                if new:
                    self.done.append(Operation("create", name))
                self._names[file] = name
                self._replace(_File.from_address(file))
            return code

        self._held.append(made := _OPEN(open_))
        return made

    def _deleter(self, below: Callable[..., int]) -> Any:
        def delete(vfs: int, path: bytes, durable: int) -> int:
            name = self._named(path)
            if name and (code := self._strikes("delete")):
                return code
            code = below(vfs, path, durable)
            if name and code == 0:
                self.done.append(Operation("delete", name, place=durable))
            return code

        self._held.append(made := _DELETE(delete))
        return made

    def _replace(self, file: _File) -> None:
        """Let the methods of an open file come here first."""
        address = ctypes.addressof(file.methods.contents)
        if address not in self._methods:
            self._methods[address] = self._over(_Methods.from_address(address))
        file.methods = ctypes.pointer(self._methods[address])

    def _over(self, below: _Methods) -> _Methods:
        def read(file: int, into: int, amount: int, place: int) -> int:
            return self._strikes("read") or below.read(file, into, amount, place)

        def write(file: int, source: int, amount: int, place: int) -> int:
            code = self._strikes("write")
            written = amount // 2 if code else amount  # a write that fails may have written some of it
            self._did("write", file, place, ctypes.string_at(source, written))
            return below.write(file, source, written, place) or code

        def truncate(file: int, size: int) -> int:
            if code := self._strikes("truncate"):
                return code
            self._did("truncate", file, size)
            return below.truncate(file, size)

        def sync(file: int, _: int) -> int:
            code = self._strikes("sync")
            self._did("sync", file, failed=bool(code))
            return code  # nothing waits for the real disk: no power is lost there

        made = _Methods.from_buffer_copy(below)
        made.read, made.write = _TRANSFER(read), _TRANSFER(write)
        made.truncate, made.sync = _TRUNCATE(truncate), _SYNC(sync)
        return made

    def _did(self, what: str, file: int, place: int = 0, content: bytes = b"", *, failed: bool = False) -> None:
        self.done.append(Operation(what, self._names[file], place, content, failed))


def _durable(done: Sequence[Operation]) -> set[int]:
    """Which operations are on the disk for certain.

    What a sync that failed was to bring there never is, whatever is synced later (Rebello et al. 2020, "Can Applications
    Recover from fsync Failures?", section 3). The first sync of a new file is one of its folder, too, as SQLite does it
    for journals and logs, and brings there what was deleted before.
    """
    found: set[int] = set()
    pending: dict[str, list[int]] = {}
    deleted: list[int] = []
    new: set[str] = set()
    for number, one in enumerate(done):
        if one.what == "create":
            new.add(one.file)
        if one.what == "delete":
            deleted.append(number)
        elif one.what != "sync":
            pending.setdefault(one.file, []).append(number)
        elif one.failed:
            pending[one.file] = []
        else:
            found.update(pending.pop(one.file, ()))
        if (one.what == "delete" and one.place) or (one.what == "sync" and not one.failed and one.file in new):
            new.discard(one.file)
            found.update(deleted)
            deleted = []
    return found


def after_power_loss(done: Sequence[Operation], chance: random.Random) -> dict[str, bytes]:
    """What files may hold when power is lost after these operations."""
    kept, likelihood = _durable(done), chance.choice((0.0, 0.5, 0.9, 1.0))
    written: dict[str, bytearray] = {}
    found: dict[str, bytearray] = {}
    for number, one in enumerate(done):
        if one.what == "write":
            for start in range(0, len(one.content), SECTOR):
                if number in kept or chance.random() < likelihood:
                    _put(_file(one.file, written, found), one.place + start, one.content[start : start + SECTOR])
            continue
        lasts = number in kept or chance.random() < likelihood
        if one.what == "create":
            written[one.file] = bytearray()
            if lasts:
                found[one.file] = written[one.file]
        elif one.what == "delete" and lasts:
            found.pop(one.file, None)
        elif one.what == "truncate" and lasts:
            del _file(one.file, written, found)[one.place :]
    return {name: bytes(content) for name, content in found.items()}


def _file(name: str, written: dict[str, bytearray], found: dict[str, bytearray]) -> bytearray:
    """What a program wrote to under this name; a file that was there before is found again."""
    if name not in written:
        written[name] = found[name] = bytearray()
    return written[name]


def _put(file: bytearray, place: int, content: bytes) -> None:
    file.extend(bytes(max(0, place - len(file))))
    file[place : place + len(content)] = content
