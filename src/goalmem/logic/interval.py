"""The time of an event as a half-open interval of wall-clock time, and durations between times in a unit.

A duration says how precisely the two times are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Grain(StrEnum):
    """How precisely an interval is known."""

    MINUTE = "minute"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    SPAN = "span"


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """`[start, end)` in naive wall-clock time of the conversation, with its grain.

    Two intervals are ordered only if they do not overlap (`before`, `after`).
    """

    start: datetime
    end: datetime
    grain: Grain = Grain.DAY

    def __post_init__(self) -> None:
        if (self.start.tzinfo is None) != (self.end.tzinfo is None):
            raise ValueError("one end of an interval has a time zone, the other none")
        if self.end <= self.start:
            raise ValueError(f"an interval must end after it starts: {self.start} .. {self.end}")

    def before(self, other: Interval) -> bool:
        """True when all of this lies before all of `other`."""
        return self.end <= other.start

    def after(self, other: Interval) -> bool:
        """True when all of this lies after all of `other`."""
        return other.end <= self.start

    def overlaps(self, other: Interval) -> bool:
        """True when the two share a moment."""
        return self.start < other.end and other.start < self.end

    def within(self, other: Interval) -> bool:
        """True when all of this lies inside `other`."""
        return other.start <= self.start and self.end <= other.end

    def touches(self, other: Interval) -> bool:
        """True when what was at this time surely was in `other`, too: a day lies in its month, while `in May` may be any day of it. What lasted
        from one day to another fills all between.
        """
        return self.within(other) or (self.grain is Grain.SPAN and self.overlaps(other))

    def __str__(self) -> str:
        day = self.start
        match self.grain:
            case Grain.MINUTE:
                return f"{day.day} {day:%B %Y, %H:%M}"
            case Grain.DAY:
                return f"{day.day} {day:%B %Y}"
            case Grain.WEEK:
                return f"the week of {day.day} {day:%B %Y}"
            case Grain.MONTH:
                return f"{day:%B %Y}"
            case Grain.SEASON:
                names = ("winter", "spring", "summer", "autumn")
                return f"{names[day.month % 12 // 3]} {(self.end - timedelta(days=1)).year}"
            case Grain.YEAR:
                return f"{day.year}"
            case Grain.SPAN:
                last = self.end - timedelta(seconds=1)
                return f"{day.day} {day:%B %Y} to {last.day} {last:%B %Y}"


UNITS: dict[str, timedelta] = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    # Mean lengths in the Gregorian calendar (400 years have 146,097 days), used only for times known approximately.
    "months": timedelta(days=146_097 / 4_800),
    "years": timedelta(days=146_097 / 400),
}
_SUB_DAY = ("minutes", "hours")
_CALENDAR = {"months": 1, "years": 12}
# Without a unit: the largest one that fits into the gap at least twice.
_AT_LEAST = 2
VAGUE = 0.6
"""How much of a duration its times may leave open in either direction: nobody knows from `last year` how many months ago it was. `A month ago`
leaves half a month open."""


def duration_between(a: Interval, b: Interval, unit: str = "") -> tuple[str, float] | None:
    """Text and number of units between two times, in either order; None if it cannot be determined.

    Days and weeks between calendar days are exact, and so are months and years if the day of the month agrees. Everything else is "about"
    the nearest whole number. Overlapping times have no duration, unless they are the same day, nor have times that are much too vague for one
    (`VAGUE`).
    """
    first, second = (a, b) if (a.start, a.end) <= (b.start, b.end) else (b, a)
    if first.overlaps(second) and not _same_day(first, second):
        return None
    unit = unit if unit in UNITS else _natural_unit(first, second)
    if _to_the_minute(first) and _to_the_minute(second) and unit in _SUB_DAY:
        number, exact = (second.start - first.start) / UNITS[unit], True
    elif _to_the_day(first) and _to_the_day(second) and unit not in _SUB_DAY:
        number, exact = _between_days(_day(first), _day(second), unit)
    else:
        number, exact = (_middle(second) - _middle(first)) / UNITS[unit], False
    whole = round(number)
    exact = exact and math.isclose(number, whole)
    if whole == 0 and not exact:
        return f"less than a {unit[:-1]}", round(number, 2)
    if not exact and (first.end - first.start + second.end - second.start) / 2 > VAGUE * (
        _middle(second) - _middle(first)
    ):
        return None
    return f"{'' if exact else 'about '}{whole:,} {unit if whole != 1 else unit[:-1]}", float(whole)


def age_at(born: Interval, at: Interval) -> tuple[str, float] | None:
    """Completed years from a birth to a time; None if the two are known too roughly, or if the birth is later."""
    years = {_completed(b, t) for b in (born.start, _last_day(born)) for t in (at.start, _last_day(at))}
    if len(years) > 1 or min(years) < 0:
        return None
    (n,) = years
    return str(n), float(n)


def years_after(when: Interval, years: int) -> Interval | None:
    """The same day, month or year so many years later; None for other grains, and for 29 February if that year has none."""
    if when.grain not in (Grain.DAY, Grain.MONTH, Grain.YEAR):
        return None
    try:
        start = when.start.replace(year=when.start.year + years)
        day = when.grain is Grain.DAY
        end = start + timedelta(days=1) if day else when.end.replace(year=when.end.year + years)
        return Interval(start, end, when.grain)
    except ValueError:
        return None


def _last_day(t: Interval) -> datetime:
    return t.end - timedelta(microseconds=1)


def _completed(born: datetime, at: datetime) -> int:
    return at.year - born.year - ((at.month, at.day) < (born.month, born.day))


def _between_days(a: datetime, b: datetime, unit: str) -> tuple[float, bool]:
    if unit not in _CALENDAR:
        return (b - a) / UNITS[unit], True
    months = (b.year - a.year) * 12 + b.month - a.month
    if a.day == b.day:
        return months / _CALENDAR[unit], True
    return months / _CALENDAR[unit] + (b.day - a.day) / UNITS[unit].days, False


def _natural_unit(first: Interval, second: Interval) -> str:
    gap = _middle(second) - _middle(first)
    precise = _to_the_minute(first) and _to_the_minute(second)
    units = [u for u in reversed(UNITS) if precise or u not in _SUB_DAY]
    return next((u for u in units if gap >= _AT_LEAST * UNITS[u]), units[-1])


def _to_the_minute(t: Interval) -> bool:
    return t.grain is Grain.MINUTE


def _to_the_day(t: Interval) -> bool:
    return t.grain in (Grain.MINUTE, Grain.DAY)


def _same_day(a: Interval, b: Interval) -> bool:
    return _to_the_day(a) and _to_the_day(b) and _day(a) == _day(b)


def _day(t: Interval) -> datetime:
    return t.start.replace(hour=0, minute=0, second=0, microsecond=0)


def _middle(t: Interval) -> datetime:
    return t.start + (t.end - t.start) / 2
