"""Commands that other distributions add, by entry points of the group `goalmem.commands`.

The name of an entry point is the command's as it is typed, with dots between (`eval`, `bulk.eval`); its object is a function that
adds the command to the `typer.Typer` it is given. Nothing is loaded before a command is listed or typed.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

import typer

from goalmem.errors import ModelError

__all__ = ["extension", "extensions", "require_distribution"]

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
        # Typer makes a command that stands alone the whole program.
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
