"""The time in front of each WhatsApp message: as many ways to write it as there are phones and languages."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["Dates", "Stamp", "stamp_of", "visible"]

INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks of direction, which WhatsApp puts before its own words and around names."""
SPACES = re.compile("[\u00a0\u2007\u2009\u202f]")
"""Spaces that are not U+0020; the narrow one stands before AM and PM since 2023."""
AFTERNOON = ("下午", "午後", "오후")
LATE, EARLY = ("p", "μ", "م"), ("a", "π", "ص")
"""How PM and AM begin: in Latin letters, Greek and Arabic."""
STAMP = re.compile(
    r"(?P<open>\[)?(?P<first>\d{1,4})(?P<mark>[./-]) ?(?P<second>\d{1,2})[./-] ?(?P<third>\d{1,4})\.?,? "
    r"(?:(?P<before>上午|下午|午前|午後|오전|오후) ?|[^\W\d_]{1,5}\.? (?=\d))?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second_>\d\d))?"
    r"(?: ?(?P<half>[^\W\d_]\. ?[^\W\d_]\.?|[^\W\d_]{1,4}))?(?(open)\] ?|(?: - | – ))(?P<rest>.*)",
    re.DOTALL,
)
ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
"""Which of the three numbers is year, month, day."""
CENTURY = 2000
"""Of a year with two digits."""
CENTURY_ENDS = 100
FOUNDED = 2009
"""When WhatsApp began: an order that gives an earlier year is not the chat's."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as it is written, and what follows it on the line."""

    numbers: tuple[int, int, int]
    """The date's, in the order of the line."""
    mark: str
    """What stands between them."""
    clock: tuple[int, int, int]
    """Hour from 0 to 23, minute, second."""
    rest: str
    written: str
    """The time, to tell messages apart by."""

    def moment(self, order: str) -> datetime:
        """The naive time, read in this order. Raises ValueError when there is no such day."""
        year, month, day = (self.numbers[place] for place in ORDERS[order])
        year = year + CENTURY if year < CENTURY_ENDS else year
        if year < FOUNDED:
            raise ValueError(f"the year {year} is before WhatsApp's")
        return datetime(year, month, day, *self.clock)


def visible(line: str) -> str:
    """A line without marks of direction, and with plain spaces."""
    return SPACES.sub(" ", INVISIBLE.sub("", line))


def stamp_of(line: str) -> Stamp | None:
    """The time in front of a line that is `visible`; None when it has none."""
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
        """Take one more date into account. One that no order explains is passed over: a chat that somebody pasted."""
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
        """The orders that explain the dates best; several when nothing tells them apart. A year in front comes last: with
        two digits it is rare, and with four there is no doubt.
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
    # With dots nobody writes the month first, nor the year with two digits.
    return ("mdy", "ymd") if stamp.mark == "." else ()
