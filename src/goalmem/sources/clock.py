"""Hours of the day as values: what `what time` asks for, which is no date."""

from __future__ import annotations

import re

from goalmem.language.times_words import CLOCK_TIME as HOUR

__all__ = ["DAY_PART", "clock_end", "clock_fit"]

CLOCK = re.compile(
    rf"\b{HOUR}|\bo['’]clock\b|\b(?:half|quarter|\d+|five|ten|twenty) (?:past|to)\b|\bhalf (?:past )?\w+\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:fifteen|thirty|forty-five)\b|\b(?:[01]?\d|2[0-3])[.h][0-5]\d\b"
    r"|\b(?:[01]?\d|2[0-3])h\b|\b(?:[01]\d|2[0-3])[0-5]\d\b(?!\s?[€£$%])",
    re.IGNORECASE,
)
"""Hours as people write them: `6 am`, `14:30`, `9.15`, `14h`, `0730`, `half 7`."""
BARE_HOUR = re.compile(
    r"\W*(?:(?:at|about|around|by|from|after|before|till|until)\W+)*(?:[01]?\d|2[0-4]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\W*",
    re.IGNORECASE,
)
"""An hour by its number alone, which may count anything."""
DAY_PART = re.compile(r"\b(?:dawn|sunrise|morning|afternoon|evening|sunset|dusk|night|bedtime)s?\b", re.IGNORECASE)
HALF_OF_DAY = re.compile(r"\s?(?:[ap]\.?m\b\.?|o['’]clock\b)", re.IGNORECASE)
"""What belongs to an hour behind it."""
VAGUE, BARE = 0.5, 0.7
"""What a part of the day, and a number alone, are worth where an hour is asked for."""


def clock_fit(text: str) -> float:
    """How well words name an hour of the day, in [0, 1]: 0 for a date and for anything else."""
    if CLOCK.search(text):
        return 1.0
    if BARE_HOUR.fullmatch(text):
        return BARE
    return VAGUE if DAY_PART.search(text) else 0.0


def clock_end(text: str, end: int) -> int:
    """Where words end that end in an hour of the day: behind `am` in `6:15 am`."""
    behind = HALF_OF_DAY.match(text, end)
    return behind.end() if behind is not None and text[end - 1 : end].isdigit() else end
