"""Calendar arithmetic: which days a week, month, season, year or holiday covers. Weeks start on Monday (ISO 8601)."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from goalmem.logic.interval import Grain, Interval

__all__ = [
    "HOLIDAYS",
    "SEASONS",
    "day",
    "holiday",
    "month",
    "part",
    "season",
    "shift",
    "span",
    "week",
    "weekend",
    "year",
]

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of the meteorological seasons of the northern hemisphere, where most dated English text is from."""

FEW = (2, 5)
"""How many "a few" may be."""
SEVERAL = (3, 7)
"""How many "several" may be."""


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def day(at: datetime) -> Interval:
    """The day of `at`."""
    start = _midnight(at)
    return Interval(start, start + timedelta(days=1), Grain.DAY)


def week(at: datetime) -> Interval:
    """The week of `at`."""
    start = _midnight(at) - timedelta(days=at.weekday())
    return Interval(start, start + timedelta(days=7), Grain.WEEK)


def weekend(at: datetime) -> Interval:
    """The Saturday and Sunday of the week of `at`."""
    start = _midnight(at) + timedelta(days=5 - at.weekday())
    return Interval(start, start + timedelta(days=2), Grain.SPAN)


def month(number: int, of: int) -> Interval:
    """Month `number` (1 to 12) of year `of`."""
    start = datetime(of, number, 1)
    return Interval(start, start + timedelta(days=monthrange(of, number)[1]), Grain.MONTH)


def season(name: str, of: int) -> Interval:
    """The season of year `of`; winter is the one that starts in December of it."""
    start = datetime(of, SEASONS[name], 1)
    return Interval(start, start + relativedelta(months=3), Grain.SEASON)


def year(of: int) -> Interval:
    """The year `of`."""
    return Interval(datetime(of, 1, 1), datetime(of + 1, 1, 1), Grain.YEAR)


def span(start: datetime, end: datetime) -> Interval:
    """From `start` to `end`."""
    return Interval(start, end, Grain.SPAN)


_PARTS = {"early": (0, 3), "mid": (3, 7), "late": (7, 10)}


def part(name: str, whole: Interval) -> Interval:
    """The first three, middle four or last three tenths of an interval, in whole days: `early`, `mid`, `late`."""
    first, last = _PARTS[name]
    days = (whole.end - whole.start).days
    start = whole.start + timedelta(days=days * first // 10)
    end = whole.start + timedelta(days=max(days * last // 10, days * first // 10 + 1))
    return span(start, end)


_ADVANCE: dict[str, Callable[[int], relativedelta]] = {
    "minute": lambda n: relativedelta(minutes=n),
    "hour": lambda n: relativedelta(hours=n),
    "day": lambda n: relativedelta(days=n),
    "night": lambda n: relativedelta(days=n),
    "week": lambda n: relativedelta(weeks=n),
    "weekend": lambda n: relativedelta(weeks=n),
    "fortnight": lambda n: relativedelta(weeks=2 * n),
    "month": lambda n: relativedelta(months=n),
    "year": lambda n: relativedelta(years=n),
    "decade": lambda n: relativedelta(years=10 * n),
    "century": lambda n: relativedelta(years=100 * n),
}


def advance(at: datetime, unit: str, n: int) -> datetime:
    """`at` moved by n units."""
    return at + _ADVANCE[unit](n)


def shift(at: datetime, unit: str, n: int) -> Interval:
    """The whole unit that lies n units from the one of `at`: (month, -1) is last month."""
    there = advance(at, unit, n)
    match unit:
        case "minute" | "hour":
            start = there.replace(second=0, microsecond=0)
            return Interval(start, start + timedelta(minutes=1), Grain.MINUTE)
        case "day" | "night":
            return day(there)
        case "week" | "fortnight":
            return week(there)
        case "weekend":
            return weekend(there)
        case "month":
            return month(there.month, there.year)
        case "decade":
            return span(datetime(there.year - 2, 1, 1), datetime(there.year + 3, 1, 1))
        case "century":
            return span(datetime(there.year - 10, 1, 1), datetime(there.year + 11, 1, 1))
        case _:
            return year(there.year)


def _nth(of: int, number: int, weekday: int, n: int) -> datetime:
    """The n-th given weekday of a month; negative n counts from the end."""
    if n < 0:
        last = month(number, of).end - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7 + 7 * (-n - 1))
    first = datetime(of, number, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))


def _easter(of: int) -> datetime:
    return datetime.combine(easter(of), datetime.min.time())


HOLIDAYS: dict[str, Callable[[int], datetime]] = {
    "christmas eve": lambda y: datetime(y, 12, 24),
    "christmas": lambda y: datetime(y, 12, 25),
    "xmas": lambda y: datetime(y, 12, 25),
    "boxing day": lambda y: datetime(y, 12, 26),
    "new year's eve": lambda y: datetime(y, 12, 31),
    "new year's": lambda y: datetime(y, 1, 1),
    "halloween": lambda y: datetime(y, 10, 31),
    "valentine's": lambda y: datetime(y, 2, 14),
    "st patrick's": lambda y: datetime(y, 3, 17),
    "fourth of july": lambda y: datetime(y, 7, 4),
    "4th of july": lambda y: datetime(y, 7, 4),
    "independence day": lambda y: datetime(y, 7, 4),
    "good friday": lambda y: _easter(y) - timedelta(days=2),
    "easter": _easter,
    "mother's day": lambda y: _nth(y, 5, 6, 2),
    "memorial day": lambda y: _nth(y, 5, 0, -1),
    "father's day": lambda y: _nth(y, 6, 6, 3),
    "labor day": lambda y: _nth(y, 9, 0, 1),
    "thanksgiving": lambda y: _nth(y, 11, 3, 4),
    "black friday": lambda y: _nth(y, 11, 3, 4) + timedelta(days=1),
}
"""Names of days that English text gives as dates, in lower case -> the date in a year (United States where it differs)."""


def holiday(name: str, of: int) -> Interval:
    """The holiday's day in year `of`."""
    return day(HOLIDAYS[name](of))
