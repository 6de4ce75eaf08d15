"""Detects the layout of a chat file by its content."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from goalmem.errors import FormatError
from goalmem.io.conversation import Conversation, Options
from goalmem.io.json_values import array_elements, document, rows
from goalmem.io.layouts import conversations
from goalmem.io.text import Line, lines
from goalmem.io.transcript import transcript

SESSIONS_FILE = "sessions.jsonl"
"""File with the sessions in a folder of LongMemEval."""
LINES_LOOKED_AT = 50


@contextmanager
def open_chat(source: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The bytes of a chat file and their number: of `-` (standard input, number unknown), a file, or a folder that
    holds LongMemEval's sessions. Raises FormatError when it cannot be opened.
    """
    if source == "-":
        yield sys.stdin.buffer, None
        return
    path = Path(source)
    if path.is_dir():
        path /= SESSIONS_FILE
        if not path.is_file():
            raise FormatError(
                f"{source} is a folder without {SESSIONS_FILE}.", "Pass chat files, or a folder of LongMemEval."
            )
    try:
        stream = path.open("rb")
    except OSError as error:
        raise FormatError(f"{source} cannot be read: {error.strerror}.", "Check the path.") from error
    with stream:
        yield stream, path.stat().st_size


def read_chat(stream: BinaryIO, options: Options) -> Iterator[Conversation]:
    """The sessions of a chat file: JSON, JSONL or a transcript, detected by content.

    Raises FormatError, naming the line, at the first thing that cannot be read (with `skip_bad`: passes it to
    `on_skip` and goes on), and when there is no message in the file.
    """
    text = lines(stream, options)
    head = list(islice(text, LINES_LOOKED_AT))
    found = False
    for conversation in _reader(head, chain(head, text), options):
        found = found or bool(conversation.messages)
        if conversation.messages:
            yield conversation
    if not found and not options.skip_bad:
        raise FormatError(f"{options.name} holds no messages.", "Pass a file with at least one.")


def _reader(head: list[Line], text: Iterable[Line], options: Options) -> Iterator[Conversation]:
    whole = iter(text)
    written = [line for _, line in head if line.strip()]
    start = written[0].lstrip() if written else ""
    if start.startswith("{"):
        read = rows if _is_jsonl(written) else document
        return conversations(read(whole, options), options)
    if start.startswith("[") and "".join(written)[:200].lstrip()[1:].lstrip().startswith(("{", "[", "]")):
        return conversations(array_elements(whole, options), options)
    return transcript(whole, options)


def _is_jsonl(written: list[str]) -> bool:
    """True if one of the first two lines is an object by itself (the other may be damaged)."""
    for line in written[:2]:
        with suppress(ValueError, RecursionError):
            if isinstance(json.loads(line), dict):
                return True
    return False
