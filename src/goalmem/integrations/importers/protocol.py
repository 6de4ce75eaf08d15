"""What importing is made of: exports, formats that read them, and chats that come out."""

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
    """Where in an export something stands."""

    file: str
    line: int = 0
    """From 1; 0 is the file as a whole."""
    column: int = 0
    """From 1; many exports are a single line. 0 where the line says enough."""
    entry: int = 0
    """Number, from 1, in the list that the file is; 0 where it is none."""

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
    """What people call it; may be empty, and may change."""
    messages: tuple[dict[str, Any], ...]
    """OpenAI chat messages, each with an `id`, most with `at` (aware) and `name`."""
    at: datetime | None
    """When it began; None when the export does not say."""
    place: Place
    user: str = ""
    """Whose it is, where an export holds what several users said to one assistant."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the export that could not be read and was left out on request."""

    place: Place
    problem: str


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to read an export, and what of it."""

    skip_bad: bool = False
    """Leave out what cannot be read, and go on, instead of refusing the export."""
    zone: tzinfo | None = None
    """Where the user lives: times without a zone are of it, and others are shown in it. None: UTC, and as they are."""
    date_order: str = ""
    """Of day, month and year in a WhatsApp chat: `dmy`, `mdy` or `ymd`; empty: told by the dates."""
    name: str = ""
    """Who the user is, where an export only says "user"."""
    at: datetime | None = None
    """When it was said, where the export does not say."""
    since: datetime | None = None
    until: datetime | None = None
    """Only messages from, and before, a moment."""
    only: str = ""
    """Only conversations whose title holds this, in any case."""
    tools: bool = False
    """Also what tools returned and what they were called with."""
    branches: bool = False
    """Also what was edited away or regenerated; each such branch becomes a session of its own."""
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
        """The zone of times that name none."""
        return self.zone or UTC


@dataclass(slots=True)
class Reading:
    """The options of one run, and what it left out."""

    options: ImportOptions = field(default_factory=ImportOptions)
    skipped: list[Skipped] = field(default_factory=list)
    bad: int = 0
    """All that was skipped, also beyond what is listed."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """What holds nothing to remember, by kind: `hidden`, `tool`, `notice` …"""

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
        """Refuse the export at `place`; there is nothing to go on with."""
        raise FormatError(f"{place}: {problem}.", f"{remedy}.")


class Export(Protocol):
    """An export as it lies on disk: a file, a folder, or a ZIP archive, which is never unpacked."""

    @property
    def name(self) -> str:
        """As the caller named it."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """The files in it, with `/` between folders, sorted."""
        ...

    def label(self, name: str) -> str:
        """What errors call a file of it."""
        ...

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """The bytes of a file of it. Raises FormatError, also while it is read."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of an export, by which its format is told."""

    names: Sequence[str]
    values: Sequence[Any]
    """The first JSON values of its first file of conversations; empty when it holds no JSON."""
    lines: Sequence[str]
    """The first lines of its first text."""


class Format(Protocol):
    """One kind of export."""

    @property
    def name(self) -> str:
        """On the command line."""
        ...

    @property
    def title(self) -> str:
        """For people."""
        ...

    def recognises(self, sample: Sample) -> bool:
        """True when an export that begins so is of this kind."""
        ...

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Its conversations. Raises FormatError, with file and line, at what cannot be read."""
        ...


def text_of(value: Mapping[str, Any], *keys: str) -> str:
    """The first of these keys that holds some text or a number, as text; empty when none does."""
    for key in keys:
        held = value.get(key)
        if isinstance(held, str) and held.strip():
            return held
        if isinstance(held, int) and not isinstance(held, bool):
            return str(held)
    return ""
