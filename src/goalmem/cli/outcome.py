"""Exit codes of commands, errors as one line, and commands of other distributions.

These are entry points of the group `goalmem.commands`. The name of one is the command's as it is typed, with dots between (`eval`,
`bulk.eval`); its object is a function that adds the command to the `typer.Typer` it is given. Nothing is loaded before a command is
listed or typed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cache
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from goalmem.cli.output import terminal_text
from goalmem.errors import GoalmemError, ModelError, StoreError

ENTRY_POINTS = "goalmem.commands"
DISTRIBUTIONS = {"eval": "goalmem-lab", "train": "goalmem-lab", "bulk.eval": "goalmem-lab"}
"""Commands of our other distributions, so that who types one without it learns where it is."""


def extensions(group: tuple[str, ...]) -> list[str]:
    """Names of the commands that other distributions add to a group, which is () for `goalmem` itself."""
    found = (tuple(point.name.split(".")) for point in entry_points(group=ENTRY_POINTS))
    return sorted({path[-1] for path in found if path[:-1] == group})


@cache
def extension(path: tuple[str, ...]) -> Any:
    """The command of this path, or None when no distribution adds it."""
    for point in entry_points(group=ENTRY_POINTS, name=".".join(path)):
        host = typer.Typer(rich_markup_mode=None, add_completion=False)
        point.load()(host)
        made: Any = typer.main.get_command(host)
        # Typer makes a single command the whole program.
        return getattr(made, "commands", {}).get(path[-1], made)
    return None


def require_distribution(path: tuple[str, ...]) -> None:
    """Raises ModelError where a command is missing that one of our other distributions has."""
    distribution = DISTRIBUTIONS.get(".".join(path))
    if distribution is not None:
        raise ModelError(
            f"`goalmem {' '.join(path)}` belongs to {distribution}, which is not installed.",
            f"Install it: pip install {distribution}.",
        )


TRACEBACK_VARIABLE = "GOALMEM_TRACEBACK"


class Exit(IntEnum):
    """Exit codes. docs/cli.md holds the same table."""

    DONE = 0
    NO = 1
    """The command succeeded with a negative result: not known, nothing found, not verified, a demo question wrong."""
    USAGE = 2
    """The command line itself is wrong."""
    INPUT = 3
    """A file, an argument or a setting cannot be used."""
    STORE = 4
    """The store or a model file failed."""
    INTERNAL = 70
    """A defect of goalmem."""
    INTERRUPTED = 130


class CommandGroup(TyperGroup):
    """Commands, those of other distributions among them, whose errors become one line on stderr and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands of this group, those of other distributions last."""
        own = super().list_commands(ctx)
        return own + [name for name in extensions(_path(ctx)) if name not in own]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None."""
        return super().get_command(ctx, cmd_name) or extension((*_path(ctx), cmd_name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name. Raises ModelError where a distribution is missing that has it."""
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            require_distribution((*_path(ctx), args[0]))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except GoalmemError as error:
            if TRACEBACK_VARIABLE in os.environ:
                raise
            note(" ".join(str(error).split()))
            code = Exit.STORE if isinstance(error, StoreError | ModelError) else Exit.INPUT
            raise typer.Exit(code) from None


def _path(ctx: Any) -> tuple[str, ...]:
    """The names by which a group is typed behind `goalmem`."""
    return () if ctx.parent is None else (*_path(ctx.parent), str(ctx.info_name))


def note(text: str) -> None:
    """Print one line to stderr with the program's name."""
    sys.stderr.write(
        f"goalmem: {terminal_text(text)}\n".encode(sys.stderr.encoding or "utf-8", "replace").decode("utf-8", "replace")
    )
    sys.stderr.flush()


@contextmanager
def interruptible(resume: str) -> Iterator[Callable[[], None]]:
    """On Ctrl-C, exit with a line that says how to resume.

    What it gives is called between pieces of work: a library that swallowed the interrupt, as some do while they are
    imported, does not swallow it for good.
    """
    asked = threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        asked.set()
        signal.default_int_handler(number, frame)

    def check() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    here = threading.current_thread() is threading.main_thread()  # no other may set a handler
    before = signal.signal(signal.SIGINT, interrupted) if here else None
    try:
        yield check
    except KeyboardInterrupt:
        note(f"Stopped. {resume}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    finally:
        if here:
            signal.signal(signal.SIGINT, before)
