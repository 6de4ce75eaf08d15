"""Plain transcripts: `Name: text`, with dates as headings or in front of each line.

# 1 May 2024                         a heading dates what follows and begins a session
Maya: Hi!                            a message
[2024-05-01 14:03] Tom: Hello.       a message with its own time; [14:03] takes the heading's day
5/1/24, 2:03 PM - Maya: So,          as messengers export it
  how are you?                       what has no name goes on with the message above
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from goalmem.io.conversation import MESSAGES_AT_ONCE, Conversation, Options, said_by
from goalmem.io.dates import read_moment
from goalmem.io.layouts import portions
from goalmem.io.text import Line
from goalmem.records import aware

BRACKETED = re.compile(r"\[(?P<stamp>[^\]\n]{4,40})\]\s*-?\s*(?P<rest>.*)", re.DOTALL)
DASHED = re.compile(
    r"(?P<stamp>\d[^-–]*?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[APap]\.?[Mm]\.?)?|\d{4}-\d\d-\d\d[T ][\d:.+Z]+)\s[-–]\s(?P<rest>.*)"
)
TIME_ONLY = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([APap]\.?[Mm]\.?)?\Z")
HEADING_MARKS = re.compile(r"^[\s#*=_~>-]+|[\s#*=_~<:-]+$")
HEADING_WORD = re.compile(r"(?:date|session(?:\s+\d+)?)\s*[:,-]\s*", re.IGNORECASE)
NAME = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,39}?)\s*:(?!//)(?:\s+|$)(?P<text>.*)", re.DOTALL)
MOST_NAME_WORDS = 4
SESSION_GAP = timedelta(hours=6)
"""Silence after which messages with their own times count as another session: longer than a film, shorter than a
night."""
PICTURE = re.compile(r"[\[<](?:shares a )?(?:image|picture|photo)(?:\s+of|:)\s*(?P<caption>[^\]>]+)[\]>]\Z")
LONGEST_HEADING = 500
"""Characters of a date with the marks around it."""


def transcript(lines: Iterable[Line], options: Options) -> Iterator[Conversation]:
    """The sessions of a transcript. Raises FormatError when a line before the first message is no message."""
    return _Transcript(options).read(lines)


def is_transcript(lines: Iterable[Line], options: Options) -> bool:
    """True if text begins as a transcript does: with a message or a notice, below headings."""
    reader = _Transcript(options)
    for number, line in lines:
        if line.strip() and (day := reader.heading(line)) is not None:
            reader.begin(day, number)
        elif line.strip():
            return reader.message(line) is not None or reader.is_notice(line)
    return False


@dataclass
class _Transcript:
    options: Options
    session: str = ""
    day: datetime | None = None
    """When the session began: the heading, or the time of its first message."""
    latest: datetime | None = None
    begins: int = 1
    messages: list[dict[str, Any]] = field(default_factory=list)
    handed_on: int = 0
    used: Counter[str] = field(default_factory=Counter)
    stamped: bool | None = None
    """True if messages have a time in front; decided by the first."""

    def read(self, lines: Iterable[Line]) -> Iterator[Conversation]:
        self.session = self.options.stem
        for number, line in lines:
            if not line.strip():
                continue
            if (day := self.heading(line)) is not None:
                yield from self.flush()
                self.begin(day, number)
            elif (message := self.message(line)) is not None:
                moment = message.get("at")
                if len(self.messages) >= MESSAGES_AT_ONCE or (moment and self.is_far(moment)):
                    yield from self.flush()
                if moment and (self.day is None or self.is_far(moment)):
                    self.begin(moment, number)
                self.messages.append(message)
                self.latest = moment or self.latest
            elif not self.is_notice(line):
                self.go_on(line, number)
        yield from self.flush()

    def go_on(self, line: str, number: int) -> None:
        """A line without a name belongs to the message above."""
        if self.messages:
            self.messages[-1]["content"] += "\n" + line.strip()
        else:
            self.options.reject(number, f"{line.strip()[:40]!r} is not a message", "Write messages as `Name: text`")

    def is_far(self, moment: datetime) -> bool:
        """True when a message comes so long after the one above that another session has begun."""
        return self.latest is not None and abs(aware(moment) - aware(self.latest)) > SESSION_GAP

    def begin(self, day: datetime, number: int) -> None:
        """A new session, named after its date."""
        self.day, self.latest, self.begins, self.handed_on = day, None, number, 0
        name = f"{self.options.stem}/{day:%Y-%m-%d}"
        self.used[name] += 1
        self.session = name if self.used[name] == 1 else f"{name}-{self.used[name]}"

    def flush(self) -> Iterator[Conversation]:
        """Yield the collected messages. Their text is complete only now, since lines may have continued it."""
        complete = [_with_caption(m) for m in self.messages if m["content"].strip()]
        yield from portions(self.session, complete, self.day, self.begins, after=self.handed_on)
        self.handed_on += len(complete)
        self.messages = []

    def heading(self, line: str) -> datetime | None:
        """The date that a line consists of, or None."""
        if len(line) > LONGEST_HEADING:
            return None
        text = HEADING_WORD.sub("", HEADING_MARKS.sub("", line), count=1)
        text = HEADING_MARKS.sub("", text.strip("[]"))
        return None if TIME_ONLY.match(text) else read_moment(text, day_first=self.options.day_first)

    def message(self, line: str) -> dict[str, Any] | None:
        """The message that a line starts, or None if it continues the previous one."""
        if line[0].isspace():
            return None
        moment, rest = self.stamp(line)
        named = NAME.match(rest)
        if named is None or not _looks_like_name(named["name"]) or (self.stamped and moment is None):
            return None
        if self.stamped is None:
            self.stamped = moment is not None
        return said_by(named["name"].strip()) | {"content": named["text"]} | ({"at": moment} if moment else {})

    def is_notice(self, line: str) -> bool:
        """True for a dated line without a speaker, such as `5/1/24, 2:03 PM - Maya left`."""
        return self.stamped is not False and not line[0].isspace() and self.stamp(line)[0] is not None

    def stamp(self, line: str) -> tuple[datetime | None, str]:
        """The time in front of a line, and the rest."""
        found = BRACKETED.match(line) or DASHED.match(line)
        if found is None:
            return None, line
        if clock := TIME_ONLY.match(found["stamp"].strip()):
            return (_at_clock(self.day, clock) if self.day else None), found["rest"]
        moment = read_moment(found["stamp"], day_first=self.options.day_first)
        return (moment, found["rest"]) if moment else (None, line)


def _at_clock(day: datetime, clock: re.Match[str]) -> datetime:
    hour = int(clock[1])
    if clock[4]:
        hour = hour % 12 + (12 if clock[4].casefold().startswith("p") else 0)
    return day.replace(hour=hour % 24, minute=int(clock[2]) % 60, second=int(clock[3] or 0) % 60)


def _looks_like_name(text: str) -> bool:
    """One word, or up to four that each look like part of a name: `Here's the thing: …` continues a message."""
    words = text.split()
    if len(words) == 1:
        return True
    return len(words) <= MOST_NAME_WORDS and all(not word[0].islower() for word in words)


def _with_caption(message: dict[str, Any]) -> dict[str, Any]:
    """`[picture: a dog]` at the end of a message becomes its caption."""
    content = message["content"].rstrip()
    if not content.endswith(("]", ">")):
        return message
    found = PICTURE.search(content, 1 + max(content.rfind(mark, 0, -1) for mark in "]>"))
    if not found:
        return message
    return message | {"content": content[: found.start()].rstrip(), "caption": found["caption"].strip()}
