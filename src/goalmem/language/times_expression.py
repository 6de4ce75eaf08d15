"""An expression of time as it was found: where it stands, how it is placed, which open side it bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from goalmem.language.times_resolution import Frame
from goalmem.logic.interval import Interval

__all__ = ["Bound", "Expression", "Place"]

Place = Callable[[Frame], Interval | None]
"""Where something lies; may raise ValueError, OverflowError, IndexError or StopIteration when there is no such time."""

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
    """Whether it names a single day."""
    bound: Bound | None = None
    """The preposition that makes it the limit of an open-ended time."""
    exact: Callable[[Frame], datetime | None] | None = None
    """The moment that is counted to, where the interval is the whole unit around it (`two weeks ago`)."""

    def resolve(self, anchor: datetime, future: bool | None = None) -> Interval | None:
        """When this is, said at `anchor` (its wall-clock time); None when there is no such time (30 February, year 0).

        `future` is the tense: True looks ahead for what can lie on either side ("in March", "on Friday"), False and
        None look back. An open-ended time is resolved too: `since May` up to the day of the anchor, `until May` from
        it, `before May` and `after May` as May itself.
        """
        try:
            return self.place(Frame(anchor.replace(tzinfo=None), future))
        except _NO_SUCH_TIME:
            return None

    def point(self, anchor: datetime, future: bool | None = None) -> datetime | None:
        """The moment that is counted to (`two weeks ago`: fourteen days before `anchor`); None where nothing is counted."""
        if self.exact is None:
            return None
        try:
            return self.exact(Frame(anchor.replace(tzinfo=None), future))
        except _NO_SUCH_TIME:
            return None
