"""Times that are counted from the time told just before: `On 3 May I moved in. The next day I bought a bed.`.

They are anaphoric (Kamp and Reyle 1993, From Discourse to Logic, section 5.2.4): without a known time in the sentence or the one
before it, they have none, and none if that time is longer than the unit that is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from goalmem.language.calendar import shift
from goalmem.language.times_offset import offset
from goalmem.language.times_words import COUNT, DAY_PARTS, number
from goalmem.logic.interval import Interval

_LONG = "week|month|year"
_UNIT = rf"day|{_LONG}|{DAY_PARTS}"
_NEXT = re.compile(
    rf"\b(?:the|that) (?:very )?(?P<way>next|following|previous) (?P<unit>{_UNIT})\b(?! (?:of|after|before)\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\b(?:the|that) (?P<unit>{_UNIT}) (?P<way>after|before)\b(?P<that> that\b)?(?P<mark>(?=\s*(?:[,.;:!?]|$)))?",
    re.IGNORECASE,
)
_LATER = re.compile(
    rf"\b{COUNT} (?P<unit>day|{_LONG})s? (?P<way>(?:later|earlier)(?! than\b)|afterwards|after(?: that\b|(?=\s*(?:[,.;:!?]|$)))|before(?: that\b|(?=\s*(?:[,.;:!?]|$))))",
    re.IGNORECASE,
)
_BACK = ("previous", "before", "earlier", "before that")
_LENGTHS = {"day": 1, "week": 7, "month": 31, "year": 366}
"""Most days of each unit."""


@dataclass(frozen=True, slots=True)
class Following:
    """A time counted from another one."""

    start: int
    end: int
    text: str
    unit: str
    back: bool
    count: str
    """How many units; empty for the next one."""
    sure: bool
    """False for `the day before` in front of words that may be what it was before."""

    def resolve(self, base: Interval) -> Interval | None:
        """The time, from the one before it; None where it is not known so exactly."""
        if base.end - base.start > timedelta(days=_LENGTHS[self.unit]):
            return None
        try:
            if not self.count:
                return shift(base.start, self.unit, -1 if self.back else 1)
            least, most = number(self.count)
            way = "before" if self.back else "after"
            return offset({"unit": self.unit, "way": way, "n": self.count}, base) if least == most else None
        except (ValueError, OverflowError):
            return None


def following_times(text: str) -> Iterator[Following]:
    """The times of a text that are counted from another one, in order."""
    found = [m for form in (_NEXT, _AFTER, _LATER) for m in form.finditer(text)]
    for m in sorted(found, key=lambda m: m.start()):
        groups = m.groupdict()
        unit = groups["unit"].lower()
        bare = m.re is _AFTER and groups["that"] is None and groups["mark"] is None
        yield Following(
            m.start(),
            m.end(),
            m.group(),
            unit if unit in _LENGTHS else "day",
            groups["way"].lower() in _BACK,
            (groups.get("n") or "").lower(),
            not bare,
        )


def is_counted_on(text: str) -> bool:
    """True for `the next year`, which of something past is counted from another time than that of saying."""
    return _NEXT.match(text) is not None
