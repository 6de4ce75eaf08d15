"""Dates read within the week, month or year that a sentence just before them set.

In `The conference is next week. My talk is on Tuesday` the Tuesday is that of the conference, although it would be the one
to come if it stood alone. Where that is not sure, the date has no time: a wrong one would be worse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.calendar import span
from goalmem.language.lexnames import VerbKind
from goalmem.language.times import scan
from goalmem.language.times_context import Expression
from goalmem.language.times_grammar import CLOCK
from goalmem.language.times_words import ANY_WEEKDAY, DAY_PARTS, MONTH, PART, SUFFIX
from goalmem.logic.interval import Interval

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SMALL = r"(?:\W|\b(?:on|at|in|by|the|around|about|until|till)\b)*"
_BARE = re.compile(
    rf"{_SMALL}(?:(?P<weekday>{ANY_WEEKDAY})(?: (?:{DAY_PARTS}))?|(?P<number>\d{{1,2}}){SUFFIX}|(?:{PART})?(?P<month>{MONTH})\b\.?){_SMALL}",
    re.IGNORECASE,
)
"""A weekday, the number of a day, or a month, alone or with an hour."""
_SENTENCES = 2
"""Sentences behind a period in which a date is read within it."""
_A_DAY, _A_YEAR = timedelta(days=1), timedelta(days=366)
_MOMENT = timedelta(microseconds=1)
_AROUND = 400
"""Characters before a fact that may hold the date to which its own refers."""
_OWN = {"i": frozenset({"i", "my", "me"}), "we": frozenset({"we", "our", "us"})}
_OTHERS = frozenset("he she it they this that these those".split())


@dataclass(frozen=True, slots=True)
class SaidTime:
    """An expression of time as it is read by itself, with its root and the verb over it."""

    expression: Expression
    root: Token
    verb: Token | None
    when: Interval | None
    ahead: bool | None
    """The side of the day of saying on which it is looked for."""
    told: bool = True
    """False for what is denied, asked or supposed."""


@dataclass(frozen=True, slots=True)
class _Period:
    """The last period set, and in which sentence."""

    interval: Interval
    verb: Token | None
    sentence: int


class Periods:
    """Reads the times of a turn, in the order of the text, within the periods that those before them set."""

    def __init__(self, doc: Doc, at: datetime) -> None:
        self._doc, self._now = doc, at.replace(tzinfo=None)
        self._last: _Period | None = None

    @cached_property
    def _sentences(self) -> list[int]:
        """The number of the sentence of each token."""
        return list(accumulate(int(bool(t.is_sent_start)) for t in self._doc))

    def place(self, time: SaidTime) -> Interval | None:
        """When the next time is; None where it may be meant in two ways."""
        sentence, last = self._sentences[time.root.i], self._last
        near = last is not None and 0 <= sentence - last.sentence <= _SENTENCES
        when = _within(time, last, self._now) if near and last is not None else time.when
        if when is not None and _sets_period(time, when):
            self._last = _Period(when, time.verb, sentence)
        elif not near or _bare(time.expression.text) is None:
            self._last = None
        return when


def _bare(text: str) -> re.Match[str] | None:
    return _BARE.fullmatch(CLOCK.sub(" ", text))


def _sets_period(time: SaidTime, when: Interval) -> bool:
    """True for a week, month or year in which something is or is planned; not for a limit."""
    return time.told and time.expression.bound is None and _A_DAY < when.end - when.start <= _A_YEAR


def _within(time: SaidTime, period: _Period, now: datetime) -> Interval | None:
    """A time within a period, if it is a bare date on the same side of the day of saying."""
    bare, whole = _bare(time.expression.text), period.interval
    if bare is None or time.when is None or time.expression.bound == "since":
        return time.when
    if bare["month"] and whole.end - whole.start < timedelta(days=92):
        return time.when
    if whole.start <= time.when.start and time.when.end <= whole.end:
        return time.when
    if (whole.start > now) if time.ahead is False else (whole.end <= now):
        return time.when
    days = _candidates(time.expression, whole, month=bool(bare["month"]))
    days = [d for d in days if (d.start <= now if time.ahead is False else d.start > now)]
    related = _is_related(period.verb, time.verb)
    if len(days) != 1:
        return None if days and related else time.when
    if time.ahead is False:
        return None if bare["weekday"] else days[0]
    return days[0] if related else None


def _candidates(expression: Expression, whole: Interval, *, month: bool) -> list[Interval]:
    """The first two days or months within the period that an expression may mean."""
    found = list[Interval]()
    start = whole.start
    while len(found) < 2:
        there = expression.resolve(start if month else start - _MOMENT, True)
        if there is None or there.end > whole.end or there.end <= start:
            break
        found.append(span(whole.start, there.end) if expression.bound == "until" else there)
        start = there.end
    return found


def _is_related(first: Token | None, second: Token | None) -> bool:
    """True if a clause goes on about what the first one is about: `They arrive`, `My talk is`, `We leave`; by their verbs."""
    if first is None or second is None or first == second:
        return first is not None and first == second
    subject = _subject(second)
    if subject is None:
        return False
    word = subject.lower_
    if word in _OTHERS:
        return True
    if word in _OWN:
        before = _subject(first)
        shared = before is not None and any(t.lower_ in _OWN[word] for t in (before, *before.lefts))
        return shared and lexicon.verb_kinds(second.lemma_.lower())[:1] == (VerbKind.MOTION,)
    simple = second.lemma_ == "be" or not any(t.dep_ == "dobj" for t in second.rights)
    return simple and any(t.dep_ == "poss" or t.lower_ == "the" for t in subject.lefts)


def _subject(verb: Token) -> Token | None:
    return next((t for t in verb.lefts if t.dep_ in ("nsubj", "nsubjpass")), None)


def is_bare_date(text: str) -> bool:
    """True for a weekday, the number of a day, or a month, alone or with an hour: `on Friday at 8`, `the 12th`."""
    return _bare(text) is not None


def is_read_within(text: str, start: int, when_text: str, when: Interval, said: datetime) -> bool:
    """True if a date in `text`, behind about `start`, was placed by a period set before it: by itself it is another one."""
    if _bare(when_text) is None:
        return False
    alone = (e.resolve(said, ahead) for e in scan(when_text) for ahead in (True, False))
    if when in alone:
        return False
    near = scan(text[max(0, start - _AROUND) : start + _AROUND])
    beside = (e.resolve(said, ahead) for e in near if e.text == when_text for ahead in (True, False))
    return when not in beside
