"""The command line: its commands and entry point; `goalmem demo`."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import Annotated, Any

import typer

from goalmem.cli import add, bulk, chat, contents, graph, hook, imports, operations, queries, rules, serve, turns
from goalmem.cli.options import settings_for
from goalmem.cli.outcome import TRACEBACK_VARIABLE, CommandGroup, Exit, interruptible, note
from goalmem.cli.output import console

SECTIONS = {
    "Remember": "add import list get update forget",
    "Ask": "ask search context why-not verify history profile chat",
    "Reason with": "rules graph",
    "Serve": "serve mcp hook keys",
    "Keep a store": "stats export backup restore check move index reindex",
    "Try and measure": "demo bulk eval train",
}
"""Sections of `--help` with their commands."""
OTHERS = "Others"
GARBAGE = (50_000, 20, 100)
"""New objects, and rounds, before garbage is looked for. What modules and models make stays: to look through it at the usual 700
took a fifth of a cold command's processor time, its end included."""


class Program(CommandGroup):
    """The commands of `goalmem`, listed in sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        shown = {name: command for name, command in commands.items() if command is not None and not command.hidden}
        left = [name for name in shown if not any(name in names.split() for names in SECTIONS.values())]
        for title, names in {**SECTIONS, OTHERS: " ".join(left)}.items():
            here = [name for name in names.split() if name in shown]
            if here:
                width = max(map(len, shown))
                rows = [
                    (name.ljust(width), shown[name].get_short_help_str(formatter.width - 6 - width)) for name in here
                ]
                with formatter.section(title):
                    formatter.write_dl(rows)


app = typer.Typer(
    name="goalmem",
    cls=Program,
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


for command in (
    *(
        add.add,
        imports.import_,
        turns.list_,
        turns.get,
        contents.update,
        contents.forget,
        contents.stats,
        contents.export,
    ),
    *(queries.ask, queries.search, queries.why_not, queries.verify, queries.history, queries.profile),
    *(chat.context, chat.chat, serve.serve, serve.mcp, demo),
    *(operations.backup, operations.restore, operations.check, operations.move, operations.index, operations.reindex),
):
    app.command(command.__name__.strip("_").replace("_", "-"))(command)
app.command(cls=hook.NonBlockingCommand)(hook.hook)
for group in (rules.rules, graph.graph, bulk.bulk, serve.keys):
    app.add_typer(group)


def main() -> None:
    """Run the command line; any other error is a defect, and says how to report it."""
    gc.set_threshold(*GARBAGE)
    atexit.register(gc.freeze)
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
