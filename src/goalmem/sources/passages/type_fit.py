"""How well words fit an answer type, by their form and by a dictionary (condition 2 of unification).

Types with a form of their own are recognised by it: amounts of money, durations, days, numbers with a unit, names, places after a
preposition. The dictionary knows the kinds of common nouns. Unknown words fit fairly well, since nothing speaks against them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from goalmem.language.lexicon import base_form, coarse_type, is_a, is_known, is_mainly, names_author, supersenses
from goalmem.language.words.function_words import NO_NAMES_OF_PEOPLE
from goalmem.language.words.nouns import EXCLUSIVE_READ, MEASURES, OVERLAPPING_READ, PERSONAL_ATTRIBUTES
from goalmem.language.words.pronouns import PERSONAL
from goalmem.logic.quantity import unit_kinds
from goalmem.questions.answer_type import IDENTIFIER
from goalmem.questions.wh import CLOCK_TIME, WEEKDAY
from goalmem.sources.kinds import is_work
from goalmem.sources.numbers import DAY_PART, NUMBER_WORDS, OFTEN, clock_fit, number_in

SURE, LIKELY, OPEN, UNLIKE, HARDLY = 1.0, 0.8, 0.7, 0.4, 0.2
"""Scores of words that are of the answer type, probably are, may be, are of another kind according to the dictionary, and are of another
form."""
CURRENCY = r"(?:€|£|\$|eur|euros?|usd|dollars?|pounds?|gbp|quid|bucks|cents?|pence|francs?|chf|kr|kroner|zł|yen|pesos?|lei|cfa|ghs|inr|rupees?)"
NUMERAL = rf"(?:(?<![\d.,])\d[\d.,]*+(?:\s?[km])?|(?:(?:{'|'.join(NUMBER_WORDS)})[\s-]?(?:and\s)?){{1,8}})"
MONEY = re.compile(
    rf"(?:(?:[€£$]\s?|\b(?:eur|usd|gbp|chf|ghs|inr|rs\.?)\s?)\d[\d.,]*+(?:k|m|bn)?|\b{NUMERAL}\s?{CURRENCY}(?!\w))"
    r"(?:\s?(?:/|a\s|an\s|per\s)\s?[a-z]+|\s+each)?",
    re.IGNORECASE,
)
"""An amount of money, with its rate."""
UNIT_OF_TIME = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weekends?|weeks?|wks?|fortnights?|months?|mths?|years?|yrs?|decades?)"
DURATION = re.compile(
    rf"\b(?:(?:about|around|almost|nearly|over|under|roughly|exactly|an?|half an?)\s){{0,4}}(?:{NUMERAL}|an?|half an?|a few|several|a couple of)[\s-]?"
    rf"(?:and a half\s)?{UNIT_OF_TIME}(?!\w)(?:\s(?:and\s)?{NUMERAL}\s?{UNIT_OF_TIME}?(?!\w))?",
    re.IGNORECASE,
)
"""A duration in units."""
STRETCH = re.compile(rf"\b(?:since|until|till?|from|forever|always|never|all|whole|{UNIT_OF_TIME})\b", re.IGNORECASE)
PER_CENT = re.compile(r"\bper\s?cent\b", re.IGNORECASE)
RATE = re.compile(rf"(?:/|\b(?:an?|per|each|every)\s)\s?{UNIT_OF_TIME}(?!\w)", re.IGNORECASE)
"""The rate of a price: `30 a week`."""
AGED = re.compile(r"\b(?:years?|yrs?|yo|months?|weeks?|old|aged|turn\w*|teens|\w+ies)\b", re.IGNORECASE)
FREE = re.compile(r"\b(?:free|nothing|gratis|none|no charge)\b", re.IGNORECASE)
NONE = re.compile(r"\b(?:none|no|nobody|never|nothing|few|couple|pair|several|half|all|both|every)\b", re.IGNORECASE)
DAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?"
)
MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
CALENDAR = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)\b|\b{DAY}\b|\b\d{{1,2}}\W{{1,2}}(?:de )?{MONTH}\b|\b{MONTH}\W\d{{1,2}}\b|\b(?:1[5-9]|20)\d\d\b|(?<!\w)['’]\d\d\b"
    rf"|\b(?:day|week|month|year) {NUMERAL}|\b\d{{1,2}}/\d{{1,2}}\b|\b\d{{1,2}}\.\d{{1,2}}\.(?:\d{{2,4}}\b)?",
    re.IGNORECASE,
)
"""Informal days and years: `23rd`, `wed`, `fri 16`, `'84`, `day 3`."""
YEAR = re.compile(r"\W*(?:in\W+)?(?:1[5-9]|20)\d\d\W*", re.IGNORECASE)
DAY_ALONE = re.compile(r"\W*(?:(?:on|by|the|el|le|am|den)\W+)*(?:[12]?\d|3[01])\W*", re.IGNORECASE)
"""A day of the month as a bare number, which may also count something."""
MONTH_ALONE = re.compile(rf"\W*{MONTH}\W*", re.IGNORECASE)
NUMBERED = re.compile(r"\d|\b[A-Z]{2,}\b|\b[A-Z]\d|\bv\d", re.ASCII)
LOCATIVE = re.compile(
    r"\b(?:in|inside|at|on|onto|under|underneath|below|beneath|behind|beside|between|near|next to|by|above|over|outside|opposite|against|across|around|"
    r"among|along|off|from|to|into|down|up|upstairs|downstairs|left|right|home|here|there|abroad|north|south|east|west|no\.?)\b",
    re.IGNORECASE,
)
BEFORE_PLACE = re.compile(
    r"\b(?:in|inside|at|on|onto|under|behind|beside|between|near|by|above|from|to|into|off)\s+$", re.IGNORECASE
)
OWNED = re.compile(r"['’]s?$")
NAME = re.compile(r"\b[^\W\d_][\w’'-]*")


def fit(kind: str, text: str, before: str = "") -> float:
    """How well words fit a type, in [0, 1]; `before`: the text before them."""
    if kind == "place" and BEFORE_PLACE.search(before):
        return SURE
    by_form = FORMS.get(kind)
    return by_form(text) if by_form is not None else noun_fit(kind, text)


def duration_fit(text: str) -> float:
    """A duration: certain in units, probable for a bare number; a date is none, unless something begins or ends on it."""
    if DURATION.search(text):
        return SURE
    if CALENDAR.search(text) and not STRETCH.search(text):
        return 0.0
    if MONEY.search(text) or _is_of_things(text):
        return HARDLY
    if number_in(text) is not None or STRETCH.search(text):
        return OPEN
    return 0.0


def amount_fit(text: str) -> float:
    """An amount of money, with or without a currency; `free` is one."""
    if MONEY.search(text):
        return SURE
    if number_in(text) is None:
        return OPEN if FREE.search(text) else 0.0
    if "%" in text or PER_CENT.search(text):
        return OPEN
    timed = DURATION.search(RATE.sub("", text)) or CALENDAR.fullmatch(text)
    return UNLIKE if timed or _is_of_things(text) else 0.9


def age_fit(text: str) -> float:
    """The age of somebody or something; a year is none."""
    if YEAR.fullmatch(text):
        return 0.0
    if number_in(text) is None:
        return OPEN if AGED.search(text) else 0.0
    return HARDLY if MONEY.search(text) or _is_of_things(text) else SURE


def _is_of_things(text: str) -> bool:
    """True if a text has a unit that measures neither money nor time."""
    return not unit_kinds(text) <= {"money", "time"}


def measure_fit(text: str) -> float:
    """A number with or without a unit; in words it is only described."""
    if number_in(text) is None:
        return 0.0 if any(w[:1].isupper() for w in NAME.findall(text)) else UNLIKE
    return OPEN if MONEY.search(text) or DURATION.search(text) or CALENDAR.search(text) else SURE


OTHER_AMOUNT = re.compile(r"[£$€%]|\d\s?(?:k|km|m|kg|g|lbs?|miles?|metres?|meters?|kilos?)\b", re.IGNORECASE)
"""A number of something that is not times."""


def frequency_fit(text: str) -> float:
    """A frequency: `once a week`, `every other day`, `3 times`."""
    if OFTEN.search(text) or RATE.search(text):
        return SURE
    return 0.0 if number_in(text) is None or OTHER_AMOUNT.search(text) else OPEN


def count_fit(text: str) -> float:
    """A count: certain for a number at the start."""
    number = number_in(text)
    if number is None:
        return OPEN if NONE.search(text) else 0.0
    return UNLIKE if MONEY.search(text) else SURE


SEVERAL_DAYS = re.compile(rf"(?:on )?{DAY}(?:(?:, and|,| and| &| or) {DAY})+", re.IGNORECASE)
"""Two or more days of the week."""


def calendar_fit(text: str) -> float:
    """How well words name a specific day or time, in [0, 1]; 0 if they name none."""
    if CALENDAR.search(text) or MONTH_ALONE.fullmatch(text):
        return SURE
    if DAY_ALONE.fullmatch(text):
        return OPEN
    return LIKELY if clock_fit(text) or DAY_PART.search(text) else 0.0


def weekday_fit(text: str) -> float:
    """A day of the week."""
    return SURE if re.search(rf"\b{DAY}\b", text, re.IGNORECASE) else UNLIKE if DAY_PART.search(text) else 0.0


def identifier_fit(text: str) -> float:
    """A number, a code, or a name."""
    if NUMBERED.search(text) or number_in(text) is not None:
        return SURE
    return OPEN if any(w[:1].isupper() for w in text.split()) else UNLIKE


def name_fit(text: str) -> float:
    """A name: capitalised, or not in the dictionary; a common noun with an article is none."""
    words = NAME.findall(text)
    if any(w[:1].isupper() for w in words):
        return SURE
    if not words or number_in(text) is not None:
        return HARDLY
    return LIKELY if not is_known(words[-1].casefold()) else UNLIKE


def person_fit(text: str) -> float:
    """A person: a name, a noun for a person, or a word in no dictionary."""
    said = OWNED.sub("", text)
    words = [OWNED.sub("", w) for w in NAME.findall(said)]
    low = [w.casefold() for w in words]
    if not words or MONEY.fullmatch(said) or CALENDAR.fullmatch(said):
        return 0.0
    if any(w[:1].isupper() and not w.isupper() for w in words) or PERSONAL & set(low):
        return SURE
    if any(is_mainly(base, "person") for w in low for base in (w, w.removesuffix("s")) if is_known(base)):
        return SURE
    if any(is_strange(w) for w in low) or any(w.isupper() for w in words):
        return LIKELY
    held = coarse_type(low[-1])
    if held == "organization" or is_mainly(low[-1], "social group"):
        return LIKELY
    return 0.0 if held in EXCLUSIVE_READ - {"animal", "person"} and len(words) < 3 else UNLIKE


def is_strange(word: str) -> bool:
    """True if a word is in no dictionary, with any ending."""
    stems = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed"), word.removesuffix("ing"))
    known = (is_known(s, p) or is_known(f"{s}e", p) for s in stems for p in "nva")
    return len(word) > 2 and not any(known) and base_form(word) == word and word not in NO_NAMES_OF_PEOPLE


def place_fit(text: str) -> float:
    """A place: certain after a preposition of place; also a name or a thing that can be a location; no time and no person."""
    if CALENDAR.fullmatch(text) or MONEY.fullmatch(text) or DURATION.fullmatch(text):
        return HARDLY
    if LOCATIVE.search(text):
        return SURE
    words = NAME.findall(text)
    if any(w[:1].isupper() for w in words):
        return SURE
    if not words:
        return OPEN
    held = coarse_type(words[-1].casefold())
    if held == "person":
        return UNLIKE
    return {"place": SURE, "organization": SURE, "time": HARDLY, "food": UNLIKE, "animal": UNLIKE}.get(held, OPEN)


def occupation_fit(text: str) -> float:
    """What somebody does for a living: a noun for a person or for work; also where or with what: `in a bakery`, `teaches maths`."""
    words = [w.casefold() for w in NAME.findall(text)]
    if not words or MONEY.fullmatch(text) or CALENDAR.fullmatch(text) or DURATION.fullmatch(text):
        return HARDLY
    return SURE if any(coarse_type(w) == "person" or is_a(w, "occupation") for w in words if is_known(w)) else OPEN


def relation_fit(text: str) -> float:
    """A relation to somebody: `my niece`, `a friend of my brother's`."""
    words = [OWNED.sub("", w).casefold() for w in NAME.findall(text)]
    if any(is_a(w, "relative") or is_mainly(w, "person") for w in words):
        return SURE
    return UNLIKE if words else HARDLY


def colour_fit(text: str) -> float:
    """A colour, or words that describe one: another noun with an article is none."""
    words = [w.casefold() for w in NAME.findall(text)]
    if any(is_a(w, "color") or is_a(w, "colour") for w in words):
        return SURE
    if not words or number_in(text) is not None:
        return HARDLY
    return OPEN if len(words) < 4 else UNLIKE


def noun_fit(kind: str, text: str) -> float:
    """The answer to a noun: an instance of it, its name, its number, its state; common nouns of another kind fit little."""
    head = kind.split(" of ")[0].split()[-1].casefold() if kind else "thing"
    words = NAME.findall(text)
    low = [w.casefold() for w in words]
    if head in low or f"{head}s" in low or any(is_known(w) and is_a(w, head) for w in low):
        return SURE
    if words and all(map(names_author, words)) and coarse_type(head) == "thing" and not is_work(head):
        return 0.0  # Brahms is no instrument.
    if any(w[:1].isupper() for w in words) or not words or any(c.isdigit() for c in text):
        return OPEN
    last = low[-1]
    if last in ("one", "ones") or is_known(last, "a") or not is_known(last):
        return OPEN
    wanted, held = coarse_type(head), coarse_type(last)
    if not wanted or (held == "person" and head in PERSONAL_ATTRIBUTES):
        return OPEN  # Anything may be a part, an option or a rule.
    apart = held in EXCLUSIVE_READ and held != wanted and frozenset({held, wanted}) not in OVERLAPPING_READ
    if not apart:
        return UNLIKE
    # A beagle is no instrument; but another meaning of the word may be.
    return 0.0 if (wanted in EXCLUSIVE_READ and wanted != "time") or len(supersenses(last)) == 1 else HARDLY


FORMS: Mapping[str, Callable[[str], float]] = {
    "duration": duration_fit,
    "amount": amount_fit,
    "age": age_fit,
    "number": count_fit,
    "frequency": frequency_fit,
    "person": person_fit,
    "name": name_fit,
    "place": place_fit,
    "occupation": occupation_fit,
    "relation": relation_fit,
    "colour": colour_fit,
    CLOCK_TIME: clock_fit,
    WEEKDAY: weekday_fit,
    IDENTIFIER: identifier_fit,
    **dict.fromkeys(MEASURES, measure_fit),
}
MEASURED = MEASURES | {CLOCK_TIME, WEEKDAY, "duration", "amount", "age", "number", "frequency"}
"""Types of values that are recognised by form alone."""
QUANTITIES: Mapping[str, re.Pattern[str]] = {"amount": MONEY, "duration": DURATION}
"""By type, the form of its values."""


def quantity(kind: str, text: str, start: int, end: int) -> tuple[int, int]:
    """The value of a type inside words, or that includes them: `4 min` of `4` and of `was 4 min late`."""
    form = QUANTITIES.get(kind)
    found = [m.span() for m in form.finditer(text) if m.start() < end and start < m.end()] if form is not None else []
    return found[0] if len(found) == 1 else (start, end)
