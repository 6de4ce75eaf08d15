"""Resolves counted and combined times: `the Friday two weeks ago`, `two days before Christmas`, `the second week of
May`.

As in `times_placing`, each may raise ValueError or OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from goalmem.language import calendar
from goalmem.language.calendar import advance, day, month, nth_weekday, shift, span
from goalmem.language.times_resolution import ResolutionContext, ago, ahead, month_of, named_day, weekday
from goalmem.language.times_words import DAY_PARTS, ORDINALS, WEEKDAYS, Groups, number, text_of
from goalmem.logic.interval import Interval

_DAYS = frozenset({"day", "night", *DAY_PARTS.split("|")})
_BACK = ("ago", "back", "before now")
_HALF: dict[str, Callable[[int], timedelta]] = {
    "week": lambda sign: timedelta(days=sign * 3),
    "month": lambda sign: timedelta(days=sign * 15),
    "year": lambda sign: timedelta(days=sign * 182),
}
_SMALLER = {"week": "day", "month": "week", "year": "month"}
_MOMENT = timedelta(microseconds=1)


def _counted(g: Groups, f: ResolutionContext, sign: int) -> datetime | None:
    (least, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit")
    return advance(f.now, unit, sign * least) if least == most else None


def ago_point(g: Groups, f: ResolutionContext) -> datetime | None:
    """The moment that `two weeks ago` refers to; None for a vague count."""
    return _counted(g, f, -1)


def ahead_point(g: Groups, f: ResolutionContext) -> datetime | None:
    """The moment that `in two weeks` counts ahead to."""
    return _counted(g, f, 1)


def half_more_point(g: Groups, f: ResolutionContext) -> datetime:
    """The moment of `a month and a half ago`, `half a year ago`."""
    unit, sign = text_of(g, "unit"), -1 if text_of(g, "way") in _BACK else 1
    count = number(text_of(g, "n"))[0] if g.get("n") else 0
    return advance(f.now, unit, sign * count) + _HALF[unit](sign)


def half_more(g: Groups, f: ResolutionContext) -> Interval:
    """`a month and a half ago`: the whole next smaller unit around that moment."""
    return shift(half_more_point(g, f), _SMALLER[text_of(g, "unit")], 0)


def weekday_near(g: Groups, f: ResolutionContext) -> Interval:
    """`the Wednesday two months ago`: the Wednesday nearest to that day; of a vague count, the whole span."""
    back = text_of(g, "way") in _BACK
    there = _counted(g, f, -1 if back else 1)
    if there is None:
        return ago(g, f) if back else ahead(g, ResolutionContext(f.now, True))
    return _nearest(WEEKDAYS[text_of(g, "wd")], there)


def to_the_day(g: Groups, f: ResolutionContext) -> Interval:
    """`a year ago today`, `a week from tomorrow`, `a week on Tuesday`, `a week from Tuesday`, `Tuesday week`, `a week last Friday`."""
    back = bool(g.get("back")) or text_of(g, "which") == "last"
    (n, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit") or "week"
    if n != most:
        raise ValueError("no such day")
    if text_of(g, "day") == "to the day":
        base = day(f.now)
    else:
        base = named_day(g, f) if g.get("day") else weekday(g, ResolutionContext(f.now, not back))
    return day(advance(base.start, unit, -n if back else n))


def weekday_ahead(g: Groups, f: ResolutionContext) -> Interval:
    """`Wednesday in two weeks`: where the day so long after the next one is also the one nearest to that time, else no time."""
    if f.future is False:
        raise ValueError("a duration")
    found, there = to_the_day(g, f), _counted(g, f, 1)
    if there is None or found != _nearest(WEEKDAYS[text_of(g, "wd")], there):
        raise ValueError("one of two days")
    return found


def same_day(g: Groups, f: ResolutionContext) -> Interval:
    """`this time last year`, `the same day last week`: that day; of a year, the week around it."""
    unit = text_of(g, "unit")
    there = advance(f.now, unit, 1 if text_of(g, "which") == "next" else -1)
    return shift(there, "day" if unit == "week" or "day" in text_of(g, "same") else "week", 0)


def _nearest(weekday: int, at: datetime) -> Interval:
    return day(at + timedelta(days=(weekday - at.weekday() + 3) % 7 - 3))


def nth_of_month(g: Groups, f: ResolutionContext) -> Interval:
    """`the first Friday of May`, `the last week of last month`, `the second weekend in June`; weeks run from the first day."""
    whole = month_of(g, f)
    n, unit = ORDINALS[text_of(g, "nth")], text_of(g, "what")
    first, last = whole.start, whole.end - timedelta(days=1)
    if unit == "week":
        start = whole.end - timedelta(days=7) if n < 0 else first + timedelta(days=7 * (n - 1))
        return span(start, min(start + timedelta(days=7), whole.end))
    if unit == "weekend":
        return calendar.weekend(_nth_in(whole, 5, n))
    if unit == "day":
        return day(last if n < 0 else first + timedelta(days=n - 1))
    return day(_nth_in(whole, WEEKDAYS[unit], n))


def _nth_in(month: Interval, weekday: int, n: int) -> datetime:
    found = nth_weekday(month.start.year, month.start.month, weekday, n)
    if found >= month.end:
        raise ValueError("no such weekday in the month")
    return found


def unit_of(g: Groups, base: Interval) -> Interval:
    """The unit that contains the base: `the week of 5 May`, `the month of May`, `the night of the 5th`."""
    unit = text_of(g, "unit")
    if unit == "month":
        return month(base.start.month, base.start.year)
    return shift(base.start, "day" if unit in _DAYS else unit, 0)


def offset_point(g: Groups, base: Interval) -> datetime | None:
    """The moment that `two weeks before Christmas` refers to; None for a vague or missing count."""
    unit = text_of(g, "unit")
    least, most = number(text_of(g, "n") or "one")
    if least != most or not g.get("n") or unit in WEEKDAYS or unit in _DAYS:
        return None
    return advance(base.start, unit, -least) if _before(g) else advance(base.end - _MOMENT, unit, least)


def offset(g: Groups, base: Interval) -> Interval:
    """`two days before Christmas`, `the week after Easter`, `two weeks from Friday`; vague counts give a span."""
    unit = text_of(g, "unit")
    if not g.get("n"):
        return _adjacent(unit, base, _before(g))
    least, most = number(text_of(g, "n"))
    near, far = (_step(unit, base, -n if _before(g) else n) for n in (least, most))
    return near if least == most else span(min(near.start, far.start), max(near.end, far.end))


def _before(g: Groups) -> bool:
    return text_of(g, "way") in ("before", "prior to")


def _step(unit: str, base: Interval, n: int) -> Interval:
    """The n-th unit from the base, counted from its first day backwards or its last day ahead."""
    edge = base.start if n < 0 else base.end - timedelta(days=1)
    if unit in WEEKDAYS:
        first = _adjacent(unit, base, before=n < 0)
        return day(first.start + timedelta(weeks=n + 1 if n < 0 else n - 1))
    return shift(edge, "day" if unit in _DAYS else unit, n)


def _adjacent(unit: str, base: Interval, before: bool) -> Interval:
    """`the week before Christmas`: the unit that ends where the base starts, or starts where it ends."""
    if unit in WEEKDAYS or unit == "weekend":
        number = WEEKDAYS.get(unit, 5)
        days = 2 if unit == "weekend" else 1
        latest = base.start - timedelta(days=days)
        start = (
            latest - timedelta(days=(latest.weekday() - number) % 7)
            if before
            else base.end + timedelta(days=(number - base.end.weekday()) % 7)
        )
        return day(start) if days == 1 else calendar.weekend(start)
    if unit in _DAYS:
        return _step(unit, base, -1 if before else 1)
    return span(advance(base.start, unit, -1), base.start) if before else span(base.end, advance(base.end, unit, 1))
