"""Commands for stores on a server: move a store there or back, and give a large space indices of its own."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from goalmem.cli.options import AsJson, Space, Store, settings_for
from goalmem.cli.outcome import interruptible
from goalmem.cli.output import progress, write_json
from goalmem.errors import InputError, NotFoundError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(move)
    app.command()(index)


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
    with interruptible("What was moved is kept; run the same command again to go on."), progress() as bars:
        task = bars.add_task("moving", total=None)

        def told(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

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
    try:
        from goalmem.store.postgres import PostgresStore

        assert isinstance(opened, PostgresStore)
        if drop:
            opened.drop_indices(settings.space)
            typer.echo(f"{settings.space}: searched in memory")
        elif opened.index_space(settings.space):
            typer.echo(f"{settings.space}: {opened.indexed(settings.space)} turns, searched in the database")
        else:
            raise NotFoundError(f"There is no space {settings.space!r}.", "`goalmem stats` lists the spaces.")
    finally:
        opened.close()
