"""What measures what: the kinds of quantity that each answer type is told in."""

from __future__ import annotations

import re

from goalmem.language.words.attributes import DIMENSIONS
from goalmem.logic.quantity import unit_kinds
from goalmem.sources.numbers import NUMBER_WORDS, number_in

LABEL = re.compile(
    r"^\W*(?P<what>size|number|no|room|gate|platform|line|version|page|chapter|ward|flat|floor|bus)\b\W*\w*\d",
    re.IGNORECASE,
)
"""A number that names one of a series: `size 12`."""
MEASURING = {
    "age": {"time"},
    "duration": {"time"},
    "distance": {"length", "time"},
    "height": {"length"},
    "size": {"length", "volume", "size"},
    **{dimension: {"length"} for dimension in ("length", "width", "depth", "thickness")},
    "weight": {"mass"},
    "amount": {"money"},
    "number": {"number", "no"},
}
"""What measures each type; a number without a unit may measure any."""
OF_AGE = re.compile(
    r"(?<=\d)yo\b|\b(?:years?|yrs?|months?|weeks?|days?|old|of age|and a half"
    r"|about|around|almost|nearly|just|only|over|exactly|now|already|still|going on|rising)\b",
    re.IGNORECASE,
)
"""Words beside the number of an age."""
NO_AGE = re.compile(r"[£$€¥%°]|^\W*(?:1[5-9]|20)\d\d\W*$")
"""Signs of other quantities; a year."""
OF_ANOTHER = re.compile(r"\b(?:old|long|tall|wide|high|deep|heavy|full)\W*$", re.IGNORECASE)
"""The dimension behind a quantity: `12 metres long` is no distance."""


COMPARED = re.compile(
    r"\b(?:than|more|less|over\w*|under\w*|above|below|extra|too|away|apart|short|off"
    r"|(?:tall|short|high|low|long|wide|broad|narrow|deep|shallow|thick|thin|heavi|light|bigg|small)er)\b",
    re.IGNORECASE,
)
"""Words by which a measure is a difference or a bound: `10 kg heavier`, `20 kg overweight`."""


def is_measured(head: str, text: str) -> bool:
    """True if a text has a number that may measure what is asked for."""
    if head == "age":
        return is_age(text)
    label = LABEL.match(text)
    kinds = unit_kinds(text) if label is None else {label["what"].casefold()}
    if head in DIMENSIONS and COMPARED.search(text):
        return False
    if (kinds and not kinds & MEASURING[head]) or (head in ("distance", "amount") and OF_ANOTHER.search(text)):
        return False
    return number_in(text) is not None


def is_age(text: str) -> bool:
    """True if a text is a number, alone or with units of time: `nine`, `18 months old`; `3 kilos` is no age."""
    words = re.findall(r"[^\W_]+", OF_AGE.sub(" ", text).casefold())
    return bool(words) and NO_AGE.search(text) is None and all(w.isdigit() or w in NUMBER_WORDS for w in words)
