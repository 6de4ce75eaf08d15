"""The times that a question names, and how near turns are to them.

Calendar expressions ("the Friday two weeks ago") are read by `language.times`; a vector cannot compute them (Retaining, "temporal date
arithmetic"). A named time is a window, with a point in it if it was counted to; a limit ("before March") only excludes. Words of order
("first", "most recently") name no time; `order_scores` ranks the turns on the topic.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goalmem.logic.interval import Grain, Interval

Floats = NDArray[np.float32]
Ordering = Literal["first", "last", "order"]

DAY = 86_400.0
"""Seconds."""
EDGE = 0.5
"""Nearness at the edge of a window with a point: a count of weeks is usually exact to a day or two, but may be rounded."""
POINT_SHARE = 0.25
"""Distance from the point, as a share of the window's length, over which the rest of nearness falls to 1/e: two days for weeks, a week for
months, a quarter for years. People count less exactly the longer ago it is."""
REACH = 12.0
"""Multiples of the fall-off beyond which nearness is zero (e ** -12 is below float16's resolution at 1)."""
ON_TOPIC = 0.8
"""Share of the best topical score from which a row is on the topic: only these are ordered."""
HALF_WEEK = timedelta(days=3)
"""Rounding of a count of whole weeks, to each side."""
BLOCK = 1 << 15
"""Rows processed at a time, so that temporary arrays fit a core's cache."""
LEAST_CANDIDATES = 2
"""One row has no order."""


@dataclass(frozen=True, slots=True)
class Window:
    """A time that a question names: `[start, end)`, naive wall-clock."""

    start: datetime
    end: datetime
    point: datetime | None = None
    """The moment counted to, if the window is the whole unit around it ("two weeks ago")."""
    precise: bool = False
    """True if it names a day (or a minute of one), rather than a week, a month or a vague count."""
    ahead: bool = False
    """True if it is in the future of the question ("tonight", without a word of the past): this does not say when it was mentioned."""


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """The times in a question."""

    windows: tuple[Window, ...] = ()
    after: datetime | None = None
    """Excludes moments before this one ("since June", "after Christmas")."""
    before: datetime | None = None
    """Excludes this moment and later ones ("before March", "so far")."""
    ordering: Ordering | None = None


_SO_FAR = re.compile(r"\b(?:so far|to date|until now|till? now|up to now|by now|thus far)\b", re.IGNORECASE)
_FUTURE = re.compile(r"\b(?:will|'ll|won't|shall|going to|upcoming|gonna)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:did|didn't|was|wasn't|were|weren't|had|hadn't|have|haven't|has|hasn't)\b", re.IGNORECASE)

_SUBJECT = r"(?:(?i:i|we|you|he|she|it|they)|(?!What|Which|When|Where|Who|How|The|My|Our|Your|On|At|In)[A-Z][a-z]+)"
_ORDER = re.compile(
    r"\b(?:in (?:what|which) order|(?:the|what|which) (?:order|sequence|timeline) (?:of|in which)|chronological(?:ly)?"
    r"|from (?:the )?(?:earliest|first|oldest|latest|newest|most recent) to|before or after|after or before"
    r"|first,? (?:and )?second|(?:first|last|earlier|later|sooner|earliest|latest|(?:more|most) recently)\b[^.?!]*\bor\b"
    r"|^(?:did|was|were|had|have)\b[^.?!]*\b(?:before|after))\b",
    re.IGNORECASE,
)
"""Words that compare several times, all of which are needed."""
_FIRST = re.compile(
    rf"\b(?:(?i:earliest|oldest|(?:the|my|our|your) (?:very )?first time)|{_SUBJECT} (?:very )?first [a-z]+"
    r"|(?i:first)(?=\s*(?:[,;.?!]|$)))"
)
_LAST = re.compile(
    rf"\b(?:(?i:latest|newest|most recent(?:ly)?|(?:the|my|our|your) (?:very )?last time)|{_SUBJECT} last [a-z]+"
    r"|(?i:last)(?=\s*(?:[,;.?!]|$)))"
)


def read_question_times(text: str, anchor: datetime) -> QuestionTimes:
    """Read the times, limits and words of order in a question asked at `anchor`, as naive wall-clock time. Never raises.

    If the analysis of times is not installed, only words of order are read.
    """
    anchor = anchor.replace(tzinfo=None)
    try:
        from goalmem.language.times import find_times
    except ImportError:
        return QuestionTimes(ordering=_ordering(text, ()))
    past = _PAST.search(text) is not None
    found = find_times(text, anchor, future=True if _FUTURE.search(text) and not past else None)
    windows: list[Window] = []
    after: list[datetime] = []
    before: list[datetime] = [_day_end(anchor)] if _SO_FAR.search(text) else []
    for time in found:
        match time.bound:
            case "since":
                after.append(time.interval.start)
            case "after":
                after.append(time.interval.end)
            case "before":
                before.append(time.interval.start)
            case "until":
                before.append(time.interval.end)
            case None:
                windows.append(_window(time.interval, time.point, anchor, past=past))
    lower, upper = max(after, default=None), min(before, default=None)
    if lower is not None and upper is not None and lower >= upper:
        lower = upper = None
    spans = tuple((time.start, time.end) for time in found)
    return QuestionTimes(tuple(dict.fromkeys(windows)), lower, upper, _ordering(text, spans))


def _window(interval: Interval, point: datetime | None, anchor: datetime, *, past: bool) -> Window:
    """The window for a named time: a week counted to extends half a week around its point, regardless of its Monday."""
    start, end = interval.start, interval.end
    if point is not None and interval.grain is Grain.WEEK:
        with suppress(OverflowError):  # the calendar may end within the week
            start, end = min(start, _day_start(point - HALF_WEEK)), max(end, _day_end(point + HALF_WEEK))
    precise = interval.grain in (Grain.DAY, Grain.MINUTE)
    return Window(start, end, point, precise, ahead=not past and start >= _day_start(anchor))


def _day_start(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _day_end(moment: datetime) -> datetime:
    return moment.replace(hour=23, minute=59, second=59, microsecond=999_999)


def _ordering(text: str, times: tuple[tuple[int, int], ...]) -> Ordering | None:
    """The words of order outside of times ("last Friday")."""
    for start, end in times:
        text = text[:start] + "·" * (end - start) + text[end:]
    if _ORDER.search(text):
        return "order"
    if _FIRST.search(text):
        return "first"
    return "last" if _LAST.search(text) else None


def nearness(
    times: QuestionTimes, at: NDArray[np.float64], *, days_after: float, days_before: float, events: bool = False
) -> Floats:
    """Nearness of each row to a time in the question, of shape (rows,), within [0, 1].

    `at`: Unix seconds of wall-clock time read as UTC, of shape (rows,). Nearness is 1 in a window (with a point, it falls from 1 at the
    point's day to EDGE), and falls outside to 1/e over `days_after` days after it and `days_before` before it: people tell of something
    soon after it, or just before. It is scaled by its information, like an idf: a time that includes most of a memory says little. Rows
    beyond a limit get 0; a limit alone gives nothing. Set `events` if `at` is the time of events rather than of turns: only then do future
    windows count.
    """
    scores = np.zeros(len(at), dtype=np.float32)
    if not len(at):
        return scores
    windows = [window for window in times.windows if events or not window.ahead]
    for window in windows:
        near = _near(window, at, days_after, days_before)
        share = max(float(near.mean(dtype=np.float64)), 1 / len(at))
        near *= np.float32(-np.log(share) / np.log(max(len(at), 2)))
        np.maximum(scores, near, out=scores)
    if windows and times.after is not None:
        scores[at < _seconds(times.after)] = 0
    if windows and times.before is not None:
        scores[at >= _seconds(times.before)] = 0
    return scores


def _near(window: Window, at: NDArray[np.float64], days_after: float, days_before: float) -> Floats:
    """Nearness of each row to one window, without the scale of information."""
    start, end = _seconds(window.start), _seconds(window.end)
    spread = POINT_SHARE * (end - start) / DAY if window.point is not None and not window.precise else 0.0
    low = start - REACH * DAY * max(days_before, spread)
    high = end + REACH * DAY * max(days_after, spread)
    near = np.zeros(len(at), dtype=np.float32)
    for first in range(0, len(at), BLOCK):
        rows = slice(first, first + BLOCK)
        reached = np.flatnonzero((at[rows] > low) & (at[rows] < high))
        if len(reached):
            days = ((at[rows][reached] - start) / DAY).astype(np.float32)
            near[rows][reached] = _fall_off(days, window, spread, days_after, days_before)
    return near


def _fall_off(days: Floats, window: Window, spread: float, days_after: float, days_before: float) -> Floats:
    """Nearness by days since the start of the window; `spread` is that of its point in days, 0 without one."""
    length = np.float32((window.end - window.start) / timedelta(days=1))
    late, early = np.maximum(days - length, 0), np.maximum(-days, 0)
    near: Floats = np.exp(-late / np.float32(days_after) - early / np.float32(days_before))
    if spread and window.point is not None:
        # From the day of the point: the hour of the question says nothing about the hour of the event.
        noon = window.point.replace(hour=12, minute=0, second=0, microsecond=0)
        away = np.maximum(np.abs(days - np.float32((noon - window.start) / timedelta(days=1))) - np.float32(0.5), 0)
        near = np.float32(EDGE) * near + np.float32(1 - EDGE) * np.exp(-away / np.float32(spread))
    return near


def order_scores(ordering: Ordering | None, at: NDArray[np.float64], topical: Floats) -> Floats:
    """The first or last of the rows on the topic, of shape (rows,), within [0, 1].

    On the topic are rows with at least ON_TOPIC of the best `topical` score. The row at the requested end of time gets its share of the
    best score, the next moment half as much, and so on; rows of one moment share it. A question that compares several times ("order") needs
    all of them: the scores are zeros, as without an order.
    """
    scores = np.zeros(len(at), dtype=np.float32)
    best = float(topical.max(initial=0.0))
    if ordering not in ("first", "last") or best <= 0:
        return scores
    rows = np.flatnonzero(topical >= ON_TOPIC * best)
    moments, place = np.unique(at[rows], return_inverse=True)
    if len(moments) < LEAST_CANDIDATES:
        return scores
    from_end = place if ordering == "first" else len(moments) - 1 - place
    scores[rows] = np.ldexp(topical[rows] / np.float32(best), -from_end)
    return scores


def _seconds(moment: datetime) -> float:
    """Unix seconds of a naive wall-clock time read as UTC."""
    return (moment - datetime(1970, 1, 1)) / timedelta(seconds=1)
