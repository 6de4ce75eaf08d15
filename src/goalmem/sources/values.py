"""The value of a part of a fact for a variable."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from goalmem.language.times import find_times
from goalmem.language.times_words import DAY_NAMES, DAY_PARTS, MONTHS, ORDINALS, WEEKDAY, either
from goalmem.language.words.attributes import DIMENSIONS, PLACING_IN_TIME
from goalmem.language.words.nouns import ANIMATE
from goalmem.language.words.pronouns import DETERMINERS
from goalmem.language.words.verbs import STATES
from goalmem.logic.interval import Grain, Interval
from goalmem.logic.terms import Value, Variable
from goalmem.logic.unify import FramePart
from goalmem.records import Fact
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.similarity import Similarity

PAID_FOR = re.compile(r"(?<=\w) (?:for|on|at|from|in) .*", re.DOTALL)
"""What an amount is of: the end of `45 euros for the stove`."""
NOT_ANOTHER = re.compile(r"(?<=\w),?\s{1,3}(?:and\s{1,3})?not\s{1,3}[^,;]{1,60}$", re.IGNORECASE)
"""Another value, which it is not: `red, not pink`."""
NOW_SO = re.compile(r"^(?:now|currently|already|actually|officially)\s+(?=[\w\"'“£$€])", re.IGNORECASE)
"""Adverbs before a value that is so: `is now rose`."""
LEADING = re.compile(rf"^(?:(?:{either(DETERMINERS | {'some'})})\b\s*)+", re.IGNORECASE)
MEASURED = re.compile(
    rf"\s+(?:{'|'.join(a for adjectives in DIMENSIONS.values() for a in adjectives)})$", re.IGNORECASE
)
"""The adjective behind a measure: `180 cm tall`."""
DOINGS = frozenset({"clause", "preference"})


def value_of(variable: Variable, part: FramePart, similarity: Similarity) -> Value:
    """The value: an entity by its name, a number, or the words without article or possessive."""
    if variable.type.startswith(OF_NUMBER) or variable.type in ("number", "age", "amount"):
        number = number_in(part.text)
        if number is not None:
            shown = f"{number:g}"
            return Value(
                shown if variable.type.startswith(OF_NUMBER) else PAID_FOR.sub("", without_article(part.text)),
                shown,
                "number",
                number=number,
            )
    if part.entity:
        canonical = similarity.canonical(part.entity)
        shown = (
            part.entity
            if canonical == part.entity.casefold()
            else similarity.aliases.get(part.entity.casefold(), part.entity)
        )
        said = without_article(part.text)
        if said.casefold() == shown.casefold() and part.type not in ANIMATE and part.start >= 0:
            shown = said  # A branch called `trunk` is not `Trunk`.
        if re.match(r"\d+\w? ", said) and said.casefold().endswith(shown.casefold()):
            shown = said  # The number of a house is part of an address.
        return Value(shown, canonical, part.type)
    # No sentence begins with what stands behind *is*: the A of `my blood type is A positive` is no article.
    text = part.text if part.role == "attribute" and part.text.startswith("A ") else without_article(part.text)
    text = plain_value(text.rstrip(" ,;") or text)
    if variable.type in DIMENSIONS or variable.type == "duration":
        text = MEASURED.sub("", text)
        return Value(text, text.casefold(), "quantity")
    whole = part.words and NOT_ANOTHER.search(part.text) is None
    return Value(text, " ".join(sorted(part.words)) if whole else text.casefold(), part.type)


def plain_value(text: str) -> str:
    """A value without that it is so now, and without the other that it is not: `now rose`, `red, not pink`."""
    return NOT_ANOTHER.sub("", NOW_SO.sub("", text))


def without_article(text: str) -> str:
    """The text without a leading article or possessive."""
    return LEADING.sub("", text.strip()) or text.strip()


def activity_of(fact: Fact) -> Value | None:
    """An activity, as the clause's words after its subject, without those that hold on the day of saying only: `just went to Rome today`.

    None if the fact is no activity.
    """
    if fact.kind not in DOINGS or fact.predicate in STATES:
        return None
    subject = fact.arg("subject")
    start = subject.end - fact.start if subject is not None and fact.start <= subject.start < fact.end else 0
    text = RECENTLY.sub("", fact.text[start:].strip(" ,.;!"))
    if fact.when_text and DEICTIC.search(fact.when_text) and text.casefold().endswith(f" {fact.when_text.casefold()}"):
        text = text[: -len(fact.when_text)].rstrip(" ,")
    return Value(text, text.casefold(), "activity") if text else None


OF_WEEK = re.compile(r"\bweekday\b|\bday of the week\b|\b(?:which|what) day (?:is|are|do|does)\b", re.IGNORECASE)
"""Questions for a day of the week rather than a date."""


def asks_weekday(question: str, value: Value) -> bool:
    """True if a question asks for a day of the week and is answered by a date."""
    return value.interval is not None and OF_WEEK.search(question) is not None


BOUND = re.compile(r"(?:ever )?(?P<since>since)\b|(?:until|till|up until|up to)\b", re.IGNORECASE)
"""Words that name one end of a span (`language.times_context`)."""
PART_OF_MONTH = re.compile(rf"(?:the )?(?P<part>early|mid|late)[ -](?:{either(MONTHS)})\b", re.IGNORECASE)


def time_value(when: Interval, said: str) -> Value:
    """A time, shown as it was said where only one end of it was: `since 20 April 2025`, `until 3 May 2026`, `mid June 2025`."""
    text = str(when)
    if when.grain is Grain.SPAN and (bound := BOUND.match(said)) is not None:
        first = when.start if bound["since"] else when.end - timedelta(seconds=1)
        text = f"{'since' if bound['since'] else 'until'} {first.day} {first:%B %Y}"
    elif when.grain is Grain.SPAN and (named := PART_OF_MONTH.match(said)) is not None:
        text = f"{named['part'].casefold()} {when.start:%B %Y}"
    return Value(text, str(when), "time", when)


def as_weekday(question: str, value: Value, span: str) -> Value:
    """A date as the weekday that it was read from, if the question asks for one; otherwise the value as it is."""
    return replace(value, text=span) if span.casefold() in DAY_NAMES and asks_weekday(question, value) else value


RECENTLY = re.compile(r"^(?:(?:just|recently|finally|actually|already)\s+)+(?=\w)", re.IGNORECASE)
DEICTIC = re.compile(r"\b(?:today|tonight|yesterday|tomorrow|ago|last|next|this)\b", re.IGNORECASE)
"""Words for times that depend on the day of saying (Levinson 1983, section 2.2.2)."""
HABITUAL = re.compile(
    rf"\b(?:every|each|always|usually|mostly|often|daily|weekly|monthly|(?:{WEEKDAY})s|(?:{DAY_PARTS})s)\b",
    re.IGNORECASE,
)
"""Words for recurring events, which do not happen on the day on which they are mentioned."""


_DAY = rf"(?:{WEEKDAY})s?|days?|weekdays?|weekends?|mornings?|evenings?|nights?|weeks?|months?|years?"
_DAYS = rf"(?:{WEEKDAY})(?:s|\s+(?:{DAY_PARTS})s)"
_HOUR = r"(?:,?\s+(?:at|from|around)\s+[\d:.]+(?:\s?[ap]m)?(?:\s+(?:to|till|until)\s+[\d:.]+(?:\s?[ap]m)?)?)?"
_NTH = rf"(?:{either(ORDINALS)}|\d+(?:st|nd|rd|th))"
_NTH_OF = rf"(?:the\s+)?{_NTH}(?:\s+(?:and|or)\s+(?:the\s+)?{_NTH})?(?:\s+(?:{_DAY}))?\s+(?:(?:of|in)\s+)?"
RECURRING = re.compile(
    rf"(?:\bon\s+)?\b(?:(?:{_NTH_OF})?(?:every|each)\s+(?:other\s+|second\s+|single\s+)?(?:{_DAY})(?:\s+and\s+(?:{_DAY}))*|(?:alternate\s+)?(?:{_DAYS})(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:{_DAYS}))*"
    rf"|daily|weekly|monthly|yearly)\b{_HOUR}",
    re.IGNORECASE,
)
"""Words for recurring times, which are no calendar day: `fridays at 8`, `on Mondays and Thursdays`, `the first Sunday of every month`."""


SINCE = re.compile(r"(?:ever )?since ", re.IGNORECASE)


def counted_value(value: Value, words: str, said: datetime) -> Value:
    """A time that its words count back from the day of saying, as the unit around that moment: a year ago is not the last calendar year.

    Its text stays that of the calendar. What has been so since 2019 began in 2019. Any other value is unchanged.
    """
    if (since := SINCE.match(words)) is not None and (
        limits := find_times(words[since.end() :], said.replace(tzinfo=None))
    ):
        began = limits[0].interval
        key = f"{began.start.isoformat()}/{began.end.isoformat()}"
        return replace(value, text=str(began), key=key, interval=began)
    found = (m for m in find_times(words, said.replace(tzinfo=None)) if m.interval == value.interval)
    counted = next((m for m in found if m.point is not None), None)
    if counted is None or counted.point is None:
        return value
    half = (counted.interval.end - counted.interval.start) / 2
    around = Interval(counted.point - half, counted.point + half, counted.interval.grain)
    return replace(value, key=f"{around.start.isoformat()}/{around.end.isoformat()}", interval=around)


def said_day(said: datetime) -> Interval:
    """The day on which something was said."""
    start = datetime(said.year, said.month, said.day)
    return Interval(start, start + timedelta(days=1), Grain.DAY)


def tells_new_time(fact: Fact) -> bool:
    """True if the time in a fact is that to which something was moved, not that of the move."""
    if not fact.when_text or not fact.predicate or fact.predicate.split()[0] not in PLACING_IN_TIME:
        return False
    return re.search(rf"\b(?:to|until|till)\s+(?:the\s+)?{re.escape(fact.when_text)}", fact.text) is not None
