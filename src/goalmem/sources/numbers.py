"""Numbers in digits and in words, hours of the day, and what a number may measure."""

from __future__ import annotations

import re

from goalmem.language.inflection import getInflection, getLemma
from goalmem.language.times_words import CLOCK_TIME, HOURS, SMALL_NUMBERS, WEEKDAY
from goalmem.language.words import either_form
from goalmem.language.words.attributes import DIMENSIONS
from goalmem.logic.quantity import unit_kinds

OF_NUMBER = "number of "
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = (
    {word: n for n, word in enumerate(SMALL_NUMBERS)}
    | {word: 10 * n for n, word in enumerate(_TENS, 3)}
    | {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
)
AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)")
"""Thousands separated by spaces: `186 000`."""
_WORD = "|".join(NUMBER_WORDS)
IN_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)
AND_A_HALF = re.compile(r"\s+and\s+a\s+half\b", re.IGNORECASE)


def number_in(text: str) -> float | None:
    """The first number in digits, otherwise the first in words (`a hundred and ten`); with the half behind it (`two and a half`)."""
    if (found := GROUPED.search(text) or AMOUNT.search(text)) is not None:
        number = float(found.group().replace(",", "").replace(" ", ""))
    elif (found := IN_WORDS.search(text)) is not None:
        number = float(_said(found.group()))
    else:
        return None
    return number + 0.5 * (AND_A_HALF.match(text, found.end()) is not None)


NEARLY = "about|around|almost|nearly|only|just|roughly|over|under|some|like|exactly|up|to|at|least|most|more|less|fewer|than|all|total|of"
"""Words before a number by which it is a bound or an estimate."""
BEFORE_COUNT = re.compile(
    rf"^(?:(?:the|my|our|your|his|her|their|its|these|those|both|a(?= (?:dozen|hundred|thousand|million|total)\b)|\w+'s|{NEARLY})\s+)*",
    re.IGNORECASE,
)
"""What may stand before a number that counts: not `another`, `bus` or the `a` of `a three course meal`."""
RELATIVE_COUNT = re.compile(r"\b(?:more|other|extra|additional|further|fewer|less)\b", re.IGNORECASE)
"""Words behind a number by which it is a difference: `two more tickets`."""


def counts(text: str, noun: str) -> bool:
    """True if the number of a noun phrase says how many there are of its noun.

    `bus 38`, `my 10th birthday`, `12 Mill Road`, `a three course meal` and `two more tickets` do not.
    """
    start = BEFORE_COUNT.match(text)
    first = start.end() if start is not None else 0
    number = next((m for form in (GROUPED, AMOUNT, IN_WORDS) if (m := form.match(text, first)) is not None), None)
    if number is None or text[number.end() : number.end() + 1].isalpha():
        return False
    behind = text[number.end() :]
    if not behind.strip():
        return number_in(noun) is None  # `Mia has two kids, Leo three`: the noun stands before
    several = getInflection(noun, "NNS")
    words = re.findall(r"[^\W\d_][\w'’-]*", behind)
    said = next((w for w in words if noun in (low := w.casefold(), *getLemma(low, "NOUN")) or low in several), None)
    if said is None or RELATIVE_COUNT.search(behind):
        return False
    if unit_kinds(text) or number_in(number.group()) == 1:
        return True
    one_for_many = said.casefold() == noun and noun not in several and getLemma(noun, "NOUN")[0] == noun
    return said.isupper() or (said.islower() and not one_for_many)


def _said(words: str) -> int:
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        n = NUMBER_WORDS.get(word)
        if n is None:
            continue
        if n in (12, 100) and word in ("dozen", "hundred"):
            part = max(1, part) * n
        elif n >= 1000:
            whole, part = whole + max(1, part) * n, 0
        else:
            part += n
    return whole + part


OFTEN = re.compile(
    r"\b(?:once|twice|thrice|times|daily|weekly|fortnightly|monthly|yearly|hourly|nightly|every|each|always|never|often|rarely|seldom"
    rf"|sometimes|occasionally|usually|regularly|couple|few|half|(?:{WEEKDAY})s)\b",
    re.IGNORECASE,
)
"""How often something happens."""
CLOCK = re.compile(
    either_form(
        rf"\b{CLOCK_TIME}|\bo['’]clock\b",
        # `quarter past`, `half 7`
        r"\b(?:half|quarter|\d+|five|ten|twenty) (?:past|to)\b|\bhalf (?:past )?\w+\b",
        # `six thirty`
        rf"\b(?:{HOURS}) (?:fifteen|thirty|forty-five)\b",
        # `9.15`, `14h`, `0730`
        r"\b(?:[01]?\d|2[0-3])[.h][0-5]\d\b|\b(?:[01]?\d|2[0-3])h\b|\b(?:[01]\d|2[0-3])[0-5]\d\b(?!\s?[€£$%])",
    ),
    re.IGNORECASE,
)
"""Clock times: `6 am`, `14:30`, `9.15`, `14h`, `0730`, `half 7`."""
BARE_HOUR = re.compile(
    rf"\W*(?:(?:at|about|around|by|from|after|before|till|until)\W+)*(?:[01]?\d|2[0-4]|{HOURS})\W*", re.IGNORECASE
)
"""An hour as a bare number, which may also count something."""
DAY_PART = re.compile(r"\b(?:dawn|sunrise|morning|afternoon|evening|sunset|dusk|night|bedtime)s?\b", re.IGNORECASE)
HALF_OF_DAY = re.compile(r"\s?(?:[ap]\.?m\b\.?|o['’]clock\b)", re.IGNORECASE)
"""Words after an hour that belong to it."""
HOUR_BEFORE = re.compile(r"\b\w+\s*$")
VAGUE, BARE = 0.5, 0.7
"""Scores of a part of the day, and of a bare number, as an hour."""


def clock_fit(text: str) -> float:
    """How well words name an hour of the day, in [0, 1]: 0 for a date and for anything else."""
    if CLOCK.search(text):
        return 1.0
    if BARE_HOUR.fullmatch(text):
        return BARE
    return VAGUE if DAY_PART.search(text) else 0.0


def clock_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole hour that the words are a part of: with `am` in `6:15 am`, with `two` in `two o'clock`."""
    behind = HALF_OF_DAY.match(text, end)
    if behind is not None and text[end - 1 : end].isdigit():
        end = behind.end()
    before = HOUR_BEFORE.search(text, 0, start) if HALF_OF_DAY.match(text, start, end) else None
    return (before.start() if before is not None else start), end


# -- what a number measures --------------------------------------------------------------------------------------------

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
