"""Where the constructions of `times_grammar` lie on the calendar. Each may raise ValueError or OverflowError."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from goalmem.extract import calendar
from goalmem.extract.calendar import HOLIDAYS, advance, day, holiday, month, part, season, shift, span, week, year
from goalmem.extract.times_words import MONTHS, PARTS, WEEKDAYS, Groups, number, text_of
from goalmem.logic.interval import Grain, Interval


@dataclass(frozen=True, slots=True)
class Frame:
    """What an expression is read against."""

    now: datetime
    """Naive wall-clock time of the saying."""
    future: bool | None
    """The tense: True looks ahead, False and None back."""


def _apart(near: Interval, far: Interval) -> Interval:
    return span(min(near.start, far.start), max(near.end, far.end))


def ago(g: Groups, f: Frame) -> Interval:
    """`two weeks ago`; vague counts give a span."""
    (least, most), unit = number(text_of(g, "n")), text_of(g, "unit")
    sign = -1
    if least == most:
        return _whole(f.now, unit, sign * least)
    return _apart(_whole(f.now, unit, sign * least), _whole(f.now, unit, sign * most))


def _whole(now: datetime, unit: str, n: int) -> Interval:
    if unit == "weekend":
        last = _last_weekend(now)
        return _moved(last, weeks=n + 1) if n < 0 else shift(now, unit, n)
    return shift(now, unit, n)


def ahead(g: Groups, f: Frame) -> Interval:
    """`in two weeks`; of something past that is how long it took."""
    if f.future is False:
        raise ValueError("a duration")
    (least, most), unit = number(text_of(g, "n")), text_of(g, "unit")
    return shift(f.now, unit, least) if least == most else _apart(shift(f.now, unit, least), shift(f.now, unit, most))


def past(g: Groups, f: Frame) -> Interval:
    """`for the past three years`: from then until now."""
    (_, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit")
    return span(advance(day(f.now).start, unit, -most), day(f.now).end)


def coming(g: Groups, f: Frame) -> Interval:
    """`over the next three months`: from now until then."""
    (_, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit")
    return span(day(f.now).start, advance(day(f.now).end, unit, most))


def _moved(i: Interval, *, days: int = 0, weeks: int = 0) -> Interval:
    by = timedelta(days=days, weeks=weeks)
    return Interval(i.start + by, i.end + by, i.grain)


def _last_weekend(now: datetime) -> Interval:
    """The latest weekend that is over: that of the week before unless today is past it."""
    return calendar.weekend(now - timedelta(weeks=1))


_STEP = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "this past": -1,
    "this coming": 1,
    "next": 1,
    "coming": 1,
    "the": 0,
}


def _unit(which: str, unit: str, f: Frame) -> Interval:
    """`last week`, `this month`, `next year`, `the weekend`."""
    if unit == "night" and which == "this":
        return day(f.now)
    if unit == "weekend":
        if (
            which in ("last", "past", "previous", "this past")
            or (which == "the" and _over(f))
            or (which == "this" and f.future is False and f.now.weekday() < 3)
        ):
            return _last_weekend(f.now)
        return calendar.weekend(f.now + timedelta(weeks=1 if which == "next" else 0))
    return shift(f.now, unit, _STEP[which])


def _over(f: Frame) -> bool:
    """On a weekday, "the weekend" looks back unless the tense is future."""
    return not f.future and f.now.weekday() < 5


def relative(g: Groups, f: Frame) -> Interval:
    """`last week`, `this month`, `the weekend`."""
    return _unit(text_of(g, "which"), text_of(g, "unit"), f)


def before_last(g: Groups, f: Frame) -> Interval:
    """`the week before last`, `the Friday before last`."""
    if weekday := text_of(g, "wd"):
        return _moved(_latest(WEEKDAYS[weekday], f.now), weeks=-1)
    unit = text_of(g, "unit")
    return _moved(_last_weekend(f.now), weeks=-1) if unit == "weekend" else shift(f.now, unit, -2)


def after_next(g: Groups, f: Frame) -> Interval:
    """`the week after next`."""
    return shift(f.now, text_of(g, "unit"), 2)


def _latest(weekday: int, now: datetime) -> Interval:
    """The latest given weekday before today."""
    return day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))


def _soonest(weekday: int, now: datetime) -> Interval:
    """The first given weekday after today."""
    return day(now + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1))


def weekday(g: Groups, f: Frame) -> Interval:
    """`last Friday`, `next Friday`, `this Friday`, `Friday`; `Friday of last week`."""
    weekday = WEEKDAYS[text_of(g, "wd")]
    which, of = text_of(g, "which"), text_of(g, "of")
    if of:
        return day(week(f.now).start + timedelta(weeks=_STEP[of], days=weekday))
    if which in ("last", "past", "previous", "this past"):
        return _latest(weekday, f.now)
    if which == "next":
        return day(week(f.now).start + timedelta(weeks=1, days=weekday))
    if which in ("this coming", "coming") or f.future:
        return _soonest(weekday, f.now)
    if which == "this":
        return day(week(f.now).start + timedelta(days=weekday))
    return _latest(weekday, f.now)


def weekdays_ago(g: Groups, f: Frame) -> Interval:
    """`two Fridays ago`."""
    n, _ = number(text_of(g, "n"))
    return _moved(_latest(WEEKDAYS[text_of(g, "wd")], f.now), weeks=1 - n)


NAMED_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "earlier today": 0,
    "later today": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}


def named_day(g: Groups, f: Frame) -> Interval:
    """`yesterday`, `tonight`."""
    return day(f.now + timedelta(days=NAMED_DAYS[text_of(g, "day")]))


def _near_year(make: Callable[[int], Interval], f: Frame, which: str = "") -> Interval:
    """The year whose `make(year)` is meant: by the word before it, else by the tense, else the latest one begun."""
    here = [make(f.now.year + i) for i in (-2, -1, 0, 1, 2)]
    if which in ("last", "past", "previous"):
        return [i for i in here if i.end <= day(f.now).start][-1]
    if which in ("next", "coming", "this coming"):
        return next(i for i in here if i.start > f.now)
    if which == "this":
        return here[2]
    if f.future:
        return next(i for i in here if i.end > f.now)
    return [i for i in here if i.start <= f.now][-1]


def _year_of(word: str, f: Frame) -> int | None:
    """`2022`, `last year`, or nothing."""
    if not word:
        return None
    return int(word) if word.isdigit() else f.now.year + _STEP[word.split()[0]]


def _in_part(g: Groups, i: Interval) -> Interval:
    word = text_of(g, "part").removeprefix("the ").removeprefix("very ")
    name = next((PARTS[w] for w in sorted(PARTS, key=len, reverse=True) if word.startswith(w)), "")
    return part(name, i) if name else i


def month_placed(g: Groups, f: Frame) -> Interval:
    """`March`, `last March`, `early March 2022`, `March of last year`."""
    number, of = MONTHS[text_of(g, "m")], _year_of(text_of(g, "y"), f)
    found = month(number, of) if of else _near_year(lambda y: month(number, y), f, text_of(g, "which"))
    return _in_part(g, found)


def month_of(g: Groups, f: Frame) -> Interval:
    """`May`, `May 2022`, `last month`."""
    which = text_of(g, "month")
    return shift(f.now, "month", _STEP[which]) if which else month_placed(g, f)


def season_placed(g: Groups, f: Frame) -> Interval:
    """`last summer`, `the summer of 2020`."""
    name, of = text_of(g, "s"), _year_of(text_of(g, "y"), f)
    found = season(name, of) if of else _near_year(lambda y: season(name, y), f, text_of(g, "which"))
    return _in_part(g, found)


def date(g: Groups, f: Frame) -> Interval:
    """`8 May 2023`, `May 8`; without a year the nearest one in the tense's direction."""
    number, date, of = MONTHS[text_of(g, "m")], int(text_of(g, "d")), _year_of(text_of(g, "y"), f)
    if of:
        return day(datetime(of, number, date))
    if (number, date) == (2, 29):
        leap = range(f.now.year - 8, f.now.year + 9)
        days = [day(datetime(y, 2, 29)) for y in leap if y % 4 == 0 and (y % 100 or not y % 400)]
        return next(d for d in days if d.end > f.now) if f.future else [d for d in days if d.start <= f.now][-1]
    return _near_year(lambda y: day(datetime(y, number, date)), f, text_of(g, "which"))


def day_of_month(g: Groups, f: Frame) -> Interval:
    """`the 15th`, `the 15th of last month`."""
    date, of = int(text_of(g, "d")), text_of(g, "of")
    if of:
        return day(shift(f.now, "month", _STEP[of.split()[0]]).start.replace(day=date))
    steps = range(3) if f.future else range(0, -3, -1)
    for step in steps:
        first = shift(f.now, "month", step)
        there = first.start + timedelta(days=date - 1)
        if there < first.end and (there > f.now if f.future else there <= f.now):
            return day(there)
    raise ValueError("no such day near")


def numeric(g: Groups, f: Frame) -> Interval:
    """ISO dates, and `5/8/2023` with the month first unless it cannot be one."""
    first, second, of = int(text_of(g, "a")), int(text_of(g, "b")), int(text_of(g, "y"))
    of += 2000 if of < 100 else 0
    return day(datetime(of, second, first) if first > 12 else datetime(of, first, second))


def just_year(g: Groups, f: Frame) -> Interval:
    """`2022`, `late 2021`."""
    return _in_part(g, year(int(text_of(g, "y"))))


def decade(g: Groups, f: Frame) -> Interval:
    """`the 1990s`, `the 90s`."""
    digits = int(text_of(g, "y"))
    start = digits if digits > 99 else (1900 if digits >= f.now.year % 100 // 10 * 10 + 10 else 2000) + digits
    whole = span(datetime(start, 1, 1), datetime(start + 10, 1, 1))
    return _in_part(g, whole)


def part_of_unit(g: Groups, f: Frame) -> Interval:
    """`the end of last month`, `early this year`, `earlier this year`, `later this month`."""
    whole = _unit(text_of(g, "which").strip() or "this", text_of(g, "unit"), f)
    word = text_of(g, "part")
    if word.startswith("earlier") and whole.start < day(f.now).start:
        return span(whole.start, min(whole.end, day(f.now).start))
    if word.startswith("later") and whole.end > day(f.now).end:
        return span(max(whole.start, day(f.now).start), whole.end)
    return _in_part(g, whole)


def holiday_placed(g: Groups, f: Frame) -> Interval:
    """`Christmas`, `last Easter`."""
    name = _holiday_name(text_of(g, "name"))
    of = _year_of(text_of(g, "y"), f)
    return holiday(name, of) if of else _near_year(lambda y: holiday(name, y), f, text_of(g, "which"))


def _holiday_name(text: str) -> str:
    """The key of HOLIDAYS for a name as written, with or without its apostrophe."""
    bare = text.replace("'", "").replace(".", "")
    return next(h for h in HOLIDAYS if h.replace("'", "") == bare)


def other_day(g: Groups, f: Frame) -> Interval:
    """`the other day`: within the last week."""
    return span(day(f.now).start - timedelta(days=7), day(f.now).start)


def clock_on(groups: Groups, on: Interval) -> Interval:
    """The minute that `CLOCK` names, on a day."""
    if groups.get("noon"):
        hour, minute = (12 if text_of(groups, "noon") == "noon" else 0), 0
    elif groups.get("h24"):
        hour, minute = int(text_of(groups, "h24")), int(text_of(groups, "min24"))
    else:
        hour = int(text_of(groups, "h")) % 12 + (12 if text_of(groups, "half") == "p" else 0)
        minute = int(groups.get("min") or 0)
    start = on.start.replace(hour=hour, minute=minute)
    return Interval(start, start + timedelta(minutes=1), Grain.MINUTE)
