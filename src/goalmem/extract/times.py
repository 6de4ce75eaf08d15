"""When: expressions of time in text, resolved against the day they were said.

Two steps: `scan` finds expressions, `Expression.resolve` places one on the calendar, so that the extractor can scan once
and resolve with the tense of the clause. Each construction is one row of `times_grammar.RULES`: a pattern and how to
place it; clock times, ranges and open spans are put together from those. Explicit dates, relative dates, parts of periods, holidays, and open and closed spans are covered; expressions
relative to another event ("the day after the party"), and repeated ones ("every Friday") are not times here.

Conventions where English is vague: "last Friday" is the latest Friday before the day itself; "next Friday" is the one of
the next week (ISO weeks); "two weeks ago" is the whole week around that day; "a few" is two to five.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from goalmem.extract.calendar import day
from goalmem.extract.times_grammar import CLOCK, DAYS, RULES
from goalmem.extract.times_placing import Frame, clock_on
from goalmem.extract.times_words import TRIGGER
from goalmem.logic.interval import Grain, Interval

__all__ = ["Expression", "TimeMention", "find_times", "scan"]

_GLUE = (" ", ", ", " on ", ", on ", " at ", ", at ", " around ", " about ")
_LOOK_BACK = 24
"""Longest opener ("ever since about the") with room to spare."""
_FROM = re.compile(r"\b(?:from|between) (?:the )?$", re.IGNORECASE)
_TO = re.compile(r" (?:to|until|till|through|and|-|–) (?:the )?", re.IGNORECASE)
_OPENER = re.compile(r"\b(?:ever )?(since|until|till|up to) (?:about |around |at least |the )*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TimeMention:
    """An expression of time in a text: `text[start:end]`, and when it is."""

    start: int
    end: int
    text: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of time, not yet placed on the calendar."""

    start: int
    end: int
    text: str
    place: Callable[[Frame], Interval | None]
    day: bool = False
    """Whether it names a single day."""

    def resolve(self, anchor: datetime, future: bool | None = None) -> Interval | None:
        """When this is, said at `anchor` (its wall-clock time); None when there is no such time (30 February, year 0).

        `future` is the tense: True looks ahead for what can lie on either side ("in March", "on Friday"), False and
        None look back.
        """
        try:
            return self.place(Frame(anchor.replace(tzinfo=None), future))
        except (ValueError, OverflowError, IndexError, StopIteration):
            return None


def scan(text: str) -> list[Expression]:
    """The expressions of time in a text, in order, without overlap; of two that overlap the longer one stays."""
    if not TRIGGER.search(text):
        return []
    text = text.replace("’", "'")
    found = [
        Expression(m.start(), m.end(), m.group(), partial(rule.place, m.groupdict()), rule in DAYS)
        for rule in RULES
        for m in rule.pattern.finditer(text)
    ]
    kept: list[Expression] = []
    end = -1
    for e in sorted(_longest(found), key=lambda e: e.start):
        if e.start >= end:
            kept.append(e)
            end = e.end
    return _opened(text, _ranges(text, _clocked(text, kept)))


def _longest(found: list[Expression]) -> list[Expression]:
    """Without those that a longer overlapping one replaces; the overlaps are local, so one sweep in order suffices."""
    best: list[Expression] = []
    for e in sorted(found, key=lambda e: (e.start, -e.end)):
        if best and e.start < best[-1].end:
            if e.end - e.start > best[-1].end - best[-1].start:
                best[-1] = e
            continue
        best.append(e)
    return best


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


def _at(groups: dict[str, str | None], place: Callable[[Frame], Interval | None], frame: Frame) -> Interval | None:
    day = place(frame)
    return clock_on(groups, day) if day else None


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


def _between(
    first: Callable[[Frame], Interval | None], last: Callable[[Frame], Interval | None], frame: Frame
) -> Interval | None:
    end = last(frame)
    start = first(Frame(end.start, False)) if end else None
    return Interval(start.start, end.end, Grain.SPAN) if start and end else None


def _opened(text: str, expressions: list[Expression]) -> list[Expression]:
    """With the preposition that opens a span: `since 2016`, `until Friday`."""
    found = []
    for e in expressions:
        opener = _OPENER.search(text, max(0, e.start - _LOOK_BACK), e.start)
        if opener:
            place = partial(_since if opener.group(1).lower() == "since" else _until, e.place)
            start = opener.start()
            e = Expression(start, e.end, text[start : e.end], place)
        found.append(e)
    return found


def _since(place: Callable[[Frame], Interval | None], frame: Frame) -> Interval | None:
    start = place(Frame(frame.now, False))
    return Interval(start.start, day(frame.now).end, Grain.SPAN) if start else None


def _until(place: Callable[[Frame], Interval | None], frame: Frame) -> Interval | None:
    end = place(Frame(frame.now, frame.future is not False))
    return Interval(min(day(frame.now).start, end.start), end.end, Grain.SPAN) if end else None


def find_times(text: str, anchor: datetime, future: bool | None = None) -> list[TimeMention]:
    """The times that a text said at `anchor` speaks of, in order (see `Expression.resolve` for `future`). Never raises."""
    found = ((e, e.resolve(anchor, future)) for e in scan(text))
    return [
        TimeMention(e.start, e.end, text[e.start : e.end], interval) for e, interval in found if interval is not None
    ]
