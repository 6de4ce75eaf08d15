"""Locations of stores: a path, `sqlite:///path`, or `:memory:`."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from goalmem.errors import CorruptStoreError, InputError, NotAStoreError, StoreError, StoreFullError, shown
from goalmem.store.failures import not_a_store, read_only

MEMORY = ":memory:"
APPLICATION_ID = 0x676F616C
"""`goal` in ASCII, in the header field SQLite keeps for this (sqlite.org/fileformat2.html, section 1.3.17)."""

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*)://(.*)$", re.DOTALL)
_MAGIC = b"SQLite format 3\0"
_APPLICATION_ID_FIELD = slice(68, 72)
_HEADER = 100
_JOURNAL_MAGIC, _JOURNAL_PAGES = bytes.fromhex("d9d505f920a163d7"), slice(16, 20)
"""Magic bytes of a journal; number of database pages when its transaction began (sqlite.org/fileformat2.html, section
3).
"""
SERVED, LEDGER = ".serve", "serve.db"
"""Suffix of the folder, and the file in it, where a server keeps its ledger (`serve.ledger`)."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)

Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Location:
    """A file, or memory when `path` is None."""

    path: Path | None

    @property
    def name(self) -> str:
        """Name of the store in messages."""
        return str(self.path) if self.path else MEMORY

    @property
    def wal(self) -> Path | None:
        """Path of the write-ahead log."""
        return self.path and self.path.with_name(self.path.name + "-wal")

    def uri(self, *query: str) -> str:
        """The URI SQLite opens, e.g. with `mode=ro`."""
        if self.path is None:
            return MEMORY
        return self.path.as_uri() + ("?" + "&".join(query) if query else "")


def folder_beside(store: str, data: str) -> Path | None:
    """Folder for server data outside the store: `data`, or else beside the store's file; None if there is no file."""
    if data:
        return Path(data).expanduser()
    if is_postgres(store) or ("://" in store and not store.startswith("sqlite:")):
        return None
    path = locate(store).path
    return None if path is None else path.with_name(path.name + SERVED)


def socket_path(store: str, data: str) -> Path | None:
    """Socket on which a server of this store accepts commands; None if none is possible."""
    folder = folder_beside(store, data) if os.name == "posix" else None
    return None if folder is None else folder / "commands.sock"


def locate(place: Place) -> Location:
    """Parse the location of a store.

    Raises:
        StoreError: the scheme is none that this store serves.
        InputError: it is empty or holds a NUL byte.
    """
    if not isinstance(place, str | os.PathLike):
        raise _nameless(place)
    text = os.fsdecode(place)
    if not text.strip() or "\0" in text:
        raise _nameless(place)
    if isinstance(place, str) and (match := _SCHEME.match(text)):
        scheme, rest = match.groups()
        if scheme.lower() != "sqlite" or (rest and not rest.startswith("/")):
            raise StoreError(
                f"No store serves {scheme}:// URLs of this form ({text!r}).",
                "Supported are a file path, sqlite:///relative/path, sqlite:////absolute/path, and :memory:;"
                " postgresql://user@host/database for most commands.",
            )
        text = rest[1:] or MEMORY
    if text == MEMORY:
        return Location(None)
    # Absolute from now on: connections are opened later too, when the working folder may be another.
    return Location(Path(os.path.abspath(os.path.expanduser(text))))


def is_postgres(place: object) -> bool:
    """True for a URL of a PostgreSQL server."""
    return isinstance(place, str) and place.lower().startswith(("postgresql://", "postgres://"))


@contextmanager
def postgres_packages() -> Iterator[None]:
    """Raises StoreError where a package is missing that a store in PostgreSQL is built on, and that is imported within."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"A store in PostgreSQL needs a package that is not installed ({error.name}).",
            "Install it: pip install 'goalmem[postgres]'.",
        ) from error


def _nameless(place: object) -> InputError:
    return InputError(
        f"{shown(place)} names no store.", "Pass a file path, sqlite:///path, or :memory: for one that is not kept."
    )


def is_new(path: Path) -> bool:
    """True if there is no store at `path` yet. Never changes a file of another kind.

    Raises:
        NotAStoreError: a folder, a pipe, a device, no SQLite database, or another program's database.
        CorruptStoreError: the file is empty or missing, and what lies beside it shows that it was not.
        ReadOnlyStoreError: the file may not be read.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a pipe would wait for who writes into it
            raise not_a_store(str(path), "it is no file, but a pipe, a socket or a device")
        with path.open("rb") as file:
            header = file.read(_HEADER)
        if not header.startswith(_MAGIC) and _is_being_created(path):
            return True
    except FileNotFoundError:
        _require_never_filled(path, is_there=False)
        return True
    except OSError as error:
        raise _unusable(path, error) from error
    if not header:
        _require_never_filled(path, is_there=True)
        return True
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise not_a_store(str(path), "it is no SQLite database")
    if header[_APPLICATION_ID_FIELD] != APPLICATION_ID.to_bytes(4, "big"):
        raise not_a_store(str(path), "it is an SQLite database of another program")
    return False


def _require_never_filled(path: Path, is_there: bool) -> None:
    """Refuse an empty or a missing file next to leftovers of a filled store: opening it as new would delete them."""
    noted = path.with_name(path.name + SERVED) / LEDGER
    try:
        if _head(path, "-wal"):
            left, beside = "its write-ahead log", path.with_name(path.name + "-wal")
        elif any(_head(path, "-journal")[_JOURNAL_PAGES]):  # one of a store that is being created says 0
            left, beside = "its journal", path.with_name(path.name + "-journal")
        elif noted.exists() if is_there else _names_writes(noted):
            left, beside = "what a server noted of it", noted.parent
        else:
            return
    except OSError as error:
        raise _unusable(path, error) from error
    if is_there:
        raise CorruptStoreError(
            f"The store {path} is damaged: its file is empty, but {left} lies beside it.",
            "Restore a backup. If there never was a store, delete the empty file and what lies beside it.",
        )
    raise CorruptStoreError(
        f"The store {path} is damaged: its file is missing, but {left} lies beside it.",
        f"Put the file back, or restore a backup with --force. To begin a new store, move or delete {beside} first.",
    )


def _names_writes(ledger: Path) -> bool:
    """True if a server noted that something was written to the store, or if its ledger is damaged. Keys are made before a store, too."""
    if not ledger.exists():
        return False
    written = "SELECT EXISTS (SELECT 1 FROM acknowledged WHERE status < 300) OR EXISTS (SELECT 1 FROM job WHERE state = 'done')"
    try:
        with closing(sqlite3.connect(f"{ledger.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute(written).fetchone()[0])
    except sqlite3.OperationalError:  # nothing is in it yet
        return False
    except sqlite3.DatabaseError:
        return True


def _is_being_created(path: Path) -> bool:
    """True where power was lost while the first pages were written: SQLite rolls them back when it opens the file."""
    journal = _head(path, "-journal")
    return journal.startswith(_JOURNAL_MAGIC) and not any(journal[_JOURNAL_PAGES])


def _head(path: Path, ending: str) -> bytes:
    """The first bytes of a file beside the store; empty if it does not exist."""
    try:
        with path.with_name(path.name + ending).open("rb") as file:
            return file.read(_HEADER)
    except FileNotFoundError:
        return b""


def make_room(path: Path) -> None:
    """Create the file, empty, with its parent folders, so that a refusal says why.

    Raises:
        ReadOnlyStoreError, StoreFullError, NotAStoreError: by what the operating system says.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StoreError:
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return StoreFullError(f"There is no room for the store {path} ({reason}).", "Free some space and try again.")
    if error.errno in _REFUSED:
        return read_only(str(path), reason)
    if error.errno in (errno.EISDIR, errno.ENOTDIR, errno.EEXIST):
        return NotAStoreError(f"{path} cannot be a store: {reason}.", "Choose the path of a file, new or a store.")
    return StoreError(f"The store {path} cannot be opened: {reason}.", "Choose another path.")
