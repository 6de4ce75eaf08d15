"""What surrounds an expression of time and belongs to it: a clock time, the other end of a range, a preposition.

Each function takes the expressions of a text, in order and without overlap, and returns them with theirs joined on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from goalmem.extract.calendar import day
from goalmem.extract.times_expression import Bound, Expression, Place
from goalmem.extract.times_grammar import CLOCK
from goalmem.extract.times_offset import offset, offset_point, unit_of
from goalmem.extract.times_placing import Frame, clock_on
from goalmem.extract.times_words import COUNT, DAY_PARTS, UNIT, WEEKDAY, Groups, text_of
from goalmem.logic.interval import Grain, Interval

__all__ = ["join"]

_T = TypeVar("_T")
_GLUE = (" ", ", ", " on ", ", on ", " at ", ", at ", " around ", " about ")
_LOOK_BACK = 48
"""Characters before an expression in which its opener lies ("in about twenty-five long weekends prior to the")."""
_FROM = re.compile(r"\b(?:from|between) (?:the )?$", re.IGNORECASE)
_TO = re.compile(r" (?:to|until|till|through|and|-|–) (?:the )?", re.IGNORECASE)
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
"""What makes `before` and `after` near to the time instead of open-ended."""


def join(text: str, expressions: list[Expression]) -> list[Expression]:
    """All of it, from the inside out."""
    for step in (_clocked, _offset, _ranges, _opened):
        expressions = step(text, expressions)
    return expressions


def _clocked(text: str, expressions: list[Expression]) -> list[Expression]:
    """With the time of day beside a day made part of it: `3 pm tomorrow`, `May 8 at noon`."""
    clocks = list(CLOCK.finditer(text)) if expressions else []
    found = list(expressions)
    for i, e in enumerate(found):
        for m in clocks if e.day else ():
            before, after = text[m.end() : e.start], text[e.end : m.start()]
            if (m.end() <= e.start and before in _GLUE) or (e.end <= m.start() and after in _GLUE):
                start, end = min(m.start(), e.start), max(m.end(), e.end)
                found[i] = Expression(start, end, text[start:end], partial(_at, m.groupdict(), e.place))
    return found


def _at(groups: Groups, place: Place, frame: Frame) -> Interval | None:
    day = place(frame)
    return clock_on(groups, day) if day else None


def _offset(text: str, expressions: list[Expression]) -> list[Expression]:
    """With what is counted from it: `two days before Christmas`, `the Friday after Easter`, `the week of 5 May`."""
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


def _relative(make: Callable[[Groups, Interval], _T], groups: Groups, base: Place, frame: Frame) -> _T | None:
    there = base(Frame(frame.now, True) if groups.get("way") == "from" else frame)
    return make(groups, there) if there else None


def _ranges(text: str, expressions: list[Expression]) -> list[Expression]:
    """With two ends made one: `from May to July`, `between 2010 and 2015`."""
    found: list[Expression] = []
    for e in expressions:
        if found and _TO.fullmatch(text, found[-1].end, e.start):
            opener = _FROM.search(text, max(0, found[-1].start - _LOOK_BACK), found[-1].start)
            if opener:
                first = found.pop()
                start = opener.start()
                e = Expression(start, e.end, text[start : e.end], partial(_between, first.place, e.place))
        found.append(e)
    return found


def _between(first: Place, last: Place, frame: Frame) -> Interval | None:
    end = last(frame)
    start = first(Frame(end.start, False)) if end else None
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


def _since(place: Place, frame: Frame) -> Interval | None:
    start = place(Frame(frame.now, False))
    return Interval(start.start, day(frame.now).end, Grain.SPAN) if start else None


def _until(place: Place, frame: Frame) -> Interval | None:
    end = place(Frame(frame.now, frame.future is not False))
    return Interval(min(day(frame.now).start, end.start), end.end, Grain.SPAN) if end else None
