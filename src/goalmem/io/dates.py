"""Parses the various date formats in chat files."""

from __future__ import annotations

import math
import re
import warnings
from datetime import UTC, datetime

WEEKDAY_IN_BRACKETS = re.compile(r"\s*\((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\)", re.IGNORECASE)
"""As in LongMemEval's `2023/05/30 (Tue) 04:18`."""
UNIX_TIME = re.compile(r"-?\d{9,13}(?:\.\d+)?\Z")
MILLISECONDS_FROM = 1e11
"""Unix times above this are milliseconds: as seconds they would lie after the year 5138."""
LONGEST = 64
"""Maximum characters of a date."""
PROBES = (datetime(2000, 1, 1), datetime(2003, 2, 2))
"""A date that leaves year, month or day open takes it from the default: two defaults then disagree."""


def read_moment(value: object, *, day_first: bool = False) -> datetime | None:
    """Parse ISO 8601, Unix seconds or milliseconds, or a date in common notation; None if it is none.

    A result without a zone is naive. A date without a time is its midnight. `day_first` decides 03/04/2024; a date
    with dots (3.4.2024) always has the day first.
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_unix(float(value))
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        return None
    text = WEEKDAY_IN_BRACKETS.sub("", value.strip())
    if UNIX_TIME.match(text):
        return _from_unix(float(text))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _as_written(text, day_first=day_first or bool(re.match(r"\d{1,2}\.\d{1,2}\.", text)))


def _from_unix(seconds: float) -> datetime | None:
    if not math.isfinite(seconds):
        return None
    try:
        return datetime.fromtimestamp(seconds / 1000 if abs(seconds) >= MILLISECONDS_FROM else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _as_written(text: str, *, day_first: bool) -> datetime | None:
    """A complete date in words or numbers, in English."""
    if not re.search(r"\d", text):
        return None
    from dateutil.parser import ParserError, UnknownTimezoneWarning, parse

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UnknownTimezoneWarning)
            first, second = (parse(text, default=default, dayfirst=day_first) for default in PROBES)
    except (ParserError, OverflowError, UnknownTimezoneWarning):
        return None
    return first if first == second else None
