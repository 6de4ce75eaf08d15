"""Samples as JSON lines in the layouts that trainers read, written as they are made, by runs that may be killed and go on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, InputError
from goalmem_lab.train.arg_collect import Sample
from goalmem_lab.train.datasets import Record, read_jsonl
from goalmem_lab.train.states import write_json

SAVED_EVERY = 2.0
"""Seconds between two records of how far a run is."""
STATE = ".state"
"""What the name of that record ends with."""


class Layout(StrEnum):
    """How trainers of language models want supervised data."""

    PROMPT = "prompt"
    """`{"prompt": …, "completion": …}`, as TRL reads it."""
    MESSAGES = "messages"
    """`{"messages": [{"role": "user", …}, {"role": "assistant", …}]}`, as OpenAI and most trainers read it."""
    ALPACA = "alpaca"
    """`{"instruction": …, "input": "", "output": …}`, as LlamaFactory reads it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    questions: int
    of: int
    samples: int


def collect(
    out: Path,
    layout: Layout,
    of: int,
    samples_of: Callable[[int], Sequence[Sample]],
    settings: Mapping[str, Any],
    report: Callable[[Progress], None],
) -> Progress:
    """Write the samples of questions 0 to `of` - 1 to `out`, a line each, in their order.

    How far it is stands beside `out` until it ends; a run that was killed goes on from there and writes the same file as one
    that was not. Raises InputError where `out` is there already, or belongs to a run with other `settings`.
    """
    state = out.with_name(out.name + STATE)
    told = hashlib.sha256(json.dumps([layout, of, settings], sort_keys=True, default=str).encode()).hexdigest()
    at, size, told_samples = _begin(out, state, told)
    with out.open("r+b") as file:
        file.truncate(size)
        file.seek(size)
        saved = time.monotonic()
        for place in range(at, of):
            samples = samples_of(place)
            file.write("".join(_line(sample, layout) for sample in samples).encode())
            told_samples += len(samples)
            report(Progress(place + 1, of, told_samples))
            if time.monotonic() - saved > SAVED_EVERY:
                file.flush()
                os.fsync(file.fileno())
                _keep(state, told, place + 1, file.tell(), told_samples)
                saved = time.monotonic()
        file.flush()
        os.fsync(file.fileno())
    state.unlink(missing_ok=True)
    return Progress(of, of, told_samples)


def read_samples(paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Prompts and completions of files in any of the layouts. Raises InputError, and FormatError with the line."""
    return [_sample(record) for path in paths for record in read_jsonl(path)]


def _line(sample: Sample, layout: Layout) -> str:
    match layout:
        case Layout.PROMPT:
            record: dict[str, Any] = {"prompt": sample.prompt, "completion": sample.completion}
        case Layout.ALPACA:
            record = {"instruction": sample.prompt, "input": "", "output": sample.completion}
        case Layout.MESSAGES:
            said = (("user", sample.prompt), ("assistant", sample.completion))
            record = {"messages": [{"role": role, "content": text} for role, text in said]}
    return json.dumps(record | {"kind": sample.kind}, ensure_ascii=False) + "\n"


def _sample(record: Record) -> tuple[str, str]:
    prompt, completion = _parts(record.value)
    if not isinstance(prompt, str) or not isinstance(completion, str) or not completion:
        raise FormatError(
            f"{record.place} is no sample.", 'Write {"prompt": "…", "completion": "…"}, messages, or Alpaca\'s layout.'
        )
    return prompt, completion


def _parts(record: Mapping[str, Any]) -> tuple[Any, Any]:
    if "completion" in record:
        return record.get("prompt"), record["completion"]
    if "output" in record:
        more = record.get("input")
        told = record.get("instruction")
        return (f"{told}\n{more}" if isinstance(told, str) and isinstance(more, str) and more else told), record[
            "output"
        ]
    messages = record.get("messages")
    if not isinstance(messages, list) or len(messages) != 2 or not all(isinstance(m, dict) for m in messages):
        return None, None
    return messages[0].get("content"), messages[1].get("content")


def _begin(out: Path, state: Path, told: str) -> tuple[int, int, int]:
    """How many questions are done, how many bytes and samples they gave."""
    if not state.exists():
        if out.exists():
            raise InputError(f"{out} is there already.", "Name another file, or remove it.")
        _make(out)
        _keep(state, told, 0, 0, 0)
        return 0, 0, 0
    try:
        held = json.loads(state.read_text(encoding="utf-8"))
        known, at, size, samples = held["settings"], int(held["questions"]), int(held["bytes"]), int(held["samples"])
        complete = out.stat().st_size >= size
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{state} is no record of a run.", f"Remove it and {out} to begin anew.") from error
    if known != told or not complete:
        raise InputError(
            f"{out} belongs to a run with other questions, another critic or other settings.",
            f"Repeat those to go on, name another file, or remove {out} and {state}.",
        )
    return at, size, samples


def _make(out: Path) -> None:
    try:
        out.touch(exist_ok=False)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error}.", "Name a file in a folder that is there.") from error


def _keep(state: Path, told: str, questions: int, size: int, samples: int) -> None:
    write_json(state, {"settings": told, "questions": questions, "bytes": size, "samples": samples})
