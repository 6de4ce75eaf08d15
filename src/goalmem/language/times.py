"""Expressions of time in text, resolved against the day they were said.

Two steps: `scan` finds expressions, `Expression.resolve` places one on the calendar, so that the extractor can scan once
and resolve with the tense of the clause. Each construction is one row of `times_grammar.RULES`: a pattern and how to
place it; clock times, ranges, offsets and open spans are put together from those (`times_joining`). Explicit dates,
relative dates, parts of periods, holidays, and open and closed spans are covered; expressions relative to another event
("the day after the party"), repeated ones ("every Friday"), names ("my sister April"), kinds made with a weekday ("Sunday mass") and what a question asks for ("how many days ago") are not times here.

Conventions where English is vague: "last Friday" is the latest Friday before the day itself; "next Friday" is the one of
the next week (ISO weeks); "two weeks ago" is the whole week around that day, whose `point` is the day itself; "the Friday
two weeks ago" is the Friday nearest to that day; "a few" is two to five; "5/6" has the month first and "5.6." the day,
unless a weekday says else. On which side of the day of saying a time lies that may lie on either is told by `tense`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from goalmem.language.times_context import Bound, Expression, join
from goalmem.language.times_grammar import DAYS, NO_TIMES, RULES, TimeRule
from goalmem.language.times_names import calendar_names
from goalmem.language.times_words import TRIGGER
from goalmem.logic.interval import Interval

__all__ = ["Expression", "TimeMention", "find_times", "mention", "scan"]


@dataclass(frozen=True, slots=True)
class TimeMention:
    """An expression of time in a text: `text[start:end]`, and when it is."""

    start: int
    end: int
    text: str
    interval: Interval
    point: datetime | None = None
    """The moment counted to, where the interval is the whole unit around it (`two weeks ago`)."""
    bound: Bound | None = None
    """Set where the text names only a limit (`before March`): the interval is then that limit (see `Expression.resolve`)."""


def scan(text: str) -> list[Expression]:
    """The expressions of time in a text, in order, without overlap; of two that overlap the longer one stays."""
    if not TRIGGER.search(text):
        return []
    text = text.replace("’", "'")
    found = [(m.start(), m.end(), rule, m.groupdict()) for rule in RULES for m in rule.matches(text)]
    for start, end in calendar_names(text):
        found = [match for match in found if match[1] <= start or end <= match[0]]
    return join(
        text,
        [
            Expression(
                start,
                end,
                text[start:end],
                partial(rule.place, groups),
                day=rule in DAYS,
                exact=partial(rule.exact, groups) if rule.exact else None,
            )
            for start, end, rule, groups in _longest(found)
            if rule not in NO_TIMES
        ],
    )


_Match = tuple[int, int, TimeRule, dict[str, str | None]]


def _longest(found: list[_Match]) -> list[_Match]:
    """Without those that a longer overlapping one replaces, in order; the overlaps are local, so one sweep suffices."""
    best: list[_Match] = []
    for match in sorted(found, key=lambda m: (m[0], -m[1])):
        start, end = match[:2]
        if best and start < best[-1][1]:
            if end - start > best[-1][1] - best[-1][0]:
                best[-1] = match
            continue
        best.append(match)
    kept: list[_Match] = []
    for match in sorted(best, key=lambda m: m[0]):
        if not kept or match[0] >= kept[-1][1]:
            kept.append(match)
    return kept


def find_times(text: str, anchor: datetime, future: bool | None = None) -> list[TimeMention]:
    """The times mentioned in a text said at `anchor`, in order (see `Expression.resolve` for `future`). Never raises."""
    found = (mention(text, e, anchor, future) for e in scan(text))
    return [m for m in found if m is not None]


def mention(text: str, expression: Expression, anchor: datetime, future: bool | None) -> TimeMention | None:
    """An expression resolved on the calendar; None if there is no such time."""
    interval = expression.resolve(anchor, future)
    if interval is None:
        return None
    start, end = expression.start, expression.end
    return TimeMention(start, end, text[start:end], interval, expression.point(anchor, future), expression.bound)
