"""Resolution of the constructions of `times_grammar` on the calendar. Each may raise ValueError or OverflowError."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from goalmem.language import calendar
from goalmem.language.calendar import HOLIDAYS, advance, day, holiday, month, part, season, shift, span, week, year
from goalmem.language.times_words import DATE_WORDS, MONTHS, NUMBERS, ORDINALS, PARTS, WEEKDAYS, Groups, number, text_of
from goalmem.logic.interval import Grain, Interval


@dataclass(frozen=True, slots=True)
class ResolutionContext:
    """The context for resolving an expression."""

    now: datetime
    """Naive wall-clock time of the saying."""
    future: bool | None
    """The tense: True looks ahead, False and None back."""


def _apart(near: Interval, far: Interval) -> Interval:
    return span(min(near.start, far.start), max(near.end, far.end))


def ago(g: Groups, f: ResolutionContext) -> Interval:
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


def ahead(g: Groups, f: ResolutionContext) -> Interval:
    """`in two weeks`; of something past that is how long it took."""
    if f.future is False:
        raise ValueError("a duration")
    (least, most), unit = number(text_of(g, "n")), text_of(g, "unit")
    return shift(f.now, unit, least) if least == most else _apart(shift(f.now, unit, least), shift(f.now, unit, most))


def past(g: Groups, f: ResolutionContext) -> Interval:
    """`for the past three years`: from then until now."""
    (_, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit")
    return span(advance(day(f.now).start, unit, -most), day(f.now).end)


def coming(g: Groups, f: ResolutionContext) -> Interval:
    """`over the next three months`: from now until then."""
    (_, most), unit = number(text_of(g, "n") or "one"), text_of(g, "unit")
    return span(day(f.now).start, advance(day(f.now).end, unit, most))


def _moved(i: Interval, *, weeks: int) -> Interval:
    by = timedelta(weeks=weeks)
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


def _unit(which: str, unit: str, f: ResolutionContext) -> Interval:
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


def _over(f: ResolutionContext) -> bool:
    """On a weekday, "the weekend" looks back unless the tense is future."""
    return not f.future and f.now.weekday() < 5


def relative(g: Groups, f: ResolutionContext) -> Interval:
    """`last week`, `this month`, `the weekend`."""
    return _unit(text_of(g, "which"), text_of(g, "unit"), f)


def before_last(g: Groups, f: ResolutionContext) -> Interval:
    """`the week before last`, `the Friday before last`."""
    if weekday := text_of(g, "wd"):
        return _moved(_latest(WEEKDAYS[weekday], f.now), weeks=-1)
    unit = text_of(g, "unit")
    return _moved(_last_weekend(f.now), weeks=-1) if unit == "weekend" else shift(f.now, unit, -2)


def after_next(g: Groups, f: ResolutionContext) -> Interval:
    """`the week after next`."""
    return shift(f.now, text_of(g, "unit"), 2)


def _latest(weekday: int, now: datetime) -> Interval:
    """The latest given weekday before today."""
    return day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))


def _soonest(weekday: int, now: datetime) -> Interval:
    """The first given weekday after today."""
    return day(now + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1))


def weekday(g: Groups, f: ResolutionContext) -> Interval:
    """`last Friday`, `next Friday`, `this Friday`, `Friday`; `Friday of last week`."""
    weekday = WEEKDAYS[text_of(g, "wd").rstrip(".")]
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


def weekdays_ago(g: Groups, f: ResolutionContext) -> Interval:
    """`two Fridays ago`."""
    n, _ = number(text_of(g, "n"))
    return _moved(_latest(WEEKDAYS[text_of(g, "wd")], f.now), weeks=1 - n)


NAMED_DAYS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "yday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "earlier today": 0,
    "just now": 0,
    "later today": 0,
    "tomorrow": 1,
    **dict.fromkeys(("tmrw", "tmr", "tmw"), 1),
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
}


def named_day(g: Groups, f: ResolutionContext) -> Interval:
    """`yesterday`, `tonight`."""
    return day(f.now + timedelta(days=NAMED_DAYS[text_of(g, "day")]))


def _near_year(make: Callable[[int], Interval], f: ResolutionContext, which: str = "") -> Interval:
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


def _year_of(word: str, f: ResolutionContext) -> int | None:
    """`2022`, `last year`, or None."""
    if not word:
        return None
    return int(word) if word.isdigit() else f.now.year + _STEP[word.split()[0]]


def _in_part(g: Groups, i: Interval) -> Interval:
    word = text_of(g, "part").removeprefix("the ").removeprefix("very ")
    name = next((PARTS[w] for w in sorted(PARTS, key=len, reverse=True) if word.startswith(w)), "")
    return part(name, i) if name else i


def month_placed(g: Groups, f: ResolutionContext) -> Interval:
    """`March`, `last March`, `early March 2022`, `March of last year`."""
    number, of = MONTHS[text_of(g, "m")], _year_of(text_of(g, "y"), f)
    found = month(number, of) if of else _near_year(lambda y: month(number, y), f, text_of(g, "which"))
    return _in_part(g, found)


def month_of(g: Groups, f: ResolutionContext) -> Interval:
    """`May`, `May 2022`, `last month`."""
    which = text_of(g, "month")
    return shift(f.now, "month", _STEP[which]) if which else month_placed(g, f)


def season_placed(g: Groups, f: ResolutionContext) -> Interval:
    """`last summer`, `the summer of 2020`."""
    name, of = text_of(g, "s"), _year_of(text_of(g, "y"), f)
    found = season(name, of) if of else _near_year(lambda y: season(name, y), f, text_of(g, "which"))
    return _in_part(g, found)


AGREEING_YEARS = 8
"""Years around the day of saying in which a date with its weekday is searched: each date falls on each weekday within
eleven.
"""
AGREEING_MONTHS = 4
NEARER = 12
"""Ratio of distances above which a day on the other side than the tense indicates is preferred."""
NEAR = timedelta(days=45)
"""Maximum distance of a weekday with a bare number (`Wed 27`); a more distant number is not a day."""


def _agreeing(days: Iterable[Interval], weekday: str, f: ResolutionContext) -> Interval | None:
    """The day with that weekday on the side of the tense, unless one on the other side is much nearer."""
    matching = [d for d in days if d.start.weekday() == WEEKDAYS[weekday.rstrip(".")]]
    if not matching:
        return None
    nearest = min(matching, key=lambda d: _distance(d, f))
    if f.future is None:
        return nearest
    side = [d for d in matching if (d.end > f.now if f.future else d.start <= f.now)]
    best = min(side, key=lambda d: _distance(d, f), default=nearest)
    return nearest if _distance(best, f) > NEARER * max(_distance(nearest, f), timedelta(days=1)) else best


def _distance(i: Interval, f: ResolutionContext) -> timedelta:
    return abs(i.start - day(f.now).start)


def _in_years(number: int, date: int, f: ResolutionContext) -> list[Interval]:
    """A day of the year in the years around the saying, where they have it."""
    years = range(max(1, f.now.year - AGREEING_YEARS), min(9998, f.now.year + AGREEING_YEARS) + 1)
    return [day(datetime(y, number, date)) for y in years if date <= monthrange(y, number)[1]]


def date(g: Groups, f: ResolutionContext) -> Interval:
    """`8 May 2023`, `May 8`, `Thu 8 May`; without a year the one in which the weekday agrees, in the tense's direction."""
    word, weekday = text_of(g, "word"), text_of(g, "wd")
    number, of = MONTHS[text_of(g, "m")], _year_of(text_of(g, "y"), f)
    date = DATE_WORDS[word] if word else int(text_of(g, "d"))
    which = text_of(g, "which")
    if of:
        return day(datetime(of, number, date))
    agreed = _agreeing(_in_years(number, date, f), weekday, f) if weekday and not which else None
    return agreed or _near_date(number, date, f, which)


def _near_date(number: int, date: int, f: ResolutionContext, which: str = "") -> Interval:
    if (number, date) == (2, 29):
        days = _in_years(number, date, f)
        return next(d for d in days if d.end > f.now) if f.future else [d for d in days if d.start <= f.now][-1]
    return _near_year(lambda y: day(datetime(y, number, date)), f, which)


def day_of_month(g: Groups, f: ResolutionContext) -> Interval:
    """`the 15th`, `the 15th of last month`, `Friday 25th`, `Wed 27`."""
    date, of, weekday = int(text_of(g, "d")), text_of(g, "of"), text_of(g, "wd")
    if of:
        return day(shift(f.now, "month", _STEP[of.split()[0]]).start.replace(day=date))
    if weekday:
        sure = bool(text_of(g, "suffix") or text_of(g, "the"))
        agreed = _agreeing((d for d in _in_months(date, f) if sure or _distance(d, f) <= NEAR), weekday, f)
        if agreed:
            return agreed
        if not sure:
            return _weekday(weekday, f)
    steps = range(3) if f.future else range(0, -3, -1)
    for step in steps:
        first = shift(f.now, "month", step)
        there = first.start + timedelta(days=date - 1)
        if there < first.end and (there > f.now if f.future else there <= f.now):
            return day(there)
    raise ValueError("no such day near")


def _in_months(date: int, f: ResolutionContext) -> list[Interval]:
    """A day of the month in the months around the saying, where they have it."""
    months = (shift(f.now, "month", n) for n in range(-AGREEING_MONTHS, AGREEING_MONTHS + 1))
    return [day(m.start.replace(day=date)) for m in months if date <= (m.end - m.start).days]


def numeric(g: Groups, f: ResolutionContext) -> Interval:
    """ISO dates, `8.5.2023`, and `5/8/2023` with the month first unless it cannot be one; `Tue 6/5` in which order agrees."""
    first, second, weekday = int(text_of(g, "a")), int(text_of(g, "b")), text_of(g, "wd")
    dotted = text_of(g, "dot") == "."
    orders = [(second, first)] if dotted and second <= 12 else [(first, second), (second, first)]
    orders = [(m, d) for m, d in orders if m <= 12] or orders
    if text_of(g, "y"):
        of = int(text_of(g, "y"))
        return day(datetime(of + (2000 if of < 100 else 0), *orders[0]))
    if not weekday:
        return _near_date(*orders[0], f)
    days = [d for m, n in orders if m <= 12 for d in _in_years(m, n, f)]
    return _agreeing([d for d in days if _distance(d, f) <= timedelta(days=366)], weekday, f) or _weekday(weekday, f)


def weekdays(g: Groups, f: ResolutionContext) -> Interval:
    """`mon-wed`: from the one to the other."""
    end = _weekday(text_of(g, "last"), f)
    first = WEEKDAYS[text_of(g, "wd").rstrip(".")]
    return span(end.start - timedelta(days=(end.start.weekday() - first) % 7), end.end)


def _weekday(name: str, f: ResolutionContext) -> Interval:
    number = WEEKDAYS[name.rstrip(".")]
    return _soonest(number, f.now) if f.future else _latest(number, f.now)


def quarter_of(g: Groups, f: ResolutionContext) -> Interval:
    """`Q3`, `the third quarter of 2023`."""
    number = ORDINALS[text_of(g, "nth")] if text_of(g, "nth") else int(text_of(g, "q"))
    of = _year_of(text_of(g, "y"), f)
    number = 4 if number < 0 else number
    return calendar.quarter(number, of) if of else _near_year(lambda y: calendar.quarter(number, y), f)


def just_year(g: Groups, f: ResolutionContext) -> Interval:
    """`2022`, `late 2021`."""
    return _in_part(g, year(int(text_of(g, "y"))))


def decade(g: Groups, f: ResolutionContext) -> Interval:
    """`the 1990s`, `the 90s`."""
    digits = int(text_of(g, "y"))
    start = digits if digits > 99 else (1900 if digits >= f.now.year % 100 // 10 * 10 + 10 else 2000) + digits
    whole = span(datetime(start, 1, 1), datetime(start + 10, 1, 1))
    return _in_part(g, whole)


def part_of_unit(g: Groups, f: ResolutionContext) -> Interval:
    """`the end of last month`, `early this year`, `earlier this year`, `later this month`."""
    whole = _unit(text_of(g, "which").strip() or "this", text_of(g, "unit"), f)
    word = text_of(g, "part")
    if word.startswith("earlier") and whole.start < day(f.now).start:
        return span(whole.start, min(whole.end, day(f.now).start))
    if word.startswith("later") and whole.end > day(f.now).end:
        return span(max(whole.start, day(f.now).start), whole.end)
    return _in_part(g, whole)


def holiday_placed(g: Groups, f: ResolutionContext) -> Interval:
    """`Christmas`, `last Easter`."""
    name = _holiday_name(text_of(g, "name"))
    of = _year_of(text_of(g, "y"), f)
    return holiday(name, of) if of else _near_year(lambda y: holiday(name, y), f, text_of(g, "which"))


def _holiday_name(text: str) -> str:
    """The key of HOLIDAYS for a name as written, with or without its apostrophe."""
    bare = text.replace("'", "").replace(".", "")
    return next(h for h in HOLIDAYS if h.replace("'", "") == bare)


def other_day(g: Groups, f: ResolutionContext) -> Interval:
    """`the other day`: within the last week."""
    return span(day(f.now).start - timedelta(days=7), day(f.now).start)


_FROM_FULL_HOUR = {"half": 30, "half past": 30, "quarter past": 15, "quarter to": -15} | {
    f"{word} {way}": sign * NUMBERS[word]
    for word in ("five", "ten", "twenty")
    for way, sign in (("past", 1), ("to", -1))
}


def clock_on(groups: Groups, part: str, on: Interval) -> Interval:
    """The minute that `CLOCK` names, on a day; an hour without am or pm is one between 8 and 20 unless `part` says else."""
    minutes = int(groups.get("min") or groups.get("min24") or groups.get("dotted") or 0)
    if groups.get("noon"):
        minutes = 0 if text_of(groups, "noon") == "midnight" else 12 * 60
    elif groups.get("h24"):
        minutes += 60 * int(text_of(groups, "h24"))
    elif groups.get("h"):
        minutes += 60 * (int(text_of(groups, "h")) % 12 + (12 if text_of(groups, "half") == "p" else 0))
    else:
        hour = text_of(groups, "hour") or text_of(groups, "bare")
        minutes += 60 * (NUMBERS.get(hour) or int(hour)) + _FROM_FULL_HOUR.get(text_of(groups, "off"), 0)
        late = part in ("afternoon", "evening", "night") or (minutes < 8 * 60 and part != "morning")
        minutes = minutes % (12 * 60) + (12 * 60 if late or (minutes >= 12 * 60 and part != "morning") else 0)
    start = on.start.replace(hour=0, minute=0) + timedelta(minutes=minutes)
    return Interval(start, start + timedelta(minutes=1), Grain.MINUTE)
