"""Calendar arithmetic: which days a week, month, season, year or holiday covers. Weeks start on Monday (ISO 8601)."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from goalmem.logic.interval import Grain, Interval

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of the meteorological seasons of the northern hemisphere, where most dated English text is from."""

FEW = (2, 5)
"""Range of "a few"."""
SEVERAL = (3, 7)
"""Range of "several"."""
WORKING = frozenset({"business day", "working day"})
"""Days from Monday to Friday."""


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


def quarter(number: int, of: int) -> Interval:
    """Quarter `number` (1 to 4) of year `of`."""
    return span(month(3 * number - 2, of).start, month(3 * number, of).end)


_PARTS = {"early": (0, 3), "mid": (3, 7), "late": (7, 10), "first half": (0, 5), "second half": (5, 10)}


def part(name: str, whole: Interval) -> Interval:
    """The first three, middle four or last three tenths of an interval, in whole days, or half of it; of a year, in months."""
    first, last = _PARTS[name]
    if whole.grain is Grain.YEAR and "half" in name:
        return span(
            month(1 if first == 0 else 7, whole.start.year).start, month(6 if first == 0 else 12, whole.start.year).end
        )
    days = (whole.end - whole.start).days
    start = whole.start + timedelta(days=days * first // 10)
    end = whole.start + timedelta(days=max(days * last // 10, days * first // 10 + 1))
    return span(start, end)


def _working_days(at: datetime, n: int) -> datetime:
    """`at` moved by n days from Monday to Friday."""
    # A weekend counts from its Friday when counting forward, and from its Monday when counting back.
    onto = 0 if at.weekday() < 5 else (4 - at.weekday() if n > 0 else 7 - at.weekday())
    start = at + timedelta(days=onto)
    weeks, days = divmod(start.weekday() + n, 5)
    return start + timedelta(days=7 * weeks + days - start.weekday())


_ADVANCE: dict[str, Callable[[int], relativedelta]] = {
    "minute": lambda n: relativedelta(minutes=n),
    "hour": lambda n: relativedelta(hours=n),
    "day": lambda n: relativedelta(days=n),
    "night": lambda n: relativedelta(days=n),
    "week": lambda n: relativedelta(weeks=n),
    "weekend": lambda n: relativedelta(weeks=n),
    "fortnight": lambda n: relativedelta(weeks=2 * n),
    "month": lambda n: relativedelta(months=n),
    "quarter": lambda n: relativedelta(months=3 * n),
    "year": lambda n: relativedelta(years=n),
    "decade": lambda n: relativedelta(years=10 * n),
    "century": lambda n: relativedelta(years=100 * n),
}


def advance(at: datetime, unit: str, n: int) -> datetime:
    """`at` moved by n units."""
    return _working_days(at, n) if unit in WORKING else at + _ADVANCE[unit](n)


def shift(at: datetime, unit: str, n: int) -> Interval:
    """The whole unit that is n units after the one containing `at`: (month, -1) is last month."""
    there = advance(at, unit, n)
    match unit:
        case "minute" | "hour":
            start = there.replace(second=0, microsecond=0)
            return Interval(start, start + timedelta(minutes=1), Grain.MINUTE)
        case "day" | "night" | "business day" | "working day":
            return day(there)
        case "week" | "fortnight":
            return week(there)
        case "weekend":
            return weekend(there)
        case "month":
            return month(there.month, there.year)
        case "quarter":
            return quarter((there.month + 2) // 3, there.year)
        case "decade":
            return span(datetime(there.year - 2, 1, 1), datetime(there.year + 3, 1, 1))
        case "century":
            return span(datetime(there.year - 10, 1, 1), datetime(there.year + 11, 1, 1))
        case _:
            return year(there.year)


def nth_weekday(of: int, number: int, weekday: int, n: int) -> datetime:
    """The n-th given weekday of month `number` in year `of`; negative n counts from the end. A fifth may lie beyond it."""
    if n < 0:
        last = month(number, of).end - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7 + 7 * (-n - 1))
    first = datetime(of, number, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))


def _easter(of: int) -> datetime:
    return datetime.combine(easter(of), datetime.min.time())


def _before_easter(days: int) -> Callable[[int], datetime]:
    return lambda y: _easter(y) - timedelta(days=days)


def _fixed(number: int, date: int) -> Callable[[int], datetime]:
    return lambda y: datetime(y, number, date)


def _thanksgiving(of: int) -> datetime:
    return nth_weekday(of, 11, 3, 4)


HOLIDAYS: dict[str, Callable[[int], datetime]] = {
    "christmas eve": _fixed(12, 24),
    "christmas": _fixed(12, 25),
    "xmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "st stephen's": _fixed(12, 26),
    "new year's eve": _fixed(12, 31),
    "new year's": _fixed(1, 1),
    "hogmanay": _fixed(12, 31),
    "epiphany": _fixed(1, 6),
    "burns night": _fixed(1, 25),
    "martin luther king": lambda y: nth_weekday(y, 1, 0, 3),
    "mlk": lambda y: nth_weekday(y, 1, 0, 3),
    "groundhog day": _fixed(2, 2),
    "valentine's": _fixed(2, 14),
    "presidents' day": lambda y: nth_weekday(y, 2, 0, 3),
    "st patrick's": _fixed(3, 17),
    "april fools'": _fixed(4, 1),
    "april fool's": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "cinco de mayo": _fixed(5, 5),
    "mardi gras": _before_easter(47),
    "shrove tuesday": _before_easter(47),
    "fat tuesday": _before_easter(47),
    "ash wednesday": _before_easter(46),
    "palm sunday": _before_easter(7),
    "maundy thursday": _before_easter(3),
    "holy thursday": _before_easter(3),
    "good friday": _before_easter(2),
    "holy saturday": _before_easter(1),
    "easter saturday": _before_easter(1),
    "easter sunday": _easter,
    "easter": _easter,
    "easter monday": _before_easter(-1),
    "ascension day": _before_easter(-39),
    "whit sunday": _before_easter(-49),
    "pentecost": _before_easter(-49),
    "whit monday": _before_easter(-50),
    "pentecost monday": _before_easter(-50),
    "mother's day": lambda y: nth_weekday(y, 5, 6, 2),
    "memorial day": lambda y: nth_weekday(y, 5, 0, -1),
    "father's day": lambda y: nth_weekday(y, 6, 6, 3),
    "juneteenth": _fixed(6, 19),
    "fourth of july": _fixed(7, 4),
    "4th of july": _fixed(7, 4),
    "independence day": _fixed(7, 4),
    "labor day": lambda y: nth_weekday(y, 9, 0, 1),
    "columbus day": lambda y: nth_weekday(y, 10, 0, 2),
    "halloween": _fixed(10, 31),
    "all saints' day": _fixed(11, 1),
    "all souls' day": _fixed(11, 2),
    "bonfire night": _fixed(11, 5),
    "veterans day": _fixed(11, 11),
    "thanksgiving": _thanksgiving,
    "black friday": lambda y: _thanksgiving(y) + timedelta(days=1),
    "cyber monday": lambda y: _thanksgiving(y) + timedelta(days=4),
}
"""Names of days that English text gives as dates, in lower case -> the date in a year (United States where it differs)."""


def holiday(name: str, of: int) -> Interval:
    """The holiday's day in year `of`."""
    return day(HOLIDAYS[name](of))
