"""Parses JSON values from a text one at a time, with their line numbers.

A JSON file of conversations can be larger than memory: the elements of a top-level array are handed on one by one.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from goalmem.io.conversation import Options
from goalmem.io.text import Line

Value = tuple[int, Any]
"""Line on which it begins, and the value."""

CLOSE_TO_END = 16
"""Characters before the end of the buffer within which an error may only mean that more is to come: the longest token
other than a string or number is a surrogate pair, `\\\\uD83D\\\\uDE00`."""
READ_AHEAD = 1 << 16
SPACE = re.compile(r"[ \t\n\r]*")
TOO_DEEP = "is nested too deeply"


def rows(lines: Iterator[Line], options: Options) -> Iterator[Value]:
    """JSONL: one value a line; blank lines are passed over. A line that is not valid JSON is refused or skipped."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except RecursionError:
            options.reject(number, TOO_DEEP, "Remove the line")
        except ValueError as error:
            options.reject(number, _fault(error, line), "Correct or remove the line")


def _fault(error: ValueError, line: str) -> str:
    """Describe the JSON error in a line."""
    if not isinstance(error, json.JSONDecodeError):
        return f"this is not valid JSON: {error}"
    breaks_off = error.msg.startswith("Unterminated") or error.pos >= len(line.rstrip())
    half = " (the line looks half-written)" if breaks_off else ""
    return f"this is not valid JSON: {error.msg.removesuffix(' starting at')} at column {error.colno}{half}"


def document(lines: Iterator[Line], options: Options) -> Iterator[Value]:
    """One JSON value that spans the whole text."""
    numbered = list(lines)
    first = numbered[0][0] if numbered else 1
    try:
        yield first, json.loads("\n".join(line for _, line in numbered))
    except RecursionError:
        options.refuse(first, TOO_DEEP, "Flatten the file")
    except json.JSONDecodeError as error:
        line = numbered[error.lineno - 1][0] if error.lineno <= len(numbered) else first
        options.refuse(
            line,
            f"this is not valid JSON: {error.msg.removesuffix(' starting at')} at column {error.colno}",
            "Correct the file",
        )
    except ValueError as error:
        options.refuse(first, f"this is not valid JSON: {error}", "Correct the file")


def array_elements(lines: Iterator[Line], options: Options) -> Iterator[Value]:
    """The elements of a top-level array, without holding the array."""
    text = _Lines(lines)
    text.skip("[")
    while (start := text.peek()) != "]":
        if not start:
            # The file is truncated; the values before are valid and were already yielded.
            options.reject(text.last_line, "the file ends in the middle of a list", "Complete the file")
            return
        line = text.line
        try:
            value = text.value()
        except RecursionError:
            options.refuse(line, TOO_DEEP, "Flatten the file")
        except ValueError as error:
            if text.ended and options.skip_bad:
                options.reject(line, "the file ends in the middle of a value", "Complete the file")
                return
            said = error.msg if isinstance(error, json.JSONDecodeError) else error
            half = "; the file ends in the middle of a value" if text.ended else ""
            options.refuse(text.line_of(error), f"this is not valid JSON: {said}{half}", "Correct the file")
        yield line, value
        if text.peek() not in ("", "]", ","):
            options.refuse(text.line, "a ',' is missing between two elements", "Correct the file")
        text.skip(",")
    text.skip("]")
    if text.peek():
        options.reject(text.line, "something follows the end of the list", "Remove it")


class JsonText(ABC):
    """Text of JSON values that is read on demand, with a position."""

    def __init__(self) -> None:
        self._text, self._at = "", 0
        self._json = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that means something, which becomes the position; empty at the end."""
        while True:
            found = SPACE.match(self._text, self._at)
            self._advance(found.end() if found else self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def skip(self, token: str) -> None:
        """Move behind a character, where it is the next."""
        if self.peek() == token:
            self._advance(self._at + 1)

    def value(self) -> Any:
        """Parse the JSON value at the position. Raises ValueError if it is invalid, RecursionError if it is too deep."""
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._is_unfinished(error) or not self._fill():
                    raise
            else:
                # A number at the end of the buffer may continue: 12|34.
                if end < len(self._text) or not self._fill():
                    self._advance(end)
                    return value

    def _is_unfinished(self, error: json.JSONDecodeError) -> bool:
        """True if more text may be all that a value lacks."""
        return error.msg.startswith("Unterminated") or error.pos >= len(self._text) - CLOSE_TO_END

    @abstractmethod
    def _advance(self, position: int) -> None:
        """Move to a position."""

    @abstractmethod
    def _fill(self) -> bool:
        """Add to the buffer as much again as it holds behind the position (so that a long value costs linear time);
        False at the end, where the buffer stays.
        """


class _Lines(JsonText):
    """Text that comes line by line, with their numbers."""

    def __init__(self, lines: Iterator[Line]) -> None:
        super().__init__()
        self._lines = lines
        self.line = self.last_line = 1
        """The line at the position, and the last one read so far."""
        self.ended = False
        """True once there was no more to read."""

    def line_of(self, error: ValueError) -> int:
        """The line on which decoding failed."""
        position = error.pos if isinstance(error, json.JSONDecodeError) else self._at
        return min(self.line + self._text.count("\n", self._at, position), self.last_line)

    def _advance(self, position: int) -> None:
        self.line += self._text.count("\n", self._at, position)
        self._at = position

    def _fill(self) -> bool:
        kept = self._text[self._at :]
        wanted, parts, size = max(READ_AHEAD, len(kept)), [kept], 0
        for number, line in self._lines:
            if not kept and not size:
                self.line = number
            self.last_line = number
            parts.append(line + "\n")
            size += len(line) + 1
            if size >= wanted:
                break
        if size:
            self._text, self._at = "".join(parts), 0
        self.ended = self.ended or not size
        return bool(size)
