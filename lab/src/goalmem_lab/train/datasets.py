"""Reading benchmark files: what is wrong is said with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from goalmem.errors import FormatError, ModelError
from goalmem.io.dates import read_moment

Kind = TypeVar("Kind")
ROWS_AT_ONCE = 64
"""Rows of a Parquet file in memory: each of RoG's holds a graph of thousands of triples."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object and where it stands, for messages."""

    value: Mapping[str, Any]
    place: str
    """As in `questions.jsonl, line 3` or `locomo10.json, [0].qa[7]`."""

    @classmethod
    def of(cls, value: object, place: str) -> Record:
        """Raises FormatError when the value is no object."""
        if not isinstance(value, dict):
            raise FormatError(f"{place} is {_kind(value)}, not an object.", "Compare it with the official file.")
        return cls(value, place)

    def get(self, key: str, kind: type[Kind]) -> Kind:
        """The value of a key. Raises FormatError when it is missing or of another kind."""
        if key not in self.value:
            raise FormatError(f"{self.place} has no {key!r}.", "Compare it with the official file.")
        value = self.value[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise FormatError(
                f"{key!r} of {self.place} is {_kind(value)}, not {_NAMES.get(kind, kind.__name__)}.",
                "Compare it with the official file.",
            )
        return value

    def text(self, key: str) -> str:
        """A string, or a number as one."""
        value = self.value.get(key)
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else self.get(key, str)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        values = self.get(key, list)
        for number, value in enumerate(values):
            if not isinstance(value, str):
                raise FormatError(
                    f"{key}[{number}] of {self.place} is {_kind(value)}, not a string.",
                    "Compare it with the official file.",
                )
        return tuple(values)

    def records(self, key: str) -> list[Record]:
        """A list of objects."""
        return [Record.of(value, f"{self.place}.{key}[{number}]") for number, value in enumerate(self.get(key, list))]

    def moment(self, key: str) -> datetime:
        """A date and time; without a zone it is taken as UTC."""
        return self.as_moment(self.get(key, str), key)

    def as_moment(self, value: object, key: str) -> datetime:
        """A value of this record as a date and time. Raises FormatError."""
        found = read_moment(value)
        if found is None:
            raise FormatError(
                f"{key!r} of {self.place} is {str(value)[:40]!r}, which is no date.",
                "Write it like 2023/05/30 (Tue) 04:18 or 1:56 pm on 8 May, 2023.",
            )
        return found if found.tzinfo else found.replace(tzinfo=UTC)


def read_json(path: Path) -> Any:
    """A JSON file. Raises FormatError with the line."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{path.name}, line {error.lineno} is not valid JSON: {error.msg}.",
            "Get the file again, or correct the line.",
        ) from None
    except RecursionError:
        raise FormatError(f"{path.name} is nested too deeply.", "Get the file again.") from None


def read_jsonl(path: Path) -> Iterator[Record]:
    """The objects of a file with one a line; blank lines are passed over. Raises FormatError with the line."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                raise FormatError(
                    f"{path.name}, line {number} is not valid JSON: {error}.",
                    "Get the file again, or correct the line.",
                ) from None
            yield Record.of(value, f"{path.name}, line {number}")


def read_rows(path: Path) -> Iterator[Record]:
    """The objects of a file, JSON lines or (`.parquet`) Parquet rows, which are read a batch at a time.

    Raises FormatError with the place, ModelError where a Parquet file is read without pyarrow.
    """
    if path.suffix.lower() != ".parquet":
        yield from read_jsonl(path)
        return
    if find_spec("pyarrow") is None:
        raise ModelError(
            "A Parquet file needs the package 'pyarrow', which is not installed.",
            'Install it: pip install "goalmem-lab[parquet]".',
        )
    import pyarrow.parquet as parquet
    from pyarrow.lib import ArrowException

    try:
        with parquet.ParquetFile(path) as file:
            rows = (row for batch in file.iter_batches(batch_size=ROWS_AT_ONCE) for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield Record.of(row, f"{path.name}, row {number}")
    except (ArrowException, OSError) as error:
        raise FormatError(
            f"{path.name} is no Parquet file: {' '.join(str(error).split())[:200]}.", "Get the file again."
        ) from error


def read_text(path: Path) -> str:
    """A file in UTF-8. Raises FormatError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path.name} is not valid UTF-8 text: byte {error.start}.", "Save it as UTF-8, or name another file."
        ) from None
    except OSError as error:
        raise FormatError(
            f"{path} cannot be read: {error.strerror or error}.", "Name the benchmark's file or folder."
        ) from None


_NAMES: dict[type, str] = {str: "a string", int: "a number", list: "a list", dict: "an object"}


def _kind(value: object) -> str:
    return "null" if value is None else _NAMES.get(type(value), f"a {type(value).__name__}")
