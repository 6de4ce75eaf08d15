"""Output of commands: plain on a pipe, with colour on a terminal, JSON on request."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.progress import Progress, TaskID


PIPE_WIDTH = 10_000
"""Columns if the output is not a terminal, so that lines stay whole for other programs."""
EXCERPT = 200
"""Characters of a turn that are shown where the turn is only named."""
LINE_SECONDS = 60.0
"""Between two lines on progress where bars cannot be drawn."""


def console(*, stderr: bool = False) -> Console:
    """A console that never takes a turn's text for markup, and wraps only on a terminal."""
    from rich.console import Console
    from rich.segment import Segment

    class Escaping(Console):
        """Escapes control characters in printed text, but not its own colours."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for part in super().render(renderable, options):
                yield part if part.control else Segment(terminal_text(part.text), part.style)

    out = Escaping(stderr=stderr, markup=False, highlight=False, emoji=False)
    if out.is_terminal:
        return out
    stream = cast("IO[str]", TrimmedStream(sys.stderr if stderr else sys.stdout))
    out = Escaping(file=stream, markup=False, highlight=False, emoji=False)
    if "COLUMNS" not in os.environ:
        out.width = PIPE_WIDTH
    return out


_CONTROL = re.compile(r"[^\n\t -~\u00a0-\U0010ffff]")
"""C0 except line ends and tabs, DEL and C1: characters that move a terminal's cursor or reprogram it (ECMA-48)."""


def terminal_text(text: str) -> str:
    """Text for a terminal: control characters are escaped as in Python, `\x1b`."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


class TrimmedStream:
    """A stream that leaves out the spaces with which trees are filled up to the width."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write whole lines without spaces at their ends."""
        self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Always False: the stream is a pipe or a file."""
        return False


def write_json(value: object) -> None:
    """Print one JSON document on stdout."""
    from goalmem.schema.rows import encoded

    sys.stdout.buffer.write(terminal_json(encoded(value, indent=2)) + b"\n")
    sys.stdout.buffer.flush()


def terminal_json(content: bytes) -> bytes:
    """The same JSON (UTF-8) for a terminal: DEL and C1 escaped, too, where encoders escape C0 alone."""
    # No other character begins with the byte C2.
    return re.sub(rb"\x7f|\xc2[\x80-\x9f]", lambda found: b"\\u%04x" % ord(found.group().decode()), content)


def day_of(moment: datetime) -> str:
    """A turn's time in its shortest form: midnight is a date without a time."""
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"


def excerpt(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[: EXCERPT - 1]}…"


def counted(number: int, noun: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar; the callback takes the amount done and the total."""
    with progress() as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for each stage of a run; the callback takes the stage, the amount done and the total."""
    with progress() as bars:
        known: dict[str, TaskID] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in known:
                known[what] = bars.add_task(what, total=total)
            bars.update(known[what], completed=done, total=total)

        yield told


@contextmanager
def progress() -> Iterator[Progress]:
    """Progress on stderr: bars on a terminal, elsewhere a line a minute."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    err = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        ended = threading.Event()
        lines = threading.Thread(target=_lines, args=(bars, err, ended), daemon=True)
        if bars.disable:
            lines.start()
        try:
            yield bars
        finally:
            ended.set()


def _lines(bars: Progress, err: Console, ended: threading.Event) -> None:
    """Says once a minute where each task is, until it has ended."""
    while not ended.wait(LINE_SECONDS):
        for task in bars.tasks:
            of_all = "" if task.total is None else f": {task.completed:,.0f} of {task.total:,.0f}"
            err.print(f"{task.description}{of_all}")
