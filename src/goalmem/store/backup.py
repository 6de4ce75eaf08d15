"""Back a store up while it is used, and put a backup in its place.

A backup is a file, of a store in a file as of one in a database, and either can be made of it. A copy is made beside its target, checked, brought to the disk, and only then given its name.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from goalmem.errors import ConflictError, CorruptStoreError, InputError, NotFoundError
from goalmem.store.failures import failures_of
from goalmem.store.file_copy import (
    OnProgress,
    connect,
    copy_of,
    copy_pages,
    discard,
    flush,
    left_beside,
    replace,
    sound,
)
from goalmem.store.location import Location, Place, is_new, is_postgres, locate, postgres_packages
from goalmem.store.migrations import migrate
from goalmem.store.transactions import write_transaction


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Result of a backup or a restore."""

    path: Path | str
    """Path of the file, or URL of the database without its password."""
    bytes: int
    spaces: int
    turns: int


def back_up(
    origin: Place,
    target: Path,
    *,
    force: bool = False,
    on_progress: OnProgress | None = None,
    busy_timeout: float = 30.0,
) -> CopyReport:
    """Write one state of the store at `origin` to `target`: a single file, itself a store, checked.

    `force` replaces a backup that is there, and only once the new one is whole.

    Raises:
        NotFoundError: there is no store at `origin`.
        ConflictError: there is a file at `target`, or it is the store itself.
        CorruptStoreError: the store is damaged; no backup was made.
        StoreError: a place cannot be read or written.
    """
    target = Path(os.path.abspath(target.expanduser()))
    if is_postgres(origin):
        _require_free(target, force)
        return _back_up_database(str(origin), target, force, on_progress, busy_timeout)
    source = _existing(origin)
    _refuse_same(source, target)
    _require_free(target, force)
    with copy_of(source, target.parent, target.name, on_progress, busy_timeout) as part:
        told = sound(part, f"The store {source}", "no backup was made")
        replace(part, target, force=force)
    return CopyReport(target, *told)


def _require_free(target: Path, force: bool) -> None:
    if target.exists() and not force:
        raise ConflictError(f"There is a file at {target} already.", "Choose another name, or pass --force.")
    if target.is_dir():
        raise ConflictError(f"{target} is a folder.", "Name a file.")
    if left := left_beside(target):
        raise ConflictError(
            f"{target} is in use as a store: {left[0].name} is beside it.", "Choose another name, or remove that file."
        )


def _back_up_database(
    place: str, target: Path, force: bool, on_progress: OnProgress | None, busy_timeout: float
) -> CopyReport:
    with postgres_packages():
        from goalmem.store.postgres.backup import copied_to_file
    # Always the same name, so that an interrupted backup resumes.
    part = target.with_name(f".{target.name}.part")
    with copied_to_file(place, part, on_progress, busy_timeout):
        try:
            told = sound(part, "What was copied", "no backup was made")
        except CorruptStoreError:
            discard([part])
            raise
        replace(part, target, force=force)
        discard([part])
    return CopyReport(target, *told)


def restore(
    backup: Place,
    place: Place,
    *,
    force: bool = False,
    on_progress: OnProgress | None = None,
    busy_timeout: float = 30.0,
) -> CopyReport:
    """Make the store at `place` hold what `backup` holds, all or nothing; the backup is checked first.

    With `force`, an existing store is overwritten in one transaction, even while other processes have it open: each
    sees either all of the old state or all of the new. A damaged one is replaced by a new file.

    Raises:
        NotFoundError: there is no backup.
        ConflictError: there is something at `place`, and `force` was not given; or it is the backup itself.
        CorruptStoreError: the backup is damaged; nothing was changed.
        NotAStoreError: the backup, or what is at `place`, is no store.
        StoreError: a place cannot be read or written, or is held by another process.
    """
    source = _existing(backup)
    if is_postgres(place):
        return _restore_to_database(source, str(place), force, on_progress, busy_timeout)
    location = locate(place)
    target = location.path
    if target is None:
        raise InputError("A store in memory cannot be restored to.", "Name a file.")
    _refuse_same(source, target)
    there = target.exists() and not is_new(target)
    left = left_beside(target)
    if (there or left) and not force:
        what = f"There is a store at {target} already" if there else f"{left[0]} is left of another store"
        raise ConflictError(f"{what}; nothing was restored.", "Restore to another path, or pass --force.")
    with copy_of(source, target.parent, target.name, on_progress, busy_timeout) as part:
        sound(part, f"The backup {source}", "nothing was restored")
        _bring_up_to_date(part)
        told = sound(part, f"The backup {source}", "nothing was restored")
        if not there:
            discard(left)
            replace(part, target, force=target.exists())
        elif not _overwrite(part, location, busy_timeout):
            discard(left)
            replace(part, target, force=True)
    return CopyReport(target, *told)


def _restore_to_database(
    source: Path, place: str, force: bool, on_progress: OnProgress | None, busy_timeout: float
) -> CopyReport:
    with postgres_packages():
        from goalmem.store.postgres.backup import require_room, restored_from_file
    standing = require_room(place, source, force=force)
    folder = source.parent if os.access(source.parent, os.W_OK) else Path(tempfile.gettempdir())
    with copy_of(source, folder, source.name, None, busy_timeout) as part:
        sound(part, f"The backup {source}", "nothing was restored")
        _bring_up_to_date(part)
        name, size, moved = restored_from_file(
            part, place, standing, force=force, on_progress=on_progress, busy_timeout=busy_timeout
        )
    return CopyReport(name, size, moved.spaces, moved.turns)


def _existing(place: Place) -> Path:
    if is_postgres(place):
        raise InputError(
            f"The backup {place!r} is not a file.",
            "Name what `goalmem backup` wrote; `goalmem move` copies a database.",
        )
    path = locate(place).path
    if path is None:
        raise InputError("A store in memory has no file.", "Name a store that is kept in a file.")
    if not path.exists() or is_new(path):
        raise NotFoundError(f"There is no store at {str(path)!r}.", "Check the path.")
    return path


def _refuse_same(source: Path, target: Path) -> None:
    if target.exists() and os.path.samefile(source, target):
        raise ConflictError(f"{source} and {target} are the same file.", "Name two places.")


def _bring_up_to_date(path: Path) -> None:
    """Migrate a copy, as opening it would: other processes with the store open cannot read older tables."""
    with failures_of(str(path)), closing(connect(path, "mode=rw", 0.0)) as copy:
        copy.execute("PRAGMA foreign_keys = ON")
        migrate(copy, str(path))
    flush(path)


def _overwrite(part: Path, location: Location, busy_timeout: float) -> bool:
    """Copy the pages into the existing store in one transaction; False if that store is too damaged to be written."""
    assert location.path is not None
    try:
        with (
            failures_of(location.name),
            closing(connect(location.path, "mode=rw", busy_timeout)) as target,
            closing(connect(part, "mode=rw", 0.0)) as copy,
        ):
            target.execute("PRAGMA synchronous = FULL")
            target.execute("PRAGMA secure_delete = ON")
            _refuse_other_model(copy, target, location.name)
            _outnumber(copy, target)
            copy_pages(copy, target, location.name, None, busy_timeout)
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except CorruptStoreError:
        return False
    return True


def _refuse_other_model(copy: sqlite3.Connection, target: sqlite3.Connection, name: str) -> None:
    """Processes that have the store open would search vectors of one model with those of another."""
    query = "SELECT value FROM meta WHERE key = 'model'"
    kept, coming = target.execute(query).fetchone(), copy.execute(query).fetchone()
    if kept != coming:
        raise ConflictError(
            f"The store {name} keeps vectors of another embedding model than the backup; nothing was restored.",
            "Restore to another path.",
        )


def _outnumber(copy: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Give every space of the copy an epoch that the store never had, so that open processes reload it."""
    (last,) = target.execute("SELECT value FROM epoch").fetchone()
    with write_transaction(copy):
        copy.execute("UPDATE epoch SET value = max(value, ?) + 1", (last,))
        copy.execute("UPDATE space SET epoch = (SELECT value FROM epoch)")
        copy.execute("UPDATE space SET rules = (SELECT value FROM epoch) WHERE rules > 0")
