"""Amounts for each of many, and of a part: `900 euros a month` is no yearly rent, `300 km on the first day` not the whole way."""

from __future__ import annotations

import re

from goalmem.logic.quantity import is_rate, rates_in
from goalmem.sources.numbers import OF_NUMBER

OF_PART = re.compile(
    r"""
    \b(?:
        (?:on|in|for|during|over) \s (?:the|my|our|his|her|their) \s
            (?: (?P<which>first|second|third|last|final|past|next) \s \w+ | other \s \w+ )
      | so \s far
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which an amount is that of a part only."""
MEASURED = frozenset({"amount", "distance", "duration", "weight"})
"""Types of what is measured in parts."""


def is_other_rate(type_: str, asked: str, sentence: str, behind: str) -> bool:
    """True if an amount is not for what is asked: by the month instead of the year, or of a part instead of the whole.

    `asked` are the question's words, `sentence` those around the amount, `behind` the ones after it.
    """
    counted = type_.startswith(OF_NUMBER)
    of = OF_PART.search(sentence) if type_ in MEASURED or counted else None
    if of is not None and of.group().casefold() not in asked.casefold():
        return of["which"] is None or of["which"].casefold() not in asked.casefold()
    wanted = rates_in(asked) - {"each"}
    return not wanted & rates_in(sentence) if wanted else counted and is_rate(behind)
