"""Options that several commands share, and the memory they open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from goalmem.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from datetime import datetime

    from goalmem.memory import Memory
    from goalmem.settings import Settings

__all__ = ["AsJson", "Asker", "At", "Space", "Store", "Yes", "moment", "open_memory", "settings_for"]

Store: TypeAlias = Annotated[
    str | None,
    typer.Option("--store", "-s", help="Path or URL of the store [GOALMEM_STORE; default: memory.goalmem]."),
]
Space: TypeAlias = Annotated[
    str | None,
    typer.Option("--space", help="Space to work in; nothing is read across two [GOALMEM_SPACE; default: default]."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
At: TypeAlias = Annotated[
    str | None, typer.Option("--at", metavar="DATE", help="The moment it is asked at; default: the newest turn's.")
]
Asker: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--speaker",
        "--asker",
        metavar="NAME",
        help="Who asks: whom I, me and my mean; default: the only person who speaks.",
    ),
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you are sure.")]


def settings_for(store: str | None, space: str | None) -> Settings:
    """Settings with what the command line says on top."""
    from goalmem.settings import load_settings

    return load_settings(store=store, space=space)


def open_memory(settings: Settings, *, create: bool = False) -> Memory:
    """The memory to work on. Raises NotFoundError when there is none and it is not to be made."""
    from goalmem.memory import Memory

    place = settings.store
    if not create and "://" not in place and place != ":memory:" and not os.path.lexists(place):
        raise NotFoundError(
            f"There is no store at {place!r}.", "Add a conversation first (goalmem add FILE), or pass --store."
        )
    return Memory(place, settings=settings)


def moment(text: str | None) -> datetime | None:
    """A date given on the command line, in any way people write it."""
    from goalmem.io.dates import read_moment

    if text is None:
        return None
    found = read_moment(text)
    if found is None:
        raise InputError(f"The date {text!r} cannot be read.", "Write it like 2024-05-01 or 2024-05-01T14:03.")
    return found
