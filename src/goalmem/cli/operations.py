"""Commands for operators: backup, restore, check, move, index, reindex."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.options import AsJson, Space, Store, settings_for
from goalmem.cli.outcome import Exit, interruptible
from goalmem.cli.output import bar, console, stages, write_json
from goalmem.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from goalmem.maintenance.reembedding import ReembeddingState, Reindexed
    from goalmem.settings import Settings


Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


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
    with interruptible("No backup was made."), bar("backup") as told:
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
    """Restore a store from a backup, all or nothing; the backup is checked first.

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
    with interruptible("Nothing was restored."), bar("restore") as told:
        copied = put_back(backup, store, force=force, on_progress=told, busy_timeout=settings.busy_timeout)
    if as_json:
        write_json(copied)
    else:
        typer.echo(f"{printable_place(store)}: {copied.turns} turns in {copied.spaces} spaces, checked")


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
    from goalmem.maintenance.check import check as check_store
    from goalmem.maintenance.open_store import open_with_embedder

    settings = settings_for(store, None)
    require_store(settings.store)
    with interruptible("What was repaired is kept; run the same command again to go on."), stages() as told:
        opened, embedder = open_with_embedder(settings.store, settings)
        with closing(opened):
            checked = check_store(opened, embedder, repair=repair, rebuild=rebuild, on_progress=told)
    if as_json:
        write_json({"store": printable_place(settings.store), "sound": checked.sound} | asdict(checked))
    else:
        out = console()
        for problem in checked.found:
            out.print(f"found: {problem}")
        for done in checked.repaired:
            out.print(f"repaired: {done}")
        for problem in checked.remaining if checked.repaired else ():
            out.print(f"remains: {problem}", style="red")
        out.print(f"{printable_place(settings.store)} is {'sound' if checked.sound else 'damaged'}.")
    if not checked.sound:
        raise typer.Exit(Exit.NO)


def require_store(place: str) -> None:
    """Refuse a location without a store. Raises NotFoundError, InputError and, for a database, StoreError."""
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


def printable_place(place: str) -> str:
    """A location for display: a URL without its password."""
    from goalmem.store.location import is_postgres
    from goalmem.store.transfer_places import ending_of

    return ending_of(place).name if is_postgres(place) else place


def move(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Path or URL of the store to move.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Path or URL where no store is yet.")],
    as_json: AsJson = False,
) -> None:
    """Move a store: from a file to PostgreSQL, back, or between two of a kind. The source stays as it is.

    Every row is compared before the target gets its name; until then nobody sees any of it. Repeat the command after
    an interruption: it goes on.

    \b
    Examples:
      goalmem move memory.goalmem postgresql://goalmem@db.example/memories
      goalmem move postgresql://goalmem@db.example/memories copy.goalmem
    """
    from goalmem.store.transfer import move as move_store

    settings = settings_for(None, None)
    with interruptible("What was moved is kept; run the same command again to go on."), bar("moving") as told:
        moved = move_store(source, target, busy_timeout=settings.busy_timeout, on_progress=told)
    if as_json:
        write_json({"source": source, "target": target} | asdict(moved))
        return
    what = f"{moved.turns} turns in {moved.spaces} spaces, {moved.replies} replies, {moved.rules} sentences of rules"
    typer.echo(f"{'moved' if moved.new else 'moved already'}: {what}; checksum {moved.checksum}")
    typer.echo("The source is as it was. Point GOALMEM_STORE to the target, then remove it when you like.")


def index(
    store: Store = None,
    space: Space = None,
    drop: Annotated[bool, typer.Option("--drop", help="Remove the indices; the space is searched in memory.")] = False,
) -> None:
    """Let PostgreSQL search a large space by itself: build indices of its vectors and words, for this space alone.

    Without them a space is searched in memory, exactly, which takes about a kilobyte a turn (GOALMEM_INDEX_MEMORY_MB).
    Others read and write meanwhile. A build that was stopped is begun again.

    \b
    Examples:
      goalmem index --store postgresql://goalmem@db.example/memories --space archive
      goalmem index --space archive --drop
    """
    from goalmem.maintenance.open_store import open_with_embedder

    settings = settings_for(store, space)
    if "://" not in settings.store or settings.store.startswith("sqlite:"):
        raise InputError(f"{settings.store!r} is a file, which is searched in memory.", "Move it to PostgreSQL first.")
    opened, _ = open_with_embedder(settings.store, settings)
    with closing(opened):
        from goalmem.store.postgres import PostgresStore

        assert isinstance(opened, PostgresStore)
        if drop:
            opened.drop_indices(settings.space)
            typer.echo(f"{settings.space}: searched in memory")
        elif opened.index_space(settings.space):
            typer.echo(f"{settings.space}: {opened.indexed(settings.space)} turns, searched in the database")
        else:
            raise NotFoundError(f"There is no space {settings.space!r}.", "`goalmem stats` lists the spaces.")


def reindex(
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", help="The embedder to change to [GOALMEM_EMBEDDER; default: that of what is under way]."
        ),
    ] = None,
    store: Store = None,
    status: Annotated[
        bool, typer.Option("--status", help="Only say which model it is, and how far a change is.")
    ] = False,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Drop what a change has made; all stays as it is.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Change the embedding model: re-embed everything, then switch to the new vectors at once.

    Until then the old ones serve, and others may read, add and forget. Stopped or killed, run the same command again: it
    goes on. What has the store open meanwhile takes the new model where its embedder is auto, and is refused elsewhere.

    \\b
    Examples:
      goalmem reindex --embedder minilm+static
      goalmem reindex --embedder openai:text-embedding-3-small --store memory.goalmem
      goalmem reindex --status
    """
    if status and give_up:
        raise typer.BadParameter("say either --status or --give-up")
    settings = settings_for(store, None)
    if status:
        _tell_state(settings, as_json)
    elif give_up:
        from goalmem.maintenance.reembedding import give_up as give_up_change

        gone = give_up_change(settings.store, settings=settings)
        if as_json:
            write_json({"store": settings.store, "given_up": gone})
        else:
            typer.echo("given up: the vectors in use stay" if gone else "nothing is under way")
    else:
        _tell_done(settings, _reindexed(settings, embedder), as_json)


def _reindexed(settings: Settings, embedder: str | None) -> Reindexed:
    from goalmem.maintenance.reembedding import reindex as change_model

    with interruptible("What was made is kept; run the same command again to go on."), bar("embedding") as told:
        return change_model(settings.store, embedder, settings=settings, on_progress=told)


def _tell_done(settings: Settings, done: Reindexed, as_json: bool) -> None:
    if as_json:
        write_json({"store": settings.store, "new": done.new} | asdict(done))
    elif done.new:
        typer.echo(
            f"{settings.store}: {done.turns} turns embedded; vectors are of {done.after}, no longer {done.before}"
        )
    else:
        typer.echo(f"{settings.store}: vectors are of {done.after} already")


def _tell_state(settings: Settings, as_json: bool) -> None:
    from goalmem.maintenance.reembedding import state

    found: ReembeddingState = state(settings.store, settings=settings)
    if as_json:
        write_json({"store": settings.store} | asdict(found))
        return
    typer.echo(f"{settings.store}: vectors are of {found.model.name}, {found.model.dimension} dimensions")
    if begun := found.under_way:
        typer.echo(f"  a change to {begun.model.name} is under way: {begun.done} of {begun.turns} turns")
