"""Times of a clause that lie on no calendar: `after work`, `the next day`, `at the age of 20`.

What has such a time did not necessarily happen on the day on which it was told.
"""

from __future__ import annotations

import re

from goalmem.language.times_words import NUMBERS, UNIT, WEEKDAY, either
from goalmem.language.words import either_form

_TIME = rf"(?:{UNIT}|{WEEKDAY}|morning|afternoon|evening|spring|summer|autumn|fall|winter|time|season)"
_COUNTED = rf"(?:\d+|{either(NUMBERS)}|few|couple of|several|some|many)"
_DECADE = either_form(*"childhood youth teens twenties thirties forties fifties sixties".split())
_FORMS = (
    # beside another event: `after work`, `at the age of 20`
    r"(?:before|after|during|while|when|whenever|until|till|as soon as|by the time|at the age|aged \d+)\b(?! all\b)",
    # so far back that nobody counts
    r"(?:long|ages|years|months|weeks) ago",
    # again and again
    rf"(?:every|each) (?:\w+ )?(?:{_TIME})s?",
    # counted from a time that was told before: `the next day`, `two weeks later`, `soon after`
    rf"(?:the|that) (?:same|very|next|following|previous) (?:{_TIME})",
    rf"(?:the|that) (?:{_TIME}) (?:before|after)",
    rf"{_COUNTED} (?:more )?(?:{_TIME})s? (?:later|after|afterwards|before|earlier)",
    r"(?:soon|shortly|long) (?:after|afterwards|before)",
    r"back then|at the time|in those days",
    # a time of life: `as a kid`, `in her early twenties`
    r"as an? (?:\w+ )?(?:child|kid|boy|girl|baby|teen|teenager|student)",
    rf"in (?:my|his|her|our|their|your) (?:(?:early|mid|late) )?{_DECADE}",
)
_UNPLACED = re.compile(rf"\b{either_form(*_FORMS)}\b", re.IGNORECASE)
_CALLED_AFTER = re.compile(
    r"\b(?:look|looks|looked|looking|take|takes|took|taking|named?|names|call|called|run|ran|chase|chased) $",
    re.IGNORECASE,
)
"""Verbs with which `after` is no time."""
_FRONT = re.compile(r"[,;:]\s+|\s+(?:and|but|so)\s+", re.IGNORECASE)
_SENTENCE = re.compile(r".*[.!?\n]\s", re.DOTALL)
_END = re.compile(r"[.!?](?:\s|$)|\n")
_FIRST = re.compile(r"\W*(?:(?:and|but|so|then|even|just|right|only|shortly|soon|about) )*", re.IGNORECASE)
_AROUND = 160
"""Characters around a clause in which its time is looked for."""


def has_other_time(text: str, start: int, end: int, *, whole: bool = False) -> bool:
    """True if a clause, `text[start:end]`, has a time that no calendar tells: in it, at the front of its sentence, or right behind it.

    `whole`: or anywhere behind it in its sentence.
    """
    behind = _END.split(text[end : end + _AROUND], maxsplit=1)[0]
    if any(not _CALLED_AFTER.search(text, start, m.start()) for m in _UNPLACED.finditer(text, start, end)):
        return True
    before = text[max(0, start - _AROUND) : start]
    opened = _SENTENCE.match(before)
    fronts = _FRONT.split(before[opened.end() :] if opened else before)[-2:]
    if any(is_unplaced(front) for front in fronts):
        return True
    return _UNPLACED.search(behind) is not None if whole else behind[:1].isspace() and is_unplaced(behind)


def is_unplaced(words: str) -> bool:
    """True if words begin with a time that no calendar tells: `the next day`."""
    first = _FIRST.match(words)
    return _UNPLACED.match(words, first.end() if first else 0) is not None
