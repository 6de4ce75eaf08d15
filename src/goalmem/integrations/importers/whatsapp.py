"""WhatsApp's "Export chat": a text of lines with times, from Android or an iPhone, alone or in a ZIP with media."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from goalmem.integrations.importers.portions import placed, portions, said
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample
from goalmem.io.conversation import Options
from goalmem.io.text import lines

SAID = re.compile(r"(?P<name>[^:\n]{1,100}): ?(?P<text>.*)", re.DOTALL)
QUOTES = frozenset('"“”„«»')
"""Quotation marks before a colon indicate a notice: `Maya changed the subject to "Trip: Oslo"`."""
MARK = "\u200e"
"""Mark that iPhones put before notices and media placeholders."""
FILE_NAME = re.compile(r"_chat|chat", re.IGNORECASE)
PREFIX = re.compile(
    r"whats ?app[- ]chat\w*[- ]+(?:(?:with|mit|avec|con|com|met|med|z)[- ])?[- ]*|chat (?:de|di|do) whatsapp (?:con|com) ",
    re.IGNORECASE,
)
"""Prefixes of the file name before the chat's name, in the known languages."""
COPY = re.compile(r"\s*\(\d+\)\Z")
"""Suffix of a repeated download."""
OMITTED = re.compile(
    r"<[^<>\n]{3,60}>|null|[\w ]{3,40} omitted|(?:you deleted this message|this message was deleted)\.?", re.IGNORECASE
)
"""The whole text of an omitted medium or deleted message: bracketed in any language, or unbracketed in English."""
EDITED = re.compile(r"\s*<this message was edited>\s*\Z", re.IGNORECASE)
ATTACHED = re.compile(r"<[^<>:\n]{3,30}: (?P<file>[^<>\n]+\.\w{2,5})>")
"""As an iPhone writes it, anywhere in a message."""
FILE_LINE = re.compile(r"(?P<file>[^\n/\\]+\.\w{2,5}) \([^()\n]{3,40}\)\Z")
"""As Android does, in a line before the caption."""
MEDIA = re.compile(r".*\.(?:jpe?g|png|gif|webp|heic|mp4|mov|3gp|opus|ogg|m4a|mp3|aac|amr)\Z", re.IGNORECASE)
"""File names without information."""


class WhatsApp:
    """Reads a chat as WhatsApp exports it (More → Export chat), the ZIP or the text in it. A day is a session."""

    name = "whatsapp"
    title = "WhatsApp"

    def recognises(self, sample: Sample) -> bool:
        """Its lines have times in front, and most of them names."""
        stamps = [stamp for line in sample.lines if (stamp := stamp_of(visible(line)))]
        return any(SAID.match(stamp.rest) for stamp in stamps)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Chat by chat, day by day. Raises FormatError when the dates can be read in more than one way."""
        names = [name for name in export.names if name.lower().endswith(".txt")] or list(export.names)[:1]
        for name in names:
            order = _order(export, name, reading)
            if order or len(names) == 1:
                yield from _Reader(export, name, order, reading).read()


def _order(export: Export, name: str, reading: Reading) -> str:
    """The order of day, month and year in a file; empty when it holds no message."""
    if reading.options.date_order:
        return reading.options.date_order
    dates = Dates()
    for _, line in _lines(export, name, Reading(reading.options)):
        if stamp := stamp_of(visible(line)):
            dates.see(stamp)
    orders = dates.orders()
    if not dates.latest:
        return ""
    if len(orders) > 1 and dates.example:
        reading.refuse(
            Place(export.label(name)),
            f"its dates can be read as {' and as '.join(orders)}, such as {dates.example!r}, and nothing tells which is meant",
            f"Say so with --date-order {' or --date-order '.join(orders)}",
        )
    return orders[0]


def _lines(export: Export, name: str, reading: Reading) -> Iterator[tuple[int, str]]:
    label = export.label(name)
    with export.open(name) as stream:
        options = Options(
            label,
            skip_bad=reading.options.skip_bad,
            on_skip=lambda skipped: reading.skip(Place(label, skipped.line), skipped.problem),
        )
        yield from lines(stream, options)


@dataclass
class _Message:
    """A message that further lines may continue."""

    line: int
    stamp: Stamp
    name: str
    lines: list[str]
    marked: bool
    """True if an iPhone marked it as not spoken."""


@dataclass
class _Reader:
    export: Export
    file: str
    order: str
    reading: Reading
    now: datetime | None = None
    repeated: Counter[str] = field(default_factory=Counter)
    """Messages of the same moment that say the same."""

    def read(self) -> Iterator[Chat]:
        title, label = _title(self.export, self.file), self.export.label(self.file)
        day, first, held = "", 1, list[dict[str, Any]]()
        for message in self.messages():
            found = self.finished(message)
            if found is None:
                continue
            today = f"{message.stamp.moment(self.order):%Y-%m-%d}"
            if today != day:
                yield from self.day(title, day, held, Place(label, first))
                day, first, held = today, message.line, []
            held.append(found)
        yield from self.day(title, day, held, Place(label, first))

    def day(self, title: str, day: str, messages: list[dict[str, Any]], place: Place) -> Iterator[Chat]:
        if messages:
            yield from portions(f"{title}/{day}", "", messages, messages[0].get("at"), place)

    def messages(self) -> Iterator[_Message]:
        """Messages with all their lines."""
        open_: _Message | None = None
        in_notice = False
        for number, raw in _lines(self.export, self.file, self.reading):
            line = visible(raw)
            stamp = self.stamp(line)
            if stamp is None:
                if open_ is not None:
                    open_.lines.append(line.rstrip())
                elif line.strip() and not in_notice:
                    place = Place(self.export.label(self.file), number)
                    self.reading.reject(place, f"{line.strip()[:40]!r} is not a message", "Export the chat again")
                continue
            if open_ is not None:
                yield open_
            open_ = self.begun(number, stamp, line, raw)
            in_notice = open_ is None
        if open_ is not None:
            yield open_

    def stamp(self, line: str) -> Stamp | None:
        """The time in front of a line, if it is one in this chat's order."""
        stamp = stamp_of(line)
        if stamp is not None:
            try:
                stamp.moment(self.order)
            except (ValueError, KeyError):
                return None
        return stamp

    def begun(self, number: int, stamp: Stamp, line: str, raw: str) -> _Message | None:
        """The message that a line begins; None for a notice."""
        found = SAID.match(stamp.rest)
        if found is None or QUOTES & set(found["name"]):
            self.reading.passed_over["notice"] += 1
            return None
        head = line[: len(line) - len(found["text"])].rstrip()
        before, mark, _ = raw.partition(f": {MARK}")
        marked = bool(mark) and visible(before) + ":" == head
        return _Message(
            number, stamp, found["name"].strip().removeprefix("~").strip(), [found["text"].rstrip()], marked
        )

    def finished(self, message: _Message) -> dict[str, Any] | None:
        """The message for goalmem; None if it has no content."""
        text, had_file = _without_files("\n".join(message.lines).strip())
        text = EDITED.sub("", text).strip()
        if not text or OMITTED.fullmatch(text) or (message.marked and "[attached: " not in text):
            self.reading.passed_over["media" if had_file or OMITTED.fullmatch(text) else "notice"] += 1
            return None
        when = message.stamp.moment(self.order)
        if when != self.now:
            self.now = when
            self.repeated.clear()
        self.repeated[f"{message.name}: {text}"] += 1
        # The export has no ids; time, speaker and text are stable across exports.
        what = f"{when.isoformat()}\x1f{message.name}\x1f{text}\x1f{self.repeated[f'{message.name}: {text}']}"
        identity = hashlib.blake2b(what.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
        return said("user", text, name=message.name, id=identity, at=placed(when, self.reading.options))


def _without_files(text: str) -> tuple[str, bool]:
    """A text with the names of documents as such, and without those of pictures and recordings; and if there were any."""
    files: list[str] = []

    def named(found: re.Match[str]) -> str:
        files.append(found["file"])
        return "" if MEDIA.match(found["file"]) else f"[attached: {found['file']}]"

    first, end, rest = text.partition("\n")
    text = FILE_LINE.sub(named, first) + end + rest
    return ATTACHED.sub(named, text).strip(), bool(files)


def _title(export: Export, file: str) -> str:
    """Title of the chat from its file's name."""
    stem = PurePosixPath(file).stem
    if FILE_NAME.fullmatch(stem):
        above = PurePosixPath(file).parent.name
        stem = above or PurePosixPath(export.name.replace("\\", "/")).stem
    return COPY.sub("", PREFIX.sub("", stem)).strip() or stem


INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks of direction, which WhatsApp puts before its own words and around names."""
SPACES = re.compile("[\u00a0\u2007\u2009\u202f]")
"""Spaces other than U+0020; the narrow one precedes AM and PM since 2023."""
AFTERNOON = ("下午", "午後", "오후")
LATE, EARLY = ("p", "μ", "م"), ("a", "π", "ص")
"""Prefixes of PM and AM in Latin, Greek and Arabic script."""
STAMP = re.compile(
    r"(?P<open>\[)?(?P<first>\d{1,4})(?P<mark>[./-]) ?(?P<second>\d{1,2})[./-] ?(?P<third>\d{1,4})\.?,? "
    r"(?:(?P<before>上午|下午|午前|午後|오전|오후) ?|[^\W\d_]{1,5}\.? (?=\d))?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second_>\d\d))?"
    r"(?: ?(?P<half>[^\W\d_]\. ?[^\W\d_]\.?|[^\W\d_]{1,4}))?(?(open)\] ?|(?: - | – ))(?P<rest>.*)",
    re.DOTALL,
)
ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
"""Positions of year, month and day in a date."""
CENTURY = 2000
"""Century of two-digit years."""
CENTURY_ENDS = 100
FOUNDED = 2009
"""When WhatsApp began: an order that gives an earlier year is not the chat's."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as written, and the rest of its line."""

    numbers: tuple[int, int, int]
    """The date's, in the order of the line."""
    mark: str
    """The separator."""
    clock: tuple[int, int, int]
    """Hour from 0 to 23, minute, second."""
    rest: str
    written: str
    """The time as written, which distinguishes messages."""

    def moment(self, order: str) -> datetime:
        """The naive time in this order of fields. Raises ValueError if it is invalid."""
        year, month, day = (self.numbers[place] for place in ORDERS[order])
        year = year + CENTURY if year < CENTURY_ENDS else year
        if year < FOUNDED:
            raise ValueError(f"the year {year} is before WhatsApp's")
        return datetime(year, month, day, *self.clock)


def visible(line: str) -> str:
    """A line without marks of direction, and with plain spaces."""
    return SPACES.sub(" ", INVISIBLE.sub("", line))


def stamp_of(line: str) -> Stamp | None:
    """The time at the beginning of a line that is `visible`; None if it has none."""
    if not line or not (line[0] == "[" or line[0].isdigit()):
        return None
    found = STAMP.match(line)
    if found is None:
        return None
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second_"] or 0)
    half = (found["half"] or "").casefold()[:1]
    if half in (*LATE, *EARLY) or found["before"]:
        late = half in LATE or found["before"] in AFTERNOON
        hour = hour % 12 + (12 if late else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    numbers = (int(found["first"]), int(found["second"]), int(found["third"]))
    return Stamp(
        numbers, found["mark"], (hour, minute, second), found["rest"], line[: found.start("rest")].strip("[] -–")
    )


@dataclass(slots=True)
class Dates:
    """Finds the order of day, month and year from all dates of a chat, which follow on each other.

    An order falls away with the first date that it cannot read. Of those that are left, the one counts under which the chat
    goes back in time least often: exports are in order, but for some messages that were sent without a network.
    """

    backward: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ORDERS, 0))
    latest: dict[str, datetime] = field(default_factory=dict)
    example: str = ""
    """A date that is another day in another order."""

    def see(self, stamp: Stamp) -> None:
        """Record one more date. Dates that fit no order are ignored, as in a pasted chat."""
        read: dict[str, datetime] = {}
        for order in self.backward:
            with suppress(ValueError):
                if order not in _impossible(stamp):
                    read[order] = stamp.moment(order)
        if not read:
            return
        self.backward = {o: self.backward[o] + (now < self.latest.get(o, now)) for o, now in read.items()}
        self.latest = read
        if len(set(read.values())) > 1 and not self.example:
            self.example = stamp.written

    def orders(self) -> list[str]:
        """The orders that fit the dates best; several if ambiguous. Year first comes last: it is rare with two digits
        and unambiguous with four.
        """
        fewest = min(self.backward.values(), default=0)
        best = [order for order, times in self.backward.items() if times == fewest]
        return [order for order in best if order != "ymd"] or best


def _impossible(stamp: Stamp) -> tuple[str, ...]:
    """Orders that the look of a date excludes."""
    if stamp.numbers[0] >= CENTURY_ENDS:
        return ("dmy", "mdy")
    if stamp.numbers[2] >= CENTURY_ENDS:
        return ("ymd", "mdy") if stamp.mark == "." else ("ymd",)
    # Dotted dates never have the month first, nor a two-digit year first.
    return ("mdy", "ymd") if stamp.mark == "." else ()
