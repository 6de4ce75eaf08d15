"""Resolves ambiguous times to the past or the future, by the preceding words and the tense of the verb.

Used for facts and passages alike. `on Friday` is in the future in "he comes on Friday" and in the past in "he came on
Friday"; something moved to Friday is in the future whatever the tense; without a verb, a weekday is in the future and a
date is on the nearer side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from goalmem.language.analyzer import Analyzer
from goalmem.language.times import TimeMention, mention, scan
from goalmem.language.times_context import MOVED, Expression
from goalmem.language.times_within import Periods, SaidTime
from goalmem.language.words.function_words import UNDECIDED
from goalmem.language.words.verbs import ARRANGED_AHEAD, BEGUN

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


_SINCE = re.compile(r"\b(?:ever )?since (?:the )?(?:\w+ of )?$", re.IGNORECASE)
"""Since clauses start in the past, whatever the tense."""
_AIMED = re.compile(r"\b(?:to|for)(?: the)? $", re.IGNORECASE)
"""Times that something is moved to or fixed for are in the future, whatever the tense."""
FROM = re.compile(r"\bfrom(?: the)? $", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"\b(?:next|coming|upcoming|tomorrow|plan(?:s|ned)?|booked|booking|scheduled|due|deadline|appointment|gonna|soon|maybe)\b|['’]ll\b",
    re.IGNORECASE,
)
"""Words that, without a verb, announce something in the future."""
_LOOK_BACK = 24
_A_DAY, _A_FORTNIGHT, _TWO_MONTHS = timedelta(days=1), timedelta(days=14), timedelta(days=62)


@dataclass(frozen=True, slots=True)
class Side:
    """The side of the day of saying: past or future."""

    ahead: bool | None
    """None where the words do not say."""
    margin: float = math.inf
    """Ratio of distances above which a date on the other side is preferred; never for two weekdays."""

    def __bool__(self) -> bool:
        return self.ahead is not None


_AHEAD, _BEHIND, _UNSAID = Side(True), Side(False), Side(None, 1)
_PRESENT = Side(True, 8)
"""In `the results of 18 September are fine`, said on the 20th, the present tense leaves the nearer date open."""
_LIKELY_BEHIND = Side(False, 1)


def times_said(text: str, at: datetime, analyzer: Analyzer | None = None) -> list[TimeMention]:
    """The times mentioned in a turn, each on the side of `at` that its words indicate."""
    return list(_times_said(text, at, analyzer or _analyzer()))


@lru_cache(1024)
def _times_said(text: str, at: datetime, analyzer: Analyzer) -> tuple[TimeMention, ...]:
    """Kept, as one question after another finds the same turns; as times, a hundredth of the size of a parse."""
    expressions = scan(text)
    return tuple(times_of(analyzer.docs([text])[0], at, expressions)) if expressions else ()


def times_of(doc: Doc, at: datetime, expressions: Sequence[Expression] | None = None) -> list[TimeMention]:
    """The times that a parsed turn or question speaks of, as `times_said`; `expressions`: those that were found in it."""
    found = scan(doc.text) if expressions is None else expressions
    periods, placed = Periods(doc, at), []
    for expression in found:
        ahead = lies_ahead(expression, at, side_of(doc, expression))
        said = mention(doc.text, expression, at, ahead)
        words = doc.char_span(expression.start, expression.end, alignment_mode="expand")
        if said is not None and words is not None:
            when = periods.place(SaidTime(expression, words.root, _verb_over(words), said.interval, ahead))
            said = replace(said, interval=when) if when is not None else None
        if said is not None:
            placed.append(said)
    return placed


@lru_cache(1)
def _analyzer() -> Analyzer:
    return Analyzer()


def lies_ahead(expression: Expression, at: datetime, side: Side) -> bool | None:
    """The side indicated by the words; otherwise a weekday is ahead, and a date is on the nearer side."""
    if side.ahead is not None and side.margin == math.inf:
        return side.ahead
    behind, ahead = expression.resolve(at, False), expression.resolve(at, True)
    if behind is None or ahead is None:
        return behind is None
    if behind == ahead:
        return side.ahead
    today, apart = at.replace(tzinfo=None), ahead.start - behind.start
    if behind.start <= today < behind.end:
        return False
    if apart <= _A_FORTNIGHT:
        return side.ahead is not False  # a weekday
    if apart <= _TWO_MONTHS and side.margin > 1:
        return side.ahead  # a day of the month
    to_come, gone = max(ahead.start - today, _A_DAY), max(today - min(behind.end, today), _A_DAY)
    if side.ahead:
        return to_come <= side.margin * gone
    return gone > side.margin * to_come if side else to_come < gone


def side_of(doc: Doc, expression: Expression) -> Side:
    """On which side of the day of saying the words put a time."""
    span = doc.char_span(expression.start, expression.end, alignment_mode="expand")
    if span is None:
        return _UNSAID
    first = span.start
    while first and expression.start - doc[first].idx < _LOOK_BACK:
        first -= 1
    before = doc[first : span.end].text[: expression.start - doc[first].idx][-_LOOK_BACK:]
    if expression.bound == "since" or _SINCE.search(before):
        return _BEHIND
    moved_from = FROM.search(before)
    if _AIMED.search(before) or (moved_from and MOVED.search(before, 0, moved_from.start())):
        return _AHEAD
    return (
        _governed(span)
        or _likely(_tense_of(span.sent, span))
        or (_AHEAD if _ANNOUNCED.search(span.sent.text) else _neighbour(span))
    )


def _governed(span: Span) -> Side:
    """The side indicated by the governing verb; less certain across a colon (`I had it through: op on 11 March`)."""
    verb = _verb_over(span)
    if verb is None:
        return _UNSAID
    between = span.doc[min(verb.i, span.start) : max(verb.i, span.end)].text
    return _likely(_tense(verb)) if re.search(r"[:;]\s|\s[-–]\s", between) else _tense(verb)


def _likely(side: Side) -> Side:
    return replace(side, margin=1)


def _verb_over(span: Span) -> Token | None:
    """The verb that governs the words."""
    token = span.root
    while token.pos_ not in ("VERB", "AUX") or token in span:
        if token.head.i == token.i:
            return None
        token = token.head
    return token


def _tense(verb: Token) -> Side:
    """The side indicated by a verb's tense."""
    auxiliaries = [t for t in verb.children if t.dep_ in ("aux", "auxpass")]
    lower = {t.lower_ for t in auxiliaries}
    if lower & UNDECIDED:
        return _AHEAD
    if any(t.tag_ == "VBD" or t.lower_ in ("was", "were", "did", "had") for t in (*auxiliaries, verb)):
        return _AHEAD if verb.lower_ in ("going", "supposed", "due") else _BEHIND
    if any(t.lemma_ == "have" for t in auxiliaries) and verb.tag_ == "VBN":
        return _BEHIND
    if verb.tag_ == "VBN":
        to_come = verb.lemma_ in ARRANGED_AHEAD or any(t.dep_ == "auxpass" or t.lemma_ == "be" for t in auxiliaries)
        return _AHEAD if to_come else _LIKELY_BEHIND
    above = verb.head if verb.head.i != verb.i and verb.head.pos_ in ("VERB", "AUX") else None
    if verb.tag_ == "VB" and "to" in lower:
        begun = above is not None and above.lemma_ in BEGUN and _tense(above).ahead is False
        return _BEHIND if begun else _AHEAD
    if above is not None and not auxiliaries and _takes_tense(verb):
        return _tense(above)
    return _UNSAID if verb.tag_ in ("VBP", "VB") and _is_both(verb) else _PRESENT


def _takes_tense(verb: Token) -> bool:
    """True if a verb without a tense happens when the one above it does: `felt it go`, `fell while running`."""
    return verb.tag_ in ("VB", "VBG") and verb.dep_ in ("advcl", "acl", "pcomp", "xcomp", "ccomp")


def _is_both(verb: Token) -> bool:
    """True if the form is also a past tense (`put`, `burst`), so that other verbs must decide."""
    from goalmem.language.inflection import getInflection

    return verb.lower_ in getInflection(verb.lemma_, "VBD")


def _tense_of(sentence: Span, span: Span) -> Side:
    """The tense of the other verbs of a sentence, the past before the others."""
    verbs = (t for t in sentence if t.pos_ in ("VERB", "AUX") and t not in span and t.dep_ not in ("aux", "auxpass"))
    said = [_tense(t) for t in verbs]
    return next((s for s in said if s.ahead is False), next((s for s in said if s), _UNSAID))


def _neighbour(span: Span) -> Side:
    """For a time without a verb: the past tense of the previous or next sentence (`She had it! Saturday.`)."""
    doc, here = span.doc, span.doc[span.start].sent
    beside = [doc[i].sent for i in (here.start - 1, here.end) if 0 <= i < len(doc)]
    return _LIKELY_BEHIND if any(_tense_of(s, span).ahead is False for s in beside) else _UNSAID
