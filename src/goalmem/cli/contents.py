"""Commands that keep a store in order: update, forget, export, stats."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from goalmem.cli.options import (
    Alone,
    AsJson,
    Space,
    Store,
    Tag,
    WhereIs,
    Yes,
    conditions,
    given_text,
    metadata_of,
    moment,
    open_served,
    require_space,
    settings_for,
)
from goalmem.cli.outcome import Exit
from goalmem.cli.output import console, counted, day_of, terminal_json, terminal_text, write_json


def update(
    turn: Annotated[str, typer.Argument(metavar="TURN", help="Id of the turn, as search and ask show it.")],
    text: Annotated[str | None, typer.Option(help="What it says from now on; - is standard input.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(
            "--metadata", metavar="KEY=VALUE", help="In place of what is noted, but the tags (may be repeated)."
        ),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="In place of its tags (may be repeated).")] = None,
    ttl: Annotated[float | None, typer.Option(metavar="SECONDS", help="Forget it so many seconds from now.")] = None,
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar="TIME", help="Forget it then; never: let it stay.")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Change nothing; show what it said before.")] = False,
    store: Store = None,
    space: Space = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Change what a turn says, or what is noted about it; it keeps its id, place and time, and what it said before.

    \b
    Examples:
      goalmem update t5d2c0a9b8e7f6a5b4c3d2e1f --text "I adopted a parrot."
      goalmem update t5d2c0a9b8e7f6a5b4c3d2e1f --metadata project=x --expires-at 2027-01-01
      goalmem update t5d2c0a9b8e7f6a5b4c3d2e1f --history
    """
    from goalmem.maintenance.reanalysis import NEVER
    from goalmem.schema import models, rows

    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        if not history:
            said = None if text is None else given_text(text)
            noted = metadata_of(metadata) if metadata else None
            ends = expires_at if expires_at in (None, NEVER) else moment(expires_at)
            changed = memory.update(
                turn, text=said, metadata=noted, tags=tag, ttl=ttl, expires_at=ends, space=settings.space
            )
        every = memory.versions(turn, space=settings.space) if history else []
    if as_json:
        items = [rows.row(models.TurnVersion, version) for version in every]
        write_json({"items": items} if history else rows.row(models.Turn, changed))
        return
    for version in every:
        when = f"until {version.until:%Y-%m-%d %H:%M}" if version.until is not None else "now"
        typer.echo(terminal_text(f"{when}: {version.text}"))
    if not history:
        typer.echo(terminal_text(f"{changed.id}: {changed.text}"))


def forget(
    turn: Annotated[str | None, typer.Option(help="Id of the turn to forget.")] = None,
    session: Annotated[str | None, typer.Option(help="Session to forget.")] = None,
    where: WhereIs = None,
    tag: Tag = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget the whole space.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how much would go; forget nothing.")] = False,
    store: Store = None,
    space: Space = None,
    yes: Yes = False,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Remove a turn, a session, turns whose metadata say so, or a space, and everything derived from it alone.

    \b
    Examples:
      goalmem forget --turn t5d2c0a9b8e7f6a5b4c3d2e1f
      goalmem forget --session 2024-04-16
      goalmem forget --where project=x --dry-run
      goalmem forget --all --space maya --yes
    """
    noted = conditions(where, tag)
    if sum((turn is not None, session is not None and not noted, noted is not None, everything)) != 1:
        raise typer.BadParameter("say what to forget: one of --turn, --session, --where (or --tag) and --all")
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        if everything and not yes and not dry_run:
            typer.confirm(f"Forget all of the space {settings.space!r}?", abort=True, err=True)
        gone = memory.forget(
            turn=turn, session=session, where=noted, everything=everything, space=settings.space, dry_run=dry_run
        )
    if as_json:
        write_json(gone)
    else:
        rules = f", {counted(gone.rules, 'sentence')} of rules" if gone.rules else ""
        typer.echo(
            f"{'would forget' if dry_run else 'forgotten'}: {counted(gone.turns, 'turn')}, {counted(gone.facts, 'fact')},"
            f" {counted(gone.sessions, 'session')}{rules}"
        )


def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write; - is standard output.")] = "-",
    store: Store = None,
    space: Annotated[str | None, typer.Option(help="Only this space; default: all.")] = None,
    alone: Alone = False,
) -> None:
    """Write every turn as JSONL, complete enough to rebuild the store.

    \b
    Examples:
      goalmem export backup.jsonl
      goalmem export --space maya | gzip > maya.jsonl.gz
    """
    settings = settings_for(store, None, alone=alone)
    with open_served(settings) as memory:
        require_space(memory, space)
        if file != "-":
            count = memory.export(file, space=space)
            typer.echo(f"{file}: {count} turns")
            return
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "export.jsonl"
            memory.export(whole, space=space)
            with whole.open("rb") as stream:
                if sys.stdout.isatty():
                    sys.stdout.buffer.writelines(map(terminal_json, stream))
                else:
                    shutil.copyfileobj(stream, sys.stdout.buffer)


def stats(
    store: Store = None,
    space: Space = None,
    sessions: Annotated[bool, typer.Option("--sessions", help="List the sessions, too.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the store's file as well; exits with 1 on damage.")
    ] = False,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Count what is remembered.

    \b
    Examples:
      goalmem stats
      goalmem stats --space maya --sessions --json
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        spaces = memory.spaces()
        require_space(memory, space)
        counts = memory.stats(space=settings.space)
        listed = memory.sessions(space=settings.space) if sessions else []
        problems = memory.check() if check else []
    if as_json:
        from goalmem.schema import models, rows

        held = [rows.session_row(session) for session in listed]
        extra = ({"session_list": held} if sessions else {}) | ({"problems": problems} if check else {})
        write_json(
            {
                "store": settings.store,
                "space": settings.space,
                "spaces": spaces,
                "counts": rows.row(models.Stats, counts),
            }
            | extra
        )
    else:
        out = console()
        out.print(f"{settings.store}, space {settings.space} (of {len(spaces)}), {counts.bytes / 1e6:.1f} MB")
        out.print(
            f"  {counted(counts.sessions, 'session')}, {counted(counts.turns, 'turn')}, {counted(counts.facts, 'fact')},"
            f" {counts.entities} {'entity' if counts.entities == 1 else 'entities'}"
        )
        for what, count, most in (
            ("turns", counts.turns, counts.quota.turns),
            ("bytes of text", counts.text_bytes, counts.quota.bytes),
        ):
            if most:
                out.print(f"  {count:,} of at most {most:,} {what}")
        if counts.rules:
            out.print(f"  {counts.rules} sentences of rules")
        if counts.first and counts.last:
            out.print(f"  from {day_of(counts.first)} to {day_of(counts.last)}")
        for name, at, turns in listed:
            out.print(f"  {day_of(at)}  {turns:>5} turns  {name}")
        for problem in problems:
            out.print(f"  damaged: {problem}", style="red")
    if problems:
        raise typer.Exit(Exit.NO)
