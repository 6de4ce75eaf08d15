"""Commands for whoever runs a store: backup, restore, check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.options import AsJson, Store, settings_for
from goalmem.cli.outcome import Exit, interruptible
from goalmem.cli.output import console, progress, write_json
from goalmem.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = ["register"]

Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(backup)
    app.command()(restore)
    app.command()(check)


def backup(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store to back up; it may be in use.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="File to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Copy one state of a store to a file, while it is used; the copy is checked, and is itself a store.

    A store in PostgreSQL is copied to such a file, too; when that was interrupted, the same command goes on.

    \b
    Examples:
      goalmem backup memory.goalmem memory-2024-05-01.backup
      goalmem backup memory.goalmem latest.backup --force
      goalmem backup postgresql://goalmem@db.example/memories memories.backup
    """
    from goalmem.store.backup import back_up

    settings = settings_for(store, None)
    require_store(settings.store)
    with interruptible("No backup was made."), pages("backup") as told:
        copied = back_up(store, target, force=force, on_progress=told, busy_timeout=settings.busy_timeout)
    if as_json:
        write_json(copied)
    else:
        typer.echo(f"{target}: {copied.turns} turns in {copied.spaces} spaces, {copied.bytes / 1e6:.1f} MB, checked")


def restore(
    backup: Annotated[str, typer.Argument(metavar="BACKUP", help="What `goalmem backup` wrote.")],
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store to make of it.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a store of a backup, all or nothing; the backup is checked first.

    With --force the store that is there is overwritten, also while it is used: every process that has it open sees
    either all of the old or all of the new.

    \b
    Examples:
      goalmem restore memory-2024-05-01.backup memory.goalmem
      goalmem restore latest.backup memory.goalmem --force
      goalmem restore memories.backup postgresql://goalmem@db.example/memories
    """
    from goalmem.store.backup import restore as put_back

    settings = settings_for(store, None)
    require_store(backup)
    with interruptible("Nothing was restored."), pages("restore") as told:
        copied = put_back(backup, store, force=force, on_progress=told, busy_timeout=settings.busy_timeout)
    if as_json:
        write_json(copied)
    else:
        typer.echo(f"{named(store)}: {copied.turns} turns in {copied.spaces} spaces, checked")


def check(
    store: Store = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Build anew what is derived from turns, where it is damaged.")
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build anew all that is derived from turns, damaged or not.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a store: its file or tables, its references, and everything derived from each turn. Exits with 1 when it is not sound.

    What cannot be repaired is what was said itself: restore a backup. Of a store in PostgreSQL the tables, their locks and
    indices are checked as well; what puts them right is said, and left to whoever keeps the database.

    \b
    Examples:
      goalmem check
      goalmem check --repair --store memory.goalmem
    """
    from goalmem.maintenance.check import Database
    from goalmem.maintenance.check import check as check_store
    from goalmem.maintenance.open_store import open_with_embedder
    from goalmem.store import SqliteStore

    settings = settings_for(store, None)
    require_store(settings.store)
    with interruptible("What was repaired is kept; run the same command again to go on."), stages() as told:
        opened, embedder = open_with_embedder(settings.store, settings)
        try:
            assert isinstance(opened, SqliteStore | Database)
            checked = check_store(opened, embedder, repair=repair, rebuild=rebuild, on_progress=told)
        finally:
            opened.close()
    if as_json:
        write_json({"store": named(settings.store), "sound": checked.sound} | asdict(checked))
    else:
        out = console()
        for problem in checked.found:
            out.print(f"found: {problem}")
        for done in checked.repaired:
            out.print(f"repaired: {done}")
        for problem in checked.remaining if checked.repaired else ():
            out.print(f"remains: {problem}", style="red")
        out.print(f"{named(settings.store)} is {'sound' if checked.sound else 'damaged'}.")
    if not checked.sound:
        raise typer.Exit(Exit.NO)


def require_store(place: str) -> None:
    """Refuse a place where there is no store. Raises NotFoundError, InputError and, of a database, StoreError."""
    from goalmem.store.location import is_postgres, locate
    from goalmem.store.transfer_places import ending_of

    if is_postgres(place):
        ending_of(place).model()
        return
    path = locate(place).path
    if path is None:
        raise InputError("A store in memory has no file.", "Name a store that is kept in a file.")
    if not path.exists():
        raise NotFoundError(f"There is no store at {place!r}.", "Check the path.")


def named(place: str) -> str:
    """How a place is called in what is printed: a URL without its password."""
    from goalmem.store.location import is_postgres
    from goalmem.store.transfer_places import ending_of

    return ending_of(place).name if is_postgres(place) else place


@contextmanager
def pages(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar for the pages of a database."""
    with progress() as bars:
        bar = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for each stage of a check."""
    with progress() as bars:
        known: dict[str, TaskID] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in known:
                known[what] = bars.add_task(what, total=total)
            bars.update(known[what], completed=done, total=total)

        yield told
