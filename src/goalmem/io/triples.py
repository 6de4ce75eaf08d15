r"""Files of triples: `subject|relation|object`, or three columns apart by tabs, one triple a line.

Fields are stripped of surrounding spaces; blank lines are passed over. Between pipes `\\|` is a pipe that belongs to a
name, and `\\\\` is a backslash; any other backslash stands for itself. Between tabs nothing is escaped.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from goalmem.errors import FormatError
from goalmem.graph.protocol import Triple

__all__ = ["LONGEST_LINE", "piped", "refuse", "tabbed"]

LONGEST_LINE = 1 << 20
"""Bytes of a line; a longer one is no triple, and might not fit in memory."""
_CHUNK = 1 << 20
_FIELDS = 3
_BACKSLASH, _PIPE = "\0b", "\0p"
"""Stand for what was escaped while a line is split; no line holds a NUL of its own."""


def piped(stream: BinaryIO, name: str) -> Iterator[Triple]:
    """The triples of `s|r|o` lines. Raises FormatError, naming the line, at the first that is none."""
    return _triples(stream, name, "|", "Write subject|relation|object; write a pipe within a name as \\|.")


def tabbed(stream: BinaryIO, name: str) -> Iterator[Triple]:
    """The triples of a TSV file. Raises FormatError, naming the line, at the first that is none."""
    return _triples(stream, name, "\t", "Write subject, relation and object apart by tabs.")


def refuse(name: str, line: int, problem: str, remedy: str) -> NoReturn:
    """Raise the error for a line that cannot be read."""
    raise FormatError(f"{name}, line {line}: {problem}.", remedy)


def _triples(stream: BinaryIO, name: str, mark: str, remedy: str) -> Iterator[Triple]:
    number = 0
    for block in _blocks(stream, name):
        text = _text(block, name, number)
        escaped = mark == "|" and "\\" in text
        for line in text.split("\n"):
            number += 1
            fields = _unescaped(line) if escaped else line.split(mark)
            if len(fields) == _FIELDS:
                subject, relation, object_ = fields[0].strip(), fields[1].strip(), fields[2].strip()
                if subject and relation and object_:
                    yield Triple(subject, relation, object_)
                    continue
                problem = "a field is empty"
            else:
                problem = f"it has {len(fields)} field{'s' * (len(fields) != 1)}, not {_FIELDS}"
            if line.strip():
                refuse(name, number, problem, remedy)


def _unescaped(line: str) -> list[str]:
    fields = line.replace("\\\\", _BACKSLASH).replace("\\|", _PIPE).split("|")
    return [field.replace(_PIPE, "|").replace(_BACKSLASH, "\\") for field in fields]


def _text(block: bytes, name: str, before: int) -> str:
    """A block as text; `before` lines came before it."""
    if (place := block.find(b"\0")) >= 0:
        line = before + 1 + block.count(b"\n", 0, place)
        refuse(name, line, "it holds a NUL character", "No name has one: remove it, or save the file as UTF-8 text.")
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        line = before + 1 + block.count(b"\n", 0, error.start)
        refuse(name, line, f"byte 0x{block[error.start]:02X} is no UTF-8", "Save the file as UTF-8.")


def _blocks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Runs of whole lines, without the line break at the end of each run."""
    rest, number = stream.read(len(BOM_UTF8)).removeprefix(BOM_UTF8), 0
    while chunk := stream.read(_CHUNK):
        lines, found, after = chunk.rpartition(b"\n")
        if not found:
            rest += chunk
        else:
            block = rest + lines
            yield block
            number += block.count(b"\n") + 1
            rest = after
        if len(rest) > LONGEST_LINE:
            refuse(name, number + 1, f"it is longer than {LONGEST_LINE:,} bytes", "A triple a line is expected.")
    if rest:
        yield rest
