"""`goalmem serve`, `goalmem keys` and `goalmem mcp`: a store as a service, who may call it, and a store as tools for models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from goalmem.cli.options import AsJson, Space, Store, moment, settings_for
from goalmem.cli.outcome import Exit, note
from goalmem.cli.output import console, write_json
from goalmem.errors import InputError

if TYPE_CHECKING:
    from goalmem.serve.auth import ApiKey, KeyRing


keys = typer.Typer(
    name="keys",
    no_args_is_help=True,
    help="Manage the keys of `goalmem serve`.",
    epilog="Example:  goalmem keys add ci --space maya --scope read",
)


def serve(
    store: Store = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on [GOALMEM_SERVE_HOST; default: 127.0.0.1].")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 takes a free one [GOALMEM_SERVE_PORT; default: 8765].")
    ] = None,
) -> None:
    """Serve a store over HTTP, with a page where people see the reasoning.

    On any address but loopback it needs keys (goalmem keys add). Logs go to stderr, a JSON object a line. SIGTERM and
    Ctrl-C finish what has begun.

    \b
    Examples:
      goalmem serve
      goalmem serve --store life.goalmem --port 9000
    """
    from goalmem.settings import load_settings

    settings = load_settings(store=store, serve_host=host, serve_port=port)
    with needing_packages():
        from goalmem.serve.http import serve as run
    run(settings)


@contextmanager
def needing_packages() -> Iterator[None]:
    """Raises InputError where a package is missing that serving is built on."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("goalmem"):
            raise
        raise InputError(f"Serving needs the package {error.name!r}.", "pip install 'goalmem[serve]'") from error


@keys.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What or whom the key is for, for your own list.")],
    space: Annotated[list[str] | None, typer.Option("--space", help="Space that it opens (may be repeated).")] = None,
    all_spaces: Annotated[
        bool, typer.Option("--all-spaces", help="Let it open every space, also ones to come.")
    ] = False,
    scope: Annotated[
        Literal["read", "write", "admin"], typer.Option(help="read, write (and read), or admin (all).")
    ] = "read",
    expires: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it ends; default: when it is revoked.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Requests a second [default: GOALMEM_SERVE_RATE].")
    ] = None,
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """Make a key. It is shown this once: only a hash of it is kept.

    From the first key on, every call needs one, also on loopback.

    \b
    Examples:
      goalmem keys add maya-agent --space maya --scope write
      goalmem keys add prometheus --all-spaces --scope admin --expires 2030-01-01
    """
    from goalmem.serve.auth import EVERY_SPACE, Scope

    if bool(space) == all_spaces:
        raise typer.BadParameter("say what it opens: --space (once or more), or --all-spaces")
    if EVERY_SPACE in (space or ()):
        raise InputError(f"A key for the space {EVERY_SPACE!r} would open every space.", "Say so with --all-spaces.")
    until = moment(expires)
    with _kept_keys(store) as kept:
        key, text = kept.add(
            name,
            Scope[scope.upper()],
            [EVERY_SPACE] if all_spaces else space or (),
            expires=until.replace(tzinfo=until.tzinfo or UTC) if until is not None else None,
            rate=rate,
        )
    if as_json:
        write_json({**_row(key), "key": text})
        return
    typer.echo(text)
    console(stderr=True).print(f"{key.id}: kept as a hash; it is not shown again.")


@keys.command("list")
def list_(store: Store = None, as_json: AsJson = False) -> None:
    """Show every key that was made, without its secret.

    \b
    Examples:
      goalmem keys list
      goalmem keys list --json
    """
    with _kept_keys(store) as kept:
        held = kept.list()
    if as_json:
        write_json([_row(key) for key in held])
        return
    if not held:
        note("No key was made yet; goalmem keys add makes one.")
    out = console()
    for key in held:
        row = _row(key)
        out.print(f"{key.id}  {row['state']:<8}  {row['scope']:<5}  {', '.join(key.spaces)}  {key.name}")


@keys.command()
def revoke(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, as `keys list` shows them.")],
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """End keys, at once and for good, also in servers that run.

    \b
    Examples:
      goalmem keys revoke 0f1e2d3c4b5a
    """
    with _kept_keys(store) as kept:
        ended = [kept.revoke(id_) for id_ in ids]
    if as_json:
        write_json([_row(key) for key in ended])
        return
    for key in ended:
        typer.echo(f"{key.id}: revoked")


@contextmanager
def _kept_keys(store: str | None) -> Iterator[KeyRing]:
    """The keys of the store that is set."""
    from goalmem.serve.auth import KeyRing
    from goalmem.serve.ledger import open_ledger
    from goalmem.settings import load_settings
    from goalmem.store.location import MEMORY

    settings = load_settings(store=store)
    if settings.store == MEMORY and not settings.serve_data:
        raise InputError("A store in memory keeps no keys.", "Name a store with --store.")
    with closing(open_ledger(settings.store, settings.serve_data)) as ledger:
        yield KeyRing(ledger)


def _row(key: ApiKey) -> dict[str, Any]:
    """A key for display."""
    over = key.expires is not None and key.expires <= datetime.now(UTC)
    state = "revoked" if key.revoked else "expired" if over else "valid"
    return {
        "id": key.id,
        "name": key.name,
        "scope": key.scope.name.lower(),
        "spaces": key.spaces,
        "state": state,
        "created": key.created,
        "expires": key.expires,
        "revoked": key.revoked,
        "rate": key.rate,
    }


PORT = 8766
"""Port for HTTP: the one after that of `goalmem serve`."""


def mcp(
    store: Store = None,
    space: Space = None,
    session: Annotated[str | None, typer.Option(help="Session of what is remembered; default: one a day.")] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only tools that change nothing: recall, ask, search and the like.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over streamable HTTP instead of standard streams.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on, with --http.")] = PORT,
) -> None:
    """Give a model a memory, over the Model Context Protocol.

    Tools: remember, recall, ask, search, profile, list, why_not, verify, add_rule, update, forget; resources; prompts. All
    work in the one space that is named here; none can name another. docs/mcp.md has the set-up of known clients.

    \b
    Examples:
      goalmem mcp --store life.goalmem --space maya
      goalmem mcp --http --read-only
    """
    settings = settings_for(store, space)
    try:
        with needing_packages():
            if http:
                from goalmem.serve.mcp_http import serve_http

                serve_http(settings, host, port, session=session, read_only=read_only)
            else:
                from goalmem.serve.mcp import serve_stdio

                serve_stdio(settings, session=session, read_only=read_only)
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None
