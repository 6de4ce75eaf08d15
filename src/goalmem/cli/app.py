"""The command line: what commands there are, and how it starts."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from goalmem.cli import (
    add,
    bulk,
    chat,
    contents,
    demo,
    graph,
    imports,
    mcp,
    operations,
    queries,
    reindex,
    rules,
    serve,
    server_store,
)
from goalmem.cli.outcome import TRACEBACK_VARIABLE, Exit, Group, note

__all__ = ["app", "main"]

app = typer.Typer(
    name="goalmem",
    cls=Group,
    help="Memory that answers with a proof that can be checked again, or says what is missing.",
    epilog='Start with:  goalmem add chat.json  then  goalmem ask "Where does Maya live?" --proof',
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"goalmem {version('goalmem')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options before any command."""


for module in (
    add,
    rules,
    queries,
    chat,
    graph,
    imports,
    contents,
    operations,
    server_store,
    reindex,
    bulk,
    serve,
    mcp,
    demo,
):
    module.register(app)


def main() -> None:
    """Run the command line; any other error is a defect, and says how to report it."""
    try:
        app()
    except KeyboardInterrupt:  # at a moment when no command waits for it, as while its modules are loaded
        note("Stopped. What was done is kept; to go on, run the same command again.")
        sys.exit(Exit.INTERRUPTED)
    except Exception as error:
        if TRACEBACK_VARIABLE in os.environ:
            raise
        said = " ".join(str(error).split())
        note(f"A defect of goalmem: {type(error).__name__}: {said}. Set {TRACEBACK_VARIABLE}=1 for where it happened.")
        sys.exit(Exit.INTERNAL)
