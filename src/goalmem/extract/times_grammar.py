"""The grammar of `times`: one row a construction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from goalmem.extract import calendar
from goalmem.extract.calendar import (
    HOLIDAYS,
    SEASONS,
    advance,
    day,
    holiday,
    month,
    part,
    season,
    shift,
    span,
    week,
    year,
)
from goalmem.logic.interval import Grain, Interval

__all__ = ["CLOCK", "DAYS", "RULES", "TRIGGER", "Frame", "Rule", "clock_on"]

Groups = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Frame:
    """What an expression is read against."""

    now: datetime
    """Naive wall-clock time of the saying."""
    future: bool | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One construction: what it looks like and how it is placed; `place` may raise ValueError or OverflowError."""

    name: str
    pattern: re.Pattern[str]
    place: Callable[[Groups, Frame], Interval | None]


# --- words ------------------------------------------------------------------------------------------------------------

_MONTH_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES, 1)} | {name[:3]: i for i, name in enumerate(_MONTH_NAMES, 1)}
MONTHS["sept"] = 9
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS = {name: i for i, name in enumerate(_DAY_NAMES)} | {
    short: i
    for i, names in enumerate(("mon", "tue tues", "wed", "thu thurs thur", "fri", "sat", "sun"))
    for short in names.split()
}
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
NUMBERS = {w: i for i, w in enumerate(_ONES)} | {
    "a": 1,
    "an": 1,
    "the": 1,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
VAGUE = {"few": calendar.FEW, "several": calendar.SEVERAL, "some": calendar.FEW, "many": calendar.SEVERAL}
ORDINALS = {w: i for i, w in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)}
PARTS = {
    **dict.fromkeys(("early", "beginning", "start", "first half", "first part"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **dict.fromkeys(("late", "end", "last part"), "late"),
}


def _either(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted((re.escape(w) for w in words), key=lambda w: (-len(w), w)))


_FULL_MONTH = _either(_MONTH_NAMES)
# "may", "march" and the three-letter forms are also other words: they count only where a date surrounds them.
_SURE_MONTH = _either([m for m in _MONTH_NAMES if m not in ("may", "march")])
_MONTH = _either(MONTHS)
_WEEKDAY = _either(_DAY_NAMES)
_UNIT = "minute|hour|day|night|weekend|week|fortnight|month|year|decade|century"
_UNITS = rf"(?P<unit>{_UNIT})s?"
_NUMBER = rf"(?:(?:about|around|almost|nearly|over|like|roughly|exactly) )?(?P<n>\d{{1,4}}|{_either(NUMBERS)}|couple|few|several|many|some)"
_COUNT = rf"(?:a |the |these |some )?{_NUMBER}(?: of)?(?: more)?(?: short| long)?"
_YEAR = r"(?:1[6-9]|20|21)\d\d"
_DAYNUM = r"(?P<d>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_PART = rf"(?P<part>(?:the )?(?:very )?(?:{_either(PARTS)})(?: of(?: the)?| in(?: the)?)?[ -])"
_DAYPART = r"(?: (?:morning|afternoon|evening|night|noon|day))?"
_CLOCK = r"(?:(?P<h>1[0-2]|0?[1-9])(?::(?P<min>[0-5]\d))? ?(?P<half>[ap])\.?m\.?|(?P<h24>[01]?\d|2[0-3]):(?P<min24>[0-5]\d)|(?P<noon>noon|midnight))"
_NOT_REPEATED = r"(?<!every )(?<!each )(?<!most )"

_STEMS = (*(m[:3] for m in _MONTH_NAMES), *WEEKDAYS, *SEASONS, *_UNIT.split("|"), *HOLIDAYS)
TRIGGER = re.compile(
    rf"\d|\b(?:{_either(_STEMS)}|yesterday|today|ton|tomor|morning|afternoon|evening|valentine)", re.IGNORECASE
)
"""Cheap test: a text in which this is not found holds no time."""


def _number(word: str) -> tuple[int, int]:
    """Least and greatest count that a number word may mean."""
    word = word.lower()
    if word in VAGUE:
        return VAGUE[word]
    n = 2 if word == "couple" else NUMBERS[word] if word in NUMBERS else int(word)
    return n, n


def _text(groups: Groups, name: str) -> str:
    return (groups.get(name) or "").lower()


def _apart(near: Interval, far: Interval) -> Interval:
    return span(min(near.start, far.start), max(near.end, far.end))


# --- placing ----------------------------------------------------------------------------------------------------------


def _ago(g: Groups, f: Frame) -> Interval:
    """`two weeks ago`; vague counts give a span."""
    (least, most), unit = _number(_text(g, "n")), _text(g, "unit")
    sign = -1
    if least == most:
        return _whole(f.now, unit, sign * least)
    return _apart(_whole(f.now, unit, sign * least), _whole(f.now, unit, sign * most))


def _whole(now: datetime, unit: str, n: int) -> Interval:
    if unit == "weekend":
        last = _last_weekend(now)
        return _moved(last, weeks=n + 1) if n < 0 else shift(now, unit, n)
    return shift(now, unit, n)


def _ahead(g: Groups, f: Frame) -> Interval:
    """`in two weeks`; of something past that is how long it took."""
    if f.future is False:
        raise ValueError("a duration")
    (least, most), unit = _number(_text(g, "n")), _text(g, "unit")
    return shift(f.now, unit, least) if least == most else _apart(shift(f.now, unit, least), shift(f.now, unit, most))


def _past(g: Groups, f: Frame) -> Interval:
    """`for the past three years`: from then until now."""
    (_, most), unit = _number(_text(g, "n") or "one"), _text(g, "unit")
    return span(advance(day(f.now).start, unit, -most), day(f.now).end)


def _coming(g: Groups, f: Frame) -> Interval:
    """`over the next three months`: from now until then."""
    (_, most), unit = _number(_text(g, "n") or "one"), _text(g, "unit")
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


def _relative(g: Groups, f: Frame) -> Interval:
    return _unit(_text(g, "which"), _text(g, "unit"), f)


def _before_last(g: Groups, f: Frame) -> Interval:
    """`the week before last`, `the Friday before last`."""
    if weekday := _text(g, "wd"):
        return _moved(_latest(WEEKDAYS[weekday], f.now), weeks=-1)
    unit = _text(g, "unit")
    return _moved(_last_weekend(f.now), weeks=-1) if unit == "weekend" else shift(f.now, unit, -2)


def _after_next(g: Groups, f: Frame) -> Interval:
    return shift(f.now, _text(g, "unit"), 2)


def _latest(weekday: int, now: datetime) -> Interval:
    """The latest given weekday before today."""
    return day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))


def _soonest(weekday: int, now: datetime) -> Interval:
    """The first given weekday after today."""
    return day(now + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1))


def _weekday(g: Groups, f: Frame) -> Interval:
    """`last Friday`, `next Friday`, `this Friday`, `Friday`; `Friday of last week`."""
    weekday = WEEKDAYS[_text(g, "wd")]
    which, of = _text(g, "which"), _text(g, "of")
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


def _weekdays_ago(g: Groups, f: Frame) -> Interval:
    """`two Fridays ago`."""
    n, _ = _number(_text(g, "n"))
    return _moved(_latest(WEEKDAYS[_text(g, "wd")], f.now), weeks=1 - n)


_DAYS = {
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


def _named_day(g: Groups, f: Frame) -> Interval:
    return day(f.now + timedelta(days=_DAYS[_text(g, "day")]))


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
    word = _text(g, "part").removeprefix("the ").removeprefix("very ")
    name = next((PARTS[w] for w in sorted(PARTS, key=len, reverse=True) if word.startswith(w)), "")
    return part(name, i) if name else i


def _month(g: Groups, f: Frame) -> Interval:
    """`March`, `last March`, `early March 2022`, `March of last year`."""
    number, of = MONTHS[_text(g, "m")], _year_of(_text(g, "y"), f)
    found = month(number, of) if of else _near_year(lambda y: month(number, y), f, _text(g, "which"))
    return _in_part(g, found)


def _season(g: Groups, f: Frame) -> Interval:
    name, of = _text(g, "s"), _year_of(_text(g, "y"), f)
    found = season(name, of) if of else _near_year(lambda y: season(name, y), f, _text(g, "which"))
    return _in_part(g, found)


def _date(g: Groups, f: Frame) -> Interval:
    """`8 May 2023`, `May 8`; without a year the nearest one in the tense's direction."""
    number, date, of = MONTHS[_text(g, "m")], int(_text(g, "d")), _year_of(_text(g, "y"), f)
    if of:
        return day(datetime(of, number, date))
    if (number, date) == (2, 29):
        leap = range(f.now.year - 8, f.now.year + 9)
        days = [day(datetime(y, 2, 29)) for y in leap if y % 4 == 0 and (y % 100 or not y % 400)]
        return next(d for d in days if d.end > f.now) if f.future else [d for d in days if d.start <= f.now][-1]
    return _near_year(lambda y: day(datetime(y, number, date)), f, _text(g, "which"))


def _day_of_month(g: Groups, f: Frame) -> Interval:
    """`the 15th`, `the 15th of last month`."""
    date, of = int(_text(g, "d")), _text(g, "of")
    if of:
        return day(shift(f.now, "month", _STEP[of.split()[0]]).start.replace(day=date))
    steps = range(3) if f.future else range(0, -3, -1)
    for step in steps:
        first = shift(f.now, "month", step)
        there = first.start + timedelta(days=date - 1)
        if there < first.end and (there > f.now if f.future else there <= f.now):
            return day(there)
    raise ValueError("no such day near")


def _numeric(g: Groups, f: Frame) -> Interval:
    """ISO dates, and `5/8/2023` with the month first unless it cannot be one."""
    first, second, of = int(_text(g, "a")), int(_text(g, "b")), int(_text(g, "y"))
    of += 2000 if of < 100 else 0
    return day(datetime(of, second, first) if first > 12 else datetime(of, first, second))


def _just_year(g: Groups, f: Frame) -> Interval:
    return _in_part(g, year(int(_text(g, "y"))))


def _decade(g: Groups, f: Frame) -> Interval:
    """`the 1990s`, `the 90s`."""
    digits = int(_text(g, "y"))
    start = digits if digits > 99 else (1900 if digits >= f.now.year % 100 // 10 * 10 + 10 else 2000) + digits
    whole = span(datetime(start, 1, 1), datetime(start + 10, 1, 1))
    return _in_part(g, whole)


def _part_of_unit(g: Groups, f: Frame) -> Interval:
    """`the end of last month`, `early this year`, `earlier this year`, `later this month`."""
    whole = _unit(_text(g, "which").strip() or "this", _text(g, "unit"), f)
    word = _text(g, "part")
    if word.startswith("earlier") and whole.start < day(f.now).start:
        return span(whole.start, min(whole.end, day(f.now).start))
    if word.startswith("later") and whole.end > day(f.now).end:
        return span(max(whole.start, day(f.now).start), whole.end)
    return _in_part(g, whole)


def _holiday(g: Groups, f: Frame) -> Interval:
    name = _holiday_name(_text(g, "name"))
    of = _year_of(_text(g, "y"), f)
    return holiday(name, of) if of else _near_year(lambda y: holiday(name, y), f, _text(g, "which"))


def _holiday_name(text: str) -> str:
    """The key of HOLIDAYS for a name as written, with or without its apostrophe."""
    bare = text.replace("'", "").replace(".", "")
    return next(h for h in HOLIDAYS if h.replace("'", "") == bare)


def _other_day(g: Groups, f: Frame) -> Interval:
    return span(day(f.now).start - timedelta(days=7), day(f.now).start)


def clock_on(groups: Groups, on: Interval) -> Interval:
    """The minute that `CLOCK` names, on a day."""
    if groups.get("noon"):
        hour, minute = (12 if _text(groups, "noon") == "noon" else 0), 0
    elif groups.get("h24"):
        hour, minute = int(_text(groups, "h24")), int(_text(groups, "min24"))
    else:
        hour = int(_text(groups, "h")) % 12 + (12 if _text(groups, "half") == "p" else 0)
        minute = int(groups.get("min") or 0)
    start = on.start.replace(hour=hour, minute=minute)
    return Interval(start, start + timedelta(minutes=1), Grain.MINUTE)


# --- rules ------------------------------------------------------------------------------------------------------------


def _rule(name: str, pattern: str, place: Callable[[Groups, Frame], Interval | None]) -> Rule:
    return Rule(name, re.compile(rf"\b(?:{pattern})(?![\w-]|/\d)", re.IGNORECASE), place)


_WHICH = r"(?P<which>this past|this coming|last|past|previous|this|next|coming) "
_OPT_WHICH = rf"(?:(?:the )?{_WHICH})?"
_YEAR_WORD = rf"(?P<y>{_YEAR}|(?:last|this|next) year)"
_OF_YEAR = rf"(?:,? (?:of |in )?{_YEAR_WORD})?"
_NAMED_DAY = rf"(?:(?:{_WEEKDAY}),? (?:the )?)?"
_AFTER = "".join(
    rf"(?<=\b{word} )|"
    for word in "in since until till by during around of before after from to between and early late for".split()
)
_HOLIDAY = _either([*HOLIDAYS, *(h.replace("'", "") for h in HOLIDAYS if "'" in h)])
_SHORT_WEEKDAY = _either(set(WEEKDAYS) - set(_DAY_NAMES))
_SHORT_MONTH = _either(set(MONTHS) - set(_MONTH_NAMES))
_A, _B = r"(?P<a>0?[1-9]|1[0-2])", r"(?P<b>[12]\d|3[01]|0?[1-9])"
_DETERMINED = r"(?:(?<=\bin )|(?<=\bin the )|(?<=\bover the )|(?<=\bduring the )|(?<=\bsince the )|(?<=\bfor the ))"

CLOCK = re.compile(rf"\b(?:(?:at|around|about|by) )*{_CLOCK}(?!\w)", re.IGNORECASE)
"""A time of day; it is a time only beside a day."""

DAYS = (
    _rule("named day", rf"(?P<day>{_either(_DAYS)}){_DAYPART}", _named_day),
    _rule("weekday", rf"{_NOT_REPEATED}{_OPT_WHICH}(?P<wd>{_WEEKDAY}){_DAYPART}(?P<of>)", _weekday),
    _rule("weekday of", rf"(?P<wd>{_WEEKDAY}),? (?:of |in )?(?P<of>last|this|next) week", _weekday),
    _rule("short weekday", rf"{_WHICH}(?P<wd>{_SHORT_WEEKDAY}){_DAYPART}(?P<of>)", _weekday),
    _rule("weekday before last", rf"(?:the )?(?P<wd>{_WEEKDAY}) before last", _before_last),
    _rule("weekdays ago", rf"{_COUNT} (?P<wd>{_WEEKDAY})s ago", _weekdays_ago),
    _rule(
        "day month",
        rf"{_NAMED_DAY}(?:the )?{_DAYNUM}(?: of)? (?:{_WHICH})?(?P<m>{_MONTH})\b(?:\.(?= ?\d))?(?:,? {_YEAR_WORD})?",
        _date,
    ),
    _rule("month day", rf"{_NAMED_DAY}(?P<m>{_MONTH})\.? (?:the )?{_DAYNUM}(?:,? {_YEAR_WORD})?", _date),
    _rule("iso date", rf"(?P<y>\d{{4}})[-/.]{_A}[-/.]{_B}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?", _numeric),
    _rule("numeric date", r"(?P<a>0?[1-9]|[12]\d|3[01])[/.](?P<b>0?[1-9]|[12]\d|3[01])[/.](?P<y>\d{4}|\d\d)", _numeric),
    _rule(
        "day of month",
        r"the (?P<d>[12]\d|3[01]|[1-9])(?:st|nd|rd|th)(?: of (?P<of>last|this|next|the) month)?",
        _day_of_month,
    ),
    _rule("on day", r"(?<=\bon )(?P<d>[12]\d|3[01]|[1-9])(?:st|nd|rd|th)(?P<of>)", _day_of_month),
    _rule("holiday", rf"{_NOT_REPEATED}{_OPT_WHICH}(?P<name>{_HOLIDAY})(?: day)?{_OF_YEAR}", _holiday),
)
"""What names a day."""

RULES = (
    *DAYS,
    _rule("month", rf"{_NOT_REPEATED}{_OPT_WHICH}(?P<m>{_SURE_MONTH}){_OF_YEAR}", _month),
    _rule("part of month", rf"{_PART}{_OPT_WHICH}(?P<m>{_FULL_MONTH}|{_SHORT_MONTH}){_OF_YEAR}", _month),
    _rule("which month", rf"(?:the )?{_WHICH}(?P<m>may|march|{_SHORT_MONTH})\b(?:\.(?= ?\d))?{_OF_YEAR}", _month),
    _rule("in month", rf"(?:{_AFTER}^)(?P<m>may|march|{_SHORT_MONTH})\b(?:\.(?= ?\d))?{_OF_YEAR}", _month),
    _rule("month year", rf"(?P<m>{_MONTH})\.?,? (?:of )?(?P<y>{_YEAR})", _month),
    _rule("which season", rf"(?:the )?{_WHICH}(?P<s>{_either(SEASONS)}){_OF_YEAR}", _season),
    _rule("part of season", rf"{_PART}{_OPT_WHICH}(?P<s>{_either(SEASONS)}){_OF_YEAR}", _season),
    _rule("in season", rf"{_DETERMINED}(?P<s>{_either(SEASONS)}){_OF_YEAR}", _season),
    _rule("season year", rf"(?P<s>{_either(SEASONS)}) (?:of |in )?{_YEAR_WORD}", _season),
    _rule("ago", rf"{_COUNT} {_UNITS} (?:ago|back|before now)", _ago),
    _rule("in", rf"in {_COUNT} {_UNITS}(?:' time)?", _ahead),
    _rule("from now", rf"{_COUNT} {_UNITS} from now", _ahead),
    _rule(
        "which unit",
        rf"{_NOT_REPEATED}(?:the )?{_WHICH}(?P<unit>weekend|week|month|year|night|decade|century){_DAYPART}",
        _relative,
    ),
    _rule(
        "the weekend",
        r"(?:(?<=\bover )|(?<=\bon )|(?<=\bat )|(?<=\bduring ))(?P<which>the) (?P<unit>weekend)",
        _relative,
    ),
    _rule("before last", rf"(?:the )?(?P<unit>{_UNIT}) before last(?P<wd>)", _before_last),
    _rule("after next", rf"(?:the )?(?P<unit>{_UNIT}) after next", _after_next),
    _rule(
        "part of unit",
        rf"{_PART}(?:(?P<which>last|this past|this|next) )?(?P<unit>week|month|year|decade)",
        _part_of_unit,
    ),
    _rule(
        "earlier", r"(?P<part>earlier|later) (?:in )?(?P<which>this|last|next) (?P<unit>week|month|year)", _part_of_unit
    ),
    _rule("year", rf"(?:{_AFTER}(?<=\byear )|^)(?P<part>)(?P<y>{_YEAR})(?! ?(?:%|\w+s\b))", _just_year),
    _rule("part of year", rf"{_PART}(?P<y>{_YEAR})", _just_year),
    _rule("decade", rf"(?:{_PART})?(?:the )?(?P<y>(?:1[6-9]|20)\d0|[1-9]0)'?s", _decade),
    _rule("the other day", r"the other (?:day|night|week|morning|evening)", _other_day),
    _rule("past", rf"(?:for |over |in |during |within )?(?:the |these )(?:past|last) {_COUNT} {_UNITS}", _past),
    _rule("past one", rf"(?:over|in|during|within|for) the (?:past|last) {_UNITS}(?P<n>)", _past),
    _rule("coming", rf"(?:for |over |in |during |within )?the (?:next|coming) {_COUNT} {_UNITS}", _coming),
)
"""Every construction. Of overlapping matches the longest wins, whatever the order here."""
