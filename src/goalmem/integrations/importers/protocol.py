"""Protocols and types of importers: exports, formats and chats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, BinaryIO, NoReturn, Protocol

from goalmem.errors import FormatError

MOST_LISTED = 1_000
"""Parts left out that are listed one by one; beyond, they are only counted: a file of garbage must not fill memory."""


@dataclass(frozen=True, slots=True)
class Place:
    """A location in an export."""

    file: str
    line: int = 0
    """From 1; 0 is the file as a whole."""
    column: int = 0
    """From 1; many exports are a single line. 0 where the line says enough."""
    entry: int = 0
    """Number of the element in the file's list, from 1; 0 if it is not a list."""

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        column = f", column {self.column}" if self.line and self.column > 1 else ""
        return f"{self.file}{line}{column}{f' (entry {self.entry})' if self.entry else ''}"


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages of one conversation, in order; a long one comes as several of these."""

    key: str
    """Names the conversation in its source, also in a later export; no two have the same."""
    title: str
    """Display title; may be empty, and may change."""
    messages: tuple[dict[str, Any], ...]
    """OpenAI chat messages, each with an `id`, most with `at` (aware) and `name`."""
    at: datetime | None
    """When it began; None when the export does not say."""
    place: Place
    user: str = ""
    """The user, if an export contains several users of one assistant."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the export that could not be read and was left out on request."""

    place: Place
    problem: str


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options for reading an export."""

    skip_bad: bool = False
    """Skip unreadable parts instead of refusing the export."""
    zone: tzinfo | None = None
    """The user's time zone: for times without one, and for display. None: UTC, unchanged."""
    date_order: str = ""
    """Order of day, month and year in a WhatsApp chat: `dmy`, `mdy` or `ymd`; empty: detected."""
    name: str = ""
    """Name of the user, if an export only says "user"."""
    at: datetime | None = None
    """Time of messages, if the export has none."""
    since: datetime | None = None
    until: datetime | None = None
    """Only messages from, and before, a moment."""
    only: str = ""
    """Only conversations whose title holds this, in any case."""
    tools: bool = False
    """Include tool calls and their results."""
    branches: bool = False
    """Include edited and regenerated branches, each as a session of its own."""
    attachments: bool = False
    """Also the text of attached files, where the export has it."""

    def __post_init__(self) -> None:
        """Moments without a zone are of the user's."""
        for key in ("at", "since", "until"):
            given = getattr(self, key)
            if given is not None and given.tzinfo is None:
                object.__setattr__(self, key, given.replace(tzinfo=self.clock))

    @property
    def clock(self) -> tzinfo:
        """Zone of times without one."""
        return self.zone or UTC


@dataclass(slots=True)
class Reading:
    """Options and skipped parts of one run."""

    options: ImportOptions = field(default_factory=ImportOptions)
    skipped: list[Skipped] = field(default_factory=list)
    bad: int = 0
    """Number of skipped parts, including those not listed."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Number of parts without content by kind: `hidden`, `tool`, `notice` …"""

    def reject(self, place: Place, problem: str, remedy: str) -> None:
        """Refuse the export at `place`, or note the part as skipped. `problem` is a clause, `remedy` a phrase."""
        if not self.options.skip_bad:
            self.refuse(place, problem, f"{remedy}, or leave it out with --skip-bad")
        self.skip(place, problem)

    def skip(self, place: Place, problem: str) -> None:
        """Note a part that was left out."""
        self.bad += 1
        if len(self.skipped) < MOST_LISTED:
            self.skipped.append(Skipped(place, problem))

    def refuse(self, place: Place, problem: str, remedy: str) -> NoReturn:
        """Refuse the export at `place`, when reading cannot continue."""
        raise FormatError(f"{place}: {problem}.", f"{remedy}.")


class Export(Protocol):
    """An export on disk: a file, a folder, or a ZIP archive, which is never unpacked."""

    @property
    def name(self) -> str:
        """As the caller named it."""

    @property
    def names(self) -> Sequence[str]:
        """The files in it, with `/` between folders, sorted."""

    def label(self, name: str) -> str:
        """Name of one of its files in errors."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """The bytes of a file of it. Raises FormatError, also while it is read."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of an export, for detecting its format."""

    names: Sequence[str]
    values: Sequence[Any]
    """The first JSON values of its first file of conversations; empty when it holds no JSON."""
    lines: Sequence[str]
    """The first lines of its first text."""


class Format(Protocol):
    """A format of exports."""

    @property
    def name(self) -> str:
        """On the command line."""

    @property
    def title(self) -> str:
        """For people."""

    def recognises(self, sample: Sample) -> bool:
        """True when an export that begins so is of this kind."""

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """The conversations of the export. Raises FormatError, with file and line, if it cannot be read."""


def text_of(value: Mapping[str, Any], *keys: str) -> str:
    """The first non-empty text or number under one of these keys, as text; empty if there is none."""
    for key in keys:
        held = value.get(key)
        if isinstance(held, str) and held.strip():
            return held
        if isinstance(held, int) and not isinstance(held, bool):
            return str(held)
    return ""
