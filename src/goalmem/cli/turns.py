"""Commands that show turns as they are stored: list, get."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.options import (
    Alone,
    AsJson,
    Space,
    Store,
    Tag,
    WhereIs,
    conditions,
    open_served,
    require_space,
    settings_for,
)
from goalmem.cli.outcome import Exit, note
from goalmem.cli.output import console, day_of, excerpt, write_json
from goalmem.records import attribution

if TYPE_CHECKING:
    from rich.console import Console

    from goalmem.records import Turn


def list_(
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    where: WhereIs = None,
    tag: Tag = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The most turns.")] = 100,
    cursor: Annotated[str | None, typer.Option(help="Where to go on: the `next` of the list before.")] = None,
    store: Store = None,
    space: Space = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """List turns in the order stored, page by page.

    \b
    Examples:
      goalmem list
      goalmem list --where project=x --tag work --json
      goalmem list --session monday --limit 20 --cursor 20
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        page = memory.get_all(
            space=settings.space, where=conditions(where, tag), session=session, limit=limit, cursor=cursor
        )
        if not page.items:
            require_space(memory, space)
    if as_json:
        from goalmem.schema import models, rows

        write_json({"items": [rows.row(models.Turn, turn) for turn in page.items], "next": page.next})
    else:
        for turn in page.items:
            _show(console(), turn, excerpt(turn.content))
        if not page.items:
            note(f"No turn was found in the space {settings.space!r}.")
        if page.next is not None:
            note(f"There are more: --cursor {page.next}")
    if not page.items:
        raise typer.Exit(Exit.NO)


def get(
    turn: Annotated[str, typer.Argument(metavar="TURN", help="Id of the turn, as list, search and ask show it.")],
    store: Store = None,
    space: Space = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Show one turn, verbatim, with what is noted about it.

    \b
    Example:
      goalmem get t5d2c0a9b8e7f6a5b4c3d2e1f
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        found = memory.turn(turn, space=settings.space)
    if as_json:
        from goalmem.schema import models, rows

        write_json(rows.row(models.Turn, found))
    else:
        _show(console(), found, found.content)


def _show(out: Console, turn: Turn, text: str) -> None:
    out.print(
        f"{turn.id}  {attribution(turn.speaker, turn.source)}, {day_of(turn.at)}, session {turn.session}", style="bold"
    )
    out.print("\n".join(f"  {line}" for line in text.splitlines()), soft_wrap=True)
    noted = [
        f"{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in turn.metadata.items()
    ]
    ends = [f"until {day_of(turn.expires_at)}"] if turn.expires_at else []
    if noted or ends:
        out.print(f"  {', '.join([*noted, *ends])}", style="dim", soft_wrap=True)
