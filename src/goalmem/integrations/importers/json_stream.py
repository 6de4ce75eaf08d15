"""The elements of JSON files of any size, one at a time, each with its place.

Exports are lists of conversations, often gigabytes on a single line: text is read in blocks, and only the current
element is in memory. (`goalmem.io.json_values` does the same by lines, which is not sufficient here; streaming parsers
such as ijson do not report the location of an element.)
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from goalmem.integrations.importers.protocol import Place, Reading
from goalmem.io.json_values import TOO_DEEP, JsonText

BLOCK = 1 << 18
"""Bytes read at a time."""
LONGEST_VALUE = 1 << 28
"""Maximum characters of one element; no conversation has 256 MB."""
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
"""Replacement of an invalid UTF-8 byte by `surrogateescape`."""
REMEDY = "Export again, or correct the file"


def elements(stream: BinaryIO, file: str, reading: Reading, under: Collection[str] = ()) -> Iterator[tuple[Place, Any]]:
    """The values of a JSON list, of a list in an object under one of the keys `under`, or of JSON lines.

    Any other single value is the only element. What cannot be read is rejected with its place; then what comes after it is
    read only where it stands on lines of its own.
    """
    text = _Text(stream, file, reading)
    first = True
    try:
        while start := text.peek():
            begins = text.place
            try:
                if first and start == "[":
                    yield from _array(text)
                elif first and start == "{" and under and not text.lines_follow(start):
                    yield from _object(text, under)
                else:
                    yield from _unfolded(begins, text.value(), under)
            except _BrokenError as broken:
                text.leave_line(begins, broken)
            first = False
    except _BrokenError as broken:
        reading.reject(broken.place, f"{broken.problem}; nothing after it was read", REMEDY)


def _unfolded(begins: Place, value: Any, under: Collection[str]) -> Iterator[tuple[Place, Any]]:
    """A value, or the elements of the list that it is for: a page of results on each line."""
    held = next((value[k] for k in under if isinstance(value.get(k), list)), None) if isinstance(value, dict) else None
    if held is None:
        yield begins, value
        return
    for entry, inner in enumerate(held, 1):
        yield replace(begins, entry=entry), inner


def _array(text: _Text) -> Iterator[tuple[Place, Any]]:
    entry = 0
    text.skip("[")
    while text.peek() != "]":
        entry += 1
        begins = replace(text.place, entry=entry)
        try:
            value = text.value()
            if text.peek() != "]":
                text.expect(",")
        except _BrokenError as broken:
            text.leave_line(begins, broken)
        else:
            yield begins, value
    text.skip("]")


def _object(text: _Text, under: Collection[str]) -> Iterator[tuple[Place, Any]]:
    begins, rest, found = text.place, {}, False
    text.skip("{")
    while text.peek() != "}":
        if text.peek() != '"':
            raise text.broken("a key is missing")
        key = text.value()
        text.expect(":")
        if key in under and text.peek() == "[":
            found = True
            yield from _array(text)
        else:
            rest[key] = text.value()
        if text.peek() != "}":
            text.expect(",")
    text.skip("}")
    if not found:
        yield begins, rest


class _BrokenError(Exception):
    """The text is not valid JSON from here on."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem


class _Text(JsonText):
    """Text decoded on demand, with a line and a column."""

    def __init__(self, stream: BinaryIO, file: str, reading: Reading) -> None:
        super().__init__()
        self.reading = reading
        self._stream = stream
        self._file = file
        self._decoder: codecs.IncrementalDecoder | None = None
        self._line, self._column = 1, 1
        self._whole = True
        """False after the first invalid UTF-8 byte, which is reported once."""

    @property
    def place(self) -> Place:
        return Place(self._file, self._line, self._column)

    def expect(self, token: str) -> None:
        found = self.peek()
        if found != token:
            raise self.broken(f"a {token!r} is missing" if found else "the file ends in the middle")
        self.skip(token)

    def value(self) -> Any:
        """The JSON value at the position."""
        self.peek()
        try:
            return super().value()
        except json.JSONDecodeError as error:
            raise self._fault(error) from error
        except RecursionError as error:
            raise self.broken(f"the value here {TOO_DEEP}") from error
        except ValueError as error:  # an integer of more digits than Python takes
            raise self.broken(f"this is not valid JSON: {error}") from error

    def lines_follow(self, start: str) -> bool:
        """True if the next line starts with the same character: one value per line."""
        end = self._text.find("\n", self._at)
        return end >= 0 and self._text.startswith(start, end + 1)

    def leave_line(self, begins: Place, broken: _BrokenError) -> None:
        """Reject a broken value and continue at the next line, if values are on separate lines, which a start in the
        same column indicates. Otherwise raises the given error.
        """
        start = self.peek()
        if self._line != begins.line:
            raise broken
        while (end := self._text.find("\n", self._at)) < 0:
            self._advance(len(self._text))
            if not self._fill():
                raise broken
        self._advance(end + 1)
        following = self.peek()
        if following and following != "]" and (following != start or self._column != begins.column):
            raise broken
        on_line = replace(broken.place, entry=begins.entry) if broken.place.line == begins.line else begins
        self.reading.reject(on_line, broken.problem, REMEDY)

    def broken(self, problem: str) -> _BrokenError:
        return _BrokenError(self.place, problem)

    def _fault(self, error: json.JSONDecodeError) -> _BrokenError:
        ends = "; the file ends in the middle of a value" if self._is_unfinished(error) else ""
        at = min(error.pos, len(self._text))
        lines = self._text.count("\n", self._at, at)
        column = at - self._text.rindex("\n", self._at, at) if lines else self._column + at - self._at
        said = error.msg.removesuffix(" starting at").removesuffix(" at")
        if self._text.startswith("\n", at) and error.msg.startswith("Invalid control"):
            said = "the line ends in the middle of a text"
        return _BrokenError(Place(self._file, self._line + lines, column), f"this is not valid JSON: {said}{ends}")

    def _advance(self, position: int) -> None:
        lines = self._text.count("\n", self._at, position)
        if lines:
            self._line += lines
            self._column = position - self._text.rindex("\n", self._at, position)
        else:
            self._column += position - self._at
        self._at = position

    def _fill(self) -> bool:
        kept = self._text[self._at :]
        if len(kept) > LONGEST_VALUE:
            raise self.broken(f"the value here is longer than {LONGEST_VALUE:,} characters")
        parts, wanted, size = [kept], max(BLOCK, len(kept)), 0
        while size < wanted and (data := self._stream.read(BLOCK)):
            size += len(data)
            parts.append(self._decoded(data, parts))
        if not size and self._decoder is not None:
            parts.append(self._decoder.decode(b"", final=True))
            self._decoder.reset()
        if more := any(parts[1:]):
            self._text, self._at = "".join(parts), 0
        return more

    def _decoded(self, data: bytes, before: list[str]) -> str:
        """Bytes as text; a byte that is not valid UTF-8 is rejected, or becomes U+FFFD."""
        if self._decoder is None:
            encoding = json.detect_encoding(data)
            lenient = "surrogateescape" if encoding.startswith("utf-8") else "replace"
            self._decoder = codecs.getincrementaldecoder(encoding)(lenient)
        piece = self._decoder.decode(data)
        if piece.isascii() or not (found := ESCAPED_BYTE.search(piece)):
            return piece
        if self._whole:
            self._whole = False
            line = self._line + sum(part.count("\n") for part in before) + piece.count("\n", 0, found.start())
            byte = ord(found.group()) - 0xDC00
            self.reading.reject(
                Place(self._file, line), f"byte 0x{byte:02X} is not valid UTF-8", "Save the file as UTF-8"
            )
        return ESCAPED_BYTE.sub("�", piece)
