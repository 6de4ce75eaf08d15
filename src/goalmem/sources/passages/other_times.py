"""Sentences about another time than the one that a question names: Friday for Saturday, May for after May."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from goalmem.language.calendar import SEASONS
from goalmem.language.times import find_times
from goalmem.language.times_words import DAY_NAMES, DAY_PARTS, MONTH_NAMES
from goalmem.language.words import any_of

DAY, MONTH, SEASON, PART, YEAR = (
    re.compile(rf"\b(?:{words})\b")
    for words in (
        "|".join(rf"{day}s?|{day.capitalize()}s?" for day in DAY_NAMES),
        "|".join(rf"{name.capitalize()}|(?<=\bin ){name}" for name in MONTH_NAMES),
        "|".join(
            rf"(?<=\bin ){name}|(?<=\bin the ){name}|(?<=last ){name}|(?<=this ){name}|(?<=next ){name}"
            for name in SEASONS
        ),
        rf"(?:{DAY_PARTS}|noon|midnight)s?",
        r"(?:19|20)\d\d",
    )
)
"""Days, months, seasons, parts of the day and years; some names of months and seasons are also verbs."""
ORDER = re.compile(r"\b(before|until|till|after|since|by|from|between)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
"""Words that make a time a bound."""
LOOKED_BACK = 200
"""Characters before a time in which its bound is looked for: a few words."""
DATED = re.compile(rf"\d|\b(?:{'|'.join(name.capitalize() for name in MONTH_NAMES)})\b")
SPANNED = re.compile(r"\b(?:since|from|between|until|till|for|to|through|all|whole|past|last)\b|[-–]", re.IGNORECASE)
"""Words of a time that something lasts for."""
OPEN = any_of(frozenset({"when", "or", "usually", "instead"}))
"""Words of questions that ask for a time, or name one that is not that of the answer."""


def is_at_another_time(question: str, sentence: str, said: datetime) -> bool:
    """True if a sentence, said at a moment, names only other days, months, years or parts of the day than the question does."""
    if OPEN.search(question):
        return False
    own = {DAY_NAMES[said.weekday()], MONTH_NAMES[said.month - 1], str(said.year)}
    for kind in (DAY, MONTH, SEASON, PART, YEAR):
        asked, told = list(_times(kind, question)), {time for time, _ in _times(kind, sentence)}
        plain = {time for time, order in asked if not order}
        if told and plain and plain.isdisjoint(told | own):
            return True
        if told and any(_is_out(time, order, told) for time, order in asked if order):
            return True
    return is_wider(question, sentence, said)


def is_wider(question: str, sentence: str, said: datetime) -> bool:
    """True if a sentence only names a month or a year, and the question a day or month in it: what was done in April need not have been on the 12th."""
    if not DATED.search(question):
        return False
    asked = [m.interval for m in find_times(question, said) if DATED.search(m.text)]
    told = [m.interval for m in find_times(sentence, said) if not SPANNED.search(m.text)] if asked else []
    wider = (any(t.start <= a.start and a.end <= t.end and t != a for a in asked) for t in told)
    return bool(told) and all(wider)


def _times(kind: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield each time of a kind with the word that makes it a bound, in lower case."""
    for found in kind.finditer(text):
        order = ORDER.search(text, max(0, found.start() - LOOKED_BACK), found.start())
        yield found.group().casefold().removesuffix("s"), order[1].casefold() if order is not None else ""


def _is_out(bound: str, order: str, told: set[str]) -> bool:
    """True if all times told are at the bound or on its wrong side; of months and days only the bound itself is known to be."""
    if order not in ("before", "after"):
        return False
    if bound.isdigit():
        return all((int(t) >= int(bound)) if order == "before" else (int(t) <= int(bound)) for t in told)
    return told == {bound}
