"""Expressions of time with their context: a clock time, the other end of a range.

Each function takes the expressions of a text, in order and without overlap, and returns them with theirs joined on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from goalmem.language.calendar import day, shift
from goalmem.language.times_grammar import CLOCK
from goalmem.language.times_offset import offset, offset_point, unit_of
from goalmem.language.times_resolution import ResolutionContext, clock_on
from goalmem.language.times_words import (
    ANY_WEEKDAY,
    COUNT,
    DAY_PARTS,
    MONTHS,
    NO_NOUN,
    SUFFIX,
    UNIT,
    WEEKDAY,
    Groups,
    text_of,
)
from goalmem.logic.interval import Grain, Interval

Place = Callable[[ResolutionContext], Interval | None]
"""A function that resolves an expression; may raise ValueError, OverflowError, IndexError or StopIteration if there
is no such time.
"""

Bound = Literal["before", "after", "since", "until"]
"""`before March`, `after March`: without March itself; `since March`, `until March`: with it."""

_NO_SUCH_TIME = (ValueError, OverflowError, IndexError, StopIteration)


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of time, not yet placed on the calendar."""

    start: int
    end: int
    text: str
    place: Place
    day: bool = False
    """True if it names a single day."""
    bound: Bound | None = None
    """The preposition that makes it the limit of an open-ended time."""
    exact: Callable[[ResolutionContext], datetime | None] | None = None
    """The moment that is counted to, where the interval is the whole unit around it (`two weeks ago`)."""

    def resolve(self, anchor: datetime, future: bool | None = None) -> Interval | None:
        """Resolve the expression, said at `anchor` (wall-clock time); None if there is no such time (30 February,
        year 0).

        `future` is the tense: True looks ahead for what can lie on either side ("in March", "on Friday"), False and
        None look back. An open-ended time is resolved too: `since May` up to the day of the anchor, `until May` from
        it, `before May` and `after May` as May itself.
        """
        try:
            return self.place(ResolutionContext(anchor.replace(tzinfo=None), future))
        except _NO_SUCH_TIME:
            return None

    def point(self, anchor: datetime, future: bool | None = None) -> datetime | None:
        """The moment counted to (`two weeks ago`: fourteen days before `anchor`); None for expressions without
        counting.
        """
        if self.exact is None:
            return None
        try:
            return self.exact(ResolutionContext(anchor.replace(tzinfo=None), future))
        except _NO_SUCH_TIME:
            return None


_T = TypeVar("_T")
_GLUE = (" ", ", ", " on ", ", on ", " at ", ", at ", " around ", " about ", ": ", " - ")
_LOOK_BACK = 48
"""Characters before an expression that may contain its opener ("in about twenty-five long weekends prior to the")."""
_LINK = r"(?: and | or | ?& ?|/| to (?:the )?| till | until | through | thru | ?[-–—] ?)"
_BARE = rf"(?:{ANY_WEEKDAY},? )?(?:the )?(?P<d>[12]\d|3[01]|[1-9]){SUFFIX}?"
_EARLIER = re.compile(rf"(?<![\w/.:,-])(?P<own>{_BARE})(?P<link>{_LINK}|, ?)(?:the )?$", re.IGNORECASE)
_LATER = re.compile(
    rf"(?P<link>{_LINK})(?:the )?(?P<own>(?P<d>[12]\d|3[01]|[1-9])(?P<suffix>{SUFFIX})?)(?![\w/-]|[.:]\d| ?[ap]\.?m\b){NO_NOUN}",
    re.IGNORECASE,
)
_DATED = re.compile(rf"(?:{ANY_WEEKDAY},? )?(?:the )?\d{{1,2}}{SUFFIX}?(?![\w:/]|\.\d)", re.IGNORECASE)
"""A date that starts with its number: a number before it shares its month."""
_NUMBERED = re.compile(rf"(?:\d{{1,2}}{SUFFIX}|\b[a-z]+\.? (?:the )?\d{{1,2}})$", re.IGNORECASE)
"""A date that ends with its number: a number behind it shares its month."""
MOVED = re.compile(
    r"\b(?:mov|chang|shift|switch|swap|postpon|push|reschedul|delay|slip)\w*\b[^.!?]{0,40}$"
    r"|\b(?:bring|brought|put)\b[^.!?]{0,20}\b(?:back|forward|off)\b[^.!?]{0,20}$",
    re.IGNORECASE,
)
"""A move from one day to another is not a range."""
_FROM = re.compile(r"\b(?:from|between) (?:the )?$", re.IGNORECASE)
_TO = re.compile(r"(?: (?:to|until|till|through|thru|and) (?:the )?| ?[-–—] ?)", re.IGNORECASE)
_ALONE = re.compile(rf"(?:the )?(?P<d>[12]\d|3[01]|[1-9]){SUFFIX}", re.IGNORECASE)
_MONTH_NAMED = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS))})\b", re.IGNORECASE)
NEAR_SAYING = timedelta(days=300)
"""A day farther away than this from the day of saying lends no other its month: `born on 3 May 1990`."""
_UNITS = f"(?P<unit>{UNIT}|{DAY_PARTS}|{WEEKDAY})s?"
_OFFSET = re.compile(
    rf"\b(?<!how )(?<!for )(?:the (?={_UNITS.replace('?P<unit>', '?:')} )|{COUNT} ){_UNITS} "
    r"(?:just |right )?(?P<way>before|prior to|after|following|from) (?:the )?$",
    re.IGNORECASE,
)
_OF = re.compile(rf"\b(?:the )?(?P<unit>day|weekend|week|month|{DAY_PARTS}) of (?:the )?$", re.IGNORECASE)
_OPENER = re.compile(
    r"\b(?:(?P<since>(?:ever )?since)|(?P<until>until|till|up to|up until)|(?P<before>before|prior to)|(?P<after>after))"
    r" (?:(?:about|around|at least|the) )*$",
    re.IGNORECASE,
)
_CLOSE = re.compile(r"\b(?:just|right|shortly|soon|immediately|straight|day|morning|night) $", re.IGNORECASE)
"""Words that make `before` and `after` near instead of open-ended."""


def join(text: str, expressions: list[Expression]) -> list[Expression]:
    """All of it, from the inside out."""
    for step in (_referring, _clocked, _elliptic, _offset, _ranges, _opened):
        expressions = step(text, expressions)
    return expressions


def _referring(text: str, expressions: list[Expression]) -> list[Expression]:
    """With days by their number alone placed beside the last day that has a month: `27 June or the 4th. We take the 27th`."""
    found = list(expressions)
    base: Expression | None = None
    for i, e in enumerate(found):
        bare = _ALONE.fullmatch(e.text) if e.day else None
        if bare is not None and base is not None:
            found[i] = replace(e, place=partial(_referred, base.place, int(bare["d"]), e.place))
        elif e.day and _MONTH_NAMED.search(e.text):
            base = e
    return found


def _referred(base: Place, number: int, alone: Place, frame: ResolutionContext) -> Interval | None:
    """The day of that number nearest to another; by itself where that is long past or to come, or on the other side of the saying."""
    near = base(frame)
    if near is None:
        return alone(frame)
    far, ahead = abs(near.start - frame.now) > NEAR_SAYING, near.end > frame.now
    if near.start.day == number and (ahead or not far):
        return near
    if far or ahead is not bool(frame.future):
        return alone(frame)
    months = (shift(near.start, "month", step) for step in (-1, 0, 1))
    days = (day(m.start.replace(day=number)) for m in months if number <= (m.end - m.start).days)
    return min(days, key=lambda d: abs(d.start - near.start))


def _clocked(text: str, expressions: list[Expression]) -> list[Expression]:
    """Combined with an adjacent time of day: `3 pm tomorrow`, `May 8 at noon`."""
    clocks = list(CLOCK.finditer(text)) if expressions else []
    found = list(expressions)
    for i, e in enumerate(found):
        for m in clocks if e.day else ():
            before, after = text[m.end() : e.start], text[e.end : m.start()]
            if (m.end() <= e.start and before in _GLUE) or (e.end <= m.start() and after in _GLUE):
                start, end = min(m.start(), e.start), max(m.end(), e.end)
                found[i] = Expression(
                    start, end, text[start:end], partial(_at, m.groupdict(), _day_part(text[start:end], m), e.place)
                )
    return found


def _day_part(said: str, clock: re.Match[str]) -> str:
    """The part of the day that goes with an hour: `Friday evening at 8`, `8 in the morning`."""
    part = clock["in"] or next((p for p in DAY_PARTS.split("|") if re.search(rf"\b{p}\b", said, re.IGNORECASE)), "")
    return part.lower() or ("night" if re.search(r"\btonight\b", said, re.IGNORECASE) else "")


def _at(groups: Groups, part: str, place: Place, frame: ResolutionContext) -> Interval | None:
    day = place(frame)
    return clock_on(groups, part, day) if day else None


def _elliptic(text: str, expressions: list[Expression]) -> list[Expression]:
    """With the days that share a month: `3, 4 and 5 June`, `Sat 10 and Sun 11 May`, `the 15th and 16th`, `June 3-7`."""
    found: list[Expression] = []
    for e in expressions:
        head = e if e.day and _DATED.match(e.text) else None
        earlier: list[Expression] = []
        listed = False
        while head is not None and (m := _EARLIER.search(text, max(0, head.start - _LOOK_BACK), head.start)):
            if m["link"].strip() == "," and not listed:
                break
            listed = listed or "and" in m["link"] or "or" in m["link"] or "&" in m["link"]
            in_row = m["link"].strip() in (",", "and", "or", "&", "/")
            head = _sibling(text, m.start("own"), m.end("own"), e, int(m["d"]), before=None if in_row else True)
            earlier.insert(0, head)
        while found and earlier and found[-1].end > earlier[0].start:
            found.pop()
        found += [*earlier, e]
        while e.day and _NUMBERED.search(e.text) and (m := _LATER.match(text, e.end)):
            if e.text[-1].isalpha() and not m["suffix"]:
                break
            e = _sibling(text, m.start("own"), m.end("own"), e, int(m["d"]), before=False)
            if any(e.start < other.end and other.start < e.end for other in expressions):
                break
            found.append(e)
    return found


def _sibling(text: str, start: int, end: int, base: Expression, number: int, before: bool | None) -> Expression:
    return Expression(start, end, text[start:end], partial(_beside, base.place, number, before), day=True)


def _beside(place: Place, number: int, before: bool | None, frame: ResolutionContext) -> Interval | None:
    """The day of that number in another's month; for the end of a range the nearest before or behind it."""
    base = place(frame)
    if base is None:
        return None
    step = 0 if before is None or (number < base.start.day) == before else -1 if before else 1
    return day(shift(base.start, "month", step).start.replace(day=number))


def _offset(text: str, expressions: list[Expression]) -> list[Expression]:
    """Combined with an offset: `two days before Christmas`, `the Friday after Easter`, `the week of 5 May`."""
    found: list[Expression] = []
    for e in expressions:
        floor = max(0, e.start - _LOOK_BACK)
        if (opener := _OFFSET.search(text, floor, e.start)) and (e.day or opener["way"].lower() != "from"):
            place, exact = offset, offset_point
        else:
            opener, place, exact = _OF.search(text, floor, e.start), unit_of, None
            opener = opener if opener and (e.day or opener["unit"].lower() == "month") else None
        # The weekday of "the Friday after Easter" was found as a time of its own.
        if opener and found and opener.start() <= found[-1].start:
            found.pop()
        if opener and (not found or opener.start() >= found[-1].end):
            e = _from_base(text, opener, e, place, exact)
        found.append(e)
    return found


def _from_base(
    text: str,
    opener: re.Match[str],
    base: Expression,
    place: Callable[[Groups, Interval], Interval],
    exact: Callable[[Groups, Interval], datetime | None] | None,
) -> Expression:
    groups = opener.groupdict()
    return Expression(
        opener.start(),
        base.end,
        text[opener.start() : base.end],
        partial(_relative, place, groups, base.place),
        day=text_of(groups, "unit") not in ("weekend", "week", "fortnight", "month", "year", "decade", "century"),
        exact=partial(_relative, exact, groups, base.place) if exact else None,
    )


def _relative(
    make: Callable[[Groups, Interval], _T], groups: Groups, base: Place, frame: ResolutionContext
) -> _T | None:
    there = base(ResolutionContext(frame.now, True) if groups.get("way") == "from" else frame)
    return make(groups, there) if there else None


def _ranges(text: str, expressions: list[Expression]) -> list[Expression]:
    """With two ends made one: `from May to July`, `between 2010 and 2015`."""
    found: list[Expression] = []
    for e in expressions:
        if found and _TO.fullmatch(text, found[-1].end, e.start):
            opener = _FROM.search(text, max(0, found[-1].start - _LOOK_BACK), found[-1].start)
            start = opener.start() if opener else found[-1].start
            listed = text[found[-1].end : e.start].strip().lower().startswith("and")
            changed = MOVED.search(text, max(0, start - _LOOK_BACK), start)
            named = opener is not None or found[-1].day == e.day
            if (opener and opener.group().lower().startswith("between")) if listed else named and not changed:
                first = found.pop()
                e = Expression(start, e.end, text[start : e.end], partial(_between, first.place, e.place))
        found.append(e)
    return found


def _between(first: Place, last: Place, frame: ResolutionContext) -> Interval | None:
    end = last(frame)
    start = first(ResolutionContext(end.start, False)) if end else None
    return Interval(start.start, end.end, Grain.SPAN) if start and end else None


def _opened(text: str, expressions: list[Expression]) -> list[Expression]:
    """With the preposition that opens it: `since 2016` and `until Friday` are spans; `before May` only knows its limit."""
    found = []
    for e in expressions:
        opener = _OPENER.search(text, max(0, e.start - _LOOK_BACK), e.start)
        if opener is not None and opener.lastgroup in ("since", "until"):
            bound: Bound = "since" if opener.lastgroup == "since" else "until"
            place = partial(_since if bound == "since" else _until, e.place)
            start = opener.start()
            e = Expression(start, e.end, text[start : e.end], place, bound=bound)
        elif opener is not None and not _CLOSE.search(text, max(0, opener.start() - _LOOK_BACK), opener.start()):
            e = replace(e, bound="before" if opener.lastgroup == "before" else "after")
        found.append(e)
    return found


def _since(place: Place, frame: ResolutionContext) -> Interval | None:
    start = place(ResolutionContext(frame.now, False))
    return Interval(start.start, day(frame.now).end, Grain.SPAN) if start else None


def _until(place: Place, frame: ResolutionContext) -> Interval | None:
    end = place(ResolutionContext(frame.now, frame.future is not False))
    return Interval(min(day(frame.now).start, end.start), end.end, Grain.SPAN) if end else None
