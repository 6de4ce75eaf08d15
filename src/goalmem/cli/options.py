"""Options that several commands share, and the memory they open."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from goalmem.errors import BackendError, FormatError, InputError, NotFoundError
from goalmem.store.metadata import TAGS

if TYPE_CHECKING:
    from datetime import datetime

    from goalmem.memory import Memory
    from goalmem.settings import Settings


MOST_SPACES = 20
"""Spaces named where there is none of a name: those most like it."""
_OPERATORS = {">=": "$gte", "<=": "$lte", ">": "$gt", "<": "$lt"}

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
WhereIs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="KEY=VALUE",
        help="Only turns whose metadata say so; several values of one key: one of them (may be repeated); or a filter as JSON.",
    ),
]
Tag: TypeAlias = Annotated[list[str] | None, typer.Option("--tag", help="Only turns with this tag (may be repeated).")]
Alone: TypeAlias = Annotated[
    bool,
    typer.Option("--no-server", help="Do not use a `goalmem serve` that runs over this store [GOALMEM_USE_SERVER=0]."),
]
Proven: TypeAlias = Annotated[bool, typer.Option("--proof", "-p", help="Show the proof as a tree.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you are sure.")]


def settings_for(store: str | None, space: str | None, *, alone: bool = False) -> Settings:
    """Settings overridden by the command line; `alone`: use no server."""
    from dataclasses import replace

    from goalmem.settings import load_settings

    settings = load_settings(store=store, space=space)
    return replace(settings, use_server=False) if alone else settings


def open_served(settings: Settings, *, create: bool = False) -> Memory:
    """Open the memory like `open_memory`, or use the server that runs over the same store."""
    if settings.use_server:
        from goalmem.store.location import socket_path

        path = socket_path(settings.store, settings.serve_data)
        if path is not None and os.path.lexists(path):
            from goalmem.client.local_server import LocalServerMemory

            return cast("Memory", LocalServerMemory(settings, path, partial(open_memory, settings, create=create)))
    return open_memory(settings, create=create)


def open_memory(settings: Settings, *, create: bool = False) -> Memory:
    """Open the memory. Raises NotFoundError if it does not exist and must not be created."""
    from goalmem.memory import Memory

    if not create:
        require_store_at(settings.store, "Add a conversation first (goalmem add FILE), or pass --store.")
    return Memory(settings.store, settings=settings)


def require_store_at(place: str, remedy: str) -> None:
    """Raises NotFoundError where a path leads to no store."""
    if "://" not in place and place != ":memory:" and not os.path.lexists(place):
        raise NotFoundError(f"There is no store at {place!r}.", remedy)


def require_space(memory: Memory, space: str | None) -> None:
    """Raises NotFoundError where the space that was named holds nothing at all."""
    if space is None:
        return
    try:
        held = memory.spaces()
    except BackendError:
        return  # What another system remembers is one space.
    if space not in held:
        near = held if len(held) <= MOST_SPACES else get_close_matches(space, held, MOST_SPACES, cutoff=0)
        more = f" and {len(held) - len(near)} more" if len(near) < len(held) else ""
        raise NotFoundError(f"There is no space {space!r}.", f"The store holds: {', '.join(near) or 'none'}{more}.")


def read_input(file: str, remedy: str = "Check the path.") -> bytes:
    """A file, or standard input (`-`). Raises NotFoundError with this remedy, FormatError."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {file!r}.", remedy) from error
    except OSError as error:
        raise FormatError(f"{file} cannot be read: {error.strerror}.", "Check the path.") from error


def input_kept(folder: Path) -> Path:
    """Standard input as a file that can be read twice."""
    kept = folder / "stdin"
    with kept.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out)
    return kept


def conditions(where: list[str] | None, tags: list[str] | None) -> dict[str, Any] | None:
    """The filter of `--where` and `--tag`; None without them.

    A value is read as JSON where it is a number, true or false; else it is text. `KEY>=VALUE`, `<`, `>` and `<=` are bounds.
    What begins with a brace is a filter as the library takes it.
    """
    found: dict[str, Any] = {}
    for written in [*(where or ()), *(f"{TAGS}={tag}" for tag in tags or ())]:
        if written.lstrip().startswith("{"):
            found.setdefault("$and", []).append(_filter(written))
            continue
        key, operator, value = _parted(written)
        if written in (where or ()) and value.startswith(("<", ">", "=")):
            raise InputError(
                f"--where {written!r} has no comparison that there is.",
                """Write =, <, <=, > or >=; where the value begins so, a filter as JSON: '{"key": ">x"}'.""",
            )
        if operator == "=":
            # A value that looks like a number may have been stored as text.
            found.setdefault(key, {}).setdefault("$in", []).extend(dict.fromkeys([value, _scalar(value)]))
        else:
            found.setdefault(key, {})[_OPERATORS[operator]] = _scalar(value)
    return found or None


def _filter(written: str) -> object:
    try:
        return json.loads(written)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"--where {written!r} is not valid JSON ({error}).", 'Give an object: {"project": "x"}.'
        ) from None


def metadata_of(given: list[str] | None) -> dict[str, Any]:
    """The metadata of `--metadata KEY=VALUE`; a repeated key has a list of values."""
    found: dict[str, Any] = {}
    for written in given or ():
        key, operator, value = _parted(written)
        if operator != "=":
            raise _unparted(written)
        held, own = found.get(key), _scalar(value)
        found[key] = own if held is None else [*(held if isinstance(held, list) else [held]), own]
    return found


def _parted(written: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"([^=<>]+)(>=|<=|=|<|>)(.*)", written, re.DOTALL)
    if match is None:
        raise _unparted(written)
    return match[1].strip(), match[2], match[3]


def _unparted(written: str) -> InputError:
    return InputError(f"{written!r} is not KEY=VALUE.", "Write it like project=x, or priority>=2 to filter.")


def _scalar(text: str) -> Any:
    """A number, true or false; else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float) else text


def moment(text: str | None) -> datetime | None:
    """A date given on the command line, in any way people write it."""
    from goalmem.io.dates import read_moment

    if text is None:
        return None
    found = read_moment(text)
    if found is None:
        raise InputError(f"The date {text!r} cannot be read.", "Write it like 2024-05-01 or 2024-05-01T14:03.")
    return found


def given_text(text: str) -> str:
    """The text of an option `--text`; `-` is standard input."""
    return sys.stdin.read().rstrip("\n") if text == "-" else text
