"""Amounts for each of many, and of a part: `900 euros a month` is no yearly rent, `300 km on the first day` not the whole way."""

from __future__ import annotations

import re

from goalmem.sources.numbers import OF_NUMBER

PERIODS = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
}
"""Adjectives and adverbs for periods."""
UNITS = (
    "hour|day|night|week|fortnight|month|quarter|year|person|head|piece|kilo|kg|pound|litre|liter|gallon|dozen|bottle|box|item|session|lesson|class"
    "|visit|way|trip|ride|round|page|word|sheet|metre|meter|mile|km"
)
"""What a rate may be for."""
RATE = re.compile(
    rf"\b(?:(?:a|an|per|each|every|to the|for (?:each|every|one))\s+(?P<unit>{UNITS})\b(?!\s+(?:ago|or two|later|before|earlier|of)\b)"
    rf"|(?P<period>{'|'.join(PERIODS)})\b|(?P<each>each|apiece)\b)|/\s?(?P<short>{UNITS}|h|d|wk|mo|yr|pp)\b",
    re.IGNORECASE,
)
SHORT = {
    "h": "hour",
    "d": "day",
    "wk": "week",
    "mo": "month",
    "yr": "year",
    "pp": "person",
    "head": "person",
    "kg": "kilo",
}
OF_PART = re.compile(
    r"\b(?:(?:on|in|for|during|over) (?:the|my|our|his|her|their) (?:(?P<which>first|second|third|last|final|past|next) \w+|other \w+)|so far)\b",
    re.IGNORECASE,
)
"""Words by which an amount is that of a part only."""
MEASURED = frozenset({"amount", "distance", "duration", "weight"})
"""Types of what is measured in parts."""


def rates_in(text: str) -> frozenset[str]:
    """What the rates of a text are for, in one word each: `month` for `monthly` and `per month`, `each` for `apiece`."""
    return frozenset(map(_unit, RATE.finditer(text)))


def is_other_rate(type_: str, asked: str, sentence: str, behind: str) -> bool:
    """True if an amount is not for what is asked: by the month instead of the year, or of a part instead of the whole.

    `asked` are the question's words, `sentence` those around the amount, `behind` the ones after it.
    """
    counted = type_.startswith(OF_NUMBER)
    if (
        (type_ in MEASURED or counted)
        and (of := OF_PART.search(sentence)) is not None
        and of.group().casefold() not in asked.casefold()
    ):
        return of["which"] is None or of["which"].casefold() not in asked.casefold()
    wanted, told = rates_in(asked) - {"each"}, RATE.match(behind.lstrip())
    if wanted:
        return not wanted & rates_in(sentence)
    return counted and told is not None


def is_rate(behind: str) -> bool:
    """True if the words after an amount say that it is for each of many."""
    return RATE.match(behind.lstrip()) is not None


def _unit(found: re.Match[str]) -> str:
    if found["each"]:
        return "each"
    if found["period"]:
        return PERIODS[found["period"].casefold()]
    unit = (found["unit"] or found["short"]).casefold()
    return SHORT.get(unit, unit)
