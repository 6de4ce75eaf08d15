"""What a span of a turn may stand for: a value of the type asked for, and where it is read from (condition 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from goalmem.extract import Analyzer, times_said
from goalmem.extract.lexicon import coarse_type, is_known
from goalmem.logic.frames import Part
from goalmem.logic.terms import Derivation, Value, Variable
from goalmem.reasoners.wh import CLOCK_TIME
from goalmem.records import Argument, Fact, Turn
from goalmem.sources.clock import clock_end, clock_fit
from goalmem.sources.similarity import NUMBER_WORDS, OF_NUMBER, PRONOUNS, Wording
from goalmem.sources.spans import clipped, sentence_around, trimmed, whole
from goalmem.sources.values import bare, number_in

__all__ = ["FIRST_PERSON", "Proposal", "Standing", "is_person"]

ELSEWHERE = 0.85
"""What a time is worth that stands in another sentence of the turn than the words that answer."""
UNLIKE = 0.4
"""What words are worth that are known to be of another kind than is asked for, as far as a dictionary knows."""
APART = frozenset({"person", "animal", "food", "place", "time"})
"""Coarse types that exclude each other."""
NUMERIC = frozenset({"number", "age", "amount", "duration", "distance", "height", "size", "frequency", "score"})
LOOSE = frozenset({"amount", "duration", "frequency", "age"})
"""Numeric types whose number may stand anywhere in the words: `my rent is up to 900`."""
COUNTED = re.compile(
    rf"\W*(?:(?:a|an|the|about|around|almost|nearly|only|just|roughly|over|under|some|like|exactly|up|to|at|least|most|more|than|all)\b\W*)*"
    rf"(?:\d|(?:{'|'.join(NUMBER_WORDS)})\b)",
    re.IGNORECASE,
)
"""Words that begin with a number: of `a tortoise from one of the waiters` one is no count."""
OFTEN = re.compile(
    r"\b(?:once|twice|thrice|daily|weekly|monthly|yearly|every|each|always|never|often|couple|few|half)\b"
)


DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|days?|weekdays?|weekends?|mornings?|evenings?|nights?|weeks?|months?|years?"
RECURRING = re.compile(
    rf"(?:on\s+)?(?:(?:every|each)\s+(?:other\s+|second\s+)?(?:{DAY})|(?:mon|tues|wednes|thurs|fri|satur|sun)days|daily|weekly|monthly|yearly)"
    r"(?:\W+(?:at\s+|and\s+)?[\w:.]+){0,3}",
    re.IGNORECASE,
)
"""Words for what comes again and again, which no day on the calendar stands for: `fridays at 8`."""
PRICES = frozenset({"amount", "price", "cost", "fee", "rent", "deposit", "salary", "wage", "fare"})
CURRENCY = r"(?:€|£|\$|eur|euros?|usd|dollars?|pounds?|gbp|quid|bucks|cents?|francs?|chf|kr|kroner|zł|yen|pesos?|lei)"
MONEY = re.compile(
    rf"(?:[€£$]\s?\d[\d.,]*k?|\b\d[\d.,]*\s?k?\s?{CURRENCY}(?!\w))(?:\s?(?:/|a\s|an\s|per\s)\s?[a-z]+|\s+each)?",
    re.IGNORECASE,
)
"""An amount of money, with what it is for each of."""


FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})


def is_person(type_: str) -> bool:
    """Whether what is asked for is somebody."""
    return type_ in ("person", "name") or coarse_type(type_.split()[-1]) == "person"


def priced(text: str, start: int, end: int) -> tuple[int, int]:
    """Of words around one amount of money, that amount: `7 April, Wells Road, £45`."""
    found = list(MONEY.finditer(text, start, end))
    if len(found) != 1:
        return start, end
    return trimmed(text, *found[0].span())


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of a turn that may answer, with what they stand for."""

    turn: str
    value: Value
    derivation: Derivation
    span: str
    """The words that the value was read from."""
    start: int
    end: int
    """Of the cited sentence in the turn's content."""
    score: float

    def worth(self, score: float) -> Proposal:
        """The same with another score."""
        return replace(self, score=round(score, 4))


@dataclass(frozen=True)
class Standing:
    """Gives spans their values."""

    wording: Wording
    analyzer: Analyzer | None = None
    """Reads the tense of a turn's verbs; without one, that of the process."""

    def offered(
        self, variable: Variable, turn: Turn, facts: Sequence[Fact], start: int, end: int
    ) -> Iterable[Proposal]:
        """What a span stands for, if it may stand for the variable."""
        start, end = trimmed(turn.content, start, end)
        if start < end and not is_person(variable.type):
            start, end = clipped(turn.content, start, end)
        if start >= end:
            return
        start, end = whole(turn.content, start, end)
        first, last = sentence_around(turn.content, start, end)
        if variable.type == "time" and RECURRING.fullmatch(turn.content[start:end]):
            said = turn.content[start:end]
            yield Proposal(turn.id, Value(said, said.casefold(), "time"), Derivation.QUOTED, said, first, last, 1.0)
            return
        if variable.type == "time":
            timed = self.timed(turn, start, end, first, last)
            if timed is not None:
                yield timed
            return
        if variable.type in PRICES:
            start, end = priced(turn.content, start, end)
        if variable.type == CLOCK_TIME:
            end = clock_end(turn.content, end)
        text = turn.content[start:end]
        if text.casefold() in FIRST_PERSON:
            if is_person(variable.type):
                speaker = Value(turn.speaker, self.wording.canonical(turn.speaker), "person")
                yield Proposal(turn.id, speaker, Derivation.RESOLVED, text, first, last, 1.0)
            return
        argument = next((a for f in facts for a in f.args if (a.start, a.end) == (start, end)), None)
        value, derivation, fit = self.value(variable, text, argument)
        if value is not None and fit > 0:
            yield Proposal(turn.id, value, derivation, text, first, last, fit)

    def value(self, variable: Variable, text: str, argument: Argument | None) -> tuple[Value | None, Derivation, float]:
        """The value of words, how it follows from them, and how well it suits the type."""
        kind = variable.type
        if kind == CLOCK_TIME:
            shown = bare(text)
            return Value(shown, shown.casefold(), "time"), Derivation.QUOTED, clock_fit(shown)
        if kind.startswith(OF_NUMBER) or kind in NUMERIC:
            number = number_in(text) if kind in LOOSE or COUNTED.match(text) else None
            if number is None and not OFTEN.search(text.casefold()):
                return None, Derivation.NUMBER, 0.0
            if number is not None and kind not in ("duration", "frequency"):
                return Value(bare(text), f"{number:g}", "number", number=number), Derivation.NUMBER, 1.0
        entity = argument.entity if argument is not None else ""
        if text.casefold() in PRONOUNS:
            if not entity or entity.casefold() in PRONOUNS:
                return None, Derivation.RESOLVED, 0.0
            return Value(entity, self.wording.canonical(entity), "person"), Derivation.RESOLVED, 1.0
        shown = bare(text)
        fit = self.suits(kind, shown, argument)
        return Value(shown, shown.casefold(), argument.type if argument is not None else ""), Derivation.QUOTED, fit

    def suits(self, kind: str, text: str, argument: Argument | None) -> float:
        """How well words suit the type asked for: little for what is known to be of another kind (condition 2)."""
        if kind in ("thing", "reason", "manner", "activity"):
            return 1.0
        head = argument.head if argument is not None else text.split()[-1].casefold()
        entity, type_, resolved = (
            (argument.entity, argument.type, argument.resolved) if argument is not None else ("",) * 3
        )
        part = Part("object", text, 0, len(text), head, entity, type_, resolved, tuple(text.casefold().split()[:-1]))
        if kind in ("person", "name") and text[:1].isupper() and type_ in ("", "person"):
            return 1.0
        if self.wording.instance(part, kind) > 0:
            return 1.0
        return 0.0 if self.clashes(kind.split()[-1], part) else UNLIKE

    def clashes(self, kind: str, part: Part) -> bool:
        """Whether words are surely of another kind: common nouns of beings, food, places or times for any other of these.

        What a name is of is only guessed, and never sure.
        """
        if kind == "name":
            return part.text.islower() and is_known(part.head)
        held = coarse_type(part.head) if part.text.islower() else ""
        wanted = coarse_type(kind)
        return held in APART and wanted in APART | {"thing"} and held != wanted

    def timed(self, turn: Turn, start: int, end: int, first: int, last: int) -> Proposal | None:
        """When what a span tells happened: as it says itself, as its sentence or its turn says; the day of saying is no event's."""
        if not turn.dated:
            return None
        mentions = times_said(turn.content, turn.at.replace(tzinfo=None), self.analyzer)
        inside = [m for m in mentions if m.start < end and start < m.end]
        beside = [m for m in mentions if m.start < last and first < m.end]
        for group, worth in ((inside, 1.0), (beside, 1.0), (mentions, ELSEWHERE)):
            if group:
                m = min(group, key=lambda m: (abs(m.start - start), m.start))
                value = Value(str(m.interval), str(m.interval), "time", m.interval)
                own = sentence_around(turn.content, m.start, m.end)
                return Proposal(turn.id, value, Derivation.TIME, m.text, *own, worth)
        return None
