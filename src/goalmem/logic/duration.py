"""How long from one time to another, in a unit, honest about how precisely the two are known."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from goalmem.logic.interval import Grain, Interval

__all__ = ["UNITS", "age_at", "duration_between"]

UNITS: dict[str, timedelta] = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    # Mean lengths in the Gregorian calendar (400 years have 146,097 days); used only for times known roughly.
    "months": timedelta(days=146_097 / 4_800),
    "years": timedelta(days=146_097 / 400),
}
_SUB_DAY = ("minutes", "hours")
_CALENDAR = {"months": 1, "years": 12}
# Where no unit is asked for: the largest one that the gap fills at least twice.
_AT_LEAST = 2


def duration_between(a: Interval, b: Interval, unit: str = "") -> tuple[str, float] | None:
    """Text and number of units between two times, whichever comes first; None when it cannot be told.

    Days and weeks between calendar days are exact, months and years where the day of the month agrees. All else is
    "about" the nearest whole number. It cannot be told when the times overlap and are not one and the same day.
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
    return f"{'' if exact else 'about '}{whole:,} {unit if whole != 1 else unit[:-1]}", float(whole)


def age_at(born: Interval, at: Interval) -> tuple[str, float] | None:
    """Completed years from a birth to a time; None where the two are known too roughly to tell, or the birth comes later."""
    years = {_completed(b, t) for b in (born.start, _last_day(born)) for t in (at.start, _last_day(at))}
    if len(years) > 1 or min(years) < 0:
        return None
    (n,) = years
    return str(n), float(n)


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
