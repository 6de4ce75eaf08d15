"""Amounts with their units, read from text and computed with: only quantities of the same kind are added.

Units and conversion factors: the International System of Units (BIPM 2019, tables 2, 5 and 8) and, for those of the United Kingdom and the
United States, NIST Handbook 44, appendix C. Currencies are distinguished and never converted; `$` is a currency of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_UNITS: dict[str, tuple[str, str]] = {
    "mm": ("length", "0.001"), "cm": ("length", "0.01"), "m": ("length", "1"), "km": ("length", "1000"),
    "inch": ("length", "0.0254"), "foot": ("length", "0.3048"), "yard": ("length", "0.9144"), "mile": ("length", "1609.344"),
    "mg": ("mass", "0.001"), "g": ("mass", "1"), "kg": ("mass", "1000"), "tonne": ("mass", "1000000"),
    "ounce": ("mass", "28.349523125"), "pound of weight": ("mass", "453.59237"), "stone": ("mass", "6350.29318"),
    "ml": ("volume", "0.001"), "l": ("volume", "1"),
    "second": ("time", "1"), "minute": ("time", "60"), "hour": ("time", "3600"), "day": ("time", "86400"), "week": ("time", "604800"),
    "month": ("months", "1"), "year": ("months", "12"),
    "%": ("share", "1"),
}  # fmt: skip
"""Unit -> (kind of quantity, factor to the base unit)."""
_NAMES = {
    "mm": "mm millimetre millimeter", "cm": "cm centimetre centimeter", "m": "m metre meter", "km": "km kilometre kilometer k",
    "inch": "inch inches", "foot": "foot feet ft", "yard": "yard yd", "mile": "mile mi", "mg": "mg milligram",
    "g": "g gram gramme", "kg": "kg kilo kilogram", "tonne": "tonne", "ounce": "ounce oz", "pound of weight": "lb lbs", "stone": "stone",
    "ml": "ml millilitre milliliter", "l": "l litre liter", "second": "second sec", "minute": "minute min", "hour": "hour hr h", "day": "day",
    "week": "week wk", "month": "month", "year": "year yr", "%": "% percent",
    "€": "€ euro eur", "$": "$ dollar usd buck", "£": "£ gbp quid pound", "CHF": "chf franc", "kr": "kr krone kronor kroner krona",
    "zł": "zł zloty", "¥": "¥ yen", "₹": "₹ rupee inr",
}  # fmt: skip
"""Unit -> its names in the singular, in lower case."""
_OF_NAME = {name: unit for unit, names in _NAMES.items() for name in names.split()}
MEASURES = frozenset(
    name
    for name, unit in _OF_NAME.items()
    if len(name) > 1 and (unit not in _UNITS or _UNITS[unit][0] in ("length", "mass", "volume"))
)
"""Names of currencies and of units of length, mass and volume, in the singular: a number before one of them is no year."""
_SHOWN = {"day": "days", "foot": "feet", "inch": "inches", "pound of weight": "lb", "stone": "stone"}
_AMOUNT = re.compile(
    r"(?P<sign>[€$£¥₹]|\b(?:eur|usd|gbp|chf|inr)\b)?\s?(?P<digits>\d{1,3}(?:[ ,]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?P<thousand>k\b(?=\W|$))?"
    r"(?:\s?-?(?P<unit>[€$£¥₹%]|[^\W\d_]+))?",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(r"(?<![\d.,])(?P<digits>\d+)\s+and\s+a\s+half\b", re.IGNORECASE)
_OTHER_KINDS = {
    "money": "cent penny pence peso lira shilling",
    "time": "night fortnight decade",
    "volume": "pint gallon",
    "temperature": "° degree celsius fahrenheit",
    "speed": "mph knot km/h",
    "energy": "kwh kw watt mhz",
}
"""Names of units that nothing is computed with, by kind of quantity."""
_KINDS = {name: kind for kind, names in _OTHER_KINDS.items() for name in names.split()} | {
    name: {"months": "time"}.get(_UNITS[unit][0], _UNITS[unit][0]) if unit in _UNITS else "money"
    for name, unit in _OF_NAME.items()
}
_UNIT = re.compile(r"(?P<number>\d\s?-?)?(?P<unit>[€$£¥₹%°]|per\s?cent\b|km/h\b|[^\W\d_]+)", re.IGNORECASE)
_OF_PERIOD = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "fortnightly": "fortnight", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year",
}  # fmt: skip
"""Adjectives and adverbs of periods -> the period."""
PERIODS = tuple(dict.fromkeys(_OF_PERIOD.values()))
_MANY = (
    *("person", "head", "piece", "kilo", "kg", "pound", "litre", "liter", "gallon", "dozen", "bottle", "box", "item"),
    *("session", "lesson", "class", "visit", "way", "trip", "ride", "round", "page", "word", "sheet", "metre", "meter"),
    *("mile", "km"),
)
"""What a rate may be for, beside periods."""
_SHORT = {"h": "hour", "d": "day", "wk": "week", "mo": "month", "yr": "year", "pp": "person"}
_ALIKE = _SHORT | {"head": "person", "kg": "kilo"}
_UNITS_OF_RATES = "|".join((*PERIODS, *_MANY))
_RATE = re.compile(
    rf"""
    \b(?:
        (?: an? | per | each | every | to\ the | for\ (?:each|every|one) ) \s+ (?P<unit>{_UNITS_OF_RATES})\b
            (?! \s+ (?: ago | or\ two | later | before | earlier | of )\b )
      | (?P<period>{"|".join(_OF_PERIOD)})\b
      | (?P<each>each|apiece)\b
    )
  | / \s? (?P<short>{_UNITS_OF_RATES}|{"|".join(_SHORT)})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Marks an amount as a rate: so much for each of many."""
_PER = re.compile(r"/|\bper\b", re.IGNORECASE)
_ONE = re.compile(r"\s*an?\b", re.IGNORECASE)
"""The beginning of one of something, which is no rate: `a mile`."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with a unit; an empty unit counts things."""

    number: Decimal
    unit: str = ""

    @property
    def kind(self) -> str:
        """What is measured. Only quantities of the same kind are added."""
        return _UNITS[self.unit][0] if self.unit in _UNITS else self.unit

    @property
    def base(self) -> Decimal:
        """The number in the base unit of its kind."""
        return self.number * Decimal(_UNITS[self.unit][1]) if self.unit in _UNITS else self.number


def quantity_of(text: str, number: float | None = None) -> Quantity | None:
    """The only amount in a text, with its unit; `number` if the text has it in words. None for no amount, several, or a rate."""
    text = _AND_A_HALF.sub(r"\g<digits>.5", text)
    found = list(_AMOUNT.finditer(text))
    one = _ONE.match(text)
    if _RATE.search(text, one.end() if one else 0) or _PER.search(text) or len(found) > 1:
        return None
    if not found:
        words = re.findall(r"[^\W\d_]+|[€$£¥₹%]", text.casefold())
        units = [u for u in map(_unit, words) if u]
        return (
            Quantity(Decimal(str(number)), units[0] if units else "")
            if number is not None and len(set(units)) < 2
            else None
        )
    m = found[0]
    amount = Decimal(re.sub(r"[ ,]", "", m["digits"])) * (1000 if m["thousand"] else 1)
    sign, unit = (_unit((m[name] or "").casefold()) for name in ("sign", "unit"))
    if sign and unit and sign != unit:
        return None
    return Quantity(amount, sign or unit)


def _unit(word: str) -> str:
    return _OF_NAME.get(word) or _OF_NAME.get(word.removesuffix("s")) or ""


def unit_kinds(text: str) -> frozenset[str]:
    """The kinds of quantity that the units in a text measure: `money`, `time`, `length`, `mass`, `volume`, `share`, `temperature`, `speed`,
    `energy`. A pound is money or mass. One letter is a unit only behind a digit.
    """
    return frozenset(kind for m in _UNIT.finditer(text) if _is_unit(m) for kind in _kinds_of(m["unit"].casefold()))


def _is_unit(m: re.Match[str]) -> bool:
    letter = m["unit"] if len(m["unit"]) == 1 and m["unit"].isalpha() else ""
    return not letter or (
        m["number"] is not None and letter not in ("M", "k", "K")
    )  # 5M and 5k may be millions and thousands.


def _kinds_of(word: str) -> tuple[str, ...]:
    if word in ("pound", "pounds"):
        return "money", "mass"
    if word.startswith("per") and word.endswith("cent"):
        return ("share",)
    kind = _KINDS.get(word) or _KINDS.get(word.removesuffix("s"))
    return (kind,) if kind is not None else ()


def rates_in(text: str) -> frozenset[str]:
    """What the rates of a text are for, in one word each: `month` for `monthly` and `per month`, `each` for `apiece`."""
    return frozenset(map(_rated, _RATE.finditer(text)))


def is_rate(behind: str) -> bool:
    """True if the words after an amount say that it is for each of many."""
    return _RATE.match(behind.lstrip()) is not None


def _rated(found: re.Match[str]) -> str:
    if found["each"]:
        return "each"
    if found["period"]:
        return _OF_PERIOD[found["period"].casefold()]
    unit = (found["unit"] or found["short"]).casefold()
    return _ALIKE.get(unit, unit)


def difference(a: Quantity, b: Quantity) -> Quantity | None:
    """`a` minus `b`, in the finer unit of the two; None if their kinds differ."""
    return _reckoned(a, b, -1)


def quantity_sum(a: Quantity, b: Quantity) -> Quantity | None:
    """`a` plus `b`, in the finer unit of the two; None if their kinds differ."""
    return _reckoned(a, b, 1)


def _reckoned(a: Quantity, b: Quantity, sign: int) -> Quantity | None:
    if a.kind != b.kind:
        return None
    if a.unit not in _UNITS:
        return Quantity(a.number + sign * b.number, a.unit)
    unit = min(a.unit, b.unit, key=lambda u: Decimal(_UNITS[u][1]))
    return Quantity((a.base + sign * b.base) / Decimal(_UNITS[unit][1]), unit)


def shown(q: Quantity) -> str:
    """`€255`, `12 km`, `3 hours`, `7`."""
    money = len(q.unit) == 1 and q.unit in "€$£¥₹"
    number = f"{q.number:,.0f}" if not q.number % 1 else f"{q.number:,.2f}" if money else f"{q.number.normalize():,f}"
    if not q.unit or money:
        return f"{q.unit}{number}"
    if q.unit == "%":
        return f"{number}%"
    plural = _SHOWN.get(q.unit) or (f"{q.unit}s" if len(q.unit) > 3 else q.unit)
    return f"{number} {q.unit if q.number == 1 else plural}"
