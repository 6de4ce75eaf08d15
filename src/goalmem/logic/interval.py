"""When something happens: a half-open interval of wall-clock time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Grain(StrEnum):
    """How precisely an interval is known."""

    MINUTE = "minute"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    SPAN = "span"


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """`[start, end)` in naive wall-clock time of the conversation, with its grain.

    Two intervals are ordered only when they do not overlap (`before`, `after`); what overlaps is not decided.
    """

    start: datetime
    end: datetime
    grain: Grain = Grain.DAY

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError(f"an interval must end after it starts: {self.start} .. {self.end}")

    def before(self, other: Interval) -> bool:
        """True when all of this lies before all of `other`."""
        return self.end <= other.start

    def after(self, other: Interval) -> bool:
        """True when all of this lies after all of `other`."""
        return other.end <= self.start

    def overlaps(self, other: Interval) -> bool:
        """True when the two share a moment."""
        return self.start < other.end and other.start < self.end

    def within(self, other: Interval) -> bool:
        """True when all of this lies inside `other`."""
        return other.start <= self.start and self.end <= other.end

    def __str__(self) -> str:
        day = self.start
        match self.grain:
            case Grain.MINUTE:
                return f"{day.day} {day:%B %Y, %H:%M}"
            case Grain.DAY:
                return f"{day.day} {day:%B %Y}"
            case Grain.WEEK:
                return f"the week of {day.day} {day:%B %Y}"
            case Grain.MONTH:
                return f"{day:%B %Y}"
            case Grain.SEASON:
                names = ("winter", "spring", "summer", "autumn")
                return f"{names[day.month % 12 // 3]} {(self.end - timedelta(days=1)).year}"
            case Grain.YEAR:
                return f"{day.year}"
            case Grain.SPAN:
                last = self.end - timedelta(seconds=1)
                return f"{day.day} {day:%B %Y} to {last.day} {last:%B %Y}"
