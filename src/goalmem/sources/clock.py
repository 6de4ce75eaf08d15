"""Hours of the day as values: what `what time` asks for, which is no date."""

from __future__ import annotations

import re

from goalmem.extract.times_words import CLOCK_TIME as HOUR

__all__ = ["clock_end", "clock_fit"]

CLOCK = re.compile(rf"\b{HOUR}|\bo['’]clock\b|\b(?:half|quarter) (?:past|to)\b", re.IGNORECASE)
DAY_PART = re.compile(r"\b(?:dawn|sunrise|morning|afternoon|evening|sunset|dusk|night|bedtime)\b", re.IGNORECASE)
HALF_OF_DAY = re.compile(r"\s?(?:[ap]\.?m\b\.?|o['’]clock\b)", re.IGNORECASE)
"""What belongs to an hour behind it."""
VAGUE = 0.5
"""What a part of the day is worth where an hour is asked for."""


def clock_fit(text: str) -> float:
    """How well words name an hour of the day, in [0, 1]: 0 for a date and for anything else."""
    if CLOCK.search(text):
        return 1.0
    return VAGUE if DAY_PART.search(text) else 0.0


def clock_end(text: str, end: int) -> int:
    """Where words end that end in an hour of the day: behind `am` in `6:15 am`."""
    behind = HALF_OF_DAY.match(text, end)
    return behind.end() if behind is not None and text[end - 1 : end].isdigit() else end
