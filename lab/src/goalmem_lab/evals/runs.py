"""Saved runs: one JSON object a line, a line a question and a way to ask it, with its proof."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, InputError
from goalmem_lab.train.datasets import Record, read_jsonl

Row = Mapping[str, Any]
"""What came of one question. Names: `docs/evals.md`, Saved runs."""

NEEDED: Mapping[str, type] = {"id": str, "category": str, "question": str, "answerable": bool, "known": bool}
"""What whoever reads the answers of a run relies on; numbers are checked where they are used."""


def write_run(rows: Iterable[Row], path: Path) -> None:
    """Write a run, whole or not at all. Raises InputError when the file cannot be written."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror or error}.", "Choose another place.") from error


def read_run(path: Path) -> list[Row]:
    """The answers of a saved run. Raises FormatError with the line."""
    rows = [_checked(record) for record in read_jsonl(path)]
    if not rows:
        raise FormatError(f"{path.name} holds no answer.", "Write one with `goalmem eval ... --mode ask --save FILE`.")
    return rows


def _checked(record: Record) -> Row:
    for name, kind in NEEDED.items():
        record.get(name, kind)
    for name in ("confidence", "raw", "f1", "score"):
        value = record.value.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise FormatError(
                f"{name!r} of {record.place} is {str(value)[:40]}, not a number from 0 to 1.",
                "Write the run again with `goalmem eval ... --mode ask --save FILE`.",
            )
    return record.value
