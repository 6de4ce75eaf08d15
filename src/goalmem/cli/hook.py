"""`goalmem hook`: called by a coding assistant to remember its sessions.

Claude Code runs hooks of its events with a JSON object on standard input, which names the transcript of the session
(docs/coding-assistants.md). It waits for a hook, kills those of a session that ends, and is held up by one that exits with 2. So the
work is done by a process of its own, and the hook itself is quick and never exits with 2.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from goalmem.cli.options import Store
from goalmem.cli.outcome import Exit, note

PROGRAMS = ("claude-code",)
"""Coding assistants whose hooks are understood; each is a format of `goalmem import`."""
LONGEST_INPUT = 1 << 24
"""Bytes of standard input; an event is some hundreds, and of some versions holds the last message."""
ENDING = ".jsonl"


class NonBlockingCommand(TyperCommand):
    """A command whose usage errors exit with 1: on 2, Claude Code would not let the session end."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the command line. Exits with 1 on errors."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:
            if getattr(error, "exit_code", None) != Exit.USAGE:
                raise
            note(f"{getattr(error, 'message', error)} See goalmem hook --help.")
            raise typer.Exit(Exit.NO) from None


def hook(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=f"Whose hook it is: {', '.join(PROGRAMS)}.")],
    store: Store = None,
    space: Annotated[
        str | None, typer.Option(help="Space to remember in; {conversation} is a space for each project.")
    ] = None,
    name: Annotated[str, typer.Option(help="Who the user is, so that memory knows whom I and my mean.")] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is remembered, and say what was.")] = False,
) -> None:
    """Remember the session of a coding assistant: for its settings, not to be typed.

    Reads the event from standard input and returns at once; a process of its own adds what is new of the transcript. What it said last
    is in ~/.local/state/goalmem/hook.log. Always exits with 0, so the assistant goes on whatever happens.

    \b
    Example, in ~/.claude/settings.json:
      {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "goalmem hook claude-code --store /home/maya/life.goalmem"}]}]}}
    """
    try:
        problem = started(program, store, space, name, wait=wait)
    except Exception as error:  # noqa: BLE001 - whatever it is, the assistant must go on
        problem = f"{type(error).__name__}: {error}"
    if problem:
        note(f"This session is not remembered: {problem}")


def started(program: str, store: str | None, space: str | None, name: str, *, wait: bool) -> str:
    """Start to remember the transcript named on standard input; returns the problem, or an empty string."""
    if program not in PROGRAMS:
        return f"there is no program {program!r}. Programs are: {', '.join(PROGRAMS)}."
    given = getattr(sys.stdin, "buffer", None)  # None where it is closed
    transcript = transcript_in(given.read(LONGEST_INPUT) if given is not None else b"")
    if transcript is None:
        return "standard input is no event of a hook, with a transcript_path. Run it as a hook, not by hand."
    if not transcript.is_file() or transcript.suffix != ENDING:
        return f"there is no transcript {str(transcript)!r}."
    options = [*(("--space", space) if space else ()), *(("--name", name) if name else ())]
    command = [sys.executable, "-m", "goalmem.cli", "import", program, str(transcript), "--skip-bad", *options]
    # A store may be an address with a password, which other users must not see in a list of processes.
    environment = os.environ | ({"GOALMEM_STORE": store} if store else {})
    if wait:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
        return ""
    with log().open("w", encoding="utf-8") as told:
        subprocess.Popen(  # noqa: S603
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
            close_fds=True,
            **detached_process_options(),
        )
    return ""


def transcript_in(event: bytes) -> Path | None:
    """The transcript that an event names; None if it names none."""
    try:
        held = json.loads(event)
    except (ValueError, RecursionError):
        return None
    path = held.get("transcript_path") if isinstance(held, dict) else None
    return Path(path).expanduser() if isinstance(path, str) and path and "\0" not in path else None


def detached_process_options() -> dict[str, Any]:
    """Options for starting a process that outlives its parent and terminal."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def log() -> Path:
    """Log file of the process; the null device if it cannot be created."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "goalmem"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "hook.log").touch()
    except OSError:
        return Path(os.devnull)
    return folder / "hook.log"
