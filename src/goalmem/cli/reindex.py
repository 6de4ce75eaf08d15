"""The command that changes a store's embedding model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.options import AsJson, Store, settings_for
from goalmem.cli.outcome import interruptible
from goalmem.cli.output import progress, write_json

if TYPE_CHECKING:
    from goalmem.maintenance.reembedding import Reindexed, State
    from goalmem.settings import Settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(reindex)


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
    """Change the embedding model: make every vector anew, then use the new ones, all at once.

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

    with interruptible("What was made is kept; run the same command again to go on."), progress() as bars:
        task = bars.add_task("embedding", total=None)

        def told(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

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

    found: State = state(settings.store, settings=settings)
    if as_json:
        write_json({"store": settings.store} | asdict(found))
        return
    typer.echo(f"{settings.store}: vectors are of {found.model.name}, {found.model.dimension} dimensions")
    if begun := found.under_way:
        typer.echo(f"  a change to {begun.model.name} is under way: {begun.done} of {begun.turns} turns")
