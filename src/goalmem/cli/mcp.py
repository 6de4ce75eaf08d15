"""`goalmem mcp`: a store as tools for models."""

from __future__ import annotations

from typing import Annotated

import typer

from goalmem.cli.options import Space, Store, settings_for
from goalmem.cli.outcome import Exit
from goalmem.errors import InputError

__all__ = ["register"]

PORT = 8766
"""Of HTTP: the one behind that of `goalmem serve`."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(mcp)


def mcp(
    store: Store = None,
    space: Space = None,
    session: Annotated[str | None, typer.Option(help="Session of what is remembered; default: one a day.")] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only tools that change nothing: recall, ask, why_not, verify.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over streamable HTTP instead of standard streams.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on, with --http.")] = PORT,
) -> None:
    """Give a model a memory, over the Model Context Protocol.

    Tools: remember, recall, ask, why_not, verify, add_rule, forget. All of them work in the one space that is named
    here; no tool can name another.

    \b
    Examples:
      goalmem mcp --store life.goalmem --space maya
      goalmem mcp --http --read-only
    """
    settings = settings_for(store, space)
    try:
        if http:
            from goalmem.serve.mcp_http import serve_http

            serve_http(settings, host, port, session=session, read_only=read_only)
        else:
            from goalmem.serve.mcp import serve_stdio

            serve_stdio(settings, session=session, read_only=read_only)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("goalmem"):
            raise
        raise InputError(f"Serving needs the package {error.name!r}.", "pip install 'goalmem[serve]'") from error
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None
