"""The registered formats, and the detection of an export's format."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from goalmem.errors import FormatError, InputError
from goalmem.integrations.importers.chatgpt import FILES, ChatGpt
from goalmem.integrations.importers.claude import Claude
from goalmem.integrations.importers.claude_code import ClaudeCode
from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.langchain import LangChain
from goalmem.integrations.importers.mem0 import Mem0
from goalmem.integrations.importers.protocol import Export, Format, ImportOptions, Reading, Sample
from goalmem.integrations.importers.slack import Slack
from goalmem.integrations.importers.whatsapp import WhatsApp
from goalmem.io.conversation import Options
from goalmem.io.text import lines

FORMATS: tuple[Format, ...] = (ChatGpt(), Claude(), ClaudeCode(), Slack(), WhatsApp(), LangChain(), Mem0())
"""In the order in which they are tried: those with the plainest marks first."""
VALUES_LOOKED_AT, LINES_LOOKED_AT = 3, 50
SHORT = 1 << 16
"""Bytes that suffice to detect a text format."""
LISTS = ("conversations", "results", "memories", "data", "sessions", "threads")
JSON_STARTS = re.compile(r"\{|\[\s*[\[{\]]")
"""An object, or a list of objects or lists: unlike `[01.05.24, 14:03] Maya: Hi`."""
ENDINGS = (".json", ".jsonl", ".ndjson")


def format_of(name: str) -> Format:
    """The format with this name. Raises InputError if it is unknown."""
    for known in FORMATS:
        if known.name == name.casefold():
            return known
    raise InputError(f"There is no format {name!r}.", f"Formats: {', '.join(f.name for f in FORMATS)}.")


def recognise(export: Export) -> Format:
    """Detect the format of an export by its content. Raises FormatError if none matches."""
    sample = sample_of(export)
    for known in FORMATS:
        if known.recognises(sample):
            return known
    raise FormatError(
        f"{export.name} is not a known export: {', '.join(f.title for f in FORMATS)}.",
        "Name its format; conversations in other layouts (OpenAI messages, transcripts) are read by `goalmem add`.",
    )


def sample_of(export: Export) -> Sample:
    """The beginning of an export. What cannot be read is left out: a broken export is still of its format."""
    names = list(export.names)
    if len(names) == 1:
        values = _values(export, names[0])
        return Sample(names, values, () if values else _lines(export, names[0]))
    conversations = [n for n in names if FILES.match(n)] or [n for n in names if n.lower().endswith(ENDINGS)]
    texts = [n for n in names if n.lower().endswith(".txt")]
    shallow = sorted(conversations, key=lambda n: len(PurePosixPath(n).parts))
    return Sample(
        names,
        _values(export, shallow[0]) if shallow else (),
        [line for name in texts[:VALUES_LOOKED_AT] for line in _lines(export, name)],
    )


def _values(export: Export, name: str) -> Sequence[Any]:
    found: list[Any] = []
    reading = Reading(ImportOptions(skip_bad=True))
    with export.open(name) as stream:
        head = stream.read(SHORT)
    start = head.decode(json.detect_encoding(head), "replace").lstrip("\ufeff \t\r\n")
    if not JSON_STARTS.match(start):
        return found
    with export.open(name) as stream:
        found += (value for _, value in islice(elements(stream, name, reading, LISTS), VALUES_LOOKED_AT))
    return found


def _lines(export: Export, name: str) -> Sequence[str]:
    """From the first bytes only, since a line may be as long as the file."""
    with export.open(name) as stream:
        head = io.BytesIO(stream.read(SHORT))
    with suppress(FormatError):  # a picture, a PDF
        return [line for _, line in islice(lines(head, Options(name, skip_bad=True)), LINES_LOOKED_AT)]
    return ()
