"""The value of a span: of the answer type, and with the place it is read from (condition 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from goalmem.language import Analyzer, times_said
from goalmem.language.lexicon import coarse_type
from goalmem.language.words.nouns import NAMED_TYPES, NUMERIC_TYPES, PRICES
from goalmem.language.words.pronouns import FIRST_SINGULAR, UNNAMED
from goalmem.logic.terms import Derivation, Value, Variable
from goalmem.logic.unify import FramePart
from goalmem.questions.wh import CLOCK_TIME
from goalmem.records import Argument, Fact, Turn
from goalmem.sources.certainty.answer_ranking import Refusal
from goalmem.sources.kinds import may_be
from goalmem.sources.numbers import NEARLY, NUMBER_WORDS, OF_NUMBER, clock_fit, clock_span, number_in
from goalmem.sources.passages.type_fit import FORMS, SEVERAL_DAYS, UNLIKE, calendar_fit, quantity
from goalmem.sources.passages.type_fit import fit as type_fit
from goalmem.sources.qualifiers import are_denied
from goalmem.sources.similarity import Similarity
from goalmem.sources.spans import sentence_around, trim_function_words, trim_span, whole_words
from goalmem.sources.unplaced_times import is_unplaced
from goalmem.sources.values import RECURRING, time_value, without_article

ELSEWHERE = 0.85
"""Score of a time in another sentence of the turn than the answer."""
EXACT, MISFIT = 0.8, 0.5
"""Score from which a piece of a span fits a type, and below which another piece does not."""
LOOSE = 0.75
"""Score of a number that is not at the start of the words: `my rent is up to 900`, but also `one of the waiters`."""
COUNTED = re.compile(
    rf"\W*(?:(?:a|an|the|{NEARLY})\b\W*)*"
    rf"(?:\d|(?:{'|'.join(NUMBER_WORDS)})\b)",
    re.IGNORECASE,
)
"""Words that begin with a number: `one` in `a tortoise from one of the waiters` is no count."""
ONE_OF = re.compile(r"\bone(?: of\b|s\b)?", re.IGNORECASE)
"""A number word that does not count inside other words."""

JOINED_PERSON = re.compile(
    r"(?:^|(?<=\band )|(?<=\bor )|(?<=[,&/] )|(?<=[,&/]))(?:me|i|myself|mine)(?=\s*(?:,|&|/|and\b|or\b|$))",
    re.IGNORECASE,
)
"""The speaker alone in an enumeration: `Me or Mireille`."""
POSSESSED = re.compile(r"(?<=\w)['’]s$")
SEGMENT = re.compile(r"(?:(?<!\s)\s*|(?<=\s))(?:[,;:.!?](?=\s)|\(|\s[-–—]\s)\s*")
"""Separates the pieces of a span that may each be the answer."""


HOUR = re.compile(r"\b\w+ (?:at|around|about|by) (?P<hour>\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)?)$", re.IGNORECASE)
"""An hour behind a verb."""


def is_person(type_: str) -> bool:
    """True if the answer type is a person."""
    return type_ in ("person", "name") or coarse_type(type_.split()[-1]) == "person"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of a turn that may answer, with their value."""

    turn: str
    value: Value
    derivation: Derivation
    span: str
    """The words that the value was read from."""
    start: int
    end: int
    """Offset of the cited sentence in the turn's content."""
    score: float
    refusal: Refusal | None = None

    def worth(self, score: float, refusal: Refusal | None) -> Proposal:
        """The same proposal with another score."""
        return replace(self, score=round(score, 4), refusal=refusal)


@dataclass(frozen=True)
class SpanValues:
    """Computes the values of spans."""

    similarity: Similarity
    analyzer: Analyzer | None = None
    """Parses the tense of a turn's verbs; without one, the process's analyzer does."""

    def offered(
        self, variable: Variable, turn: Turn, facts: Sequence[Fact], start: int, end: int
    ) -> Iterable[Proposal]:
        """The proposals for a span, if it can be a value of the variable."""
        start, end = trim_span(turn.content, start, end)
        if start < end:
            start, end = trim_function_words(turn.content, start, end, of_person=is_person(variable.type))
        if start >= end:
            return
        start, end = whole_words(turn.content, start, end)
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
        start, end = self.cut(variable.type, turn.content, start, end)
        text = turn.content[start:end]
        if text.casefold() in FIRST_SINGULAR:
            if is_person(variable.type) and turn.author:
                speaker = Value(turn.author, self.similarity.canonical(turn.author), "person")
                yield Proposal(turn.id, speaker, Derivation.RESOLVED, text, first, last, 1.0)
            return
        if is_person(variable.type) and JOINED_PERSON.search(text):
            if not turn.author:
                return
            named = JOINED_PERSON.sub(lambda _: turn.author, text)
            everybody = Value(named, self.similarity.canonical(named), "person")
            yield Proposal(turn.id, everybody, Derivation.RESOLVED, text, first, last, 1.0)
            return
        argument = next((a for f in facts for a in f.args if (a.start, a.end) == (start, end)), None)
        value, derivation, fit = self.value(variable, text, argument, turn.content[:start])
        if value is not None and fit > 0:
            yield Proposal(turn.id, value, derivation, text, first, last, fit)

    def cut(self, kind: str, text: str, start: int, end: int) -> tuple[int, int]:
        """The part of a span that fits a type exactly: with its whole unit, without the words beside it.

        Idempotent.
        """
        if kind == CLOCK_TIME:
            start, end = clock_span(text, start, end)
        if kind in PRICES or kind == "duration":
            start, end = quantity("duration" if kind == "duration" else "amount", text, start, end)
            return trim_span(text, start, end)
        if kind in FORMS:
            start, end = self.piece(kind, text, start, end)
        if is_person(kind) and (owner := POSSESSED.search(text, start, end)) is not None and owner.end() == end:
            end = owner.start()
        return start, end

    def piece(self, kind: str, text: str, start: int, end: int) -> tuple[int, int]:
        """The only piece of a span that fits the type; the span itself if there is none."""
        at, pieces = start, list[tuple[int, int]]()
        for mark in SEGMENT.finditer(text, start, end):
            pieces.append((at, mark.start()))
            at = mark.end()
        pieces = [trim_span(text, *p) for p in (*pieces, (at, end))]
        rated = [(type_fit(kind, text[a:b]), (a, b)) for a, b in pieces if a < b]
        fitting = [p for worth, p in rated if worth >= EXACT]
        if len(rated) > 1 and len(fitting) == 1 and all(worth < MISFIT for worth, p in rated if p not in fitting):
            return fitting[0]
        return start, end

    def value(
        self, variable: Variable, text: str, argument: Argument | None, before: str = ""
    ) -> tuple[Value | None, Derivation, float]:
        """The value of words, its derivation, and how well it fits the type; `before`: the text before them."""
        kind = variable.type
        if kind == CLOCK_TIME:
            shown = without_article(text)
            return Value(shown, shown.casefold(), "time"), Derivation.QUOTED, clock_fit(shown)
        if kind.startswith(OF_NUMBER) or kind in NUMERIC_TYPES:
            found = self.counted(kind, text)
            if found is not None:
                return found
        entity = argument.entity if argument is not None else ""
        if text.casefold() in UNNAMED:
            if not entity or entity.casefold() in UNNAMED:
                return None, Derivation.RESOLVED, 0.0
            return Value(entity, self.similarity.canonical(entity), "person"), Derivation.RESOLVED, 1.0
        shown = without_article(text)
        fit = self.suits(kind, shown, argument, before)
        return Value(shown, shown.casefold(), argument.type if argument is not None else ""), Derivation.QUOTED, fit

    def counted(self, kind: str, text: str) -> tuple[Value | None, Derivation, float] | None:
        """The value of words with a number; None for frequencies and others without digits (`once a week`, `free`)."""
        form = "number" if kind.startswith(OF_NUMBER) else kind
        fit = type_fit(form, text)
        leads = COUNTED.match(text) is not None
        number = number_in(text if leads else ONE_OF.sub("", text))
        if number is None:
            return None if fit else (None, Derivation.NUMBER, 0.0)
        if form in ("duration", "frequency"):
            return None
        shown = without_article(text)
        worth = fit if leads or form != "number" else fit * LOOSE
        return Value(shown, f"{number:g}", "number", number=number), Derivation.NUMBER, worth

    def suits(self, kind: str, text: str, argument: Argument | None, before: str = "") -> float:
        """How well words fit the answer type: little if they are known to be of another kind (condition 2)."""
        if kind in ("thing", "reason", "manner", "activity"):
            return 1.0
        head = argument.head if argument is not None else text.split()[-1].casefold()
        if are_denied(FramePart("object", text, 0, len(text), head), kind):
            return 0.0
        fit = type_fit("number" if kind.startswith(OF_NUMBER) else kind, text, before)
        if fit == 1.0 or kind.startswith(OF_NUMBER) or (kind in FORMS and (kind not in NAMED_TYPES or fit < UNLIKE)):
            return fit
        entity, type_, resolved = (
            (argument.entity, argument.type, argument.resolved) if argument is not None else ("",) * 3
        )
        part = FramePart(
            "object", text, 0, len(text), head, entity, type_, resolved, tuple(text.casefold().split()[:-1])
        )
        return 1.0 if may_be(part, kind) else fit

    def timed(self, turn: Turn, start: int, end: int, first: int, last: int) -> Proposal | None:
        """The time of what a span describes: from the span, its sentence or its turn; never the day of the turn itself."""
        if not turn.dated:
            return None
        mentions = times_said(turn.content, turn.at.replace(tzinfo=None), self.analyzer)
        inside = [m for m in mentions if m.start < end and start < m.end]
        said = turn.content[start:end]
        if SEVERAL_DAYS.fullmatch(said):  # said of a week, they are two days, and of each week no day of the calendar
            return Proposal(turn.id, Value(said, said.casefold(), "time"), Derivation.QUOTED, said, first, last, 1.0)
        if not inside and (hour := HOUR.search(said)) is not None:
            said = hour["hour"]  # of `closes at 10 pm`
        if not inside and is_unplaced(said):
            return None
        if not inside and (fit := calendar_fit(said)):
            return Proposal(turn.id, Value(said, said.casefold(), "time"), Derivation.QUOTED, said, first, last, fit)
        beside = [m for m in mentions if m.start < last and first < m.end]
        for group, worth in ((inside, 1.0), (beside, 1.0), (mentions, ELSEWHERE)):
            if group:
                m = min(group, key=lambda m: (abs(m.start - start), m.start))
                value = time_value(m.interval, m.text)
                own = sentence_around(turn.content, m.start, m.end)
                return Proposal(turn.id, value, Derivation.TIME, m.text, *own, worth)
        return None
