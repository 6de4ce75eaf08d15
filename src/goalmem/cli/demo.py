"""`goalmem demo`: a conversation of two friends, remembered and asked about."""

from __future__ import annotations

from typing import Annotated

import typer

from goalmem.cli.options import settings_for
from goalmem.cli.outcome import Exit, interruptible
from goalmem.cli.output import console

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(demo)


def demo(
    store: Annotated[
        str, typer.Option("--store", "-s", help="Where to remember; default: only in memory.")
    ] = ":memory:",
    proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="Show the proof of every answer.")] = True,
) -> None:
    """Remember a conversation of two friends and answer questions about it.

    Exits with 1 when an answer is wrong or its proof does not hold.

    \b
    Examples:
      goalmem demo
      goalmem demo --store demo.goalmem && goalmem ask "Who is Greta?" --store demo.goalmem
    """
    from goalmem.demo import show
    from goalmem.memory import Memory

    settings = settings_for(store, None)
    with interruptible("Run it again to start over."), Memory(settings.store, settings=settings) as memory:
        passed = show(memory, console(), proofs=proofs)
    if not passed:
        raise typer.Exit(Exit.NO)
