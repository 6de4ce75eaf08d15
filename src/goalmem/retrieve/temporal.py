"""When: the times that a question names, and how near to them turns were said.

What the calendar knows ("the Friday two weeks ago") is read by `extract.times`; a vector cannot compute it (Retaining,
"temporal date arithmetic"). A time named is a window, with a point in it where one is counted to; a limit ("before
March") only excludes. Words of order ("first", "most recently") name no time; `order_scores` ranks what is on the topic.
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
"""Nearness at the edge of a window that has a point: a count of weeks is mostly meant to the day or two, but may be rounded."""
POINT_SHARE = 0.25
"""Distance from the point, as a share of the window's length, over which the rest of nearness falls to 1/e: two days for
weeks, a week for months, a quarter for years. People count coarser the longer ago it is."""
REACH = 12.0
"""Multiples of the fall-off beyond which nearness is nothing (e ** -12 is below float16's resolution at 1)."""
ON_TOPIC = 0.8
"""Share of the best topical score from which a row takes part in an order: the first of what was asked, not of all."""
HALF_WEEK = timedelta(days=3)
"""How far a count of whole weeks may be rounded to either side."""
BLOCK = 1 << 15
"""Rows worked on at a time: what is computed between fits a core's cache."""
LEAST_CANDIDATES = 2
"""One row has no order."""


@dataclass(frozen=True, slots=True)
class Window:
    """A time that a question names: `[start, end)`, naive wall-clock."""

    start: datetime
    end: datetime
    point: datetime | None = None
    """The moment counted to, where the window is the whole unit around it ("two weeks ago")."""
    precise: bool = False
    """Whether it names a day (or a minute of one), against a week, a month or a vague count."""
    ahead: bool = False
    """Whether it lies ahead of the question ("tonight", without a word of the past): when it was spoken of is not said."""


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """What a question says of when."""

    windows: tuple[Window, ...] = ()
    after: datetime | None = None
    """Nothing before this moment is meant ("since June", "after Christmas")."""
    before: datetime | None = None
    """Nothing from this moment on is meant ("before March", "so far")."""
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
"""What compares several times: all of them are needed, at whichever end they lie."""
_FIRST = re.compile(
    rf"\b(?:(?i:earliest|oldest|(?:the|my|our|your) (?:very )?first time)|{_SUBJECT} (?:very )?first [a-z]+"
    r"|(?i:first)(?=\s*(?:[,;.?!]|$)))"
)
_LAST = re.compile(
    rf"\b(?:(?i:latest|newest|most recent(?:ly)?|(?:the|my|our|your) (?:very )?last time)|{_SUBJECT} last [a-z]+"
    r"|(?i:last)(?=\s*(?:[,;.?!]|$)))"
)


def read_question_times(text: str, anchor: datetime) -> QuestionTimes:
    """The times, limits and words of order in a question asked at `anchor`, read as naive wall-clock time. Never raises.

    Where the analysis of times is not installed, only words of order are read.
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
    """A time named, as it is searched for: a week counted to reaches half a week around its point, whatever its Monday."""
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
    """What the words outside the times ("last Friday") say of order."""
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
    """How near each row lies to a time that the question names, of shape (rows,), within [0, 1].

    `at`: Unix seconds of wall-clock time read as UTC, of shape (rows,). In a window 1 (with a point: falling from 1 at
    its day to EDGE), outside falling to 1/e over `days_after` days after it and `days_before` before it: people tell of a
    thing soon after it, or just before. The whole is scaled by the information of being near, as an idf is: a time that
    holds most of a memory tells little. What lies beyond a limit gets 0; a limit alone gives nothing.
    Set `events` where `at` is when things happen, not when they were said: only then do windows ahead count.
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
    """How near each row lies to one window, before information."""
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
        # From the day of the point: the hour of asking says nothing of the hour of what is asked for.
        noon = window.point.replace(hour=12, minute=0, second=0, microsecond=0)
        away = np.maximum(np.abs(days - np.float32((noon - window.start) / timedelta(days=1))) - np.float32(0.5), 0)
        near = np.float32(EDGE) * near + np.float32(1 - EDGE) * np.exp(-away / np.float32(spread))
    return near


def order_scores(ordering: Ordering | None, at: NDArray[np.float64], topical: Floats) -> Floats:
    """Which rows on the topic come first, or last, of shape (rows,), within [0, 1].

    On the topic is what reaches ON_TOPIC of the best `topical` score. The row at the asked end of time gets its share of
    the best score, the next moment half as much, and so on; rows said at one moment stand together. A question that
    compares several times ("order") needs all of them and prefers none: zeros, as without an ordering.
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
